"""The n-grams of one bucket, from all bundles, brought together by sorting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Hashes, Ints
from gristmill.arrays.storing import ArrayFile
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.positions import Positions, Words, unpack
from gristmill.errors import GristmillError

BYTES_PER_NGRAM = 72
"""Memory to find the duplicates in a bucket, at most: hashes and positions (16), sort keys (8), and copies of these."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """All n-grams whose hashes begin with the same bits, in the order of the corpus."""

    hashes: Hashes
    packed: Hashes
    """The packed position of each in its bundle."""
    counts: Ints
    """How many come from each bundle."""

    @classmethod
    def read(cls, plan: Plan, number: int) -> Bucket:
        """Read it from the files of all bundles."""
        slices = [_slices(plan.outline(bundle), number) for bundle in range(plan.bundles)]
        counts = np.array([sum(end - start for start, end in some) for some in slices], np.int64)
        hashes, packed = np.empty(counts.sum(), np.uint64), np.empty(counts.sum(), np.uint64)
        at = 0
        for bundle, some in enumerate(slices):
            if not counts[bundle]:
                continue
            with plan.ngrams(bundle).open("rb") as file:
                for start, end in some:
                    size = end - start
                    file.seek(16 * start)
                    found = np.fromfile(file, np.uint64, 2 * size)
                    if len(found) != 2 * size:
                        raise GristmillError(
                            f"{plan.ngrams(bundle)} is cut off: delete the folder {plan.work} and run the command again"
                        )
                    hashes[at : at + size], packed[at : at + size] = found[:size], found[size:]
                    at += size
        return cls(hashes, packed, counts)

    def positions(self, starts: Starts, chosen: Ints | None = None) -> Positions:
        """Where the n-grams stand, or some of them; blocks are numbered through all bundles."""
        first = starts.blocks[:-1].astype(np.uint32)
        if chosen is None:
            found, before = unpack(self.packed), np.repeat(first, self.counts)
        else:
            bundles = np.searchsorted(np.cumsum(self.counts), chosen, side="right")
            found, before = unpack(self.packed[chosen]), first[bundles]
        return Positions(found.blocks + before, found.places, found.spans)


def _slices(outline: Path, bucket: int) -> list[tuple[int, int]]:
    """The n-grams of a bucket in a file: from which to before which, chunk by chunk."""
    with ArrayFile(outline) as file:
        chunks, edges = file.shape("offsets")
        found = [file.read("offsets", at + bucket, at + bucket + 2).tolist() for at in range(0, chunks * edges, edges)]
    return [(start, end) for start, end in found if end > start]


@dataclass(frozen=True, slots=True)
class Sorted:
    """N-grams in the order of their hashes, equal ones in the order of the corpus."""

    order: Ints
    equal: npt.NDArray[np.bool_]
    """For each but the first whether its hash is that of the one before it."""


def sort(hashes: Hashes, bits: int) -> Sorted:
    """Sort n-grams of one bucket, whose first bits are the same.

    What is sorted is one number for each: as many of the other bits as there is room for, and behind them its place.
    That is five times faster than to sort by hash and keep track of places. With hashes of 8 bits, of which the first 2
    are those of the bucket, and 3 n-grams, whose places take 2 bits:

        place  hash        key
        0      01 101101   101101 00
        1      01 000011   000011 01
        2      01 101101   101101 10     sorted: places 1, 0, 2; the keys of 0 and 2 are equal but for the place

    Where the bits that were sorted by are the same, all bits are looked at.
    """
    width = max(len(hashes) - 1, 1).bit_length()
    keys = hashes << np.uint64(bits)
    keys >>= np.uint64(width)
    keys <<= np.uint64(width)
    keys |= np.arange(len(hashes), dtype=np.uint64)
    keys.sort()
    order: Ints = (keys & np.uint64((1 << width) - 1)).view(np.int64)
    keys >>= np.uint64(width)
    equal = keys[1:] == keys[:-1]
    alike = np.flatnonzero(equal)
    false = hashes[order[alike + 1]] != hashes[order[alike]]
    if not false.any():
        return Sorted(order, equal)
    order = np.lexsort((np.arange(len(hashes)), hashes))
    return Sorted(order, hashes[order[1:]] == hashes[order[:-1]])


def over_span(blocks: Words, spans: Bytes, flags: Bytes) -> Bytes:
    """For each n-gram the flags of all blocks that it touches, joined by OR.

    flags of blocks 1 0 4, an n-gram in block 0 with span 2  ->  1 | 0 | 4 = 5
    """
    places = blocks.astype(np.intp)  # NumPy looks up by any other kind of number at a third of the speed
    found = flags[places]
    crossing = np.flatnonzero(spans != 0)
    places = places[crossing]
    step = 0
    while len(crossing):
        step += 1
        found[crossing] |= flags[places + step]
        further = spans[crossing] > step
        crossing, places = crossing[further], places[further]
    return found
