"""Random numbers that are the same on every machine, for samples and random orders of hits.

The number of a hit depends on its place in the corpus and on a seed alone.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ids
from gristmill.arrays.hashing import BASE, mix

_MAX_UINT64 = 0xFFFFFFFFFFFFFFFF


def random_numbers(starts: Ids, ends: Ids, seed: int = 0) -> Hashes:
    """A pseudo-random number for each span."""
    salt = np.uint64((seed + 1) * BASE & _MAX_UINT64)
    return _next(_next(starts.astype(np.uint64) + salt) ^ ends.astype(np.uint64))


def smallest(numbers: Hashes, count: int) -> Ids:
    """Places of the `count` smallest numbers, ascending.

    A larger sample contains every smaller one of the same seed.
    """
    if count >= len(numbers):
        return np.arange(len(numbers))
    return np.sort(np.argpartition(numbers, count)[:count])


def _next(numbers: Hashes) -> Hashes:
    """Give SplitMix64's next number (Steele, Lea and Flood 2014, figure 16) after each state."""
    return mix(numbers + np.uint64(BASE))
