"""Tables of a crawl's figures: hosts and their yield, how requests ended, the course of time, what was left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gristmill.fetching.exchange import REASONS
from gristmill.table import Column, Table
from gristmill.wording import plural

NEW_TEXT = frozenset(["text", "page"])
"""Outcomes of requests that brought something new; all others were in vain."""
_OUTCOMES = REASONS | {
    "text": "pages with new text in the wanted languages",
    "page": "pages whose text was not measured",
    "copy": "pages whose text was there already",
    "no-text": "pages with hardly any text",
    "other-language": "pages with text in other languages",
    "redirect": "redirects to other addresses",
    "noindex": "pages that ask not to be kept",
    "busy": "servers that ask for a pause",
    "robots.txt": "rules for robots",
    "sitemap": "lists of addresses",
}
_LEFT = REASONS | {
    "low-yield": "too little text for the bytes",
    "barren-domain": "other hosts of the domain gave too little text",
    "enough-pages": "as many pages as a host may give",
    "robots-unreachable": "no answer on what robots may fetch",
    "scope": "outside the domains or sites of the crawl",
    "forbidden": "hosts that are never visited",
    "suffix": "pictures, media, archives, programs, documents",
    "nofollow": "links that ask not to be followed",
    "not-http": "other schemes than http and https",
    "robots": "robots.txt forbids it",
    "distance": "too far from the seeds",
    "redirects": "too many redirects in a row",
    "queue-full": "more addresses than may wait for a host; they may be found again",
    "host-left": "hosts that were left before",
    "trap-length": "too long an address",
    "trap-depth": "too many folders in an address",
    "trap-parameters": "too many parameters in an address",
    "trap-repeat": "folders that repeat themselves",
    "trap-calendar": "dates of the far future, or before the web",
    "trap-pattern": "addresses of a shape that gave no new text",
}
_WITH_HOST = "host-"
_STATUS = "status-"
percent = "{:.2%}".format
"""Show a share, such as a yield, in percent."""


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host, and what it gave."""

    host: str
    pages: int
    """Answers that were stored."""
    texts: int
    """Pages with new clean text in the wanted languages."""
    copies: int
    """Pages whose text was there already."""
    words: int
    bytes: int
    """Downloaded in all."""
    clean_bytes: int
    """Of new clean text in the wanted languages."""
    text_yield: float | None
    """Clean bytes for each byte downloaded; None if nothing was."""
    queued: int
    """Addresses that wait."""
    left: str
    """Why it was left for good; empty if it was not."""


@dataclass(frozen=True, slots=True, repr=False)
class HostTable(Table):
    """Hosts of a crawl in some order."""

    order: str
    rows: tuple[HostRow, ...]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order in which they are shown."""
        return HOST_COLUMNS

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{plural(len(self.rows), 'host')} by {self.order}"


HOST_COLUMNS = (
    Column("host"),
    Column("words"),
    Column("text_yield", "yield", percent),
    Column("pages"),
    Column("texts"),
    Column("copies"),
    Column("bytes"),
    Column("clean_bytes", "clean"),
    Column("queued"),
    Column("left"),
)


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """How some requests ended, and what they cost."""

    outcome: str
    requests: int
    bytes: int
    share: float
    """Of all bytes."""
    meaning: str


@dataclass(frozen=True, slots=True, repr=False)
class OutcomeTable(Table):
    """How all requests ended, those that cost most bytes first."""

    rows: tuple[OutcomeRow, ...]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order in which they are shown."""
        return (
            Column("outcome"),
            Column("requests"),
            Column("bytes"),
            Column("share", "of bytes", "{:.1%}".format),
            Column("meaning"),
        )

    @property
    def bytes(self) -> int:
        """Bytes of all requests."""
        return sum(row.bytes for row in self.rows)

    @property
    def in_vain(self) -> int:
        """Bytes that brought no new text."""
        return sum(row.bytes for row in self.rows if row.outcome not in NEW_TEXT)

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        share = self.in_vain / self.bytes if self.bytes else 0.0
        return f"{plural(sum(row.requests for row in self.rows), 'request')}, {share:.1%} of their bytes in vain"


