"""Search for the best units, looking at no more of the lists than is needed.

By BM25, blocks of units are looked at in the order of the best score that a unit of theirs could have, which is known
from the stored ceilings; when the next block can't be better than what was found, the search ends. By dimensions, cells
are looked at from the best on, until there are enough units. What is found is what a look at all units would find: ties
are decided by the place in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

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
_ROUNDING = 1 + 1e-12
"""Sums of ceilings are raised by this, so that the rounding of sums leaves none below the score of a unit."""


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
        units, scores = np.empty(0, np.int64), np.empty(0)
        least = 0.0
        for some, highest in self._blocks():
            if len(units) == count and highest < least:
                break
            starts = np.sort(some) * self.ranked.block
            ranks, found = self.look(*merged_ranges(starts, np.minimum(starts + self.ranked.block, len(self.ranked))))
            good = found >= least
            units = np.append(units, self.ranked.order[ranks[good]].astype(np.int64))
            scores = np.append(scores, found[good])
            if len(scores) > 4 * count:  # so that few have to be sorted
                good = scores >= np.partition(scores, -count)[-count]
                units, scores = units[good], scores[good]
            order = np.lexsort((units, -scores))[:count]
            units, scores = units[order], scores[order]
            least = float(scores[-1]) if len(scores) == count else 0.0
        return units, scores

    def _blocks(self) -> Iterator[tuple[Ids, float]]:
        """Yield some blocks at a time, and the highest score that a unit of these and all later ones could have."""
        bounds = np.zeros(-(-len(self.ranked) // self.ranked.block))
        missing = np.zeros(len(bounds), np.bool_)
        for term, required in self.terms:
            ceilings = term.ceilings(self.bm25)
            bounds += term.rarity * ceilings
            if required:
                missing |= ceilings == 0
        bounds[missing] = 0
        order = np.argsort(-bounds, kind="stable")[: int(np.count_nonzero(bounds))]
        start, size = 0, _FIRST_BLOCKS
        while start < len(order):
            yield order[start : start + size], float(bounds[order[start]]) * _ROUNDING
            start, size = start + size, 2 * size

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

    def look(self, starts: Ids, ends: Ids, *, scored: bool = True) -> tuple[Ids, Floats]:
        """Find the units that match, among those of some ranges of ranks, which ascend; ranks, and their scores.

        Without `scored` all scores are 0. Units of all ranges stand in one array: those of the ranges 10 to 12 and 20
        to 23 are at the places 0 to 4, so 21 is at 21 - 20 + 2 = 3.
        """
        sizes = ends - starts
        shifts = starts - (np.cumsum(sizes) - sizes)
        total = int(sizes.sum())
        scores = np.zeros(total)
        having, needed = np.zeros(total, np.uint8), sum(required for _, required in self.terms)
        for term, required in self.terms:
            places, local = _within(term, starts, ends, shifts)
            if scored:
                scores[local] += term.rarity * term.weights(places, self.bm25)
            if required:
                having[local] += 1
            elif not needed:
                having[local] = 1
        for term in self.excluded:
            having[_within(term, starts, ends, shifts)[1]] = 0
        found = np.flatnonzero(having == max(needed, 1))
        ranks = found + np.repeat(shifts, sizes)[found]
        if self.allowed is not None:
            passing = self.allowed[self.ranked.documents[self.ranked.order[ranks]]]
            found, ranks = found[passing], ranks[passing]
        return ranks, scores[found]


def _within(term: TermList, starts: Ids, ends: Ids, shifts: Ids) -> tuple[Ids, Ids]:
    """Find the places in the list of a term of those units that are in some ranges, and their places among these."""
    kind = term.units.dtype.type
    low = np.searchsorted(term.units, starts.astype(kind))
    counts = np.searchsorted(term.units, ends.astype(kind)) - low
    places = concatenated_ranges(low, counts)
    return places, term.units[places].astype(np.int64) - np.repeat(shifts, counts)
