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
from killing import changes_of, is_killed, some_of
from localweb import LocalWeb, ServedWeb, Visit
from waiting import wait_until

from gristmill.crawling import CrawlConfig, crawler

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")

KILLS = int(os.environ.get("GRISTMILL_CRAWL_KILLS", "4"))
KINDS = frozenset("text encoding mixed language shop redirect sitemap directive canonical hreflang".split())
"""Kinds of sites that always answer the same, and where it does not matter in which order pages are fetched."""

_STORED = frozenset(["page", "text", "copy", "no-text", "other-language", "redirect"])


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWeb]:
    with ServedWeb(LocalWeb(1, 0.15)) as web:
        yield web


@pytest.fixture(scope="module")
def config(served: ServedWeb) -> CrawlConfig:
    assert isinstance(served.web, LocalWeb)
    others = [host for host, site in served.web.sites.items() if site.plan.kind not in KINDS]
    return settings(served, scope={"forbid": others}, fetch={"warc_bytes": 2_000_000})


@dataclass
class Killed:
    """A crawl that was killed many times."""

    folder: Path
    times: list[int] = field(default_factory=list)
    """Soon after each kill, in monotonic nanoseconds."""
    stored: list[set[str]] = field(default_factory=list)
    """What was on disk at each."""
    orphans: list[int] = field(default_factory=list)
    """Processes that outlived it."""


