"""Pairs of the members of groups, without the square of a group's size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import CHUNK_ELEMENTS, chunks, is_new, spread


def neighbours(bounds: Ints, reach: int) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of places, some at a time: each with the `reach` that follow in its group, and with its first and last.

        bounds 0 2 5, reach 1  ->  (0, 1) (2, 3) (3, 4), and (2, 4): the last is out of the first one's reach

    That is all pairs of a group of up to `reach + 1`. Of a larger one (Broder et al. 1997 leave out what more than 1000
    documents share) it is enough to keep together what is alike, and no more than `reach + 2` pairs for each member.
    """
    sizes = np.diff(bounds)
    places = np.arange(bounds[0], bounds[-1])
    starts, ends = np.repeat(bounds[:-1], sizes), np.repeat(bounds[1:], sizes)
    counts = np.minimum(ends - places - 1, reach)
    for part in chunks(counts):
        rows, right = spread(places[part] + 1, counts[part])
        yield places[part][rows], right
    far = places - starts > reach
    yield starts[far], places[far]
    far = (ends - 1 - places > reach) & (places > starts)
    yield places[far], ends[far] - 1


def distinct_pairs(parts: Iterable[Ints]) -> Ints:
    """All numbers of all parts, each once, in rising order; each stands for a pair.

    Memory is proportional to what is left.
    """
    merged = np.empty(0, np.int64)
    pending: list[Ints] = []
    size = 0
    for part in parts:
        pending.append(_each_once(part))
        size += len(pending[-1])
        if size > max(len(merged), CHUNK_ELEMENTS):
            merged, pending, size = _each_once(np.concatenate([merged, *pending])), [], 0
    return _each_once(np.concatenate([merged, *pending]))


def _each_once(numbers: Ints) -> Ints:
    """Numbers in rising order, each once; `np.unique` goes by a hash table, which is many times slower here."""
    ordered = np.sort(numbers)
    return ordered[is_new(ordered)]
