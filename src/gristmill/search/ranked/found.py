"""What a search for units found: where each unit is, its text, its score and its values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Floats, Ids
from gristmill.corpus.attributes import LOWER_CASED, lower_cased
from gristmill.notebook import Value
from gristmill.search.concordance.lines import gaps_before
from gristmill.search.index.index import Index
from gristmill.search.ranked.query import Term
from gristmill.table import Column, Table

SHOWN_TOKENS = 80
"""Tokens of a unit whose text is given as a whole; of a longer one, so many are given."""
_BEFORE_TOKENS = 15
"""Tokens before the first occurrence of a term."""
_ATTRIBUTES = ("id", "url", "title", "lang", "host", "date")


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
            | {name: getattr(row, name) for name in _ATTRIBUTES}
            for row in self.rows[first:]
        ]
        return {**(asked or {}), **self.facts(), "rows": rows}

    def _summary(self) -> str:
        return f"{len(self.rows)} of {self.units:,} units ({self.unit}) for {self.query!r}, by {self.by}"


def _one_line(value: Value) -> Value:
    return " ".join(value.split()) if isinstance(value, str) else value


def describe(
    index: Index,
    attribute: str,
    terms: Sequence[Term],
    numbers: Ids,
    spans: tuple[Ids, Ids],
    documents: Ids,
    scores: Floats,
    values: dict[str, Floats],
    tokens: int | None,
    offset: int = 0,
) -> list[FoundUnit]:
    """Look up what is known of units; `terms` are those of the query, the rarest first."""
    docs = index.structure("doc").attributes
    about = {name: docs[name].values(documents) for name in _ATTRIBUTES if name in docs}
    shown = {name: [_shown(name, value) for value in own.tolist()] for name, own in values.items()}
    found = []
    for place, (unit, start, end) in enumerate(
        zip(numbers.tolist(), spans[0].tolist(), spans[1].tolist(), strict=True)
    ):
        text, marks = _extract(index, attribute, terms, start, end, tokens)
        found.append(
            FoundUnit(
                offset + place + 1,
                unit,
                int(documents[place]),
                start,
                end,
                float(scores[place]),
                text,
                marks,
                {name: own[place] for name, own in shown.items()},
                **{name: own[place] for name, own in about.items()},
            )
        )
    return found


def _shown(name: str, value: float) -> Value:
    """A value as people read it: days as dates, whole numbers without a point."""
    if math.isnan(value):
        return None
    if name == "date":
        return date.fromordinal(int(value)).isoformat()
    return int(value) if value.is_integer() and name != "quality" else round(value, 4)


def _extract(
    index: Index, attribute: str, terms: Sequence[Term], start: int, end: int, tokens: int | None
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Write the text of a unit, or the part around the first term, and find where terms are in it."""
    spans = _occurrences(_values(index, attribute, start, end), terms)
    low, high = start, end
    if tokens is not None and end - start > tokens:
        first = start + (spans[0][0] if spans else 0)
        low = max(start, min(first - min(_BEFORE_TOKENS, tokens // 2), end - tokens))
        high = low + tokens
    places = np.arange(low, high)
    words = index.attribute("word").lexicon.strings(index.attribute("word").ids[low:high])
    gaps = ["", *gaps_before(index, places)[1:]]
    edges = np.cumsum([0, *(len(gap) + len(word) for gap, word in zip(gaps, words, strict=True))]).tolist()
    marks: list[tuple[int, int]] = []
    for begin, stop in sorted((one - (low - start), two - (low - start)) for one, two in spans):
        if begin >= 0 and stop <= high - low:
            mark = edges[begin] + len(gaps[begin]), edges[stop]
            if not marks or mark[0] >= marks[-1][1]:
                marks.append(mark)
    return "".join(map(str.__add__, gaps, words)), tuple(marks)


def _values(index: Index, attribute: str, start: int, end: int) -> list[str]:
    """The values of tokens by which they are found, in lower case if the attribute is."""
    stored = index.attribute(LOWER_CASED.get(attribute, attribute))
    values = stored.lexicon.strings(stored.ids[start:end])
    found: list[str] = lower_cased(pa.array(values, pa.string())).to_pylist() if attribute in LOWER_CASED else values
    return found


def _occurrences(values: Sequence[str], terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Find where terms stand among the tokens of a unit: first those of the first term, then those of the next."""
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(value, []).append(place)
    return [
        (place, place + len(words))
        for term in terms
        for words in term.ways
        for place in places.get(words[0], ())
        if tuple(values[place : place + len(words)]) == words
    ]
