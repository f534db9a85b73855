"""Many days of feeds, while runs are killed: whether each item is there once, and what a run takes as a corpus grows.

A press on loopback prints articles each day in all its feeds: some have several pages, some are corrected later, some
are in a second feed. Each run is a process of its own that asks for all that is due on a simulated day, builds it,
asks a standing query and puts its digest into the outbox. What is in the corpus at the end is compared with what was
printed, and the requests with what was stored.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from harness import at_least_one, print_table, tell
from wordfreq import top_n_list

import gristmill
from gristmill.crawling import CrawlConfig
from gristmill.engine import InlineEngine
from gristmill.fetching.access import Access

_DAY_SECONDS = 86_400
_START = 20_000 * _DAY_SECONDS
_SHOWN = 12  # items that a feed shows
_ITEMS_A_DAY = 2
_ADDRESSES = 50
_PARAGRAPHS, _PARAGRAPH_WORDS = 4, 60
_QUICK = CrawlConfig().replace(
    {"fetch": {"min_bytes": 0}, "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.0}}
)


@dataclass(frozen=True, slots=True)
class Story:
    """An article: where it is, and which version of it is shown now."""

    feed: int
    number: int
    version: int = 1

    @property
    def name(self) -> str:
        """Its path."""
        return f"story-{self.number}"

    @property
    def pages(self) -> int:
        """Over how many pages it is spread."""
        return 3 if self.number % 10 == 3 else 1

    @property
    def edition(self) -> str:
        """A word for its version; another number alone would be no correction."""
        return "a" * self.version + "th"

    def title(self) -> str:
        """Its headline, which stays when it is corrected."""
        return " ".join(_paragraphs(self.feed, self.number, 0)[0].split()[:7])

    def text(self, page: int) -> list[str]:
        """The paragraphs of a page; the first of them says which version it is."""
        paragraphs = _paragraphs(self.feed, self.number, page)
        mark = f"This is story{self.feed}x{self.number} in the {self.edition} edition and on page{page} of it. "
        return [mark + paragraphs[0], *paragraphs[1:]]


@functools.cache
def _paragraphs(feed: int, number: int, page: int) -> list[str]:
    seeds = [f"{feed} {number} {page} {count}" for count in range(_PARAGRAPHS)]
    return [" ".join(_words(seed, _PARAGRAPH_WORDS)).capitalize() + "." for seed in seeds]


def _words(seed: str, count: int) -> list[str]:
    """Words that are about as frequent as in the language, the same for the same seed."""
    rng = random.Random(seed)
    return [_VOCABULARY[int(len(_VOCABULARY) ** rng.random()) - 1] for _ in range(count)]


_VOCABULARY = top_n_list("en", 5_000)


@dataclass
class Press:
    """All newspapers: what they show, and what they were asked for."""

    feeds: int
    rng: random.Random
    stories: list[list[Story]] = field(default_factory=list)
    """Of each feed, the newest last."""
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Requests for pages, with the version that was shown."""

    def __post_init__(self) -> None:
        self.stories = [[] for _ in range(self.feeds)]

    def print_day(self) -> None:
        """Print what is new on a day, and correct some of what is shown."""
        for number, stories in enumerate(self.stories):
            for _ in range(_ITEMS_A_DAY):
                stories.append(Story(number, len(stories)))
            if self.rng.random() < 0.3 and len(stories) > 2 * _ITEMS_A_DAY:
                place = self.rng.randrange(max(0, len(stories) - _SHOWN + 1), len(stories) - _ITEMS_A_DAY)
                stories[place] = replace(stories[place], version=stories[place].version + 1)

    def answer(self, host: str, path: str) -> tuple[int, str, str]:
        """Answer a request: status, type and text."""
        if path == "/robots.txt" or not host.startswith("paper-"):
            return 404, "text/plain", "nothing here"
        feed = int(host.partition(".")[0].removeprefix("paper-"))
        if path == "/feed.xml":
            return 200, "application/rss+xml", self._rss(feed)
        name, _, page = path.lstrip("/").partition("?page=")
        place = int(name.removeprefix("story-"))
        story = self.stories[feed][place]
        self.asked[f"{host}{path}", story.version] += 1
        return 200, "text/html; charset=utf-8", _page(story, int(page or 1))

    def _rss(self, feed: int) -> str:
        shown = self.stories[feed][-_SHOWN:][::-1]
        other = self.stories[(feed + 1) % self.feeds][-1:] if feed % 7 == 0 else []  # what an agency gives to several
        items = "".join(_item(story) for story in [*shown, *other])
        return (
            f"<rss version='2.0'><channel><title>Paper {feed}</title><link>{_home(feed)}</link>{items}</channel></rss>"
        )


def _home(feed: int) -> str:
    return f"http://paper-{feed}.example/"


def _item(story: Story) -> str:
    link = f"{_home(story.feed)}{story.name}"
    summary = " ".join(story.text(1))[:300]
    return (
        f"<item><title>{escape(story.title())}</title><link>{link}</link><guid>{link}</guid>"
        f"<description>{escape(summary)}</description></item>"
    )


def _page(story: Story, page: int) -> str:
    menu = "".join(f"<li><a href=/{name}>{name.title()}</a></li>" for name in ("home", "sport", "weather", "contact"))
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in story.text(page))
    pages = "".join(f'<a href="/{story.name}?page={number}">{number}</a> ' for number in range(2, story.pages + 1))
    return (
        f"<html lang=en><head><title>{escape(story.title())}</title></head><body><ul>{menu}</ul>"
        f"<h1>{escape(story.title())}</h1>{text}<div class=pagination>1 {pages if story.pages > 1 else ''}</div>"
        "<div>Copyright, all rights reserved</div></body></html>"
    )


