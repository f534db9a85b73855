"""Judgements of blocks on disk: an SQLite file in the folder of the corpus, a row for each annotator and block.

What is written is on the disk before the call returns, so whoever gets an answer can rely on it. Annotators have rows
of their own, so nobody overwrites anybody; of two windows of the same annotator, the last one to write counts. A
judgement has a hash of the text that it is of: if the corpus is built again with other blocks, old judgements stay, and
are counted as changed instead of being taken for judgements of another text.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xxhash

from gristmill.columns import Int32
from gristmill.database import Database, fits
from gristmill.errors import GristmillError, UsageError
from gristmill.judgements.blocks.marks import VERDICTS, Judgement, Mark, check_name
from gristmill.roles import ROLES

NAME = "annotations.sqlite"
"""The file in the folder of a corpus."""
_FORMAT = 1
_ADVICE = "if it is damaged, restore it from a copy, or remove it: then there are no judgements"
_HASH_BYTES = 8
_VERDICTS, _ROLES = frozenset({"", *VERDICTS}), frozenset({"", *ROLES})


@dataclass(frozen=True, slots=True)
class Outline:
    """What is kept of a page that was opened: its address, and of each block a hash of its text and its words."""

    url: str
    hashes: tuple[bytes, ...]
    words: Int32

    @classmethod
    def of(cls, url: str, texts: Sequence[str], words: Int32) -> Outline:
        """Outline a page by the texts of its blocks."""
        hashes = tuple(xxhash.xxh3_64_digest(text.encode("utf-8", "replace")) for text in texts)
        return cls(url, hashes, np.asarray(words, np.int32))

    @property
    def digest(self) -> str:
        """A hash of the whole: whoever sends marks says by it which page they saw."""
        return xxhash.xxh3_64_hexdigest(b"".join(self.hashes))


@dataclass(frozen=True, slots=True)
class Visit:
    """The work of an annotator on a page."""

    annotator: str
    page: str
    begun: float
    finished: float
    """When they said that it is done; 0 if they have not."""
    suggested: bool


class BlockStore(Database):
    """The judgements of a corpus."""

    def __init__(self, folder: Path) -> None:
        """Open the judgements of the corpus in a folder; the file is made if there is none."""
        super().__init__(folder / NAME, __package__, _FORMAT, _ADVICE)
        self._db.execute("PRAGMA synchronous = FULL")  # a click that was answered survives also a loss of power

    def register(self, page: str, outline: Outline) -> None:
        """Note how a page looks now."""
        row = (page, outline.url, b"".join(outline.hashes), outline.words.astype("<i4").tobytes())
        if self._db.execute("SELECT * FROM pages WHERE page = ?", (page,)).fetchone() != row:
            with self._transaction():
                self._db.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)", row)

    def outlines(self, pages: Iterable[str] | None = None) -> dict[str, Outline]:
        """Return the outlines of some pages, or of all that were ever opened."""
        if pages is None:
            rows = self._db.execute("SELECT * FROM pages ORDER BY page").fetchall()
        else:
            ask = "SELECT * FROM pages WHERE page = ?"
            rows = [row for page in pages for row in self._db.execute(ask, (page,)).fetchall()]
        return {row[0]: self._outline(row) for row in rows}

    def mark(
        self,
        annotator: str,
        page: str,
        digest: str,
        marks: Sequence[Mark],
        *,
        finish: bool = False,
        suggested: bool = False,
    ) -> dict[int, Judgement]:
        """Apply marks in their order, all or none, and return all judgements of the annotator on the page.

        `digest` is that of the page as the annotator saw it; raises if it looks otherwise now. With `finish`, the page
        is done, and stays so if more marks come.
        """
        annotator = check_name(annotator)
        outline = self.outlines([page]).get(page)
        if outline is None or outline.digest != digest:
            raise GristmillError("the page has changed since you opened it: load it again")
        for mark in marks:
            if mark.last >= len(outline.hashes):
                raise UsageError(f"there is no block {mark.last:,}: the page has {len(outline.hashes):,}, from 0 on")
        with self._transaction():
            found = self.of_page(page, outline, annotator).get(annotator, {})
            changed = dict(found)
            for mark in marks:
                for block in range(mark.first, mark.last + 1):
                    changed[block] = changed.get(block, Judgement()).changed(mark)
            self._write(annotator, page, outline, {at: item for at, item in changed.items() if found.get(at) != item})
            self._note_visit(annotator, page, finish=finish, suggested=suggested)
        return {at: item for at, item in sorted(changed.items()) if item != Judgement()}

    def _write(self, annotator: str, page: str, outline: Outline, changed: dict[int, Judgement]) -> None:
        now = time.time()
        for block, item in changed.items():
            key = (annotator, page, block, outline.hashes[block])
            if item == Judgement():
                self._db.execute("DELETE FROM judgements WHERE (annotator, page, block, hash) = (?, ?, ?, ?)", key)
            else:
                self._db.execute(
                    "INSERT OR REPLACE INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*key, item.verdict, item.role, now),
                )

    def _note_visit(self, annotator: str, page: str, *, finish: bool, suggested: bool) -> None:
        now = time.time()
        self._db.execute(
            "INSERT INTO visits VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET finished = MAX(finished, excluded.finished), "
            "suggested = MAX(suggested, excluded.suggested)",
            (annotator, page, now, now if finish else 0, int(suggested)),
        )

    def of_page(self, page: str, outline: Outline, annotator: str | None = None) -> dict[str, dict[int, Judgement]]:
        """Return the judgements of a page as it is now, by annotator and block."""
        ask = "SELECT annotator, block, hash, verdict, role FROM judgements WHERE page = ?"
        given: tuple[str, ...] = (page,)
        if annotator is not None:
            ask, given = f"{ask} AND annotator = ?", (page, annotator)
        found: defaultdict[str, dict[int, Judgement]] = defaultdict(dict)
        for row in self._db.execute(f"{ask} ORDER BY annotator, block", given):
            who, block, text_hash, verdict, role = self._checked(row, "si", "ss")
            if 0 <= block < len(outline.hashes) and outline.hashes[block] == text_hash:
                found[who][block] = Judgement(verdict, role)
        return dict(found)

    def _checked(self, row: Sequence[object], before: str, behind: str) -> tuple[str, int, bytes, str, str]:
        if not (fits(row[:2], before) and isinstance(row[2], bytes) and fits(row[3:], behind)):
            raise self._strange()
        if row[3] not in _VERDICTS or row[4] not in _ROLES:
            raise self._strange()
        return row  # type: ignore[return-value]  # as was just checked

    def _fits(self, row: Sequence[object], kinds: str) -> bool:
        """Return True if the values of a row are of these kinds; raises if they are not."""
        if not fits(row, kinds):
            raise self._strange()
        return True

    def _strange(self) -> GristmillError:
        return GristmillError(f"{self._path} has a row that gristmill did not write; {_ADVICE}")

    def _outline(self, row: Sequence[object]) -> Outline:
        page, url, hashes, words = row
        if not (
            isinstance(page, str) and isinstance(url, str) and isinstance(hashes, bytes) and isinstance(words, bytes)
        ):
            raise self._strange()
        number = len(hashes) // _HASH_BYTES
        if len(hashes) != number * _HASH_BYTES or len(words) != number * 4:
            raise self._strange()
        parts = tuple(hashes[at : at + _HASH_BYTES] for at in range(0, len(hashes), _HASH_BYTES))
        return Outline(url, parts, np.frombuffer(words, "<i4").astype(np.int32))

    def judged_pages(self) -> list[str]:
        """List the pages of which anything was judged."""
        rows = self._db.execute("SELECT DISTINCT page FROM judgements ORDER BY page").fetchall()
        return [row[0] for row in rows if self._fits(row, "s")]

    def visits(self, annotator: str | None = None) -> list[Visit]:
        """List who has worked on which pages, in the order of time."""
        ask = "SELECT annotator, page, begun, finished, suggested FROM visits"
        rows = (
            self._db.execute(f"{ask} ORDER BY begun, annotator, page")
            if annotator is None
            else self._db.execute(f"{ask} WHERE annotator = ? ORDER BY begun, page", (annotator,))
        )
        return [Visit(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows if self._fits(row, "ssffi")]

    def counts(self) -> dict[str, tuple[int, float]]:
        """Count the judgements of each annotator, with the time of the last one."""
        ask = "SELECT annotator, COUNT(*), MAX(time) FROM judgements GROUP BY annotator ORDER BY annotator"
        return {row[0]: (row[1], row[2]) for row in self._db.execute(ask).fetchall() if self._fits(row, "sif")}

    def listed(self) -> list[str]:
        """Return the pages that the owner wants to be judged."""
        rows = self._db.execute("SELECT page FROM listed ORDER BY position").fetchall()
        return [row[0] for row in rows if self._fits(row, "s")]

    def list_pages(self, pages: Sequence[str]) -> None:
        """Set the pages that the owner wants to be judged."""
        with self._transaction():
            self._db.execute("DELETE FROM listed")
            self._db.executemany("INSERT INTO listed VALUES (?, ?)", enumerate(dict.fromkeys(pages)))

    def changed(self) -> list[tuple[str, str, int]]:
        """List judgements whose text is no longer where it was: annotator, page, and how many."""
        outlines = self.outlines(self.judged_pages())
        counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        for row in self._db.execute("SELECT annotator, page, block, hash FROM judgements"):
            self._fits(row[:3], "ssi")
            who, page, block, text_hash = row
            outline = outlines.get(page)
            if outline is None or not 0 <= block < len(outline.hashes) or outline.hashes[block] != text_hash:
                counts[who, page] += 1
        return [(who, page, number) for (who, page), number in sorted(counts.items())]

    def seen_state(self) -> str:
        """Return the state of the corpus that the outlines are of."""
        row = self._db.execute("SELECT value FROM state WHERE name = 'corpus'").fetchone()
        return str(row[0]) if row else ""

    def note_state(self, state: str) -> None:
        """Note the state of the corpus that the outlines are of."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO state VALUES ('corpus', ?)", (state,))


def has_judgements(folder: Path) -> bool:
    """Tell whether anybody has judged anything."""
    return (folder / NAME).is_file()
