"""The array of luc: units stand in cells of a k-dimensional array, by levels, and those near the origin come first.

GLB (Kornai and Halácsy 2008, section 2) puts all that is known of a unit into the place of its pointer: the index is an
array with k dimensions, and a word is one more. The array is sparse, so it is stored as a kd-tree. Here the cells are
in Z-order (Morton 1966), which is the order of the leaves of a kd-tree that halves one dimension after the other, and
only cells that have units are stored. The highest levels have the coordinate 0. With two dimensions of 2 bits:

    coordinates of a cell    (2, 1), in bits 10 and 01     its code, bit by bit in turns: 1001 = 9
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids

LEVEL_BITS = 4
LEVELS = 1 << LEVEL_BITS
"""Levels of a dimension; 0 is that of units whose value is not known, 15 is the highest."""
MAX_DIMENSIONS = 64 // LEVEL_BITS

Levels = npt.NDArray[np.uint8]
"""Levels of units or cells."""


def codes_of(levels: Sequence[Levels], size: int) -> npt.NDArray[np.uint64]:
    """Compute the codes of the cells of `size` units, of which each dimension gives the levels."""
    codes = np.zeros(size, np.uint64)
    for bit in reversed(range(LEVEL_BITS)):
        for own in levels:
            coordinate = (LEVELS - 1 - own).astype(np.uint64)
            codes = codes << np.uint64(1) | coordinate >> np.uint64(bit) & np.uint64(1)
    return codes


def levels_of(codes: npt.NDArray[np.uint64], dimensions: int) -> list[Levels]:
    """Compute the levels of cells in each dimension: the reverse of `codes_of`."""
    found = []
    for number in range(dimensions):
        coordinate = np.zeros(len(codes), np.uint8)
        for bit in range(LEVEL_BITS):
            at = np.uint64(bit * dimensions + dimensions - 1 - number)
            coordinate |= ((codes >> at & np.uint64(1)) << np.uint64(bit)).astype(np.uint8)
        found.append((LEVELS - 1 - coordinate).astype(np.uint8))
    return found


def merged_ranges(starts: Ids, ends: Ids) -> tuple[Ids, Ids]:
    """Join ranges that follow each other; they ascend: 0 to 2, 2 to 5 and 7 to 8 become 0 to 5 and 7 to 8."""
    if not len(starts):
        return starts, ends
    apart = starts[1:] != ends[:-1]
    return starts[np.append(True, apart)], ends[np.append(apart, True)]
