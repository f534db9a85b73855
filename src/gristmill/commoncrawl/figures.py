"""Figures of fetching from archives: how many captures were found, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gristmill.commoncrawl.capture import REFUSALS
from gristmill.commoncrawl.captures import NAME, Captures
from gristmill.commoncrawl.records import FAULTS
from gristmill.commoncrawl.store import REASONS
from gristmill.errors import UsageError
from gristmill.table import Column, Table

_STATES = {
    "found": "not chosen from yet",
    "again": "the same entry again",
    "older": "an older capture of the same page",
    "duplicate": "the same content as another capture",
    "beyond": "beyond the limit, or not in the sample",
    "wanted": "waiting to be fetched",
    "stored": "stored",
}
_WORDS = {
    **REASONS,
    **FAULTS,
    "network": "the server is in a private network",
    "dns": "there is no server of this name",
    "too-long": "longer than is fetched",
    "tls": "the certificate or the encryption is not right",
    "redirects": "too many redirects",
    "protocol": "the answer is not valid HTTP",
}


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A number of captures, and what became of them."""

    outcome: str
    """`found`, `refused`, `left out`, `stored`, `failed` or `waiting`."""
    reason: str
    count: int
    what: str
    """The reason in words."""


@dataclass(frozen=True, repr=False, slots=True)
class ArchiveSummary(Table):
    """What was found, left out, stored and what failed; `found` is the sum of all others."""

    folder: str
    found: int
    """Entries of the index, or files of the list."""
    stored: int
    failed: int
    waiting: int
    requests: int
    bytes: int
    """Bytes of all answers."""
    rows: tuple[FigureRow, ...]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the rows."""
        return (Column("outcome"), Column("reason"), Column("count"), Column("what"))

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{self.found:,} found, {self.stored:,} stored, {self.failed:,} failed, {self.waiting:,} waiting"


def summary_of(folder: Path) -> ArchiveSummary:
    """Read the figures of a folder, also while it grows."""
    if not (folder / NAME).is_file():
        raise UsageError(f"there are no pages of an archive in {folder}: it has no {NAME}")
    with Captures(folder) as captures:
        return make_summary(folder, captures)


def make_summary(folder: Path, captures: Captures) -> ArchiveSummary:
    """Add up what became of captures."""
    states, numbers = captures.states(), captures.numbers()
    refused = {name.removeprefix("refused "): value for name, value in numbers.items() if name.startswith("refused ")}
    rows = [FigureRow("refused", name, count, REFUSALS.get(name, name)) for name, count in sorted(refused.items())]
    for state in ("again", "older", "duplicate", "beyond"):
        rows += [
            FigureRow("left out", state, count, _STATES[state]) for (name, _), count in states.items() if name == state
        ]
    for state, outcome in (("stored", "stored"), ("failed", "failed"), ("wanted", "waiting"), ("found", "waiting")):
        for (name, reason), count in sorted(states.items()):
            if name == state:
                rows.append(
                    FigureRow(outcome, reason or state, count, _WORDS.get(reason) or _STATES.get(state, reason))
                )
    return ArchiveSummary(
        folder=str(folder),
        found=sum(row.count for row in rows),
        stored=sum(row.count for row in rows if row.outcome == "stored"),
        failed=sum(row.count for row in rows if row.outcome == "failed"),
        waiting=sum(row.count for row in rows if row.outcome == "waiting"),
        requests=numbers.get("requests", 0),
        bytes=numbers.get("bytes", 0),
        rows=tuple(rows),
    )
