"""SQLite files from a stranger: they may neither delete files, nor run forever, nor end in a traceback."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gristmill.bootstrapping.store import Store as BootstrapStore
from gristmill.commoncrawl.captures import Captures
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.statistics import CrawlStatistics
from gristmill.database import connect
from gristmill.errors import GristmillError
from gristmill.feeds.store import Store as FeedStore
from gristmill.judgements.duplicates import read_reviews
from gristmill.search.watch.outbox import Outbox

_PAGE_BYTES = 4096
_MAGIC = bytes.fromhex("d9d505f920a163d7")


def open_feeds(folder: Path) -> None:
    with FeedStore(folder / "feeds.sqlite") as store:
        store.feeds()


def open_bootstrap(folder: Path) -> None:
    with BootstrapStore(folder) as store:
        store.rounds()


def open_frontier(folder: Path) -> None:
    with closing(Frontier(folder / "frontier.sqlite")) as frontier:
        frontier.state("format", 0)


def open_statistics(folder: Path) -> None:
    CrawlStatistics.read(folder)


def open_captures(folder: Path) -> None:
    with Captures(folder) as captures:
        captures.states()


def open_outbox(folder: Path) -> None:
    with Outbox(folder) as outbox:
        outbox.pending()


def open_reviews(folder: Path) -> None:
    read_reviews(folder)


_OPENERS = pytest.mark.parametrize(
    ("name", "opened"),
    [
        ("feeds.sqlite", open_feeds),
        ("bootstrap.sqlite", open_bootstrap),
        ("frontier.sqlite", open_frontier),
        ("frontier.sqlite", open_statistics),
        ("commoncrawl.sqlite", open_captures),
        ("mail.sqlite", open_outbox),
        ("reviews.sqlite", open_reviews),
    ],
)


def hot_journal(database: bytes, deletes: Path) -> bytes:
    """Make a journal that SQLite plays back, and that names another file as its super-journal."""
    page = database[:_PAGE_BYTES]
    header = _MAGIC + struct.pack(">5I", 1, 1, len(database) // _PAGE_BYTES, 512, _PAGE_BYTES)
    checksum = (1 + sum(page[at] for at in range(_PAGE_BYTES - 200, 0, -200))) % (1 << 32)
    name = str(deletes).encode()
    super_journal = struct.pack(">I", (1 << 30) // _PAGE_BYTES + 1) + name + struct.pack(">II", len(name), sum(name))
    return header.ljust(512, b"\0") + struct.pack(">I", 1) + page + struct.pack(">I", checksum) + super_journal + _MAGIC


@_OPENERS
def test_a_journal_deletes_no_file(name: str, opened: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").touch()
    with closing(sqlite3.connect(tmp_path / name)) as database:
        database.execute("CREATE TABLE state (name TEXT PRIMARY KEY, value)")
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    (tmp_path / f"{name}-journal").write_bytes(hot_journal((tmp_path / name).read_bytes(), precious))
    with pytest.raises(GristmillError, match="it would delete another file"):
        opened(tmp_path)
    assert precious.read_text() == "precious"


def test_journals_of_a_kill_are_played_back(tmp_path: Path) -> None:
    path = tmp_path / "mail.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE number (value)")
        database.execute("INSERT INTO number VALUES (1)")
        database.execute("PRAGMA cache_spill = 1")
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN")
        database.execute("UPDATE number SET value = 2")
        database.execute("INSERT INTO number SELECT zeroblob(100000) FROM number")
        journal, changed = Path(f"{path}-journal").read_bytes(), path.read_bytes()
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(changed)
    Path(f"{copy}-journal").write_bytes(journal)
    with closing(connect(copy)) as database:
        assert database.execute("SELECT * FROM number").fetchall() == [(1,)]


@_OPENERS
def test_tables_that_never_end_are_refused(name: str, opened: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").touch()
    endless = (
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'format' AS name, x AS value FROM n"
    )
    with closing(sqlite3.connect(tmp_path / name)) as database:
        for table in ("state", "feed", "round", "step", "digests", "outcome"):
            database.execute(f"CREATE VIEW {table} AS {endless}")
    with pytest.raises(GristmillError, match="views or triggers"):
        opened(tmp_path)


@_OPENERS
@pytest.mark.parametrize("data", [b"not a database " * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_damaged_files_are_said(name: str, opened: Callable[[Path], None], data: bytes, tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").touch()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(GristmillError, match=r"can't (open|read|use)"):
        opened(tmp_path)
