"""Terms that pages share, as columns: which pages share rare ones, and how much of two pages is shared.

Terms are 64-bit keys. Two pages with the terms [3, 7] and [7]:

    keys    3, 7, 7
    starts  0, 2, 3

The weight of a term is the logarithm of how rare it is on the site, so what is on all pages weighs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import concatenated_ranges, spread, starts_of

Keys = npt.NDArray[np.uint64]

MAX_POSTINGS = 16
"""Pages of a language with a term, up to which it is looked for: what more pages have is no sign of a translation."""
MAX_TERMS = 48
"""Terms of a page by which others are looked for, the rarest."""
_CHUNK_PAGES = 2048
"""Pages for which candidates are looked for at once: at most so many times the two numbers above, in memory."""
_CHUNK_PAIRS = 4096
SHRINKAGE = 2.0
"""Weight of terms that is added to both pages when they are compared, so that one shared term says little."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of pages, each of a page once and in rising order, with their weights."""

    keys: Keys
    starts: Ints
    weights: Floats
    totals: Floats
    """The weight of all terms of each page."""

    @property
    def counts(self) -> Ints:
        """How many terms each page has."""
        return np.diff(self.starts)


def terms_of(source: Sequence[Keys], target: Sequence[Keys]) -> tuple[Terms, Terms]:
    """Make the terms of the pages of both languages, weighted by how rare they are among all of these pages."""
    sides = []
    for pages in (source, target):
        counts = np.fromiter(map(len, pages), np.int64, len(pages))
        sides.append((np.concatenate([np.zeros(0, np.uint64), *pages]), starts_of(counts)))
    known, frequencies = np.unique(np.concatenate([keys for keys, _ in sides]), return_counts=True)
    rarity = np.log((len(source) + len(target) + 1) / frequencies)
    found = []
    for keys, starts in sides:
        weights = rarity[np.searchsorted(known, keys)]
        sums = np.concatenate(([0.0], np.cumsum(weights)))
        found.append(Terms(keys, starts, weights, sums[starts[1:]] - sums[starts[:-1]]))
    return found[0], found[1]


def sharing(source: Terms, target: Terms, most: int) -> tuple[Ints, Ints, int]:
    """Find pairs of pages that share rare terms, for each page of the source those that share most.

    Returns the pairs, and how many postings were looked at: at most `MAX_TERMS * MAX_POSTINGS` for each page.
    """
    order = np.argsort(target.keys, kind="stable")
    keys = target.keys[order]
    pages = np.repeat(np.arange(len(target.counts)), target.counts)[order]
    found: list[tuple[Ints, Ints]] = []
    looked_at = 0
    for first in range(0, len(source.counts), _CHUNK_PAGES):
        last = min(first + _CHUNK_PAGES, len(source.counts))
        some = slice(source.starts[first], source.starts[last])
        rows = np.repeat(np.arange(first, last), source.counts[first:last])
        begin = np.searchsorted(keys, source.keys[some], "left")
        count = np.searchsorted(keys, source.keys[some], "right") - begin
        usable = np.flatnonzero((count > 0) & (count <= MAX_POSTINGS))
        usable = usable[_first_of_each(rows[usable], count[usable], MAX_TERMS)]
        looked_at += int(count[usable].sum())
        places = concatenated_ranges(begin[usable], count[usable])
        pairs = np.repeat(rows[usable], count[usable]) * np.int64(len(target.counts)) + pages[places]
        weights = np.repeat(source.weights[some][usable], count[usable])
        different, inverse = np.unique(pairs, return_inverse=True)
        totals = np.bincount(inverse, weights, len(different))
        ours, theirs = np.divmod(different, max(len(target.counts), 1))
        best = _first_of_each(ours, -totals, most)
        found.append((ours[best], theirs[best]))
    none = np.zeros(0, np.int64)
    return (
        np.concatenate([none, *(ours for ours, _ in found)]),
        np.concatenate([none, *(theirs for _, theirs in found)]),
        looked_at,
    )


def _first_of_each(groups: Ints, values: Ints | Floats, most: int) -> Ints:
    """Return the places of the lowest values of each group, at most so many; ties in the order of places."""
    order = np.lexsort((np.arange(len(groups)), values, groups))
    ordered = groups[order]
    begins = np.searchsorted(ordered, ordered, "left")
    return np.sort(order[np.arange(len(order)) - begins < most])


def overlaps(source: Terms, target: Terms, ours: Ints, theirs: Ints) -> tuple[Floats, Floats]:
    """Compare pairs of pages: the share of their weight that is common, shrunk, and the certainty of that.

    With C the weight of what both have and W that of what each has on average, the first is C / (W + s), and the second
    is W / (W + s): 0 if there is nothing to compare.
    """
    shared = np.zeros(len(ours))
    keys = np.repeat(np.arange(len(target.counts)), target.counts)
    ranks = np.unique(np.concatenate([source.keys, target.keys]))
    size = np.int64(len(ranks) + 1)
    theirs_sorted = keys * size + np.searchsorted(ranks, target.keys)  # pages and keys within them are in order
    for first in range(0, len(ours), _CHUNK_PAIRS):
        some = slice(first, first + _CHUNK_PAIRS)
        rows, places = spread(source.starts[ours[some]], source.counts[ours[some]])
        wanted = theirs[some][rows] * size + np.searchsorted(ranks, source.keys[places])
        at = np.searchsorted(theirs_sorted, wanted)
        hits = np.flatnonzero(np.append(theirs_sorted, -1)[at] == wanted)
        shared[some] = np.bincount(rows[hits], source.weights[places[hits]], len(ours[some]))
    average = (source.totals[ours] + target.totals[theirs]) / 2
    return shared / (average + SHRINKAGE), average / (average + SHRINKAGE)
