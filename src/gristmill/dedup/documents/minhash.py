"""Broder's sketches and super-shingles (Broder 1997, 2000; Pomikálek 2011, section 3.2.1).

The least hash under a random permutation is the same in two documents with the probability of their resemblance. A
sketch has k * s such minima; each s of them make a super-shingle, and documents that share r of the k super-shingles
are near-duplicates. With r = 1 this is what is called banding elsewhere, with k bands of s rows; with s = 1 the minima
themselves are counted.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.documents.digest import digests
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.registry import part

_PIECE_SHINGLES = 1 << 15  # shingles that are permuted together: they stay in the processor's cache
_BATCH_SKETCHES = 1 << 13  # sketches that are compared together
_MAX_HASH = np.iinfo(np.uint64).max


@part("de-duplication method", "minhash")
@dataclass(frozen=True, kw_only=True)
class MinHash(FeatureMethod):
    """Compares sketches of k * s minima.

    A pair's score is the share of minima that are the same, which estimates its resemblance.
    """

    n: int = 10
    """Tokens in a shingle. A document that is shorter is one shingle."""
    k: int = 6
    """Super-shingles of a document."""
    s: int = 14
    """Minima in a super-shingle."""
    r: int = 2
    """Least number of super-shingles that a pair shares."""
    threshold: float = 0.0
    """Least estimated resemblance of a pair; the papers do without."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.r > self.k:
            raise UsageError(f"r must be at most k ({self.k}), not {self.r}")

    @property
    def length(self) -> int:
        """How many minima a sketch has."""
        return self.k * self.s

    def sketch(self, tokens: Tokens) -> Sketches:
        """The minima of each document that is not empty, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        filled = np.flatnonzero(tokens.counts)
        found = minima(shingles.hashes, shingles.starts[filled], self.length)
        return Sketches(found.ravel(), starts_of(tokens.counts > 0) * self.length, tokens.counts)

    @property
    def least_score(self) -> float:
        """The least estimated resemblance."""
        return self.threshold

    def keys(self, sketches: Sketches) -> Sketches:
        """The super-shingles."""
        return Sketches(self._super_shingles(sketches.features), sketches.starts // self.s, sketches.sizes)

    def need(self, counts: Ints) -> Ints:
        """The same number of super-shingles for all."""
        return np.full(len(counts), self.r)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of equal super-shingles, or of equal minima."""
        return np.asarray(shared / np.maximum(one, other))

    def judged_scores(self, shared: Ints, one: Sketches, other: Sketches) -> Scores:
        """The share of minima that are the same."""
        del shared
        rows = (one.features.reshape(-1, self.length) == other.features.reshape(-1, self.length)).mean(axis=1)
        return np.asarray(rows, np.float64)

    def scored(self, sketches: Sketches) -> Sketches:
        """The minima, so that those of the same permutation are the same features."""
        salts = mix(np.arange(1, self.length + 1, dtype=np.uint64))
        rows = mix(sketches.features.reshape(-1, self.length) + salts)
        return Sketches(rows.ravel(), sketches.starts, sketches.sizes)

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs that share enough super-shingles."""
        supers = self.keys(sketches)
        found = overlaps(supers, self.need(supers.counts), self.reach)
        rows = sketches.features.reshape(-1, self.length)
        places = sketches.starts // self.length
        pairs = Pairs(found.first, found.second, _equal_shares(rows, places[found.first], places[found.second]))
        return pairs.only(pairs.scores >= self.threshold)

    def _super_shingles(self, features: Hashes) -> Hashes:
        supers = np.empty(len(features) // self.s, np.uint64)
        numbers = np.tile(np.arange(self.k, dtype=np.uint64), _BATCH_SKETCHES)
        for start in range(0, len(supers), len(numbers)):
            part = features[start * self.s : (start + len(numbers)) * self.s]
            found = digests(part, np.arange(0, len(part) + 1, self.s))
            supers[start : start + len(found)] = mix(found + numbers[: len(found)])
        return supers


def acceptance(resemblance: float, k: int, s: int, r: int) -> float:
    """The probability that documents of some resemblance share r or more of k super-shingles of s minima.

    This is equation 3.1 of Pomikálek 2011.
    """
    equal = resemblance**s
    return sum(math.comb(k, i) * equal**i * (1 - equal) ** (k - i) for i in range(r, k + 1))


def minima(hashes: Hashes, starts: Ints, count: int) -> npt.NDArray[np.uint64]:
    """For each row of hashes, none of them empty, its minima under so many permutations.

    Permutations are multiplications by odd numbers modulo 2^64. Hashes are random already, so that the order of their
    products by one number is; and the orders by two numbers have nothing to do with each other unless a small multiple
    of one is a small multiple of the other.
    """
    found = np.full((count, len(starts)), _MAX_HASH, np.uint64)
    buffer = np.empty(min(_PIECE_SHINGLES, len(hashes)), np.uint64)
    for start in range(0, len(hashes), _PIECE_SHINGLES):
        piece = hashes[start : start + _PIECE_SHINGLES]
        first = int(np.searchsorted(starts, start, side="right")) - 1
        last = int(np.searchsorted(starts, start + len(piece)))
        bounds = np.maximum(starts[first:last] - start, 0)
        permuted = buffer[: len(piece)]
        for factor, row in zip(_factors(count), found[:, first:last], strict=True):
            np.multiply(piece, factor, out=permuted)
            np.minimum(row, np.minimum.reduceat(permuted, bounds), out=row)
    return np.ascontiguousarray(found.T)


@functools.lru_cache(8)
def _factors(count: int) -> tuple[np.uint64, ...]:
    return tuple(mix(np.arange(1, count + 1, dtype=np.uint64) << np.uint64(32)) | np.uint64(1))


def _equal_shares(rows: npt.NDArray[np.uint64], first: Ints, second: Ints) -> npt.NDArray[np.float64]:
    """The share of equal elements of each pair of rows."""
    shares = np.empty(len(first))
    for start in range(0, len(first), _BATCH_SKETCHES):
        part = slice(start, start + _BATCH_SKETCHES)
        shares[part] = (rows[first[part]] == rows[second[part]]).mean(axis=1)
    return shares
