"""What is told of standing queries: what they are, what they found, and what was done with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gristmill.search.concordance.lines import LINE_FIELDS, Line
from gristmill.search.concordance.shown import OfLines
from gristmill.search.watch.feed import FEED
from gristmill.search.watch.schedule import EVERY_RUN
from gristmill.search.watch.watches import FOLDER, TEXT, Watch, line_text, read_watches
from gristmill.shards import Shard
from gristmill.table import Column, Part, Table
from gristmill.wording import plural

_READ = ("name", "query", "where", "found", "shown", "every", "mail")
"""The columns that a reader of the list is shown."""


@dataclass(frozen=True, slots=True)
class StandingQuery:
    """A standing query: what it looks for, how its lines are shown, and how many there are."""

    name: str
    query: str
    where: str
    found: int
    """Lines that it found so far."""
    shown: int
    """Those of them that its text and feed have."""
    waiting: int
    """Those that are given out when its schedule says so."""
    pending: int
    """Parts of the corpus that it was not asked of yet."""
    sort: str
    context: int | None
    tokens: int | None
    limit: int
    every: str
    mail: str
    """Who gets mail, and how often; empty over the web, where that is nobody's business."""

    @classmethod
    def of(cls, watch: Watch, shards: list[Shard], *, with_mail: bool) -> StandingQuery:
        """Describe a watch of a corpus with these shards."""
        form = watch.showing
        mail = f"{watch.mail.every} to {', '.join(watch.mail.to)}" if with_mail and watch.mail.to else ""
        return cls(
            watch.name,
            watch.query,
            watch.where,
            watch.count(),
            watch.shown(),
            watch.waiting(),
            len(watch.pending(shards)),
            form.sort or "corpus",
            form.context,
            form.tokens,
            form.limit,
            watch.every,
            mail,
        )

    def lines(self) -> Iterator[str]:
        """Yield what it looks for, how its lines are shown, and where they come to."""
        length = "sentences" if self.context is None else f"{self.context} characters"
        length = length if self.tokens is None else f"{self.tokens} words"
        limit = f"{self.limit:,} of a run" if self.limit else "all"
        when = "after each run" if self.every == EVERY_RUN else self.every
        order = "the order of the corpus" if self.sort == "corpus" else self.sort
        yield f"{self.name} watches for {self.query}: lines by {order}, {length}, {limit}, {when}"
        if self.pending:
            yield f"gristmill watch run asks it of {plural(self.pending, 'shard')} that it was not asked of yet"
        yield f"what is found comes to {TEXT} and {FEED} in {FOLDER}/{self.name} of the corpus"
        if self.mail:
            yield f"mail is sent {self.mail} by gristmill watch send"

    def to_json(self) -> dict[str, Any]:
        """Return all of it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, repr=False)
class StandingQueries(Table):
    """The standing queries of a corpus."""

    rows: list[StandingQuery]

    @property
    def columns(self) -> list[Column]:
        """All that is known of each."""
        return [Column(field.name) for field in fields(StandingQuery)]

    def parts(self) -> list[Part]:
        """Return what a reader wants to see first."""
        return [Part([*map(Column, _READ)], [[getattr(row, name) for name in _READ] for row in self.rows])]

    @property
    def heading(self) -> str:
        """How many there are."""
        return f"{len(self.rows):,} standing {'query' if len(self.rows) == 1 else 'queries'}"

    def notes(self) -> list[str]:
        """Say how one is added if there is none."""
        return [] if self.rows else ["nothing is watched for: add a query with gristmill watch add CORPUS QUERY"]


@dataclass(frozen=True, slots=True, repr=False)
class FoundLines(OfLines):
    """Lines that a standing query found, the latest first."""

    rows: list[Line]
    watch: StandingQuery

    @property
    def columns(self) -> list[Column]:
        """The fields of lines."""
        return [*map(Column, LINE_FIELDS)]

    @property
    def all_rows(self) -> int:
        """How many lines there are."""
        return self.watch.found

    @property
    def heading(self) -> str:
        """What was found of what, in a line."""
        return f"{plural(self.watch.found, 'line')} of {self.watch.query}, the latest first"

    def facts(self) -> dict[str, Any]:
        """All that is known of the query."""
        return self.watch.to_json()

    def lines(self) -> list[str]:
        """Return them as text: document, date, address, and the text with the hit in angle brackets."""
        return [line_text(line).rstrip("\n") for line in self.rows]


@dataclass(frozen=True, slots=True)
class Told:
    """What was done: in lines for a reader, and as a record for programs."""

    told: tuple[str, ...]
    record: dict[str, Any]

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        yield from self.told

    def to_json(self) -> dict[str, Any]:
        """Return the record."""
        return self.record


def new_lines(corpus: Path, found: Mapping[str, int]) -> Iterator[str]:
    """Say how many lines each query found, and how many of them are beyond its limit, or wait for their day."""
    watches = {watch.name: watch for watch in read_watches(corpus)} if any(found.values()) else {}
    for name, count in found.items():
        limit = watches[name].showing.limit if name in watches else 0
        waiting = watches[name].waiting() if name in watches else 0
        more = count - limit if limit and not waiting else 0
        beyond = f", {more:,} of them beyond the limit (gristmill watch show {corpus} {name})" if more > 0 else ""
        later = f"; {plural(waiting, 'line')} to be given out {watches[name].every}" if waiting else ""
        yield f"{name}: {plural(count, 'new line')}{beyond}{later}"
