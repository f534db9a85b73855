"""Given addresses are fetched, and nothing that they link to; their pages are stored with their attributes."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crawl_runs import Forked
from loopback import Loopback, Reply

from gristmill.archive import find_sources, read
from gristmill.crawling import Address, CrawlConfig, CrawlSummary, crawler, fetch, outcomes
from gristmill.crawling.meter import Meter
from gristmill.document import Page
from gristmill.errors import UsageError

QUICK = CrawlConfig.from_table(
    {"manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.05, "retries": 1}}
)


def _page(number: int) -> Reply:
    text = f"<title>{number}</title><a href=/linked{number}>more</a><p>" + f"This is page {number}. " * 20
    return Reply(200, {"Content-Type": "text/html"}, text.encode())


@pytest.fixture
def web() -> Iterator[Loopback]:
    with Loopback({f"{host}.example/{number}": _page(number) for host in "ab" for number in range(20)}) as served:
        served.routes["a.example/moved"] = Reply(302, {"Location": "http://b.example/new?x=1"})
        served.routes["b.example/new?x=1"] = _page(99)
        yield served


def _addresses(count: int = 20) -> list[Address]:
    return [
        Address(f"http://{host}.example/{number}", {"query": f"q{number}", "rank": str(number)})
        for host in "ab"
        for number in range(count)
    ]


def _pages(folder: Path) -> dict[str, Page]:
    found = [item for source in find_sources([folder]) for item in read(source, 1_000_000) if isinstance(item, Page)]
    assert len({page.url for page in found}) == len(found)
    return {page.url: page for page in found}


def test_exactly_the_given_addresses_are_fetched(web: Loopback, tmp_path: Path) -> None:
    addresses = [*_addresses(), Address("http://a.example/moved", {"query": "m"}), Address("http://a.example/gone")]
    summary = fetch(addresses, tmp_path / "x", web.access(), QUICK)
    assert summary.ended == "nothing left"
    asked = [path for path in web.paths() if not path.endswith("robots.txt")]
    expected = [*(url.removeprefix("http://") for url, _ in addresses), "b.example/new?x=1"]
    assert Counter(asked) == Counter(expected)
    pages = _pages(tmp_path / "x")
    for url, attributes in addresses[:-1]:
        assert pages[url].attributes == attributes
    assert pages["http://b.example/new?x=1"].attributes == {"query": "m"}
    found = outcomes(tmp_path / "x", [url for url, _ in addresses[-3:]])
    assert list(found.values()) == ["stored", "redirect", "status-404"]


def test_what_has_ended_is_not_begun_again(web: Loopback, tmp_path: Path) -> None:
    fetch(_addresses(3), tmp_path / "x", web.access(), QUICK)
    before = len(web.log)
    summary = fetch(_addresses(5), tmp_path / "x", web.access(), QUICK)
    assert (summary.ended, len(web.log)) == ("nothing left", before)


def test_what_fails_for_a_moment_is_tried_again(web: Loopback, tmp_path: Path) -> None:
    answers = iter([Reply(503), _page(7)])
    web.routes["a.example/busy"] = lambda _: next(answers)
    fetch([Address("http://a.example/busy")], tmp_path / "x", web.access(), QUICK)
    assert _pages(tmp_path / "x")["http://a.example/busy"].status == 200


def test_nothing_is_asked_for_nothing(web: Loopback, tmp_path: Path) -> None:
    assert fetch([], tmp_path / "x", web.access()).pages == 0
    assert not (tmp_path / "x").exists()
    assert outcomes(tmp_path / "x", ["http://a.example/"]) == {"http://a.example/": ""}


@pytest.mark.parametrize("url", ["", "a.example", "javascript:x", "http://a.example"])
def test_addresses_are_normalised_before(url: str, web: Loopback, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="normalised"):
        fetch([Address(url)], tmp_path / "x", web.access())


def test_killed_at_any_moment_it_goes_on_and_asks_for_nothing_twice(web: Loopback, tmp_path: Path) -> None:
    slow = CrawlConfig.from_table({"manners": {"delay": 0.02, "ip_delay": 0.0, "answer_delay": 0.0}})
    addresses = _addresses(15)
    kills = 0
    for moment in (3, 9, 15, 22):
        run = Forked(lambda: fetch(addresses, tmp_path / "x", web.access(), slow), "given")
        while run.is_running() and len(web.log) < moment:
            pass
        kills += run.kill()
    fetch(addresses, tmp_path / "x", web.access(), slow)
    pages = _pages(tmp_path / "x")
    assert {url: page.attributes for url, page in pages.items()} == dict(addresses)
    asked = Counter(path for path in web.paths() if not path.endswith("robots.txt"))
    # What was in flight or had come in the moment of a kill is asked for once more.
    assert sum(asked.values()) - len(asked) <= 2 * 2 * kills
    assert kills


@pytest.mark.parametrize("path", ["1", "robots.txt"])
def test_a_host_that_asks_for_hours_is_left(web: Loopback, tmp_path: Path, path: str) -> None:
    """Whoever fetches given addresses waits for the end, and may ask again another day."""
    web.routes[f"a.example/{path}"] = Reply(429, {"Retry-After": "40000"})
    summary = fetch(_addresses(3), tmp_path / "x", web.access(), QUICK)
    assert summary.ended == "nothing left"
    assert {url for url in _pages(tmp_path / "x") if "//b." in url} == {f"http://b.example/{at}" for at in range(3)}
    assert outcomes(tmp_path / "x", ["http://a.example/2"]) == {"http://a.example/2": "host-left"}


def test_a_clock_that_has_gone_back(web: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No host waits until the time that the clock once had."""
    web.routes["a.example/0"] = lambda _: _interrupted(_page(0))
    with pytest.raises(KeyboardInterrupt):
        fetch(_addresses(5), tmp_path / "x", web.access(), QUICK)
    with closing(sqlite3.connect(tmp_path / "x/frontier.sqlite")) as frontier:
        assert frontier.execute("UPDATE host SET next = ? WHERE queued", (time.time() + 400 * 86_400,)).rowcount
        frontier.commit()
    monkeypatch.setattr(crawler, "MAX_WAIT_SECONDS", 0.1)  # in place of a day
    web.routes["a.example/0"] = _page(0)
    assert fetch(_addresses(5), tmp_path / "x", web.access(), QUICK).ended == "nothing left"
    assert len(_pages(tmp_path / "x")) == 10


def _interrupted(reply: Reply) -> Reply:
    os.kill(os.getpid(), signal.SIGINT)
    return reply


def test_an_interrupt_that_comes_at_the_end_counts(
    web: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Meter.summary

    def interrupted(self: Meter, ended: str) -> CrawlSummary:
        os.kill(os.getpid(), signal.SIGINT)
        return inner(self, ended)

    monkeypatch.setattr(Meter, "summary", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(_addresses(2), tmp_path / "x", web.access(), QUICK)
    monkeypatch.setattr(Meter, "summary", inner)
    before = len(web.log)
    assert fetch(_addresses(2), tmp_path / "x", web.access(), QUICK).ended == "nothing left"
    assert (len(web.log), len(_pages(tmp_path / "x"))) == (before, 4)
