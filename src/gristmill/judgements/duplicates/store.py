"""Judgements on pairs of documents, kept in a file of the corpus; each is on the disk before it is answered."""

from __future__ import annotations

import re
import sqlite3
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.database import Database, fits
from gristmill.errors import GristmillError, UsageError

NAME = "reviews.sqlite"
"""The file in the folder of a corpus."""
FORMAT = 1
VERDICTS = ("yes", "near", "no")
"""What a pair can be judged: duplicates, near-duplicates, different texts."""
MAX_JUDGE_CHARACTERS = 60
_MAX_JUDGEMENTS = 1_000_000
_ID = re.compile(r"\d{5,20}-\d{6,18}")
_ADVICE = "it has the judgements on duplicates: mend it, or move it away and judge anew"

Pair = tuple[str, str]
"""The ids of two documents, the earlier one first."""


def as_pair(one: str, other: str) -> Pair:
    """Put the ids of two documents in order; raises if they are no such ids, or the same."""
    if not (_ID.fullmatch(one) and _ID.fullmatch(other)) or one == other:
        raise UsageError("a pair is named by the ids of two documents, such as 00000-000017 and 00000-000042")
    return (one, other) if one < other else (other, one)


def check_judge(name: str) -> str:
    """Return the name of a judge in its normal form; raises if it can't be one."""
    found = " ".join(unicodedata.normalize("NFC", name).split())
    if not found or len(found) > MAX_JUDGE_CHARACTERS or not found.isprintable():
        raise UsageError(f"the name of a judge has 1 to {MAX_JUDGE_CHARACTERS} characters")
    return found


@dataclass(frozen=True, slots=True)
class Judged:
    """All judgements that hold: the verdict of each judge on each pair."""

    verdicts: dict[Pair, dict[str, str]] = field(default_factory=dict)

    def of(self, pair: Pair) -> dict[str, str]:
        """Tell what judges said of a pair."""
        return self.verdicts.get(pair, {})

    def by(self, judge: str) -> set[Pair]:
        """Tell which pairs somebody has judged."""
        return {pair for pair, verdicts in self.verdicts.items() if judge in verdicts}

    @property
    def judges(self) -> dict[str, int]:
        """How many pairs each judge has judged, by name."""
        counts = Counter(judge for verdicts in self.verdicts.values() for judge in verdicts)
        return dict(sorted(counts.items()))

    def decided(self, *, near_counts: bool) -> dict[Pair, bool]:
        """Tell of each pair whether most judges call it duplicates; pairs on which they are divided are left out."""
        found = {}
        for pair, verdicts in self.verdicts.items():
            for_it = sum(verdict == "yes" or (near_counts and verdict == "near") for verdict in verdicts.values())
            if 2 * for_it != len(verdicts):
                found[pair] = 2 * for_it > len(verdicts)
        return found

    def disputed(self) -> set[Pair]:
        """Tell on which pairs judges said different things."""
        return {pair for pair, verdicts in self.verdicts.items() if len(set(verdicts.values())) > 1}


class Reviews(Database):
    """The file of judgements of a corpus, opened to be written to."""

    def __init__(self, folder: Path, *, to_read: bool = False) -> None:
        """Open the file of a corpus, or make it; if it is only `to_read`, its folder may be read-only."""
        super().__init__(folder / NAME, __package__, FORMAT, _ADVICE, to_read=to_read)

    def judge(self, pair: Pair, judge: str, verdict: str) -> None:
        """Add a judgement; it takes the place of what the judge said of this pair before."""
        if verdict not in VERDICTS:
            raise UsageError(f"a pair is judged {', '.join(VERDICTS)}, not {verdict!r}")
        with self._transaction():
            count = self._db.execute("SELECT count(*) FROM judgement").fetchone()[0]
            if count >= _MAX_JUDGEMENTS:
                raise GristmillError(f"there are {count:,} judgements: no more can be kept")
            self._db.execute(
                "INSERT INTO judgement (first, second, judge, verdict, time) VALUES (?, ?, ?, ?, ?)",
                (*as_pair(*pair), check_judge(judge), verdict, time.time()),
            )

    def undo(self, judge: str) -> Pair | None:
        """Take back the last judgement of somebody, and return its pair; what they said before holds again."""
        with self._transaction():
            row = self._db.execute(
                "SELECT number, first, second FROM judgement WHERE judge = ? ORDER BY number DESC LIMIT 1",
                (check_judge(judge),),
            ).fetchone()
            if row is None or not fits(row, "iss"):
                return None
            self._db.execute("DELETE FROM judgement WHERE number = ?", (row[0],))
        return as_pair(row[1], row[2])

    def read(self) -> Judged:
        """Read all judgements that hold."""
        try:
            rows = self._db.execute("SELECT first, second, judge, verdict FROM judgement ORDER BY number").fetchall()
        except sqlite3.Error as error:
            raise self._in_words(error) from error
        return Judged(_last_of(row for row in rows if fits(row, "ssss")))


def _last_of(rows: Iterable[tuple[str, str, str, str]]) -> dict[Pair, dict[str, str]]:
    found: dict[Pair, dict[str, str]] = {}
    for first, second, judge, verdict in rows:
        if _ID.fullmatch(first) and _ID.fullmatch(second) and first < second and verdict in VERDICTS:
            found.setdefault((first, second), {})[judge[:MAX_JUDGE_CHARACTERS]] = verdict
    return found


def read_reviews(folder: Path) -> Judged:
    """Read all judgements of a corpus; there are none if nobody has begun."""
    if not (folder / NAME).exists():
        return Judged()
    with Reviews(folder, to_read=True) as reviews:
        return reviews.read()
