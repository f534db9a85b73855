"""SQLite files in which commands keep what they have done: tables of a known format, changed in transactions.

The tables are in the file `schema.sql` of the package that uses them. One of them is `state`, with the columns `name`
and `value`; there the format is kept, and what else has a name. A file may be a stranger's, who made it to do harm.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gristmill.errors import GristmillError, UsageError
from gristmill.shapes import check_format

_BUSY_SECONDS = 60.0  # that another process may take for its transaction
_RETRY_PAUSE_SECONDS = 0.01
_PRIMARY_CODE = 0xFF  # the bits of an error code that tell its kind
_BESIDE = ("-wal", "-shm", "-journal")
"""Ends of the names of files that SQLite puts beside one, and writes to."""
_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""What a journal begins with, and what it ends with if it names a super-journal."""
_PROGRAMS = "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'"
_TYPES: dict[str, type | tuple[type, ...]] = {"i": int, "s": str, "f": (int, float)}


def fits(row: Sequence[Any], kinds: str) -> bool:
    """Tell whether the values of a row are of the kinds that a text has a letter for each of: `i`, `s`, `f`.

    SQLite stores anything anywhere.
    """
    return all(isinstance(value, _TYPES[kind]) for value, kind in zip(row, kinds, strict=True))


def connect(
    path: Path,
    *,
    timeout: float = _BUSY_SECONDS,
    read_only: bool = False,
    unchanging: bool = False,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
) -> sqlite3.Connection:
    """Open a file, or make it; raises `GristmillError` if it could do more than hold tables.

    Views and triggers would be run, and may never end. A journal that names a super-journal lets SQLite delete the file
    of that name, wherever it is; such journals are of transactions over several files, which nobody here has.
    Statements take effect at once, unless one of them begins a transaction. A file is `unchanging` if nobody can write
    to it: then it is read as it is, without the files that SQLite would put beside it.
    """
    _refuse_super_journal(path)
    how = "ro&immutable=1" if unchanging else "ro" if read_only else "rwc"
    address = f"{path.absolute().as_uri()}?mode={how}"
    database = sqlite3.connect(address, timeout, isolation_level=None, factory=factory, uri=True)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        _refuse_programs(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _refuse_programs(database: sqlite3.Connection, path: Path) -> None:
    if database.execute(_PROGRAMS).fetchone():
        raise GristmillError(f"{path} was not made by gristmill: it has views or triggers. Don't use it")


def _refuse_super_journal(path: Path) -> None:
    journal = Path(f"{os.path.realpath(path)}-journal")
    try:
        with journal.open("rb") as file:
            file.seek(-len(_MAGIC), os.SEEK_END)
            names_another = file.read() == _MAGIC
    except OSError:  # it is not there, or empty
        return
    if names_another:
        raise GristmillError(f"{journal} was not made by gristmill: it would delete another file. Remove it")


def open_tables(
    path: Path,
    package: str,
    version: int,
    *,
    unchanging: bool = False,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
) -> sqlite3.Connection:
    """Open a file, and make the tables of a package in it if it is new; raises if they have another format.

    One that is `unchanging` is only read.
    """
    for place in (path, *(Path(f"{path}{suffix}") for suffix in _BESIDE)):
        if place.is_symlink():
            raise UsageError(f"{place} is a link, and it would be written to: put the file itself there")
    database = connect(path, unchanging=unchanging, factory=factory)
    try:
        found = _format(database) if unchanging else _set_up(database, package, version)
        check_format(found, version, str(path), "begin anew without it")
    except BaseException:
        database.close()
        raise
    return database


def _set_up(database: sqlite3.Connection, package: str, version: int) -> object:
    """Make the tables if there are none; returns the format of those that are there."""
    _use_write_ahead_log(database)
    database.execute("PRAGMA synchronous = NORMAL")
    if not _has_tables(database):
        with transaction(database):
            _make_tables(database, package, version)
    return _format(database)


def _format(database: sqlite3.Connection) -> object:
    row = database.execute("SELECT value FROM state WHERE name = 'format'").fetchone()
    return row[0] if row else 0


def _use_write_ahead_log(database: sqlite3.Connection) -> None:
    """Let others read while somebody writes. SQLite does not wait for a process that just does the same: we do."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(_RETRY_PAUSE_SECONDS)
        else:
            return


def _has_tables(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


def _make_tables(database: sqlite3.Connection, package: str, version: int) -> None:
    if _has_tables(database):  # another process was quicker
        return
    for statement in _statements(resources.files(package).joinpath("schema.sql").read_text("utf-8")):
        database.execute(statement)
    database.execute("INSERT INTO state VALUES ('format', ?)", (version,))


def _statements(script: str) -> Iterator[str]:
    """Divide a script into statements: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines():
        statement += line.partition("--")[0] + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Make changes take effect together, or not at all if something fails."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.ProgrammingError):  # a connection that closes itself when it fails
            database.rollback()
        raise


def _is_of_file(error: BaseException) -> bool:
    """Tell whether an error is that of a file, such as a full disk or a damaged file, and not of a program."""
    return isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError)


def _is_of_place(error: BaseException) -> bool:
    """Tell whether an error says that a file can't be made or written to where it is."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class Database:
    """A file with tables. Used by `with`, it is closed at the end, and errors of SQLite are put into words."""

    def __init__(self, path: Path, package: str, version: int, advice: str, *, to_read: bool = False) -> None:
        """Open a file; `advice` says what to do if it can't be used.

        One that is opened only `to_read` may be in a folder that can't be written to.
        """
        self._path = path
        self._advice = advice
        try:
            self._db = self._opened(package, version, to_read=to_read)
        except sqlite3.Error as error:
            raise self._in_words(error) from error

    def _opened(self, package: str, version: int, *, to_read: bool) -> sqlite3.Connection:
        try:
            return open_tables(self._path, package, version)
        except sqlite3.OperationalError as error:
            if not (to_read and _is_of_place(error) and self._path.is_file()):
                raise
        return open_tables(self._path, package, version, unchanging=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is not None and _is_of_file(error):
            raise self._in_words(error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with transaction(self._db):
                yield
        except sqlite3.Error as error:
            if _is_of_file(error):
                raise self._in_words(error) from error
            raise

    def _in_words(self, error: BaseException) -> GristmillError:
        if _is_of_place(error):
            return GristmillError(f"can't use {self._path}: {error}; its folder may be read-only, or another user's")
        return GristmillError(f"can't use {self._path}: {error}; {self._advice}")
