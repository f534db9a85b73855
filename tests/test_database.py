"""Files of SQLite: their tables and format, transactions, and what is said of files that can't be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from crawl_runs import Forked

from gristmill.database import Database
from gristmill.errors import GristmillError, UsageError

PACKAGE = "gristmill.search.watch"
INSERT = "INSERT INTO covered VALUES (?, 'name', 'query', '', 1, 2.0)"


class Mails(Database):
    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        super().__init__(path, PACKAGE, 7, "do this", to_read=to_read)

    def add(self, *recipients: str) -> None:
        with self._transaction():
            for recipient in recipients:
                self._db.execute(INSERT, (recipient,))

    def all(self) -> list[str]:
        return [row[0] for row in self._db.execute("SELECT recipient FROM covered ORDER BY recipient")]


def test_what_is_stored_is_there_again(tmp_path: Path) -> None:
    with Mails(tmp_path / "a.sqlite") as mails:
        mails.add("a", "b")
    with Mails(tmp_path / "a.sqlite") as mails:
        assert mails.all() == ["a", "b"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_a_transaction_is_done_or_not_done(tmp_path: Path) -> None:
    with Mails(tmp_path / "a.sqlite") as mails:
        with pytest.raises(sqlite3.IntegrityError):
            mails.add("a", "a")
        mails.add("b")
        assert mails.all() == ["b"]


def test_two_processes_make_the_tables_at_the_same_time(tmp_path: Path) -> None:
    def fill(name: str) -> None:
        for number in range(20):
            with Mails(tmp_path / f"{number}.sqlite") as mails:
                mails.add(name)

    forked = [Forked(lambda name=name: fill(name), name) for name in "abc"]  # type: ignore[misc]
    assert [process.wait() for process in forked] == [0, 0, 0]
    for number in range(20):
        with Mails(tmp_path / f"{number}.sqlite") as mails:
            assert mails.all() == ["a", "b", "c"]


def test_files_that_can_not_be_used(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(GristmillError, match=r"can't use .*a\.sqlite: file is not a database; do this"):
        Mails(path)
    with pytest.raises(GristmillError, match="can't use"):
        Mails(tmp_path / "none" / "a.sqlite")
    path.unlink()
    path.symlink_to(tmp_path / "b.sqlite")
    with pytest.raises(UsageError, match="is a link"):
        Mails(path)
    with Mails(tmp_path / "b.sqlite") as mails:
        mails._db.execute("UPDATE state SET value = 8")
    with pytest.raises(GristmillError, match="has format 8, and this version of Gristmill reads format 7"):
        Mails(tmp_path / "b.sqlite")


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_links_beside_a_file_are_not_written_to(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / f"a.sqlite{suffix}").symlink_to(tmp_path / "mine")
    with pytest.raises(UsageError, match="is a link"):
        Mails(tmp_path / "a.sqlite")
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_file_where_nothing_can_be_written_is_only_read(tmp_path: Path) -> None:
    with Mails(tmp_path / "a.sqlite") as mails:
        mails.add("a")
    (tmp_path / "a.sqlite-wal").mkdir()  # as good as a read-only folder, also for the superuser
    with pytest.raises(GristmillError, match="its folder may be read-only"):
        Mails(tmp_path / "a.sqlite")
    with Mails(tmp_path / "a.sqlite", to_read=True) as mails:
        assert mails.all() == ["a"]
        with pytest.raises(GristmillError, match="its folder may be read-only"):
            mails.add("b")
    with pytest.raises(GristmillError, match="its folder may be read-only"):
        Mails(tmp_path / "none" / "a.sqlite", to_read=True)


def test_a_file_that_is_damaged_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Mails(path) as mails:
        mails.add(*map(str, range(5_000)))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(GristmillError, match="malformed; do this"), Mails(path) as mails:
        mails.all()
