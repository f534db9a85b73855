"""A crawl in parts: together they fetch what one would, each page once and each host by one of them."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from operator import attrgetter
from pathlib import Path

import pytest
from crawl_runs import Forked, begin_or_go_on, settings, stored
from localweb import ServedWeb, UniformWeb, Visit
from localweb.log import at_once

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.crawling import crawler
from gristmill.crawling.parts import part_folder
from gristmill.engine import InlineEngine
from gristmill.fetching.urls import host_of

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")

WEB = UniformWeb(30, 300, 8_000, 12)
PAGES = {WEB.url(number) for number in range(WEB.pages)}
PARTS = (1, 2, 3)


@pytest.fixture
def served() -> Iterator[ServedWeb]:
    with ServedWeb(WEB) as web:
        yield web


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts wait for each other for less long."""
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 0.05)
    monkeypatch.setattr(crawler, "_DELIVERY_SECONDS", 0.1)
    monkeypatch.setattr(crawler, "_LAST_DELIVERY_SECONDS", 1.0)


def _crawl(number: int, folder: Path, served: ServedWeb) -> None:
    config = settings(served, scope={"part": f"{number}/3"})
    part = part_folder(folder, number, 3)
    begin_or_go_on([WEB.url(0)], part if (part / "crawl.toml").exists() else folder, config, served)


def _is_left(folder: Path) -> bool:
    """Whether an address waits in some part, or on its way to one."""
    queued = 0
    for path in folder.glob("part-*/frontier.sqlite"):
        with closing(sqlite3.connect(path)) as db:
            queued += db.execute("SELECT (SELECT count(*) FROM queue) + (SELECT count(*) FROM outgoing)").fetchone()[0]
    return queued > 0 or any(folder.glob("part-*/inbox/*"))


def _check(folder: Path, visits: list[Visit]) -> None:
    assert Counter(url for url, _ in stored(folder)) == Counter(PAGES)
    hosts = [{host_of(url) for url, _ in stored(part_folder(folder, number, 3))} for number in PARTS]
    assert all(hosts)
    assert sum(map(len, hosts)) == len(set.union(*hosts)) == WEB.host_count
    assert at_once(visits, attrgetter("host")) == []


def test_parts_one_after_the_other(served: ServedWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawler, "_LAST_DELIVERY_SECONDS", 0.0)
    folder = tmp_path / "crawl"
    runs = 0
    while runs < len(PARTS) or _is_left(folder):
        runs += 1
        assert runs < 30
        _crawl(runs % 3 + 1, folder, served)
    _check(folder, served.visits())
    assert not [url for url, count in Counter(visit.url for visit in served.visits()).items() if count > 1]
    built = gristmill.build(folder, tmp_path / "corpus", engine=InlineEngine())
    assert CorpusReader(built.folder).counts["pages"] == len(PAGES)


def test_parts_at_the_same_time_and_killed(served: ServedWeb, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    runs = {number: _start(number, folder, served, 0) for number in PARTS}
    for attempt in range(1, 7):
        time.sleep(0.5)
        number = attempt % 3 + 1
        runs[number].kill()
        assert runs[number].left_processes() == []
        served.visits()  # what was sent before the kill has come to the server
        runs[number] = _start(number, folder, served, attempt)
    assert [run.wait() for run in runs.values()] == [0, 0, 0]
    for attempt in range(7, 10):
        if _is_left(folder):
            assert [_start(number, folder, served, attempt).wait() for number in PARTS] == [0, 0, 0]
    _check(folder, served.visits())


def _start(number: int, folder: Path, served: ServedWeb, attempt: int) -> Forked:
    return Forked(lambda: _crawl(number, folder, served), f"part-{number}-{attempt}")
