"""Distribution: how the hits of a query are spread over years, months, hosts, documents and other parts of a corpus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.notebook import Value
from gristmill.registry import did_you_mean
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.counts import Counts, OfHits
from gristmill.search.concordance.frequency import MILLION
from gristmill.search.coverage import NOTHING_MISSING, Missing
from gristmill.search.index.index import Index
from gristmill.table import Column
from gristmill.wording import plural

TIMES = {"year": 4, "month": 7, "day": 10}
"""Parts of time, and the characters of a date that name one."""
_DOCUMENT = "doc"
_DATES = ("published", "date")
"""Attributes with dates: when a page was published, or else fetched."""
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of what was searched, and the hits there."""

    value: str
    """What its documents have in common; empty if they have no such value."""
    hits: int
    documents: int
    """Documents that have a hit."""
    tokens: int
    """Tokens that were searched there."""
    per_million: float
    """Hits per million tokens of this part, of those that have the attributes that the query asks for."""
    title: str = ""
    """The title, if it is a document."""


@dataclass(frozen=True, slots=True, repr=False)
class Distribution(OfHits):
    """Parts of what was searched with their hits: in the order of time, or those with the most hits first.

    Of times, those without a hit are there, too.
    """

    by: str
    rows: list[PartRow]
    total: int
    """Number of hits."""
    distinct: int
    """Number of parts, those that are not among the rows, too."""
    with_hits: int
    """Number of parts that have a hit."""
    missing: Missing = NOTHING_MISSING
    """What is missing of the attributes that the query asks for: rates relate to the tokens that have them."""
    found: Counts | None = None

    @property
    def columns(self) -> list[Column]:
        """The value, counts, and the rate."""
        names = [Column("value", self.by), Column("hits"), Column("documents"), Column("tokens")]
        titles = [Column("title")] if self.by == _DOCUMENT else []
        return [*names, Column("per_million", "per million"), *titles]

    def cells(self) -> list[list[Value]]:
        """The values of each row."""
        names = [column.name for column in self.columns]
        return [[getattr(row, name) for name in names] for row in self.rows]

    @property
    def is_time(self) -> bool:
        """Whether the parts are parts of time, which are there without hits, too."""
        return self.by in TIMES

    @property
    def all_rows(self) -> int:
        """How many parts there are: times with text, others with hits."""
        return self.distinct if self.is_time else self.with_hits

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{plural(self.total, 'hit')} in {self.with_hits:,} of {self.distinct:,} values of {self.by}"


def distribution(found: Concordance, by: str = "year", limit: int | None = None) -> Distribution:
    """Count the hits of a concordance by `year`, `month`, `day`, `doc`, or an attribute of documents such as `host`.

    Of times the latest `limit` are given, of other parts those with the most hits.
    """
    index = found.spans.index
    docs = index.structures["doc"]
    groups, names = _groups(index, by)
    searched = np.ones(len(docs), np.bool_) if found.part is None else found.part.chosen
    lengths = np.diff(docs.bounds.astype(np.int64)) * searched
    hits = np.bincount(found.spans.documents, minlength=len(docs))
    size = len(names)
    rated_hits, rated_tokens = _rated(found, groups, size)
    counts = np.bincount(groups, hits, size).astype(np.int64)
    tokens = np.bincount(groups, lengths, size).astype(np.int64)
    having = np.bincount(groups[hits > 0], minlength=size)
    there = np.flatnonzero((tokens > 0) if by in TIMES else (counts > 0))
    order = _ordered(there, counts, names, by)
    chosen = order if limit is None else order[-limit:] if by in TIMES else order[:limit]
    values, titles = _values(index, by, names, chosen), _titles(index, by, chosen)
    rates = [_rate(rated_hits[at], rated_tokens[at]) for at in chosen.tolist()]
    rows = [
        PartRow(value, int(counts[at]), int(having[at]), int(tokens[at]), rate, title)
        for value, title, at, rate in zip(values, titles, chosen.tolist(), rates, strict=True)
    ]
    return Distribution(by, rows, len(found), int((tokens > 0).sum()), int((counts > 0).sum()), found.missing)


def _rated(found: Concordance, groups: Ids, size: int) -> tuple[Ids, Ids]:
    """Count hits and tokens of each group of documents, as far as they have the attributes that were asked for."""
    docs, documents = found.spans.index.structures["doc"], found.spans.documents
    if found.coverage.is_partial:
        documents = documents[found.coverage.holds(found.spans.starts)]
    hits = np.bincount(documents, minlength=len(docs))
    lengths = found.coverage.lengths(docs)
    return np.bincount(groups, hits, size).astype(np.int64), np.bincount(groups, lengths, size).astype(np.int64)


def _rate(count: Any, tokens: Any) -> float:
    return float(count) * MILLION / float(tokens) if tokens else 0.0


def _groups(index: Index, by: str) -> tuple[Ids, pa.Array]:
    """The number of each document's group, and the values of the groups (numbers of documents, if by these)."""
    docs = index.structures["doc"]
    if by == _DOCUMENT:
        numbers = np.arange(len(docs))
        return numbers, pa.array(numbers)
    if by in TIMES:
        return _times(index, TIMES[by])
    known = [*TIMES, _DOCUMENT, *docs.attributes]
    if by not in docs.attributes:
        raise UsageError(
            f"hits can't be spread over {by!r:.100}{did_you_mean(by, known)} (but over {', '.join(known)})"
        )
    attribute = docs.attributes[by]
    return attribute.ids.astype(np.int64), attribute.lexicon.array


def _times(index: Index, characters: int) -> tuple[Ids, pa.Array]:
    """Group documents by the beginning of their dates; what is no date is none."""
    docs = index.structures["doc"]
    dates = np.full(len(docs), "", object)
    for name in reversed([name for name in _DATES if name in docs.attributes]):
        attribute = docs.attributes[name]
        starts = np.array([_start(value, characters) for value in attribute.lexicon.array.to_pylist()], object)
        own = starts[attribute.ids.astype(np.int64)] if len(starts) else dates
        dates = np.where(own != "", own, dates)
    encoded = pc.dictionary_encode(pa.array(dates, pa.string()))
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary


def _start(date: str, characters: int) -> str:
    found = _DATE.match(date)
    return found[0][:characters] if found and len(found[0]) >= characters else ""


def _ordered(groups: Ids, counts: Ids, names: pa.Array, by: str) -> Ids:
    """Put times in their order, and other parts in that of their hits."""
    if by in TIMES:
        values = names.to_pylist()
        return np.array(sorted(groups.tolist(), key=lambda group: values[group]), np.int64)
    return groups[np.lexsort((groups, -counts[groups]))]


def _values(index: Index, by: str, names: pa.Array, chosen: Ids) -> list[str]:
    if by == _DOCUMENT:
        return index.structures["doc"].attributes["id"].values(chosen)
    values: list[str] = names.take(pa.array(chosen)).to_pylist()
    return values


def _titles(index: Index, by: str, chosen: Ids) -> list[str]:
    titles = index.structures["doc"].attributes.get("title")
    return titles.values(chosen) if by == _DOCUMENT and titles else [""] * len(chosen)
