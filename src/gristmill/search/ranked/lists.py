"""The units that have a term, as a list by rank: stored for words, found by their positions for phrases."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ids
from gristmill.search.bm25 import BM25, rarity
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Run
from gristmill.search.cql.selecting import OfValues
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.ranked.opened import RankedUnits
from gristmill.search.ranked.postings import ceiling_weights, counts_at, highest_by_block
from gristmill.search.ranked.query import Term

_REMEMBERED_PHRASES = 16


@dataclass(frozen=True, eq=False)
class TermList:
    """The units that have a term, by their ranks, ascending."""

    ranked: RankedUnits
    units: npt.NDArray[Any]
    number: int = -1
    """The id of its value, if it is one."""
    times: Ids | None = None
    """How often the term is in each unit; None if that is stored."""

    @property
    def rarity(self) -> float:
        """Its inverse document frequency."""
        return rarity(len(self.ranked), len(self.units))

    def has(self, rank: int) -> bool:
        """Tell whether the unit of a rank has the term."""
        place = int(np.searchsorted(self.units, self.units.dtype.type(rank)))
        return place < len(self.units) and bool(self.units[place] == rank)

    def counts(self, places: slice | Ids) -> Ids:
        """How often the term is in units, by their places in the list."""
        if self.times is not None:
            return self.times[places]
        first = int(self.ranked.first[self.number])
        if isinstance(places, slice):
            return counts_at(self.ranked.arrays, slice(first + places.start, first + places.stop))
        return counts_at(self.ranked.arrays, first + places)

    def weights(self, places: slice | Ids, ranks: Ids, bm25: BM25) -> Floats:
        """The weights of the term in units, by their places in the list and their ranks."""
        return bm25.normed(self.counts(places), self.ranked.norms(bm25)[ranks])

    def stored_ceilings(self, bm25: BM25) -> npt.NDArray[np.uint8] | None:
        """The highest weights of the term in each block, if they are stored."""
        return self.ranked.ceilings(self.number) if self.number >= 0 and bm25 == BM25() else None

    def ceilings(self, bm25: BM25) -> Floats:
        """Highest weights of the term in each block, or somewhat more; 0 where it is in no unit."""
        stored = self.stored_ceilings(bm25)
        if stored is not None:
            return ceiling_weights(stored)
        weights = self.weights(slice(0, len(self.units)), self.units.astype(np.int64), bm25)
        blocks, highest = highest_by_block(self.units, weights, self.ranked.block)
        found = np.zeros(-(-len(self.ranked) // self.ranked.block))
        found[blocks] = highest
        return found


class Lists:
    """Looks up the lists of terms."""

    def __init__(self, index: Index, ranked: RankedUnits) -> None:
        self.index, self.ranked = index, ranked
        self._phrases: OrderedDict[tuple[tuple[str, ...], ...], TermList] = OrderedDict()

    def of(self, term: Term) -> TermList:
        """Find the units that have a term."""
        if len(term.ways) == 1 and len(term.ways[0]) == 1:
            number = self.ranked.lexicon.find(term.ways[0][0])
            if number < 0:
                return TermList(self.ranked, np.empty(0, np.uint32), times=np.empty(0, np.int64))
            places = slice(int(self.ranked.first[number]), int(self.ranked.first[number + 1]))
            return TermList(self.ranked, self.ranked.arrays["units"][places], number)
        if term.ways not in self._phrases:
            self._phrases[term.ways] = self._phrase(term.ways)
            while len(self._phrases) > _REMEMBERED_PHRASES:
                self._phrases.popitem(last=False)
        return self._phrases[term.ways]

    def _phrase(self, ways: Sequence[Sequence[str]]) -> TermList:
        """Count, in each unit, where the tokens of one of the ways stand one after the other."""
        hits = Hits.union([self._hits(words) for words in ways])
        bounds = self.ranked.bounds.astype(np.int64)
        numbers = np.searchsorted(bounds, hits.starts, side="right") - 1
        inside = numbers[hits.ends <= bounds[numbers + 1]] if len(hits) else numbers
        units, times = np.unique(self.ranked.ranks[inside], return_counts=True)
        return TermList(self.ranked, units, times=times.astype(np.int64))

    def _hits(self, words: Sequence[str]) -> Hits:
        numbers = [self.ranked.lexicon.find(word) for word in words]
        if min(numbers) < 0:
            return Hits.none()
        selectors = [OfValues(self._attribute, np.array([number])) for number in numbers]
        return Run(selectors, Stream(self.index.size, Bounds(self.index.structure("doc").bounds))).hits()

    @cached_property
    def _attribute(self) -> Any:
        return self.index.attribute(self.ranked.about["attribute"])
