"""Charikar's similarity hashing, and the search for hashes that differ in few bits.

(Charikar 2002; Pomikálek 2011, section 3.2.2.) Every word is a vector of 64 signs, the bits of its hash; a document is
the signs of their sum. Pairs within some distance are found by tables, as Manku, Jain and Das Sarma 2007 do: if the
bits are cut into blocks and at most k of them differ, all but k of the blocks are the same, so that it is enough to
compare hashes that agree in so many blocks, for each choice of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.ragged import chunks, is_new, spread, starts_of
from gristmill.dedup.documents.digest import twins
from gristmill.dedup.documents.method import DocumentMethod, Scores
from gristmill.dedup.documents.neighbours import distinct_pairs, neighbours
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.registry import part

_BITS = 64
_LANES = np.uint64(0x0101010101010101)
_MAX_LANE_COUNT = 255  # ones that a lane of 8 bits can count
_SORT_NANOSECONDS = 100.0  # for each hash of a table, about
_COMPARE_NANOSECONDS = 15.0  # for each pair of hashes, about


@part("de-duplication method", "simhash")
@dataclass(frozen=True, kw_only=True)
class SimHash(DocumentMethod):
    """A hash of 64 bits; a pair's score is the share of bits that are the same."""

    n: int = 1
    """Tokens in a shingle; 1 for words, as in the paper. Each counts as often as it occurs."""
    stop_words: bool = False
    """Let stop words be tokens: so frequent are they that the hash would tell of little else."""
    distance: int = 3
    """Greatest number of bits in which a pair differs; 3 is Manku's choice for web pages."""
    reach: int = 1000
    """Of the hashes that agree in some blocks, each is compared with this many neighbours."""

    may_be_zero: ClassVar[frozenset[str]] = DocumentMethod.may_be_zero | {"distance"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance >= _BITS:
            raise UsageError(f"distance must be less than {_BITS}, not {self.distance}")

    def sketch(self, tokens: Tokens) -> Sketches:
        """One hash for each document that is not empty, 8 bytes."""
        shingles = all_shingles(tokens, self.n)
        filled = tokens.counts > 0
        hashes = signs(shingles.hashes, np.append(shingles.starts[:-1][filled], len(shingles.hashes)))
        return Sketches(hashes, starts_of(filled), tokens.counts)

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs within the distance.

        These are all, as long as no more than `reach` different hashes agree in the blocks of a table.
        """
        count = len(sketches.sizes)
        same = twins(sketches)
        firsts = np.flatnonzero((same == np.arange(count)) & (sketches.counts > 0))
        copies = np.flatnonzero(same != np.arange(count))
        hashes = sketches.features[sketches.starts[:-1][firsts]]
        pairs = chain.from_iterable(self.near(hashes, table) for table in range(self.tables(len(hashes))))
        near = (firsts[one] * count + firsts[other] for one, other in pairs)
        found = np.sort(np.concatenate([distinct_pairs(near), same[copies] * count + copies]))
        first, second = np.divmod(found, max(count, 1))
        differences = sketches.features[sketches.starts[first]] ^ sketches.features[sketches.starts[second]]
        return Pairs(first, second, 1 - np.bitwise_count(differences) / _BITS)

    def all_scores(self, sketches: Sketches) -> Iterator[Pairs]:
        """All pairs of documents that have a hash: the share of bits that are the same."""
        documents = np.flatnonzero(sketches.counts)
        hashes = sketches.features
        later = np.arange(len(documents))[::-1]
        for piece in chunks(later):
            rows, others = spread(np.arange(piece.start, piece.stop) + 1, later[piece])
            rows += piece.start
            bits = np.bitwise_count(hashes[rows] ^ hashes[others])
            yield Pairs(documents[rows], documents[others], 1 - bits / _BITS)

    @property
    def left_out(self) -> float:
        """Nothing."""
        return 0.0

    @property
    def both(self) -> bool:
        """Both: a distance is one of two."""
        return True

    def keys(self, sketches: Sketches) -> Sketches:
        """The hashes themselves."""
        return sketches

    def need(self, counts: Ints) -> Ints:
        """The one that there is, if it must be the same."""
        return np.ones(len(counts), np.int64)

    def tables(self, count: int) -> int:
        """In how many tables so many hashes are looked for: one for each choice of blocks."""
        return math.comb(block_count(count, self.distance), self.distance)

    def near(self, hashes: Hashes, table: int) -> Iterator[tuple[Ints, Ints]]:
        """Places of hashes within the distance that a table finds, the lower one first."""
        blocks = block_count(len(hashes), self.distance)
        chosen = next(islice(combinations(range(blocks), blocks - self.distance), table, None))
        permuted, width = _table(hashes, chosen, blocks)
        order = np.argsort(permuted, kind="stable")
        keys = permuted[order] >> np.uint64(_BITS - width)
        starts = np.flatnonzero(is_new(keys))
        for left, right in neighbours(np.append(starts, len(keys)), self.reach):
            one, other = order[left], order[right]
            near = np.bitwise_count(hashes[one] ^ hashes[other]) <= self.distance
            one, other = one[near], other[near]
            yield np.minimum(one, other), np.maximum(one, other)

    def judge(self, one: Sketches, other: Sketches) -> tuple[Flags, Scores]:
        """Tell of pairs whether they are within the distance, and how many bits are the same."""
        bits = np.bitwise_count(one.features ^ other.features)
        return bits <= self.distance, 1 - bits / _BITS


def signs(hashes: Hashes, starts: Ints) -> Hashes:
    """For each row of hashes, none of them empty, the bits that are set in at least half of them.

    Eight bits are counted at a time, each in a byte of its own (a *lane*), over pieces that are too short to overflow
    it. With two lanes, the lowest bits of three hashes:

        hashes  ...0000_0001 ...0001    and 0x0101: 01 01
                ...0000_0000 ...0001                00 01
                ...0000_0001 ...0000                01 00    sum: 02 02, so each is set twice
    """
    counts = np.diff(starts)
    pieces = -(-counts // _MAX_LANE_COUNT)
    first = np.cumsum(pieces) - pieces
    rows, places = spread(np.zeros(len(counts), np.int64), pieces)
    bounds = starts[rows] + places * _MAX_LANE_COUNT
    ones = np.empty((len(bounds), 8, 8), np.uint8)
    for bit in range(8 if len(bounds) else 0):
        sums = np.add.reduceat((hashes >> np.uint64(bit)) & _LANES, bounds)
        ones[:, :, bit] = sums.astype("<u8").view(np.uint8).reshape(-1, 8)
    totals = (
        np.add.reduceat(ones.reshape(-1, _BITS), first, axis=0, dtype=np.int64)
        if len(first)
        else np.empty((0, _BITS), np.int64)
    )
    return np.packbits(2 * totals >= counts[:, None], axis=1, bitorder="little").view("<u8").ravel().astype(np.uint64)


def block_count(count: int, distance: int) -> int:
    """The number of blocks into which to cut the bits of so many hashes.

    More blocks make more tables, in which fewer hashes agree by chance.
    """

    def cost(blocks: int) -> float:
        agreeing = count / 2.0 ** (_BITS * (blocks - distance) // blocks)
        return math.comb(blocks, distance) * (_SORT_NANOSECONDS + _COMPARE_NANOSECONDS * agreeing)

    return min(range(distance + 1, min(distance + 8, _BITS) + 1), key=cost)


def _table(hashes: Hashes, chosen: tuple[int, ...], blocks: int) -> tuple[Hashes, int]:
    """Hashes with the bits of the chosen blocks moved to the top, and how many these are."""
    edges = [_BITS * block // blocks for block in range(blocks + 1)]
    permuted, width = np.zeros(len(hashes), np.uint64), 0
    for block in (*chosen, *(other for other in range(blocks) if other not in chosen)):
        size = edges[block + 1] - edges[block]
        bits = (hashes >> np.uint64(edges[block])) & np.uint64((1 << size) - 1)
        permuted = (permuted << np.uint64(size)) | bits if size < _BITS else bits
        width += size * (block in chosen)
    return permuted, width
