"""Dispersion of the hits of a query: where in the corpus they are, and how evenly they are spread over it.

- DP, deviation of proportions (Gries 2008): half of the sum, over documents, of the difference between a document's
  share of the tokens and its share of the hits. Near 0 if hits are spread evenly, near 1 if they are in one small
  document. Divided by its largest possible value (Lijffijt and Gries 2012), it is comparable between corpora.
- Juilland's D (Juilland and Chang-Rodríguez 1964): 1 - V / sqrt(n - 1), where V is the standard deviation of the
  frequencies in n parts of the same size, divided by their mean. 1 if hits are spread evenly, 0 if all are in one part.
- ARF, average reduced frequency: see `arf.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.notebook import Value
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.counts import Counts, OfHits
from gristmill.search.statistics.arf import reduced_frequency
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column
from gristmill.wording import plural

PARTS = 100
"""Parts of the same size that a corpus is divided into."""
_MAX_PARTS = 10_000


@dataclass(frozen=True, slots=True, repr=False)
class Dispersion(OfHits):
    """How evenly the hits of a query are spread over what was searched. Measures are None if there are no hits."""

    hits: int
    tokens: int
    """Tokens that were searched."""
    counts: list[int]
    """Hits in each of the parts of the same size, in the order of the corpus."""
    documents: int
    """Documents with a hit."""
    searched: int
    """Documents that were searched."""
    dp: float | None
    """Deviation of proportions over documents."""
    dp_norm: float | None
    juilland_d: float | None
    arf: float | None
    found: Counts | None = None

    @property
    def heading(self) -> str:
        """Where hits are, in a line."""
        parts = sum(count > 0 for count in self.counts)
        documents = f"{self.documents:,} of {plural(self.searched, 'document')}"
        return f"{plural(self.hits, 'hit')} in {documents}, in {parts:,} of {len(self.counts):,} parts of the same size"

    @property
    def columns(self) -> list[Column]:
        """Counts and measures."""
        show = "{:.3f}".format
        return [
            Column("hits"),
            Column("documents"),
            Column("searched", "of documents"),
            Column("dp", "DP", show, 3, "Deviation of proportions over documents: 0 even, 1 uneven."),
            Column("dp_norm", "DP norm", show, 3, "DP divided by its largest possible value."),
            Column("juilland_d", "Juilland's D", show, 3, "Over the parts: 1 even, 0 uneven."),
            Column("arf", "ARF", "{:,.1f}".format, 1, "Average reduced frequency."),
        ]

    def cells(self) -> list[list[Value]]:
        """One row."""
        return [[getattr(self, column.name) for column in self.columns]]


def spread(found: Concordance, parts: int = PARTS) -> Dispersion:
    """Measure how evenly the hits of a concordance are spread; a part is at least a token."""
    if not 1 <= parts <= _MAX_PARTS:
        raise UsageError(f"a corpus can be divided into 1 to {_MAX_PARTS:,} parts, not {parts:,}")
    docs = found.spans.index.structures["doc"]
    chosen = np.arange(len(docs)) if found.part is None else found.part.numbers
    places = found.spans.starts if found.part is None else _places_in(found.part, found.spans.starts)
    parts = max(min(parts, found.size), 1)
    counts = np.bincount(places * parts // max(found.size, 1), minlength=parts)
    in_documents = np.bincount(found.spans.documents, minlength=len(docs))[chosen]
    lengths = docs.ends[chosen].astype(np.int64) - docs.starts[chosen].astype(np.int64)
    dp, dp_norm = _deviation(in_documents, lengths)
    return Dispersion(
        len(found),
        found.size,
        counts.tolist(),
        int(np.count_nonzero(in_documents)),
        len(chosen),
        dp,
        dp_norm,
        _juilland(counts),
        reduced_frequency(places, found.size) if len(places) else None,
    )


def _places_in(part: Subcorpus, positions: Ids) -> Ids:
    """Where positions would be, if the text of a subcorpus stood alone.

    With ranges from 10 to 20 and from 30 to 40, the position 35 is the 15th: 5 after the start of the second range, and
    10 tokens are in the one before.
    """
    starts, ends = part.ranges
    before = np.cumsum(ends - starts) - (ends - starts)
    numbers = np.searchsorted(starts, positions, side="right") - 1
    places: Ids = positions - starts[numbers] + before[numbers]
    return places


def _deviation(hits: Ids, lengths: Ids) -> tuple[float | None, float | None]:
    """DP, and DP divided by its largest value, which is 1 less the share of the smallest document."""
    total, size = int(hits.sum()), int(lengths.sum())
    if not total or not size:
        return None, None
    found = float(np.abs(lengths / size - hits / total).sum()) / 2
    largest = 1 - float(lengths.min()) / size
    return found, min(found / largest, 1.0) if largest > 0 else 0.0


def _juilland(counts: Ids) -> float | None:
    mean = float(counts.mean())
    if not mean or len(counts) < 2:
        return None
    return max(1 - float(counts.std()) / mean / math.sqrt(len(counts) - 1), 0.0)
