"""Rows of different lengths in one array (a *ragged* array), and work on them in chunks of bounded size.

The rows `7 8`, none and `4 5 6` are the values `7 8 4 5 6` and the starts `0 2 2 5`, of which the last is the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from gristmill.dedup.tokens import Hashes, Ints

Flags = npt.NDArray[np.bool_]

CHUNK_ELEMENTS = 1 << 20
"""Elements that are looked at together, where the size of the whole is not bounded."""


def spread(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """For each element of each row the number of its row, and where it stands; rows are given by where they start.

    starts 10 50, counts 2 3  ->  rows 0 0 1 1 1, places 10 11 50 51 52
    """
    before = np.cumsum(counts) - counts
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) + (starts - before)[rows]


def chunks(counts: Ints, limit: int = CHUNK_ELEMENTS) -> Iterator[slice]:
    """Rows in groups that have no more elements than the limit, or are a single row."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        end = max(int(np.searchsorted(ends, before + limit, side="right")), start + 1)
        yield slice(start, end)
        start = end


def padded(values: Hashes, starts: Ints, least: int, filler: int) -> tuple[Hashes, Ints]:
    """Rows filled up to a length at their ends; empty ones stay empty."""
    counts = np.diff(starts)
    wanted = np.where(counts, np.maximum(counts, least), 0)
    if np.array_equal(counts, wanted):
        return values, starts
    new_starts = np.append(np.int64(0), np.cumsum(wanted))
    filled = np.full(new_starts[-1], filler, np.uint64)
    _, places = spread(new_starts[:-1], counts)
    filled[places] = values
    return filled, new_starts


def is_new(values: Hashes | Ints) -> Flags:
    """Whether each value differs from the one before it."""
    return np.append(np.True_, values[1:] != values[:-1])[: len(values)]


def changes(values: Hashes, starts: Ints) -> tuple[Hashes, Ints]:
    """Rows without what is the same as the value before it."""
    stays = is_new(values)
    stays[starts[:-1][np.diff(starts) > 0]] = True
    before = np.append(np.int64(0), np.cumsum(stays, dtype=np.int64))
    return values[stays], before[starts]


def distinct(values: Hashes, starts: Ints) -> tuple[Hashes, Ints]:
    """Each row in rising order, without what it has twice."""
    ordered = values.copy()
    for start, end in itertools.pairwise(starts.tolist()):
        ordered[start:end].sort()
    return changes(ordered, starts)
