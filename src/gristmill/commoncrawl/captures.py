"""The list of captures in the folder that they are fetched to: in a database, so that every step is done once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import xxhash

from gristmill.commoncrawl.capture import Capture
from gristmill.commoncrawl.piece import Piece
from gristmill.database import Database

NAME = "commoncrawl.sqlite"
FORMAT = 1
"""The version of the tables; a file of another one is not opened."""
_INSERT = """INSERT INTO capture (key, url, timestamp, digest, filename, offset, length)
             VALUES (?, ?, ?, ?, ?, ?, ?)"""
_AT_A_TIME = 1_000
_MAX_BYTES_AT_ONCE = 64_000_000
_GROUPS = {"latest": "key", "yearly": "key, substr(timestamp, 1, 4)"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A capture that is to be fetched, and its place in what is stored."""

    place: int
    capture: Capture


class Captures(Database):
    """What was found in the index, what is taken of it, and what was fetched."""

    def __init__(self, folder: Path) -> None:
        """Open the list in a folder."""
        advice = f"when this is mended, `gristmill commoncrawl {folder}` goes on; what is in WARC files is safe"
        super().__init__(folder / NAME, "gristmill.commoncrawl", FORMAT, advice)
        self._db.create_function("chance", 3, _chance, deterministic=True)

    @cached_property
    def steps(self) -> MutableMapping[str, str]:
        """The values of the steps that are done."""
        return dict(self._db.execute("SELECT name, value FROM step"))

    def add(self, piece: Piece) -> None:
        """Keep a piece of the answer of the index, and that its step is done."""
        rows = [(c.key, c.url, c.timestamp, c.digest, c.filename, c.offset, c.length) for c in piece.captures]
        with self._transaction():
            self._db.executemany(_INSERT, rows)
            for reason, count in piece.refused.items():
                self._count(f"refused {reason}", count)
            self._db.execute("INSERT INTO step VALUES (?, ?)", (piece.step, piece.value))
        self.steps[piece.step] = piece.value

    def note(self, step: str, value: str = "") -> None:
        """Keep that a step is done."""
        self.add(Piece(step, value))

    def choose(self, *, keep: str, duplicates: bool, sample: int, pages: int, seed: int) -> int:
        """Decide which of the captures are wanted, and return how many; the states of the others say why not.

        Can be done again.
        """
        with self._transaction():
            self._db.execute("UPDATE capture SET state = 'found', place = NULL WHERE state <> 'found'")
            if keep in _GROUPS:
                self._leave_out("older", _GROUPS[keep], "timestamp DESC, id")
            self._leave_out("again", "url, timestamp, filename, offset", "id")
            if not duplicates:
                self._leave_out("duplicate", "CASE digest WHEN '' THEN id ELSE digest END", "id")
            for count, order in ((sample, f"chance({int(seed)}, url, timestamp), id"), (pages, "id")):
                if count:
                    self._db.execute(
                        f"""UPDATE capture SET state = 'beyond' WHERE id IN (
                              SELECT id FROM capture WHERE state = 'found' ORDER BY {order} LIMIT -1 OFFSET ?)""",  # noqa: S608 (a constant and a number)
                        (count,),
                    )
        return int(self._one("SELECT count(*) FROM capture WHERE state = 'found'"))

    def _leave_out(self, state: str, group: str, order: str) -> None:
        """Leave out all but the first of each group."""
        self._db.execute(
            f"""UPDATE capture SET state = ? WHERE id IN (
                  SELECT id FROM (
                    SELECT id, row_number() OVER (PARTITION BY {group} ORDER BY {order}) AS number
                    FROM capture WHERE state = 'found')
                  WHERE number > 1)""",  # noqa: S608 (constants)
            (state,),
        )

    def settle(self, step: str) -> None:
        """Give all captures that are left their places, file by file, so that ranges side by side can be joined."""
        with self._transaction():
            self._db.execute(
                """UPDATE capture SET state = 'wanted', place = placed.place
                   FROM (SELECT id, row_number() OVER (ORDER BY filename, offset, id) AS place
                         FROM capture WHERE state = 'found') AS placed
                   WHERE capture.id = placed.id"""
            )
            self._db.execute("INSERT INTO step VALUES (?, '')", (step,))
        self.steps[step] = ""

    def want_again(self, reasons: frozenset[str]) -> int:
        """Put captures that failed for reasons that may have passed behind the others; returns how many there are."""
        last = self._one("SELECT coalesce(max(place), 0) FROM capture")
        marks = ", ".join("?" * len(reasons))
        with self._transaction():
            return self._db.execute(
                f"""UPDATE capture SET state = 'wanted', reason = '', place = placed.place
                    FROM (SELECT id, {int(last)} + row_number() OVER (ORDER BY place) AS place
                          FROM capture WHERE state = 'failed' AND reason IN ({marks})) AS placed
                    WHERE capture.id = placed.id""",  # noqa: S608 (a number and marks)
                tuple(reasons),
            ).rowcount

    def waiting(self) -> Iterator[Entry]:
        """Yield what is to be fetched, in the order of places."""
        place = -1
        while rows := self._db.execute(
            """SELECT place, url, key, timestamp, digest, filename, offset, length FROM capture
                WHERE state = 'wanted' AND place > ? AND place NOT IN (SELECT place FROM fetched)
                ORDER BY place LIMIT ?""",
            (place, _AT_A_TIME),
        ).fetchall():
            for place, *facts in rows:
                yield Entry(place, Capture(*facts))

    def keep(self, records: Mapping[int, bytes], failures: Mapping[int, str]) -> None:
        """Keep records that were fetched, by their places, and why others were not."""
        with self._transaction():
            self._db.executemany("INSERT INTO fetched VALUES (?, ?)", records.items())
            self._db.executemany(
                "UPDATE capture SET state = 'failed', reason = ? WHERE place = ?",
                [(reason, place) for place, reason in failures.items()],
            )

    def fetched(self) -> list[tuple[int, bytes]]:
        """Return records that are not stored yet, with their places, but none behind one that is still to be fetched.

        They are not all of them if they are large.
        """
        rows = self._db.execute(
            """SELECT place, data FROM fetched WHERE place < coalesce(
                 (SELECT min(place) FROM capture WHERE state = 'wanted' AND place NOT IN (SELECT place FROM fetched)),
                 9223372036854775807)
               ORDER BY place"""
        )
        found, size = [], 0
        for place, data in rows:
            found.append((place, data))
            size += len(data)
            if size > _MAX_BYTES_AT_ONCE:
                break
        rows.close()
        return found

    def store(self, last: int, position: tuple[int, int]) -> None:
        """Note that all fetched records up to a place are stored, and where the WARC file then ends."""
        with self._transaction():
            self._db.execute(
                "UPDATE capture SET state = 'stored' WHERE place IN (SELECT place FROM fetched WHERE place <= ?)",
                (last,),
            )
            self._db.execute("DELETE FROM fetched WHERE place <= ?", (last,))
            for name, value in zip(("warc", "end"), position, strict=True):
                self._db.execute("INSERT OR REPLACE INTO number VALUES (?, ?)", (name, value))

    def settle_file(self, place: int, reason: str) -> None:
        """Note that a whole file is stored, or why not."""
        with self._transaction():
            state = "failed" if reason else "stored"
            self._db.execute("UPDATE capture SET state = ?, reason = ? WHERE place = ?", (state, reason, place))

    def forget(self, step: str) -> None:
        """Note that a step must be done again."""
        with self._transaction():
            self._db.execute("DELETE FROM step WHERE name = ?", (step,))
        self.steps.pop(step, None)

    @property
    def position(self) -> tuple[int, int]:
        """The number of the last WARC file, and the offset behind all that is stored in it."""
        numbers = self.numbers()
        return numbers.get("warc", 0), numbers.get("end", 0)

    @property
    def latest(self) -> str:
        """The time of the latest capture that is taken; empty if there is none."""
        return str(self._one("SELECT coalesce(max(timestamp), '') FROM capture WHERE place IS NOT NULL"))

    def count(self, numbers: Mapping[str, int]) -> None:
        """Add to some numbers."""
        with self._transaction():
            for name, value in numbers.items():
                self._count(name, value)

    def _count(self, name: str, value: int) -> None:
        self._db.execute(
            "INSERT INTO number VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (name, value),
        )

    def numbers(self) -> dict[str, int]:
        """Return all numbers."""
        return dict(self._db.execute("SELECT name, value FROM number"))

    def states(self) -> dict[tuple[str, str], int]:
        """Count captures by state and reason."""
        rows = self._db.execute("SELECT state, reason, count(*) FROM capture GROUP BY state, reason")
        return {(state, reason): count for state, reason, count in rows}

    def _one(self, query: str) -> int | str:
        value: int | str = self._db.execute(query).fetchone()[0]
        return value


def _chance(seed: int, url: str, timestamp: str) -> int:
    """Return a number by which captures are in random order, the same for the same seed."""
    return xxhash.xxh3_64_intdigest(f"{url} {timestamp}".encode(), seed & (1 << 64) - 1) >> 1
