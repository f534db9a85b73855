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
from ports import lasting_port

import gristmill
from gristmill.crawling import CrawlConfig, crawler, resume
from gristmill.errors import UsageError
from gristmill.fetching.exchange import Endpoint

WORDS = "mill river stone wheel flour baker night bridge water grain sack horse winter road village roof".split()
QUICK: dict[str, dict[str, Any]] = {
    "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.02},
    "fetch": {"networks": ["127.0.0.0/8"], "min_bytes": 0},
}

Answer = tuple[int, dict[str, str], str]
"""Status, headers and body."""
IPS = ("127.0.0.1", "127.0.0.2")
NOT_FOUND: Answer = (404, {}, "")


_BUSY_FOR_HOURS: Answer = (503, {"Retry-After": "9999"}, "")


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
        """Lead to the server, whatever the name; those that begin with `www.` have an IP address of their own."""
        del port
        return [Endpoint(IPS[host.startswith("www.")], self.port)]

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
                self.rfile.read(1)  # until the client leaves
                return
            status, headers, body = found
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with (
        ThreadingHTTPServer((IPS[0], lasting_port()), Handler) as one,
        ThreadingHTTPServer((IPS[1], one.server_port), Handler) as two,
    ):
        site.port = one.server_port
        threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in (one, two)]
        for thread in threads:
            thread.start()
        yield site
        for server, thread in zip((one, two), threads, strict=True):
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
        manners = {"retries": 0, "host_failures": 3}
        crawl(site, tmp_path / "crawl", "http://silent.test/", manners=manners, fetch={"read_seconds": 1.0})
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


def test_a_host_that_is_busy_for_hours_is_left(tmp_path: Path) -> None:
    answers = {"busy.test/": page("/1", "/2"), **dict.fromkeys(("busy.test/1", "busy.test/2"), _BUSY_FOR_HOURS)}
    with served(lambda address: answers.get(address, NOT_FOUND)) as site:
        crawl(site, tmp_path / "crawl", "http://busy.test/", manners={"retries": 0})
    assert len(site.asked) == 3
    assert rows(tmp_path / "crawl", "SELECT dead FROM host") == [("busy",)]


def test_a_crawl_whose_time_is_over_asks_for_nothing(tmp_path: Path) -> None:
    with served(lambda address: page("/1", "/2", seed=address)) as site:
        crawl(site, tmp_path / "crawl", "http://over.test/", stop={"pages": 1})
        asked = len(site.asked)
        summary = resume(tmp_path / "crawl", {"stop": {"pages": 0, "hours": 1e-6}}, resolver=site, workers=1)
    assert summary.ended == "hours"
    assert len(site.asked) == asked


def _apex(address: str) -> Answer | None:
    """Answer for a host without `www.`, all of which has moved there."""
    host, _, path = address.partition("/")
    if not host.startswith("www."):
        return moved(f"http://www.{host}/{path}")
    time.sleep(0.01)
    return NOT_FOUND if path == "robots.txt" else page(*(f"/{number}" for number in range(30)), seed=address)


@pytest.mark.parametrize("strategy", ["yield", "breadth-first"])
def test_a_robots_txt_that_has_moved_to_a_host_that_is_always_visited_is_waited_for(
    tmp_path: Path, strategy: str
) -> None:
    with served(_apex) as site:
        seeds = ("http://www.apex.test/", *(f"http://apex.test/{number}" for number in range(30)))
        summary = crawl(site, tmp_path / "crawl", *seeds, strategy={"name": strategy})
    assert summary.pages == 31
    assert rows(tmp_path / "crawl", "SELECT name FROM host WHERE dead <> ''") == []
    assert site.count("apex.test/robots.txt") == 1


def test_hosts_whose_robots_txt_have_moved_to_each_other(tmp_path: Path) -> None:
    def answer(address: str) -> Answer:
        host, _, path = address.partition("/")
        other = "two.test" if host == "one.test" else "one.test"
        return moved(f"http://{other}/robots.txt") if path == "robots.txt" else page(seed=address)

    with served(answer) as site:
        summary = crawl(site, tmp_path / "crawl", "http://one.test/", "http://two.test/")
    assert summary.pages == 2  # after so many redirects, it is as if there were none


def test_a_robots_txt_does_not_lead_to_a_forbidden_host(tmp_path: Path) -> None:
    with served(lambda address: moved("http://shut.test/robots.txt") if "robots" in address else page()) as site:
        crawl(site, tmp_path / "crawl", "http://open.test/", scope={"forbid": ["shut.test"]})
    assert not [address for _, address in site.asked if address.startswith("shut.test")]


def test_a_robots_txt_of_a_busy_server_is_asked_for_when_it_says(tmp_path: Path) -> None:
    def answer(address: str) -> Answer:
        if address == "busy.test/robots.txt":
            return (429, {"Retry-After": "1"}, "") if site.count(address) < 2 else NOT_FOUND
        return page(seed=address)

    with served(answer) as site:
        summary = crawl(site, tmp_path / "crawl", "http://busy.test/")
    assert summary.pages == 1
    assert site.asked[1][0] - site.asked[0][0] >= 1


def _listed(*addresses: str, holder: str = "url") -> Answer:
    """Make a sitemap, or an index of sitemaps."""
    items = "".join(f"<{holder}><loc>http://map.test/{address}</loc></{holder}>" for address in addresses)
    return 200, {"Content-Type": "application/xml"}, f"<{'urlset' if holder == 'url' else 'sitemapindex'}>{items}</x>"


def _endless_sitemaps(address: str) -> Answer:
    """Answer for a host whose sitemaps name others without end."""
    path = address.partition("/")[2]
    if path == "robots.txt":
        return 200, {}, "Sitemap: http://map.test/map-0.xml"
    if path.startswith("map-"):
        number = int(path[4:-4]) + 1
        return _listed(f"map-{number}.xml", f"map-{number + 1000}.xml", holder="sitemap")
    return page(seed=address)


def test_sitemaps_without_end_are_left(tmp_path: Path) -> None:
    with served(_endless_sitemaps) as site:
        summary = crawl(site, tmp_path / "crawl", "http://map.test/")
    assert summary.pages == 1
    assert sorted(address for _, address in site.asked if "map-" in address) == [
        "map.test/map-0.xml",
        "map.test/map-1.xml",
        "map.test/map-1001.xml",
    ]


@pytest.mark.parametrize(("distance", "pages"), [(0, 1), (1, 1), (2, 3)])
def test_pages_of_sitemaps_are_as_far_away_as_links_of_links(tmp_path: Path, distance: int, pages: int) -> None:
    answers = {
        "map.test/robots.txt": (200, {}, "Sitemap: http://map.test/map.xml"),
        "map.test/map.xml": _listed("1", "2"),
    }
    with served(lambda address: answers.get(address) or page(seed=address)) as site:
        summary = crawl(site, tmp_path / "crawl", "http://map.test/", scope={"max_distance": distance})
    assert summary.pages == pages


def test_settings_of_the_user_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text("[stop]\npages = 1\n")
    with pytest.raises(UsageError, match="for --config"):
        gristmill.crawl("http://x.test/", tmp_path, CrawlConfig.from_table(QUICK))
    assert (tmp_path / "crawl.toml").read_text() == "[stop]\npages = 1\n"


def test_an_error_between_two_requests_ends_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("something is wrong")

    monkeypatch.setattr(crawler.Crawler, "_refusal", fail)
    with served(lambda address: page(seed=address)) as site, pytest.raises(RuntimeError, match="something is wrong"):
        crawl(site, tmp_path / "crawl", "http://error.test/")
