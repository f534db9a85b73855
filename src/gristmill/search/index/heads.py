"""The heads of tokens in their sentences: how many tokens further on each stands, so that distances stay as they are.

    The mill stands .      offsets  1, 1, 0, -1      heads of tokens 10 to 13 are 11, 12, 12 and 12

A token whose offset is 0 is a root, or nothing is known of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.storing import load_arrays

if TYPE_CHECKING:
    from gristmill.search.index.joined import Bases

HEADS = "heads.arrays"
Offsets = npt.NDArray[Any]
"""Of 16 bits, or of 32 where a sentence is so long that these are not enough."""


class Heads:
    """The heads of the tokens of one or several segments."""

    def __init__(self, bases: Bases, parts: Sequence[Offsets]) -> None:
        """Take the offsets of all tokens of each segment."""
        self._bases, self._parts = bases, parts
        self._kind = np.result_type(*parts)

    @classmethod
    def of(cls, parts: Sequence[Offsets | None], bases: Bases) -> Heads | None:
        """Take the offsets of segments, some of which may know none; None if none does."""
        if all(part is None for part in parts):
            return None
        sizes = np.diff(bases.starts).tolist()
        whole = [np.zeros(size, np.int16) if part is None else part for part, size in zip(parts, sizes, strict=True)]
        return cls(bases, whole)

    def offsets(self, positions: Ids) -> Offsets:
        """How many tokens further on the head of each of these tokens stands."""
        if len(self._parts) == 1:
            return self._parts[0].take(positions)
        return self._bases.gather(positions, lambda number, own: self._parts[number].take(own), self._kind)

    def between(self, start: int, stop: int) -> Offsets:
        """The offsets of the tokens from `start` to before `stop`."""
        parts = [self._parts[number][low:high] for number, low, high in self._bases.between(start, stop)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, self._kind), *parts])

    def at(self, positions: Ids) -> Ids:
        """The positions of the heads of these tokens; that of a token without one is its own."""
        return positions + self.offsets(positions)


def load_heads(folder: Path, size: int) -> Offsets:
    """Load the offsets of a segment with so many tokens."""
    found = load_arrays(folder / HEADS)["offsets"]
    if len(found) != size:
        raise ValueError(f"{HEADS} has {len(found)} heads of {size} tokens")
    return found


def offset_type(offsets: Offsets) -> np.dtype[Any]:
    """Choose the smaller of two types that holds offsets."""
    widest = max(int(offsets.max(initial=0)), -int(offsets.min(initial=0)))
    return np.dtype(np.int16 if widest <= np.iinfo(np.int16).max else np.int32)


def within_sentences(offsets: Offsets, bounds: Ids) -> Offsets:
    """Leave out heads in other sentences, which a damaged or foreign file may tell of; sentences are within bounds.

    With sentences from 0 to 3 and from 3 to 5, the offsets 1 3 -1 0 -2 become 1 0 -1 0 0.
    """
    at = np.arange(len(offsets)) + offsets
    lengths = np.diff(bounds)
    inside = (at >= np.repeat(bounds[:-1], lengths)) & (at < np.repeat(bounds[1:], lengths))
    return offsets if inside.all() else np.where(inside, offsets, 0).astype(offsets.dtype)
