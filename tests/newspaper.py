"""A newspaper on loopback with a feed that grows: what is asked of it is written down."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WORDS = {
    "mill": "The old mill by the river has a new wheel, and the miller says that the mill will grind flour again",
    "bridge": "After the flood the bridge was closed for a week, but the engineers found that the bridge had held well",
    "school": "The school has more children than ever before, so that the school needs two rooms and a larger garden",
    "market": "On Saturday the market will move to the square, because the market had no room for the farmers any more",
    "theatre": "The theatre opens with a play about a miller, and everybody in the theatre knew whom the author meant",
}


@dataclass
class Article:
    """A page of the newspaper, and the item of its feed."""

    name: str
    title: str
    text: str
    published: str = "Tue, 17 Nov 2026 08:00:00 GMT"


@dataclass
class Newspaper:
    """Articles, the newest first, and which addresses were asked for."""

    port: int = 0
    articles: list[Article] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    broken: set[str] = field(default_factory=set)
    """Paths that answer with an error of the server."""
    busy: dict[str, int] = field(default_factory=dict)
    """Paths that answer that there are too many requests, and after how many seconds to ask again."""

    rules: str = ""
    """What is in robots.txt; if nothing, there is none."""

    @property
    def home(self) -> str:
        """The address of the first page."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def feed(self) -> str:
        """The address of the feed."""
        return f"{self.home}feed.xml"

    def print(self, subject: str, number: int = 1) -> None:
        """Publish an article about something."""
        sentences = (
            f"In part {part} of story {number}: {_WORDS[subject]}, as {subject} number {number * 100 + part} shows."
            for part in range(1, 13)
        )
        self.articles.insert(0, Article(f"{subject}-{number}", f"News of the {subject} {number}", " ".join(sentences)))

    def answer(self, path: str) -> tuple[int, str, str]:
        """Status, type and text of an address."""
        if path in self.broken:
            return 503, "text/plain", "later"
        if path == "/robots.txt" and self.rules:
            return 200, "text/plain", self.rules
        if path == "/":
            return 200, "text/html", '<link rel=alternate type="application/rss+xml" title=All href=/feed.xml>Home'
        if path == "/feed.xml":
            return 200, "application/rss+xml", self._rss()
        for article in self.articles:
            if path == f"/{article.name}":
                return 200, "text/html; charset=utf-8", _page(article)
        return 404, "text/plain", "nothing here"

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{escape(article.title)}</title><link>{self.home}{article.name}</link>"
            f"<guid isPermaLink='false'>{article.name}</guid><pubDate>{article.published}</pubDate>"
            f"<description>{escape(article.text[:100])}</description></item>"
            for article in self.articles
        )
        return f"<rss version='2.0'><channel><title>The Daily</title><link>{self.home}</link>{items}</channel></rss>"


def _page(article: Article) -> str:
    links = "".join(f"<li><a href=/{name}>{name.title()}</a></li>" for name in ("home", "sport", "weather", "contact"))
    return (
        f"<html lang=en><head><title>{article.title}</title></head><body><ul>{links}</ul><h1>{article.title}</h1>"
        f"<p>{article.text}</p><div>Copyright, all rights reserved</div></body></html>"
    )


@contextmanager
def newspaper() -> Iterator[Newspaper]:
    """Serve a newspaper at a free port."""
    paper = Newspaper()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paper.asked[self.path] += 1
            status, kind, text = paper.answer(self.path)
            body = text.encode()
            self.send_response(429 if self.path in paper.busy else status)
            if self.path in paper.busy:
                self.send_header("Retry-After", str(paper.busy[self.path]))
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        paper.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield paper
        finally:
            server.shutdown()
            thread.join()
