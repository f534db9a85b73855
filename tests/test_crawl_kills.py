"""A crawl can be killed at any moment: when it goes on, no page is lost, and none is fetched again that is stored."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from crawl_runs import Forked, begin_or_go_on, on_disk, settings, stored
from localweb import LocalWeb, ServedWeb, Visit

from gristmill.crawling import CrawlConfig

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")

KILLS = int(os.environ.get("GRISTMILL_CRAWL_KILLS", "32"))
KINDS = frozenset("text encoding mixed language shop redirect sitemap directive canonical hreflang".split())
"""Kinds of sites that always answer the same, and where it does not matter in which order pages are fetched."""


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWeb]:
    with ServedWeb(LocalWeb(1, 0.3)) as web:
        yield web


@pytest.fixture(scope="module")
def config(served: ServedWeb) -> CrawlConfig:
    assert isinstance(served.web, LocalWeb)
    others = [host for host, site in served.web.sites.items() if site.plan.kind not in KINDS]
    return settings(served, scope={"forbid": others}, fetch={"warc_bytes": 4_000_000})


@dataclass
class Killed:
    """A crawl that was killed many times."""

    folder: Path
    times: list[int] = field(default_factory=list)
    """Of the kills, in monotonic nanoseconds."""
    stored: list[set[str]] = field(default_factory=list)
    """What was on disk at each."""
    orphans: list[int] = field(default_factory=list)
    """Processes that outlived it."""


def test_killed_many_times(served: ServedWeb, config: CrawlConfig, tmp_path: Path) -> None:
    assert isinstance(served.web, LocalWeb)
    seeds = served.web.seeds
    whole = tmp_path / "whole"
    assert begin_or_go_on(seeds, whole, config, served).ended == "nothing left"
    expected = stored(whole)
    before = len(served.visits())
    killed = _kill(seeds, tmp_path / "killed", config, served, _size(whole))
    assert len(killed.times) == KILLS
    assert killed.orphans == []
    assert begin_or_go_on(seeds, killed.folder, config, served).ended == "nothing left"
    pages = stored(killed.folder)
    assert sorted(pages) == sorted(expected)
    assert len({url for url, _ in pages}) == len(pages)
    assert _accounts(killed.folder) == _accounts(whole)
    _check_visits(served.visits()[before:], killed)


def _kill(seeds: list[str], folder: Path, config: CrawlConfig, served: ServedWeb, size: int) -> Killed:
    """Crawl and kill, soon after the start or when some more is on disk, so that the last kills are near the end."""
    random = Random(15)
    killed = Killed(folder)
    while len(killed.times) < KILLS:
        soon = random.random() < 0.35
        seconds = random.uniform(0, 0.8 if soon else 0.2)
        growth = 0 if soon else random.uniform(0, size / KILLS * 2)
        run = Forked(lambda: begin_or_go_on(seeds, folder, config, served), f"kill-{len(killed.times)}")
        begun = _size(folder)
        while growth and _size(folder) - begun < growth and run.is_running():
            time.sleep(0.01)
        time.sleep(seconds)
        if not run.kill():
            assert run.code == 0
            break
        killed.times.append(time.monotonic_ns())
        killed.stored.append(on_disk(folder))
        killed.orphans += run.left_processes()
    return killed


def _size(folder: Path) -> int:
    """The bytes of the archive."""
    return sum(path.stat().st_size for path in folder.glob("pages-*.warc.gz"))


def _accounts(folder: Path) -> dict[str, object]:
    """What the frontier says of a crawl, which agrees with its archive."""
    pages = len(stored(folder))
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        outcomes = dict(db.execute("SELECT name, count FROM outcome WHERE name NOT IN ('robots.txt', 'sitemap')"))
        kept = {name: count for name, count in outcomes.items() if name in {"page", "redirect"} or "status" in name}
        assert sum(kept.values()) == pages
        assert db.execute("SELECT count(*) FROM done WHERE outcome = 'stored'").fetchone() == (pages,)
        assert db.execute("SELECT count(*) FROM queue").fetchone() == (0,)
        assert db.execute("SELECT sum(queued) FROM host").fetchone() == (0,)
        course = db.execute("SELECT sum(pages) FROM course").fetchone()
        hosts = dict(db.execute("SELECT name, pages FROM host WHERE pages"))
        done = Counter(outcome for (outcome,) in db.execute("SELECT outcome FROM done"))
        seen = {key for (key,) in db.execute("SELECT key FROM seen")}
    return {"kept": kept, "course": course, "hosts": hosts, "done": done, "seen": seen}


def _check_visits(visits: list[Visit], killed: Killed) -> None:
    """No page was asked for that was on disk; and what was asked for again had been in flight at a kill."""
    begun: dict[str, list[int]] = {}
    for visit in visits:
        if not visit.file:
            begun.setdefault(visit.url, []).append(visit.began)
    for at, urls in zip(killed.times, killed.stored, strict=True):
        assert not [url for url in urls if begun[url][-1] > at]
    again = 0
    for times in begun.values():
        for first, second in pairwise(times):
            assert sum(first < at < second for at in killed.times) == 1
            again += 1
    assert again < len(begun) * 2
