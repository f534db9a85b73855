"""A table of the pages and records that a corpus did not keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath

from gristmill.corpus.reader import REPLACED, CorpusReader
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean, parse_spec
from gristmill.table import Column, Table

_COLUMNS = (
    Column("reason"),
    Column("finding", about="What the filter found, or which document it repeats."),
    Column("url", "address"),
    Column("id", "id or place", about="The id of a page, or the place of a record that is no page; why takes both."),
)


@dataclass(frozen=True, slots=True)
class NotKept:
    """A page or record that was not kept."""

    reason: str
    finding: str
    url: str
    id: str
    """The id of the page, or the place of the record: FILE:OFFSET."""


@dataclass(frozen=True, slots=True, repr=False)
class Dropped(Table):
    """What was not kept, in the order of the corpus."""

    rows: list[NotKept]
    has_more: bool
    """Whether there are others after these."""

    @property
    def columns(self) -> Sequence[Column]:
        """The reason, what was found, address, id."""
        return _COLUMNS

    @property
    def heading(self) -> str:
        """How many are shown."""
        count = len(self.rows)
        return f"{count:,} {'page or record that was' if count == 1 else 'pages or records that were'} not kept"

    def notes(self) -> list[str]:
        """Say that there are more."""
        return ["There are more: a limit of 0 lists all."] if self.has_more else []

    def without_places(self) -> Dropped:
        """Name files by their names alone: where they are on a server is nobody's business."""
        return replace(self, rows=[replace(row, id=PurePath(row.id).name) for row in self.rows])


def list_dropped(corpus: CorpusReader, reason: str | None = None, first: int = 0, limit: int | None = None) -> Dropped:
    """List what was not kept, or what was not for one reason; raises if this corpus can't have such a reason."""
    counts = corpus.counts
    filters = (parse_spec(spec)[0] for spec in corpus.config.filter.filters)
    known = dict.fromkeys([*filters, *counts["dropped"], "duplicate", REPLACED, *counts["skipped"]])
    if reason is not None and reason not in known:
        raise UsageError(f"there is no reason {reason!r}{did_you_mean(reason, known)} (there are: {', '.join(known)})")
    found = (NotKept(*fields) for fields in corpus.dropped() if reason in {None, fields[0]})
    rows = list(islice(found, first, None if limit is None else first + limit))
    return Dropped(rows, next(found, None) is not None)
