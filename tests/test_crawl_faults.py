"""Faults that a crawl lives with: the network goes, the disk is full, it is interrupted, files are not as they were."""

from __future__ import annotations

import socket
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crawl_runs import SwitchedWeb, settings, stored
from localweb import ServedWeb, UniformWeb

import gristmill
from gristmill.crawling import CrawlProgress, crawler, outage
from gristmill.fetching.exchange import Endpoint
from gristmill.fetching.resolver import HostsFile, Resolver, SystemResolver

WEB = UniformWeb(30, 300, 8_000, 12)
PAGES = {WEB.url(number) for number in range(WEB.pages)}


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWeb]:
    with ServedWeb(WEB) as web:
        yield web


@pytest.fixture
def switched(tmp_path: Path) -> Iterator[SwitchedWeb]:
    (tmp_path / "web").mkdir()
    with SwitchedWeb(WEB, tmp_path / "web") as web:
        yield web


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a crawl wait for less long."""
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 0.05)
    monkeypatch.setattr(crawler, "HELD_SECONDS", 0.05)
    monkeypatch.setattr(outage, "_FIRST_WAIT_SECONDS", 0.2)


def _urls(folder: Path) -> list[str]:
    return sorted(url for url, _ in stored(folder))


def _done(folder: Path) -> Counter[str]:
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM host WHERE dead <> ''").fetchone() == (0,)
        return Counter(outcome for (outcome,) in db.execute("SELECT outcome FROM done"))


class _Switch:
    """Takes the network away when some pages are there, and gives it back when the crawl waits for it."""

    def __init__(self, web: SwitchedWeb, pages: int) -> None:
        self._web = web
        self._pages = pages
        self.states: list[str] = []

    def __call__(self, progress: CrawlProgress) -> None:
        if self.states[-1:] != [progress.state]:
            self.states.append(progress.state)
            if progress.state == "waiting for the network":
                self._web.start()
        if self._pages and progress.pages >= self._pages:
            self._pages = 0
            self._web.stop()


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("hosts", [30, 1])
def test_a_crawl_waits_for_the_network(tmp_path: Path, hosts: int) -> None:
    """Also that of one site, which could be the site's fault as well."""
    web = UniformWeb(hosts, 300, 8_000, 12)
    with SwitchedWeb(web, tmp_path) as switched:
        switch = _Switch(switched, 60)
        summary = gristmill.crawl([web.url(0)], tmp_path / "crawl", settings(switched), workers=1, progress=switch)
    assert "waiting for the network" in switch.states
    assert summary.ended == "nothing left"
    assert _urls(tmp_path / "crawl") == sorted(web.url(number) for number in range(300))
    assert _done(tmp_path / "crawl") == {"stored": 300}


class _Names:
    """A resolver whose name servers are gone for a while."""

    def __init__(self, behind: Resolver, found: int) -> None:
        self._behind = behind
        self._found = found
        self.states: set[str] = set()

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        if self._found <= 0 and "waiting for the network" not in self.states:
            raise OSError(socket.EAI_AGAIN, "no answer")
        self._found -= 1
        return await self._behind.resolve(host, port)

    def __call__(self, progress: CrawlProgress) -> None:
        self.states.add(progress.state)


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("found", [0, 5])
def test_a_crawl_waits_for_name_servers(served: ServedWeb, tmp_path: Path, found: int) -> None:
    names = _Names(HostsFile(served.hosts_file, SystemResolver()), found)
    config = settings(served, fetch={"hosts_file": ""})
    summary = gristmill.crawl([WEB.url(0)], tmp_path / "crawl", config, workers=1, resolver=names, progress=names)
    assert "waiting for the network" in names.states
    assert summary.ended == "nothing left"
    assert _urls(tmp_path / "crawl") == sorted(PAGES)
    assert _done(tmp_path / "crawl") == {"stored": 300}
