"""Search for the best units, looking at no more of the lists than is needed.

By BM25, blocks of units are looked at in the order of the best score that a unit of theirs could have, which is known
from the stored ceilings; when the next block can't be better than what was found, the search ends. If most blocks could
still be better after the first ones, as with many frequent words, all units are looked at in one sweep. By dimensions,
cells are looked at from the best on, until there are enough units. What is found is what a look at all units would
find: ties are decided by the place in the text.

A look adds up scores term at a time, in accumulators (Turtle and Flood 1995, Query evaluation: strategies and
optimizations). A sweep does so for one interval of units after the other, the accumulators of which fit into the
processor's cache; the postings of an interval stand side by side, so that nothing has to be gathered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.bm25 import BM25
from gristmill.search.ranked.cells import merged_ranges
from gristmill.search.ranked.dimensions import BM25_KEY, Key
from gristmill.search.ranked.lists import TermList
from gristmill.search.ranked.opened import RankedUnits

_FIRST_BLOCKS = 16
_FIRST_UNITS = 2048
"""How much is looked at first; each further step has twice as much."""
_TRIED_SHARE = 1 / 64
"""This share of the blocks is looked at before a sweep, so that it is known which score a unit needs."""
_SWEPT_SHARE = 1 / 4
"""If more than this share of the blocks could still be better, a sweep takes less time than to look at them."""
_SWEPT_UNITS = 1 << 16
"""Units that are looked at together in a sweep."""
_ROUNDING = 1 + 1e-12
"""Sums of ceilings are raised by this, so that the rounding of sums leaves none below the score of a unit."""


class _Best:
    """The best units that were found so far, in order, and the score that another one needs."""

    def __init__(self, count: int) -> None:
        self.count, self.least = count, 0.0
        self.forget()

    def forget(self) -> None:
        """Forget the units, but not the score: there are so many that reach it."""
        self.units, self.scores = np.empty(0, np.int64), np.empty(0)

    def add(self, units: npt.NDArray[Any], scores: Floats) -> None:
        """Add units by their numbers, and keep the best; of equal scores, those that come first in the text."""
        units, scores = np.append(self.units, units.astype(np.int64)), np.append(self.scores, scores)
        if len(scores) > 4 * self.count:  # so that few have to be sorted
            good = scores >= np.partition(scores, -self.count)[-self.count]
            units, scores = units[good], scores[good]
        order = np.lexsort((units, -scores))[: self.count]
        self.units, self.scores = units[order], scores[order]
        if len(scores) >= self.count:
            self.least = float(self.scores[-1])


@dataclass(frozen=True, eq=False)
class UnitSearch:
    """A search for units with some terms."""

    ranked: RankedUnits
    terms: Sequence[tuple[TermList, bool]]
    """The terms in the order of the query, and whether each is required."""
    excluded: Sequence[TermList]
    allowed: Mask | None
    """Whether units of each document may be found; None if all may."""
    bm25: BM25

    def best(self, keys: Sequence[Key], count: int) -> tuple[Ids, Floats]:
        """Find the best units by some keys: their numbers, the best first, and their scores by BM25."""
        if not count or any(required and not len(term.units) for term, required in self.terms):
            return np.empty(0, np.int64), np.empty(0)
        if keys[0].name == BM25_KEY:
            return self._by_score(count)
        ranks = self._by_dimensions(keys, count)
        ascending = np.argsort(ranks)
        _, scores = self.look(ranks[ascending], ranks[ascending] + 1)
        ordered = np.empty(len(ranks))
        ordered[ascending] = scores
        return self.ranked.order[ranks].astype(np.int64), ordered

    def _by_score(self, count: int) -> tuple[Ids, Floats]:
        best = _Best(count)
        if not self._knows_bounds():
            self._sweep(best)
            return best.units, best.scores
        order, bounds = self._blocks()
        units, block = len(self.ranked), self.ranked.block
        blocks = -(-units // block)
        start, size = 0, _FIRST_BLOCKS
        while (left := len(order) - start - int(np.count_nonzero(bounds < best.least))) > 0:
            if start > blocks * _TRIED_SHARE and left > blocks * _SWEPT_SHARE:
                self._sweep(best)
                break
            starts = np.sort(order[start : start + min(size, left)]) * block
            ranks, scores = self.look(*merged_ranges(starts, np.minimum(starts + block, units)), best.least)
            best.add(self.ranked.order[ranks], scores)
            start, size = start + size, 2 * size
        return best.units, best.scores

    def _knows_bounds(self) -> bool:
        """Tell whether bounds are stored, or computed from so few postings that a sweep would take longer."""
        computed = sum(len(term.units) for term, _ in self.terms if term.stored_ceilings(self.bm25) is None)
        return computed <= len(self.ranked) * _SWEPT_SHARE

    def _sweep(self, best: _Best) -> None:
        """Look at all units, also those that were looked at before."""
        best.forget()
        for start in range(0, len(self.ranked), _SWEPT_UNITS):
            end = min(start + _SWEPT_UNITS, len(self.ranked))
            ranks, scores = self.look(np.array([start]), np.array([end]), best.least)
            best.add(self.ranked.order[ranks], scores)

    def _blocks(self) -> tuple[Ids, Floats]:
        """Sort blocks by the highest score that a unit of theirs could have; those without are left out."""
        bounds = np.zeros(-(-len(self.ranked) // self.ranked.block))
        missing = np.zeros(len(bounds), np.bool_)
        for term, required in self.terms:
            ceilings = term.ceilings(self.bm25)
            bounds += term.rarity * ceilings
            if required:
                missing |= ceilings == 0
        bounds[missing] = 0
        order = np.argsort(-bounds, kind="stable")[: int(np.count_nonzero(bounds))]
        return order, bounds[order] * _ROUNDING

    def _by_dimensions(self, keys: Sequence[Key], count: int) -> Ids:
        """Find the ranks of the best units by dimensions, and after these by BM25 if it is the last key."""
        dimensions = [key for key in keys if key.name != BM25_KEY]
        parts: list[Ids] = [np.empty(0, np.int64)]
        total = 0
        for cells in self._cells(dimensions):
            starts, ends = self.ranked.cell_starts[cells], self.ranked.cell_starts[cells + 1]
            ranks, scores = self.look(*merged_ranges(starts, ends), scored=len(dimensions) < len(keys))
            parts.append(self._sorted(ranks, scores, dimensions)[: count - total])
            total += len(parts[-1])
            if total == count:
                break
        return np.concatenate(parts)

    def _cells(self, dimensions: Sequence[Key]) -> Iterator[Ids]:
        """Yield some cells at a time, from the best on; cells of equal levels come together."""
        order, numbers = self.ranked.groups(dimensions)
        sizes = np.cumsum(np.diff(self.ranked.cell_starts)[order])
        ends = np.append(np.flatnonzero(np.diff(numbers[order])) + 1, len(order)) if len(order) else order
        start, size = 0, _FIRST_UNITS
        while start < len(order):
            before = int(sizes[start - 1]) if start else 0
            wanted = int(np.searchsorted(sizes, before + size)) + 1
            end = int(ends[min(int(np.searchsorted(ends, min(wanted, len(order)))), len(ends) - 1)])
            yield np.sort(order[start:end])
            start, size = end, 2 * size

    def _sorted(self, ranks: Ids, scores: Floats, dimensions: Sequence[Key]) -> Ids:
        """Sort units: by levels, by scores if there are some, by values, and by their place in the text."""
        units = self.ranked.order[ranks].astype(np.int64)
        levels = self.ranked.groups(dimensions)[1][self.ranked.cell_numbers(ranks)]
        columns = [units]
        for key in reversed(dimensions):
            values = self.ranked.values(key.name, units)
            columns.append(np.where(np.isnan(values), np.inf, values if key.reverse else -values))
        order = np.lexsort((*columns, -scores, -levels))
        return ranks[order]

    def look(self, starts: Ids, ends: Ids, least: float | None = None, *, scored: bool = True) -> tuple[Ids, Floats]:
        """Find the units that match, among those of some ranges of ranks, which ascend; ranks, and their scores.

        Those whose score is below `least` are left out. Without `scored` all scores are 0. Units of all ranges stand in
        one array: those of the ranges 10 to 12 and 20 to 23 are at the places 0 to 4, so 21 is at 21 - 20 + 2 = 3.
        """
        sizes = ends - starts
        shifts = starts - (np.cumsum(sizes) - sizes)
        total = int(sizes.sum())
        scores = np.zeros(total)
        having, needed = np.zeros(total, np.uint8), sum(required for _, required in self.terms)
        for term, required in self.terms:
            places, own, local = _within(term, starts, ends, shifts)
            if scored:
                scores[local] += term.rarity * term.weights(places, own, self.bm25)
            if required:
                having[local] += 1
            elif not needed:
                having[local] = 1
        for term in self.excluded:
            having[_within(term, starts, ends, shifts)[2]] = 0
        matching = having == max(needed, 1)
        found = np.flatnonzero(matching if least is None else matching & (scores >= least))
        ranks = found + np.repeat(shifts, sizes)[found]
        if self.allowed is not None:
            passing = self.allowed[self.ranked.documents[self.ranked.order[ranks]]]
            found, ranks = found[passing], ranks[passing]
        return ranks, scores[found]


def _within(term: TermList, starts: Ids, ends: Ids, shifts: Ids) -> tuple[slice | Ids, Ids, Ids]:
    """Find those units that have a term in some ranges: places in its list, ranks, and places among these ranges."""
    kind = term.units.dtype.type
    low = np.searchsorted(term.units, starts.astype(kind))
    high = np.searchsorted(term.units, ends.astype(kind))
    if len(starts) == 1:  # nothing has to be gathered
        places = slice(int(low[0]), int(high[0]))
        ranks = term.units[places].astype(np.int64)
        return places, ranks, ranks - shifts[0]
    gathered = concatenated_ranges(low, high - low)
    ranks = term.units[gathered].astype(np.int64)
    return gathered, ranks, ranks - np.repeat(shifts, high - low)