def outcome_table(counts: dict[str, tuple[int, int]]) -> OutcomeTable:
    """Make the table of the requests and bytes of each outcome."""
    total = sum(size for _, size in counts.values())
    rows = [
        OutcomeRow(name, requests, size, size / total if total else 0.0, meaning(name))
        for name, (requests, size) in counts.items()
    ]
    return OutcomeTable(tuple(sorted(rows, key=lambda row: (-row.bytes, -row.requests, row.outcome))))


def meaning(outcome: str) -> str:
    """Say in words how a request ended."""
    if outcome.startswith(_STATUS):
        return f"answers with HTTP status {outcome.removeprefix(_STATUS)}"
    return _OUTCOMES.get(outcome, "")


def reason_in_words(reason: str) -> str:
    """Say in words why a host or a link was left."""
    if reason.startswith(_WITH_HOST) and reason not in _LEFT:
        return f"in the queue of a host that was left: {reason_in_words(reason.removeprefix(_WITH_HOST))}"
    return _LEFT.get(reason, "")


@dataclass(frozen=True, slots=True)
class CourseRow:
    """What was done in a piece of the time."""

    minute: int
    """Its first minute, from the beginning of the crawl."""
    requests: int
    pages: int
    texts: int
    words: int
    bytes: int
    clean_bytes: int
    failures: int
    text_yield: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class CourseTable(Table):
    """The course of a crawl, in pieces of so many minutes."""

    minutes: int
    rows: tuple[CourseRow, ...]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order in which they are shown."""
        return (
            Column("minute", "from minute"),
            Column("requests"),
            Column("pages"),
            Column("texts"),
            Column("words"),
            Column("bytes"),
            Column("clean_bytes", "clean"),
            Column("text_yield", "yield", percent),
            Column("failures"),
        )

    def merged(self, most: int) -> CourseTable:
        """Make larger pieces of the time, so that there are at most so many."""
        last = self.rows[-1].minute // self.minutes + 1 if self.rows else 0
        minutes = self.minutes * (-(-last // most) or 1)
        pieces = itertools.groupby(self.rows, key=lambda row: row.minute // minutes)
        return CourseTable(minutes, tuple(course_row(piece * minutes, rows) for piece, rows in pieces))

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{plural(len(self.rows), 'piece')} of {plural(self.minutes, 'minute')}"


def course_row(minute: int, parts: Iterable[CourseRow]) -> CourseRow:
    """Add up what was done in several pieces of the time, or by several parts of a crawl."""
    names = ("requests", "pages", "texts", "words", "bytes", "clean_bytes", "failures")
    sums = dict.fromkeys(names, 0)
    for row in parts:
        for name in names:
            sums[name] += getattr(row, name)
    text_yield = sums["clean_bytes"] / sums["bytes"] if sums["bytes"] else None
    return CourseRow(minute, **sums, text_yield=text_yield)


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """A reason, and how often it was given."""

    reason: str
    count: int
    meaning: str


@dataclass(frozen=True, slots=True, repr=False)
class ReasonTable(Table):
    """Reasons why links or hosts were left, the most frequent first."""

    what: str
    """The noun for what was counted: `link` or `host`."""
    rows: tuple[ReasonRow, ...]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order in which they are shown."""
        return Column("reason"), Column("count", f"{self.what}s"), Column("meaning")

    @property
    def count(self) -> int:
        """The sum over all reasons."""
        return sum(row.count for row in self.rows)

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{plural(self.count, self.what)}, {plural(len(self.rows), 'reason')}"


def reason_table(what: str, counts: dict[str, int]) -> ReasonTable:
    """Make the table of how often each reason was given."""
    rows = [ReasonRow(reason, count, reason_in_words(reason)) for reason, count in counts.items()]
    return ReasonTable(what, tuple(sorted(rows, key=lambda row: (-row.count, row.reason))))
