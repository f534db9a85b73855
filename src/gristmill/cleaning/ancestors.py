"""What is around each element of a page, for all elements at once, in time that grows with the logarithm of the depth.

By pointer doubling: `above` is first the parent of each element, then the second above, the fourth, and so on.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.kernel.elements import BLOCKS, NAMES

_IS_BLOCK = np.array([name in BLOCKS for name in NAMES], np.bool_)


def are_blocks(codes: Ints) -> Flags:
    """Tell which elements are shown as blocks, by the codes of their names; the first is the body."""
    found = _IS_BLOCK[codes]
    found[0] = True
    return found


def nearest(flags: Flags, parents: Ints) -> Ints:
    """Return for each element the nearest flagged one, itself or around it; the body if there is none.

    In `<div><p><b>`, elements 1, 2 and 3 of the body, with the `div` flagged, it is [0, 1, 1, 1].
    """
    up = np.where(flags, np.arange(len(flags)), parents)
    while True:
        further = up[up]
        if np.array_equal(further, up):
            return up
        up = further


def outermost(flags: Flags, parents: Ints) -> Ints:
    """Return for each element the outermost flagged one of itself and those around it; -1 if there is none.

    In `<div><p><b>` with the `div` and the `b` flagged, it is [-1, 1, 1, 1]. What is found further up is further out.
    """
    found: Ints = np.where(flags, np.arange(len(flags)), -1)
    above = parents
    while True:
        outer = found[above]
        found = np.where(outer >= 0, outer, found)
        further = above[above]
        if np.array_equal(further, above):
            return found
        above = further


def depths(parents: Ints) -> Ints:
    """Return how many elements are around each; 0 for the body."""
    above = parents
    found = np.ones(len(above), np.int64)
    found[0] = 0
    while above.any():
        found += found[above]
        above = above[above]
    return found
