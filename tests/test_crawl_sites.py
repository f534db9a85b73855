"""Crawls of small sites that are odd in one way each, by what their servers saw and what was made of it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gristmill
from gristmill.crawling import CrawlConfig, crawler, resume
from gristmill.fetching.exchange import Endpoint

WORDS = "mill river stone wheel flour baker night bridge water grain sack horse winter road village roof".split()
QUICK: dict[str, dict[str, Any]] = {
    "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.02},
    "fetch": {"networks": ["127.0.0.0/8"], "min_bytes": 0, "read_seconds": 0.2},
}

Answer = tuple[int, dict[str, str], str]
"""Status, headers and body."""
NOT_FOUND: Answer = (404, {}, "")


def page(*links: str, seed: str = "", head: str = "") -> Answer:
    """Make a page with text that depends on `seed`."""
    random = Random(seed)
    sentences = (" ".join(random.choices(WORDS, k=12)) for _ in range(40))
    text = "".join(f"<p>It was the {sentence} that had been seen by all of them.</p>" for sentence in sentences)
    anchors = "".join(f"<a href='{link}'>{link}</a> " for link in links)
    return 200, {"Content-Type": "text/html"}, f"<html lang=en><head>{head}</head><title>{seed}</title>{anchors}{text}"


def moved(target: str) -> Answer:
    """Make a redirect."""
    return 301, {"Location": target}, ""


@dataclass
class Site:
    """All names of the web on one server; also the resolver that leads there."""

    answer: Callable[[str], Answer | None]
    """Makes the answer to an address without its scheme; None is never to answer."""
    port: int = 0
    asked: list[tuple[float, str]] = field(default_factory=list)
    """When which address was asked for."""

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Lead to the server, whatever the name."""
        del host, port
        return [Endpoint("127.0.0.1", self.port)]

    def count(self, address: str) -> int:
        """Tell how often an address was asked for."""
        return sum(address == other for _, other in self.asked)


@contextmanager
def served(answer: Callable[[str], Answer | None]) -> Iterator[Site]:
    """Serve a site."""
    site = Site(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = self.headers["Host"] + self.path
            site.asked.append((time.monotonic(), address))
            found = answer(address)
            if found is None:
                time.sleep(0.5)
                return
            status, headers, body = found
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield site
        server.shutdown()
        thread.join()


def crawl(site: Site, folder: Path, *seeds: str, **sections: dict[str, Any]) -> gristmill.CrawlSummary:
    """Crawl a site without delays."""
    tables = {name: {**QUICK.get(name, {}), **sections.get(name, {})} for name in {*QUICK, *sections}}
    config = CrawlConfig.from_table(tables)
    return gristmill.crawl(list(seeds), folder, config, resolver=site, workers=1)


def rows(folder: Path, query: str) -> list[Any]:
    """Ask the frontier of a crawl."""
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        return db.execute(query).fetchall()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a crawl wait for less long."""
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 0.05)
    monkeypatch.setattr(crawler, "HELD_SECONDS", 0.05)


def test_a_page_whose_canonical_address_leads_back_to_it_is_no_copy(tmp_path: Path) -> None:
    """As on sites that have moved to another form of their addresses, but for what their pages say."""
    numbers = range(5)
    site_pages = {
        "old.test/": page(*(f"/{number}" for number in numbers), seed="front"),
        **{f"old.test/{number}": moved(f"/{number}/") for number in numbers},
        **{
            f"old.test/{number}/": page(seed=f"text {number}", head=f"<link rel=canonical href='/{number}'>")
            for number in numbers
        },
    }
    with served(lambda address: site_pages.get(address, NOT_FOUND)) as site:
        summary = crawl(site, tmp_path / "crawl", "http://old.test/")
    assert (summary.pages, summary.texts) == (6, 6)
    assert dict(rows(tmp_path / "crawl", "SELECT outcome, count(*) FROM done GROUP BY 1")) == {
        "stored": 6,
        "redirect": 5,
    }


def test_a_host_that_never_answers_is_given_up_soon(tmp_path: Path) -> None:
    """Also if no other host is there to tell that it is not the network."""
    front = page(*(f"/{number}" for number in range(40)))
    answers = {"silent.test/": front, "silent.test/robots.txt": NOT_FOUND}
    with served(answers.get) as site:
        crawl(site, tmp_path / "crawl", "http://silent.test/", manners={"retries": 0, "host_failures": 3})
    assert len(site.asked) == 2 + 3 + 1  # the last one shows that it is not the network
    assert rows(tmp_path / "crawl", "SELECT dead FROM host") == [("timeout",)]


@pytest.mark.parametrize("strategy", ["yield", "breadth-first"])
def test_a_busy_server_is_left_alone_as_long_as_it_asks(tmp_path: Path, strategy: str) -> None:
    """Also if the address that it is too busy for is not asked for again."""
    busy = (503, {"Retry-After": "1"}, "")
    answers = {"busy.test/": page("/1", "/2"), "busy.test/1": busy, "busy.test/2": busy}
    with served(lambda address: answers.get(address, NOT_FOUND)) as site:
        crawl(site, tmp_path / "crawl", "http://busy.test/", strategy={"name": strategy}, manners={"retries": 0})
    (first, _), (second, _) = site.asked[2:]
    assert second - first >= 1


def test_a_crawl_whose_time_is_over_asks_for_nothing(tmp_path: Path) -> None:
    with served(lambda address: page("/1", "/2", seed=address)) as site:
        crawl(site, tmp_path / "crawl", "http://over.test/", stop={"pages": 1})
        asked = len(site.asked)
        summary = resume(tmp_path / "crawl", {"stop": {"pages": 0, "hours": 1e-6}}, resolver=site, workers=1)
    assert summary.ended == "hours"
    assert len(site.asked) == asked
