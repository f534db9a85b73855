"""Open SQLite files of a corpus or a crawl. They may be a stranger's, and then they are made to do harm."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from gristmill.errors import GristmillError

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
    isolation_level: Literal["DEFERRED"] | None = None,
    timeout: float = 5.0,
    read_only: bool = False,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
) -> sqlite3.Connection:
    """Open a file, or make it; raises `GristmillError` if it could do more than hold tables.

    Views and triggers would be run, and may never end. A journal that names a super-journal lets SQLite delete the file
    of that name, wherever it is; such journals are of transactions over several files, which nobody here has.
    """
    _refuse_super_journal(path)
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    connection = sqlite3.connect(address, timeout, isolation_level=isolation_level, factory=factory, uri=True)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        _refuse_programs(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_programs(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute(_PROGRAMS).fetchone():
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
