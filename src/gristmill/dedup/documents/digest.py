"""One number for a row of numbers: the same if and only if the rows are the same, as far as 64 bits can tell."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import chunks
from gristmill.dedup.documents.sketches import Sketches

_PIECE_NUMBERS = 1 << 16  # numbers that are looked at together: they stay in the processor's cache


def digests(values: Hashes, starts: Ints) -> Hashes:
    """A digest of each row, in which the order of its numbers counts; 0 for an empty one."""
    counts = np.diff(starts)
    filled = np.flatnonzero(counts)
    salts = mix(np.arange(1, counts.max(initial=0) + 1, dtype=np.uint64))
    found = np.zeros(len(counts), np.uint64)
    for part in chunks(counts[filled], _PIECE_NUMBERS):
        rows = filled[part]
        first, last = starts[rows[0]], starts[rows[-1] + 1]
        places = np.arange(first, last) - np.repeat(starts[rows], counts[rows])
        found[rows] = np.add.reduceat(mix(values[first:last] + salts[places]), starts[rows] - first)
    return found


def twins(sketches: Sketches) -> Ints:
    """For each document the first one with the same sketch; one without features is its own."""
    same = np.arange(len(sketches.sizes))
    filled = np.flatnonzero(sketches.counts)
    keys = digests(sketches.features, sketches.starts)[filled]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    same[filled] = filled[first[inverse]]
    return same
