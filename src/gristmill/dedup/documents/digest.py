"""One number for a row of numbers: the same if and only if the rows are the same, as far as 64 bits can tell."""

from __future__ import annotations

import numpy as np

from gristmill.dedup.documents.method import Sketches
from gristmill.dedup.tokens import Hashes, Ints, mix


def digests(values: Hashes, starts: Ints) -> Hashes:
    """A digest of each row, in which the order of its numbers counts; 0 for an empty one."""
    counts = np.diff(starts)
    filled = np.flatnonzero(counts)
    places = np.arange(len(values)) - np.repeat(starts[:-1], counts)
    salts = mix(np.arange(1, counts.max(initial=0) + 1, dtype=np.uint64))
    found = np.zeros(len(counts), np.uint64)
    if len(filled):
        found[filled] = np.add.reduceat(mix(values + salts[places]), starts[filled])
    return found


def twins(sketches: Sketches) -> Ints:
    """For each document the first one with the same sketch; one without features is its own."""
    same = np.arange(len(sketches.sizes))
    filled = np.flatnonzero(sketches.counts)
    keys = digests(sketches.features, sketches.starts)[filled]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    same[filled] = filled[first[inverse]]
    return same
