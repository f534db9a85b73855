"""Random numbers that are the same on every machine, for samples and random orders of hits.

The number of a hit depends on its place in the corpus and on a seed alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids

Numbers = npt.NDArray[np.uint64]

_GOLDEN_GAMMA = 0x9E3779B97F4A7C15
"""The increment of SplitMix64."""
_MAX_UINT64 = 0xFFFFFFFFFFFFFFFF


def random_numbers(starts: Ids, ends: Ids, seed: int = 0) -> Numbers:
    """A pseudo-random number for each span."""
    salt = np.uint64((seed + 1) * _GOLDEN_GAMMA & _MAX_UINT64)
    return _mix(_mix(starts.astype(np.uint64) + salt) ^ ends.astype(np.uint64))


def smallest(numbers: Numbers, count: int) -> Ids:
    """Places of the `count` smallest numbers, ascending.

    A larger sample contains every smaller one of the same seed.
    """
    if count >= len(numbers):
        return np.arange(len(numbers))
    return np.sort(np.argpartition(numbers, count)[:count])


def _mix(numbers: Numbers) -> Numbers:
    """Mix the bits of numbers, so that each depends on all others.

    This is the function of SplitMix64 (Steele, Lea and Flood 2014, figure 16).
    """
    numbers = numbers + np.uint64(_GOLDEN_GAMMA)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
