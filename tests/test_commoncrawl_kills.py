"""Killed at any moment, fetching from archives goes on with the same bytes, and asks for nothing that it has."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import pytest
from commoncrawl_fetching import ACCESS, config
from commoncrawl_server import ArchiveServer, sample_server
from crawl_runs import Forked
from killing import changes_of, is_killed, some_of

from gristmill.archive.crawls import COMMON_CRAWL
from gristmill.commoncrawl import fetch_commoncrawl, summary_of
from gristmill.commoncrawl.captures import Captures
from gristmill.errors import GristmillError

CZECH = {"wanted": {"domains": ["horal.example", "vcelar.example"]}, "take": {"warc_bytes": 15_000}}
KINDS: dict[str, dict[str, Any]] = {
    "columnar": CZECH,
    "cdx": {**CZECH, "source": {"index": "cdx"}},
    "wayback": {**CZECH, "source": {"index": "wayback"}},
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are many requests, and records are stored often."""
    monkeypatch.setattr("gristmill.commoncrawl.ranges._MAX_RANGE_BYTES", 6_000)
    monkeypatch.setattr("gristmill.commoncrawl.fetcher._BATCHES_AT_ONCE", 2)
    monkeypatch.setattr("gristmill.commoncrawl.files._PART_BYTES", 30_000)


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as served:
        yield served


def warcs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.warc.gz"))}


def run(server: ArchiveServer, folder: Path, tables: dict[str, Any], parallel: int = 1) -> None:
    """Begin, or go on."""
    settings = config(server, **tables, pace={"parallel": parallel})
    fetch_commoncrawl(folder, None if (folder / COMMON_CRAWL).is_file() else settings, access=ACCESS)


def kill_at(server: ArchiveServer, number: int, action: Any, mark: str) -> bool:
    """Kill a run in a process of its own at its request of this number, from 1; false if it has fewer."""
    child: list[Forked] = []
    count = iter(range(1, 10_000))
    server.ready.clear()

    def fault(_path: str, _range: str) -> None:
        if next(count) == number:
            os.kill(child[0].pid, signal.SIGKILL)

    server.fault = fault
    child.append(Forked(action, mark))
    server.ready.set()
    code = child[0].wait()
    server.fault = lambda _path, _range: None
    return code == -signal.SIGKILL


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_every_request(server: ArchiveServer, tmp_path: Path, kind: str) -> None:
    tables = KINDS[kind]
    run(server, tmp_path / "whole", tables)
    expected = warcs(tmp_path / "whole")
    total = len(server.requests)
    assert len(expected) > 1
    for number in some_of(total, 5):
        folder = tmp_path / str(number)
        server.requests.clear()
        assert kill_at(server, number + 1, partial(run, server, folder, tables), f"{tmp_path}{number}")
        run(server, folder, tables)
        assert warcs(folder) == expected
        assert summary_of(folder).stored == summary_of(tmp_path / "whole").stored
        # Only the request at which it was killed is sent again; of the index, those of the row groups being read.
        asked = Counter((*request[:3], request.query) for request in server.requests)
        again = [request[1] for request, count in asked.items() for _ in range(count - 1)]
        assert len([path for path in again if ".warc" in path or path.startswith("web/")]) <= 1
        assert len(again) <= 6


def test_killed_while_many_requests_run(server: ArchiveServer, tmp_path: Path) -> None:
    run(server, tmp_path / "whole", CZECH)
    expected = warcs(tmp_path / "whole")
    total = len(server.requests)
    server.requests.clear()
    for number in range(total - 1, 5, -3):  # again and again, always a bit earlier
        kill_at(server, number, lambda: run(server, tmp_path / "pages", CZECH, 4), f"{tmp_path}{number}")
    run(server, tmp_path / "pages", CZECH, 4)
    assert warcs(tmp_path / "pages") == expected


def test_killed_at_every_change_of_a_file(server: ArchiveServer, tmp_path: Path) -> None:
    run(server, tmp_path / "whole", CZECH)
    expected = warcs(tmp_path / "whole")
    for path in (tmp_path / "counted", *(tmp_path / str(number) for number in range(99))):
        path.mkdir()
    changes = changes_of(lambda: run(server, tmp_path / "counted", CZECH), tmp_path / "counted")
    for number in some_of(len(changes), 5):
        folder = tmp_path / str(number)
        assert is_killed(partial(run, server, folder, CZECH), number, folder)
        run(server, folder, CZECH)
        assert warcs(folder) == expected, changes[number]


def test_killed_between_the_archive_and_the_note_of_it(server: ArchiveServer, tmp_path: Path) -> None:
    """What is in the WARC file but not noted down is cut off and comes again from the database, not from the server."""
    run(server, tmp_path / "whole", CZECH)
    expected = warcs(tmp_path / "whole")
    store = Captures.store

    def dies(self: Captures, last: int, position: tuple[int, int]) -> None:
        if position[0] > 0:
            os.kill(os.getpid(), signal.SIGKILL)
        store(self, last, position)

    def run_and_die() -> None:
        Captures.store = dies  # type: ignore[method-assign]  # in a process of its own
        run(server, tmp_path / "pages", CZECH)

    server.requests.clear()
    assert Forked(run_and_die, str(tmp_path)).wait() == -signal.SIGKILL
    before = warcs(tmp_path / "pages")
    run(server, tmp_path / "pages", CZECH)
    assert warcs(tmp_path / "pages") == expected != before
    assert max(Counter(server.ranges()).values()) == 1


def test_whole_files_killed_at_every_request(server: ArchiveServer, tmp_path: Path) -> None:
    name = next(path for path in server.files if ".warc" in path)
    server.files["crawl-data/other.warc.gz"] = server.files[name][:70_000]
    (tmp_path / "list").write_text(f"{name}\ncrawl-data/other.warc.gz\n")
    tables = {"source": {"files": str(tmp_path / "list")}}
    run(server, tmp_path / "whole", tables)
    expected = warcs(tmp_path / "whole")
    for number in some_of(len(server.requests), 4):
        folder = tmp_path / str(number)
        server.requests.clear()
        assert kill_at(server, number + 1, partial(run, server, folder, tables), f"{tmp_path}{number}")
        run(server, folder, tables)
        assert warcs(folder) == expected
        assert sum(count - 1 for count in Counter(server.ranges()).values()) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_said_and_loses_nothing(
    server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    run(server, tmp_path / "whole", KINDS[kind])
    begin = Captures.__init__

    def full(self: Captures, folder: Path, pages: int) -> None:
        begin(self, folder)
        self._db.execute(f"PRAGMA max_page_count = {pages}")

    server.requests.clear()
    said = 0
    for pages in range(8, 40, 4):
        monkeypatch.setattr(Captures, "__init__", partialmethod(full, pages=pages))
        try:
            run(server, tmp_path / "pages", KINDS[kind])
        except GristmillError as error:
            assert "database or disk is full; when this is mended" in str(error)  # noqa: PT017 (some do, some don't)
            said += 1
    monkeypatch.setattr(Captures, "__init__", begin)
    run(server, tmp_path / "pages", KINDS[kind])
    assert said
    assert warcs(tmp_path / "pages") == warcs(tmp_path / "whole")
