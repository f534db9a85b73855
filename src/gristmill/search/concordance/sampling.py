"""Chance that is the same on every machine: a number for each hit that depends on its place in the corpus and on a seed alone."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ids
from gristmill.arrays.hashing import BASE, mix

_WORD = 0xFFFFFFFFFFFFFFFF


def lots(starts: Ids, ends: Ids, seed: int = 0) -> Hashes:
    """A number for each span, as if drawn by lot."""
    salt = np.uint64((seed + 1) * BASE & _WORD)
    return _next(_next(starts.astype(np.uint64) + salt) ^ ends.astype(np.uint64))


def draw(numbers: Hashes, count: int) -> Ids:
    """The places of the `count` smallest numbers, ascending; a larger sample contains every smaller one of the same seed."""
    if count >= len(numbers):
        return np.arange(len(numbers))
    return np.sort(np.argpartition(numbers, count)[:count])


def _next(numbers: Hashes) -> Hashes:
    """Give SplitMix64's next number (Steele, Lea and Flood 2014, figure 16) after each state."""
    return mix(numbers + np.uint64(BASE))
