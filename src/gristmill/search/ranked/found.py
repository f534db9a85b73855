"""What a search for units found: where each unit is, its text, its score and its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gristmill.notebook import Value
from gristmill.table import Column, Table

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
        edges = [0, *(edge for mark in self.marks for edge in mark), len(self.text)]
        found = [(self.text[low:high], bool(at % 2)) for at, (low, high) in enumerate(pairwise(edges))]
        return [(text, marked) for text, marked in found if text]


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

    def to_json(self, asked: Any = None, first: int = 0) -> dict[str, Any]:
        """Return one record: what was asked, the facts, and the rows; texts with their line ends, and marks."""
        rows = [
            {
                name: getattr(row, name)
                for name in ("rank", "unit", "document", "start", "end", "score", "text", "marks")
            }
            | {"values": row.values}
            | {name: getattr(row, name) for name in ATTRIBUTES}
            for row in self.rows[first:]
        ]
        return {**(asked or {}), **self.facts(), "rows": rows}

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{len(self.rows)} of {self.units:,} units ({self.unit}) for {self.query!r}, by {self.by}"


def _one_line(value: Value) -> Value:
    return " ".join(value.split()) if isinstance(value, str) else value