@pytest.mark.parametrize(("languages", "kills"), [(["cs"], KILLS * 2 // 3), ([], KILLS // 3)])
def test_killed_many_times(
    served: ServedWeb,
    config: CrawlConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    languages: list[str],
    kills: int,
) -> None:
    """With worker processes, which measure text of a language, and without them."""
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 0.2)
    config = config.replace({"scope": {"languages": languages}, "traps": {"pattern_pages": 0}})
    assert isinstance(served.web, LocalWeb)
    seeds = served.web.seeds
    whole = tmp_path / "whole"
    assert begin_or_go_on(seeds, whole, config, served).ended == "nothing left"
    expected = stored(whole)
    tries = 0
    while kills > 0:  # a crawl that has come to its end is followed by another
        before = len(served.visits())
        tries += 1
        killed = _kill(seeds, tmp_path / f"killed-{tries}", config, served, _size(whole) // kills, kills)
        if not killed.times:  # it was quicker than the kill
            assert tries < 20
            continue
        kills -= len(killed.times)
        assert killed.orphans == []
        assert begin_or_go_on(seeds, killed.folder, config, served).ended == "nothing left"
        pages = stored(killed.folder)
        assert sorted(pages) == sorted(expected)
        assert len({url for url, _ in pages}) == len(pages)
        assert _accounts(killed.folder) == _accounts(whole)
        _check_visits(served.visits()[before:], killed)


def test_killed_before_any_change_of_a_file(served: ServedWeb, config: CrawlConfig, tmp_path: Path) -> None:
    """Above all while it begins: either there is no crawl yet, or its seeds are known."""
    assert isinstance(served.web, LocalWeb)
    seeds, config = served.web.seeds[:2], config.replace({"scope": {"max_distance": 0}})

    def crawl(folder: Path) -> None:
        begin_or_go_on(seeds, folder, config, served)

    changes = len(changes_of(lambda: crawl(tmp_path / "whole"), tmp_path))
    assert changes > 5
    for step in some_of(changes, 6):
        folder = tmp_path / str(step)
        assert is_killed(lambda: crawl(folder), step, tmp_path)  # noqa: B023 (it is called at once)
        crawl(folder)
        assert sorted(stored(folder)) == sorted(stored(tmp_path / "whole"))
        assert {path.name for path in folder.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_all_is_found_in_the_archive(
    served: ServedWeb, config: CrawlConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was committed since the start: pages are there all the same, but for those in flight."""
    assert isinstance(served.web, LocalWeb)
    seeds, folder, before = served.web.seeds, tmp_path / "crawl", len(served.visits())
    config = config.replace({"scope": {"max_distance": 1}, "fetch": {"connections": 4}})
    with monkeypatch.context() as patch:
        patch.setattr(crawler, "_COMMIT_SECONDS", 1_000.0)
        run = Forked(lambda: begin_or_go_on(seeds, folder, config, served), "uncommitted")
        while _size(folder) < 200_000 and run.is_running():
            time.sleep(0.01)
        assert run.kill()
    stopped = on_disk(folder)
    assert begin_or_go_on(seeds, folder, config, served).ended == "nothing left"
    pages = {url for url, _ in stored(folder)}
    times = Counter(visit.url for visit in served.visits()[before:])
    assert sum(times[url] - 1 for url in pages) <= 4
    begin_or_go_on(seeds, tmp_path / "whole", config, served)
    assert sorted(stored(folder)) == sorted(stored(tmp_path / "whole"))
    assert 0 < len(stopped) < len(stored(folder))


def test_a_sitemap_is_known_before_pages_are_stored(
    served: ServedWeb, config: CrawlConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be forgotten if all pages that are linked to were stored: robots.txt is not asked for then."""
    assert isinstance(served.web, LocalWeb)
    site = next(site for site in served.web.sites.values() if site.plan.kind == "sitemap")
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 1_000.0)
    slow = config.replace({"manners": {"delay": 60.0}})
    before = len(served.visits())
    run = Forked(lambda: begin_or_go_on([f"{site.origin}/"], tmp_path / "crawl", slow, served), "sitemap")
    wait_until(lambda: len(served.visits()) > before or not run.is_running())
    with closing(sqlite3.connect(tmp_path / "crawl/frontier.sqlite", timeout=60)) as db:
        wait_until(lambda: db.execute("SELECT count(*) FROM queue WHERE kind = 1").fetchone() == (1,))
    assert len(served.visits()) == before + 1  # it knows it before it asks for a page
    assert run.kill()


def _kill(seeds: list[str], folder: Path, config: CrawlConfig, served: ServedWeb, growth: int, kills: int) -> Killed:
    """Crawl and kill, soon after the start or when some more is on disk, until it is over or was killed often."""
    random = Random(kills)
    killed = Killed(folder)
    for number in range(kills):
        soon = random.random() < 0.5
        seconds = random.uniform(0, 0.6 if soon else 0.1)
        more = 0 if soon else random.uniform(0, growth)
        begun = _size(folder)
        run = Forked(lambda: begin_or_go_on(seeds, folder, config, served), f"{folder.name}-{number}")
        while more and _size(folder) - begun < more and run.is_running():
            time.sleep(0.01)
        time.sleep(seconds)
        if not run.kill():
            assert run.code == 0
            break
        killed.stored.append(on_disk(folder))
        killed.orphans += run.left_processes()
        served.visits()  # what was sent before the kill has come to the server
        killed.times.append(time.monotonic_ns())
    return killed


def _size(folder: Path) -> int:
    """The bytes of the archive."""
    return sum(path.stat().st_size for path in folder.glob("pages-*.warc.gz"))


def _accounts(folder: Path) -> dict[str, object]:
    """What the frontier says of a crawl, which agrees with its archive."""
    pages = len(stored(folder))
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        outcomes = dict(db.execute("SELECT name, count FROM outcome WHERE name NOT IN ('robots.txt', 'sitemap')"))
        assert sum(outcomes[name] for name in outcomes if name in _STORED or name.startswith("status-")) == pages
        kept = "SELECT count(*) FROM done WHERE outcome IN ('stored', 'redirect') OR outcome LIKE 'status-%'"
        assert db.execute(kept).fetchone() == (pages,)
        assert db.execute("SELECT count(*) FROM queue").fetchone() == (0,)
        assert db.execute("SELECT sum(queued) FROM host").fetchone() == (0,)
        course = db.execute("SELECT sum(pages) FROM course").fetchone()
        hosts = dict(db.execute("SELECT name, pages FROM host WHERE pages"))
        done = Counter(outcome for (outcome,) in db.execute("SELECT outcome FROM done"))
        seen = {key for (key,) in db.execute("SELECT key FROM seen")}
    return {"course": course, "hosts": hosts, "done": done, "seen": seen}


def _check_visits(visits: list[Visit], killed: Killed) -> None:
    """No page was asked for that was on disk; and what was asked for again had been in flight at a kill."""
    begun: dict[str, list[int]] = {}
    for visit in visits:
        if not visit.file:
            begun.setdefault(visit.url, []).append(visit.began)
    for at, urls in zip(killed.times, killed.stored, strict=True):
        assert not [url for url in urls if begun[url][-1] > at]
    for times in begun.values():
        assert all(any(first < at < second for at in killed.times) for first, second in pairwise(times))
