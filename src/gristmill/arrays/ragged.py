"""Rows of different lengths that stand one behind the other in one array (a ragged array).

Rows are given by how many elements each has (`counts`), or by where each begins (`starts`), with where the last one
ends as one more start. The rows `[7, 7]`, `[]` and `[5, 6, 7]`:

    values = [7, 7, 5, 6, 7]
    counts = [2, 0, 3]
    starts = [0, 2, 2, 5]      # starts_of(counts); np.diff(starts) are the counts again

What is true of a row is found without a loop, by a prefix sum: `before = starts_of(values == 7)` counts the sevens
before each place, and `np.diff(before[starts])` those in each row: `[2, 0, 1]`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints

CHUNK_ELEMENTS = 1 << 20
"""How many elements are looked at together, where the size of the whole is not bounded."""


def starts_of(counts: Ints | Flags) -> Ints:
    """Find where each row begins, and at the end where the last one ends: `[2, 0, 3]` gives `[0, 2, 2, 5]`.

    Given flags, count how many are set before each place.
    """
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, dtype=np.int64, out=starts[1:])
    return starts


def concatenated_ranges(starts: Ints, counts: Ints) -> Ints:
    """List the numbers of several ranges, one range behind the other, given where each begins and how many it has.

    `concatenated_ranges([10, 40, 20], [2, 0, 3])` is `[10, 11, 20, 21, 22]`. If these are rows of a ragged array, the
    result are the places of all their elements.
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    # Counting up from 0 gives [0, 1, 2, 3, 4]; each range has to begin at its start instead of behind the one before
    # it, so the elements of the ranges get 10 - 0, 40 - 2 and 20 - 2 more.
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


def spread(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Give, for each element of some rows, the number of its row and its place.

    `spread([10, 40, 20], [2, 0, 3])` is `([0, 0, 2, 2, 2], [10, 11, 20, 21, 22])`.
    """
    before = np.cumsum(counts) - counts
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) + (starts - before)[rows]


def chunks(counts: Ints, limit: int = CHUNK_ELEMENTS) -> Iterator[slice]:
    """Group neighbouring rows, so that no group has more elements than the limit, unless it is a single row."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        end = max(int(np.searchsorted(ends, before + limit, side="right")), start + 1)
        yield slice(start, end)
        start = end


def padded(values: Hashes, starts: Ints, length: int, filler: int) -> tuple[Hashes, Ints]:
    """Fill rows up to a length at their ends; longer ones stay as they are, and empty ones stay empty."""
    counts = np.diff(starts)
    wanted = np.where(counts, np.maximum(counts, length), 0)
    if np.array_equal(counts, wanted):
        return values, starts
    new_starts = starts_of(wanted)
    filled = np.full(new_starts[-1], filler, np.uint64)
    filled[concatenated_ranges(new_starts[:-1], counts)] = values
    return filled, new_starts


def is_new(values: Hashes | Ints) -> Flags:
    """Tell whether each value differs from the one before it; the first one does."""
    return np.append(np.True_, values[1:] != values[:-1])[: len(values)]


def changes(values: Hashes, starts: Ints) -> tuple[Hashes, Ints]:
    """Leave out of each row what equals the value before it in that row: `[7, 7, 5]` becomes `[7, 5]`."""
    stays = is_new(values)
    stays[starts[:-1][np.diff(starts) > 0]] = True
    return values[stays], starts_of(stays)[starts]


def distinct(values: Hashes, starts: Ints) -> tuple[Hashes, Ints]:
    """Find the distinct values of each row, in rising order."""
    ordered = values.copy()
    for start, end in itertools.pairwise(starts.tolist()):
        ordered[start:end].sort()
    return changes(ordered, starts)
