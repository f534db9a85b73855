"""The position of an n-gram in its bundle, packed into one number of 64 bits.

From the highest bits to the lowest: the block in which it begins, the token at which it begins (its *place*), and how
many more blocks it runs into (its *span*).

    block  place  span      packed
        0      0     0      0
        0      7     0      7 << 8                        = 1792
        3     95     1      (3 << 38) + (95 << 8) + 1     = 824633745153

Packed positions sort in the order of the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Hashes

Words = npt.NDArray[np.uint32]

MAX_BLOCKS, MAX_TOKENS = 1 << 26, 1 << 30
"""More blocks or tokens a bundle can't have."""
MAX_SPAN = 255
"""An n-gram that runs over more ends of blocks is said to run over so many."""

_SPAN_BITS = np.uint64(8)
_BLOCK_SHIFT = np.uint64(38)
_PLACE_MASK = np.uint64(MAX_TOKENS - 1)


@dataclass(frozen=True, slots=True)
class Positions:
    """Where n-grams stand: their blocks, their places, and their spans."""

    blocks: Words
    places: Words
    spans: Bytes


def pack(blocks: Hashes, places: Hashes, spans: Hashes) -> Hashes:
    """Put the position of each n-gram into one number."""
    packed = blocks << _BLOCK_SHIFT
    packed |= places << _SPAN_BITS
    packed |= spans
    return packed


def unpack(packed: Hashes) -> Positions:
    """Take packed positions apart."""
    return Positions(
        (packed >> _BLOCK_SHIFT).astype(np.uint32),
        (packed >> _SPAN_BITS & _PLACE_MASK).astype(np.uint32),
        (packed & np.uint64(MAX_SPAN)).astype(np.uint8),
    )
