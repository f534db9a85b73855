"""Frequencies: how often the values of attributes occur among hits, or beside them, or in parts of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.notebook import Value
from gristmill.search.concordance.counts import Counts, OfHits
from gristmill.search.concordance.keys import Key
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.concordance.sorting import combine, key_codes
from gristmill.search.coverage import NOTHING_MISSING, Coverage, Missing
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.table import Column

MILLION = 1_000_000
_MAX_COUNTERS = 1 << 22
"""Codes up to this number are counted in an array of counters; more are sorted."""


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """One value, or one combination of values of several keys."""

    values: tuple[str, ...]
    count: int
    share: float
    """Share of all hits."""
    per_million: float | None
    """Rate per million tokens of what was searched; None for a sample, which does not tell.

    If an attribute is missing for some tokens, it is the rate of the hits among the others, in these.
    """
    per_million_within: float | None
    """Rate per million tokens of the part of the corpus with these values, if a key is one of structures."""


@dataclass(frozen=True, slots=True, repr=False)
class Frequency(OfHits):
    """Values by their frequency, the most frequent first, and those of the same frequency by value."""

    keys: tuple[str, ...]
    rows: list[FrequencyRow]
    total: int
    """Number of hits that were counted."""
    distinct: int
    """Number of different values, including those that are not among the rows."""
    missing: Missing = NOTHING_MISSING
    """What is missing of the attributes that the query and the keys ask for."""
    found: Counts | None = None

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{self.total:,} hits, {self.distinct:,} different values of {', '.join(self.keys)}"

    @property
    def columns(self) -> list[Column]:
        """A column for each key, counts and rates; rates within parts of the corpus if a key is one of structures."""
        rates = [Column("count"), Column("share", show="{:.1%}".format), Column("per_million", "per million")]
        within = [Column("per_million_within", "per million there")] if self._has_rates_within else []
        return [*map(Column, self.keys), *rates, *within]

    def facts(self) -> dict[str, Any]:
        """How many hits and how many different values there are."""
        return {name: value for name, value in OfHits.facts(self).items() if name != "keys"}

    @property
    def all_rows(self) -> int:
        """How many different values there are."""
        return self.distinct

    def cells(self) -> list[list[Value]]:
        """The values of each row, in the order of the columns."""
        within = self._has_rates_within
        return [
            [*row.values, row.count, row.share, row.per_million, *([row.per_million_within] if within else [])]
            for row in self.rows
        ]

    @property
    def _has_rates_within(self) -> bool:
        return any(row.per_million_within is not None for row in self.rows)


def count_values(
    spans: Occurrences, keys: Sequence[Key], coverage: Coverage, limit: int | None = None, *, with_rates: bool = True
) -> Frequency:
    """Count spans by keys; `coverage` knows which of the tokens that were searched have what is asked for."""
    codes, top = codes_of(spans, keys)
    groups, first, counts = groups_of(codes, top)
    order = np.lexsort((groups, -counts))[:limit]
    shown = spans.take(first[order])
    size = coverage.missing.rated if with_rates else 0
    tokens = _tokens_within(spans.index, shown, keys, coverage) if size else None
    rated = _rated(codes, groups, coverage.holds(spans.starts)) if coverage.is_partial else counts
    values = list(zip(*(labels_of(shown, key) for key in keys), strict=True))
    total = len(spans)
    rows = [
        FrequencyRow(
            values[place],
            count,
            count / total,
            known * MILLION / size if size else None,
            known * MILLION / max(tokens[place], 1) if tokens else None,
        )
        for place, (count, known) in enumerate(zip(counts[order].tolist(), rated[order].tolist(), strict=True))
    ]
    return Frequency(tuple(key.name for key in keys), rows, total, len(groups), coverage.missing)


def _rated(codes: Ids, groups: Ids, known: Mask) -> Ids:
    """Count, for each of the distinct codes, the spans where no attribute is missing."""
    return np.bincount(np.searchsorted(groups, codes[known]), minlength=len(groups))


def codes_of(spans: Occurrences, keys: Sequence[Key]) -> tuple[Ids, int]:
    """One number for each span, equal where all keys have equal values, and a number above all of these.

    Numbers of several keys are packed by `combine`.
    """
    codes, size = np.zeros(len(spans), np.int64), 1
    for number, key in enumerate(keys):
        found = key_codes(spans, key, ignore_case="nocase" in key.flags)
        codes, size = combine(codes, size, *found) if number else found
    return codes, size


def groups_of(codes: Ids, top: int) -> tuple[Ids, Ids, Ids]:
    """The distinct codes, ascending, with the place where each comes first, and its frequency."""
    if top > _MAX_COUNTERS:
        return np.unique(codes, return_index=True, return_counts=True)
    counts = np.bincount(codes, minlength=1)
    first = np.empty(len(counts), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    groups = np.flatnonzero(counts)
    return groups, first[groups], counts[groups]


def labels_of(spans: Occurrences, key: Key) -> list[str]:
    """The value of a key for each span, as text; the tokens of a longer hit have spaces between them."""
    if key.whole:
        ids, ends = (
            spans.index.attribute(key.attribute).ids[concatenated_ranges(spans.starts, spans.lengths)],
            np.cumsum(spans.lengths),
        )
    else:
        ids, ends = key.ids(spans), np.arange(1, len(spans) + 1)
    found, places = np.unique(ids, return_inverse=True)
    names = [
        "" if number < 0 else name
        for number, name in zip(found, key.lexicon(spans.index).strings(np.maximum(found, 0)), strict=True)
    ]
    values = [names[place] for place in places.tolist()]
    labels = [" ".join(values[start:end]) for start, end in pairwise([0, *ends.tolist()])]
    return [label.lower() for label in labels] if "nocase" in key.flags else labels


def _tokens_within(index: Index, shown: Occurrences, keys: Sequence[Key], coverage: Coverage) -> list[int] | None:
    """For each span, how many tokens of the corpus have the same values of structures; None if no key is of these.

    Only tokens count that were searched, and that have what was asked for.

    The structures of the finest kind and the spans are coded together, so that equal codes mean equal values; then the
    lengths of the structures are summed by code, and looked up for the spans.
    """
    of_structures = [key for key in keys if key.structure]
    if not of_structures:
        return None
    finest = max({key.structure for key in of_structures}, key=lambda name: len(index.structures[name]))
    structure = index.structures[finest]
    parts = Occurrences(index, Hits(structure.starts, structure.ends))
    everything = Occurrences(index, Hits(np.concatenate([parts.starts, shown.starts])))
    codes, _ = codes_of(everything, of_structures)
    _, codes = np.unique(codes, return_inverse=True)
    lengths = coverage.lengths(structure)
    tokens = np.bincount(codes[: len(parts)], weights=lengths, minlength=int(codes.max(initial=0)) + 1)
    return [int(number) for number in tokens[codes[len(parts) :]]]
