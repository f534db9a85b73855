"""Chance that is the same on every machine: a number for each hit that depends on its place in the corpus and on a seed alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids

Numbers = npt.NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15
_WORD = 0xFFFFFFFFFFFFFFFF


def lots(starts: Ids, ends: Ids, seed: int = 0) -> Numbers:
    """A number for each span, as if drawn by lot."""
    salt = np.uint64((seed + 1) * _STEP & _WORD)
    return _mix(_mix(starts.astype(np.uint64) + salt) ^ ends.astype(np.uint64))


def draw(numbers: Numbers, count: int) -> Ids:
    """The places of the `count` smallest numbers, ascending; a larger sample contains every smaller one of the same seed."""
    if count >= len(numbers):
        return np.arange(len(numbers))
    return np.sort(np.argpartition(numbers, count)[:count])


def _mix(numbers: Numbers) -> Numbers:
    """SplitMix64's function (Steele, Lea and Flood 2014, figure 16), by which every bit of a number depends on all others."""
    numbers = numbers + np.uint64(_STEP)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
