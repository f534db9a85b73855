"""What a search for units found: where each unit is, its text, its score and its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gristmill.notebook import Value
from gristmill.table import Column, Table
from gristmill.wording import marked_pieces, plural

SHOWN_TOKENS = 80
"""Tokens of a unit whose text is given as a whole; of a longer one, so many are given."""
ATTRIBUTES = ("id", "url", "title", "lang", "host", "date")


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """A unit that was found."""

    rank: int
    """From 1, the best one."""
    unit: int
    """Its number among all units of the kind, from 0."""
    document: int
    """The number of its document in the index, from 0."""
    start: int
    """The position of its first token in the index."""
    end: int
    """The position after its last token."""
    score: float
    """By BM25."""
    text: str
    """Its text, with line ends between blocks; of a long one, the part around the first place of the rarest term."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where terms are in the text, in characters."""
    values: dict[str, Value] = field(default_factory=dict)
    """Its values in the dimensions; None if one is not known."""
    id: str = ""
    """The id of its document; url, title, lang, host and date are of the document, too."""
    url: str = ""
    title: str = ""
    lang: str = ""
    host: str = ""
    date: str = ""

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return self.end - self.start

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """Its text in pieces, each with whether it is a term."""
        return marked_pieces(self.text, self.marks)


@dataclass(frozen=True, slots=True, repr=False)
class FoundUnits(Table):
    """The best units, the best first."""

    query: str
    unit: str
    by: str
    attribute: str
    match: str
    """Whether units have `any` or `all` of the terms."""
    terms: dict[str, int]
    """The terms, and how many units have each."""
    units: int
    """How many units there are."""
    rows: list[FoundUnit]

    @property
    def columns(self) -> Sequence[Column]:
        """Rank, score, values, and where the unit is."""
        names = list(self.rows[0].values) if self.rows else []
        return [
            Column("rank", "#"),
            Column("score", "BM25"),
            *map(Column, names),
            *map(Column, ("id", "unit", "document", "start", "end", "lang", "url", "title", "text")),
        ]

    def cells(self) -> list[list[Value]]:
        """Return the values of each row, in the order of the columns; texts are in one line."""
        return [
            [
                _one_line(row.values[column.name] if column.name in row.values else getattr(row, column.name))
                for column in self.columns
            ]
            for row in self.rows
        ]

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """Return one record: what was asked, the facts, and the rows; texts with their line ends, and marks."""
        return {
            **(asked or {}),
            **self.facts(),
            "notes": self.notes(),
            "heading": self.heading,
            "rows": list(map(asdict, self.rows[first:])),
        }

    def lines(self) -> Iterator[str]:
        """Yield the units, one below the other."""
        for row in self.rows:
            values = [f"{name} {value}" for name, value in row.values.items() if value is not None]
            yield ""
            yield f"{row.rank:>2} {'  '.join([f'BM25 {row.score:.2f}', *values, row.url or row.id])}"
            yield f"   {' '.join(row.text.split())}"

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        counts = ", ".join(f"{term} {count:,}" for term, count in self.terms.items())
        return f"{plural(self.units, 'unit')} ({self.unit}) by {self.by}, with {self.match} of: {counts}"

    def notes(self) -> list[str]:
        """Say if nothing was found."""
        return [] if self.rows else ["no unit was found"]


def _one_line(value: Value) -> Value:
    return " ".join(value.split()) if isinstance(value, str) else value