@contextmanager
def _served(press: Press) -> Iterator[str]:
    """Serve all newspapers at some addresses, as there is one request to an address at a time; yield a hosts file."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, text = press.answer(self.headers.get("Host", ""), self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Say nothing of clients that were killed."""

    lines = []
    with ExitStack() as stack:
        for number in range(min(_ADDRESSES, press.feeds)):
            server = stack.enter_context(Server((f"127.0.3.{number + 1}", 0), Handler))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            names = " ".join(f"paper-{feed}.example" for feed in range(number, press.feeds, _ADDRESSES))
            lines.append(f"127.0.3.{number + 1}:{server.server_address[1]} {names}\n")
        yield "".join(lines)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that came to its end, or was killed."""

    is_whole: bool
    seconds: float
    """By the clock."""
    cpu_seconds: float
    memory: int
    """Its peak, in bytes."""


def _run_apart(action: Callable[[], object], kill_after: float | None) -> Ran:
    """Run an action in a process of its own, which is killed after some seconds."""
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:  # noqa: BLE001 (this is a copy of the benchmark, which must not go on)
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    timer = threading.Timer(kill_after, os.kill, (child, signal.SIGKILL)) if kill_after is not None else None
    if timer:
        timer.start()
    _, status, usage = os.wait4(child, 0)
    if timer:
        timer.cancel()
    code = os.waitstatus_to_exitcode(status)
    if code not in {0, -signal.SIGKILL}:
        sys.exit("a run has failed")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Ran(code == 0, time.monotonic() - begun, cpu_seconds, usage.ru_maxrss * 1024)


def _check(press: Press, corpus: Path) -> list[str]:
    """Compare what the corpus shows with what was printed; return what is wrong."""
    shown: Counter[str] = Counter()
    wrong = []
    for document in gristmill.Corpus(corpus).documents():
        shown[document.url] += 1
        feed = int(document.url.partition("paper-")[2].partition(".")[0])
        story = press.stories[feed][int(document.url.rpartition("story-")[2])]
        wrong += [
            f"{document.url}: page {page} of version {story.version} is not shown"
            for page in range(1, story.pages + 1)
            if f"story{feed}x{story.number} in the {story.edition} edition and on page{page} " not in document.text
        ]
    printed = {f"{_home(story.feed)}{story.name}" for stories in press.stories for story in stories}
    wrong += [f"{url} is lost" for url in sorted(printed - set(shown))]
    wrong += [f"{url} is there {count} times" for url, count in shown.items() if count > 1]
    with closing(sqlite3.connect(corpus / "feeds.sqlite")) as database:
        versions = database.execute("SELECT count(*) FROM version").fetchone()[0]
    expected = sum(story.version for stories in press.stories for story in stories)
    if versions != expected:
        wrong.append(f"{versions} versions are known, and {expected} were printed")
    return wrong


class Day(NamedTuple):
    """What a day took."""

    day: int
    kills: int
    cpu_seconds: float
    """Of the run that came to its end; after a kill there is less to do."""
    memory: int
    size: int
    """Of the corpus, in bytes."""
    again: int
    """Pages that were asked for again, so far: those that came in the second before a kill."""

    def cells(self) -> list[str]:
        """Return the row of a table."""
        seconds = "-" if self.kills else f"{self.cpu_seconds:.1f}"
        return [str(self.day), str(self.kills), seconds, f"{self.memory / 1e6:,.0f}", f"{self.size / 1e6:,.1f}",
                str(self.again)]  # fmt: skip


def _days(press: Press, corpus: Path, access: Access, options: argparse.Namespace) -> Iterator[Day]:
    """Print and run day by day."""
    rng = random.Random(options.seed)
    feeds = [f"{_home(number)}feed.xml" for number in range(options.feeds)]
    gristmill.follow(corpus, feeds, discover=False, now=_START)
    usual = 10.0
    for day in range(options.days):
        press.print_day()
        now = float(_START + day * _DAY_SECONDS)
        run = functools.partial(
            gristmill.run_feeds,
            corpus,
            access=access,
            crawl=_QUICK,
            engine=InlineEngine(),
            clock=functools.partial(float, now),
        )
        kills = 0
        while not (ran := _run_apart(run, rng.random() * usual if rng.random() < options.kills else None)).is_whole:
            kills += 1
        usual = usual if kills else ran.seconds
        if day == 0:
            gristmill.watch(corpus, '"story12x.*"', name="twelve")
        again = sum(count - 1 for count in press.asked.values())
        yield Day(day + 1, kills, ran.cpu_seconds, ran.memory, _size(corpus), again)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Run all days and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=at_least_one, default=200, help="(default: 200)")
    parser.add_argument("--days", type=at_least_one, default=30, help="(default: 30)")
    parser.add_argument("--kills", type=float, default=0.5, help="chance that a run is killed (default: 0.5)")
    parser.add_argument("--seed", type=int, default=1, help="(default: 1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of a table")
    options = parser.parse_args()
    press = Press(options.feeds, random.Random(options.seed + 1))
    with tempfile.TemporaryDirectory() as folder, _served(press) as lines:
        corpus, hosts = Path(folder) / "corpus", Path(folder) / "hosts"
        hosts.write_text(lines, "utf-8")
        access = Access(networks=("127.0.0.0/16",), hosts_file=str(hosts))
        days = []
        for day in _days(press, corpus, access, options):
            days.append(day)
            tell(" ".join(day.cells()))
        wrong = _check(press, corpus)
    if options.json:
        print(json.dumps({"days": [day._asdict() for day in days], "wrong": wrong}))
    else:
        header = ("day", "kills", "CPU seconds", "MB of memory", "MB on disk", "pages asked again")
        print_table(header, [day.cells() for day in days])
        print("\n".join(wrong[:50]) or "each item is there once, in its last version")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
