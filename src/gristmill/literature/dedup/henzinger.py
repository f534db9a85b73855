"""Henzinger's combination (2006; Pomikálek 2011, section 3.2.5) of Broder's and Charikar's methods.

Pairs are found by Broder's super-shingles, and those of them count whose random projections agree in enough bits. Both
sketches have 48 bytes: 6 super-shingles of 64 bits, and 384 bits. The thesis reports a precision of 0.38 for the first
method, of 0.5 for the second, and of 0.79 for both, on pairs of 1.8 billion pages.

The thesis does not describe the combination; Gibson, Wellner and Lubar (WAC4, 2008), section 3.1, do: super-shingles of
minima, of which a pair shares at least 2, then 384 bits that estimate the cosine, of which at least 355 are the same.
The bits are compared for all pairs of the first step; there, for those that have a whole piece of the bits in common.
The length of shingles, `n`, is in neither; `k` and `s` follow from the 48 bytes and are those of AltaVista.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.documents.all_pairs import sharing_pairs
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.minhash import MinHash
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.literature.dedup.simhash import signs
from gristmill.registry import part

_WORD = 64


@part("de-duplication method", "henzinger")
@dataclass(frozen=True, kw_only=True)
class Henzinger(FeatureMethod):
    """Compares super-shingles, and then bits; a pair's score is the share of bits that are the same."""

    n: int = 8
    """Tokens in a shingle. A document that is shorter is one shingle."""
    k: int = 6
    """Super-shingles of a document."""
    s: int = 14
    """Minima in a super-shingle."""
    r: int = 2
    """Least number of super-shingles that a pair shares."""
    bits: int = 384
    """Bits of the random projection of a document's words, each of which counts as often as it occurs."""
    agree: int = 355
    """Least number of these bits that are the same in a pair."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits % _WORD:
            raise UsageError(f"bits must be a multiple of {_WORD}, not {self.bits}")
        if self.agree > self.bits:
            raise UsageError(f"agree must be at most bits ({self.bits}), not {self.agree}")
        if self.r > self.k:
            raise UsageError(f"r must be at most k ({self.k}), not {self.r}")

    @property
    def broder(self) -> MinHash:
        """The method that finds the pairs."""
        return MinHash(n=self.n, k=self.k, s=self.s, r=self.r)

    @property
    def width(self) -> int:
        """How many numbers a sketch has: its super-shingles, and its bits in words of 64."""
        return self.k + self.bits // _WORD

    def sketch(self, tokens: Tokens) -> Sketches:
        """The super-shingles and bits of each document that is not empty, 96 bytes."""
        supers = self.broder.keys(self.broder.sketch(tokens)).features.reshape(-1, self.k)
        filled = tokens.counts > 0
        starts = np.append(tokens.starts[:-1][filled], len(tokens.hashes))
        words = [signs(mix(tokens.hashes + np.uint64(word)), starts) for word in range(self.bits // _WORD)]
        rows = np.concatenate([supers, np.stack(words, axis=1)], axis=1)
        return Sketches(rows.ravel(), starts_of(filled) * self.width, tokens.counts)

    @property
    def least_score(self) -> float:
        """The least share of equal bits."""
        return self.agree / self.bits

    def keys(self, sketches: Sketches) -> Sketches:
        """The super-shingles."""
        supers = sketches.features.reshape(-1, self.width)[:, : self.k]
        return Sketches(supers.ravel(), sketches.starts // self.width * self.k, sketches.sizes)

    def need(self, counts: Ints) -> Ints:
        """The same number of super-shingles for all."""
        return np.full(len(counts), self.r)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of equal super-shingles, if nothing else is known."""
        return np.asarray(shared / np.maximum(one, other))

    def judged_scores(self, shared: Ints, one: Sketches, other: Sketches) -> Scores:
        """The share of bits that are the same."""
        del shared
        return self._agreement(one.features.reshape(-1, self.width), other.features.reshape(-1, self.width))

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs that share enough super-shingles and bits."""
        supers = self.keys(sketches)
        found = overlaps(supers, self.need(supers.counts), self.reach)
        pairs = self._scored(sketches, found.first, found.second)
        return pairs.only(pairs.scores >= self.least_score)

    def all_scores(self, sketches: Sketches) -> Iterator[Pairs]:
        """The pairs that share enough super-shingles: of others it does not look at the bits."""
        for first, second, shared in sharing_pairs(self.keys(sketches)):
            enough = shared >= self.r
            yield self._scored(sketches, first[enough], second[enough])

    def _scored(self, sketches: Sketches, first: Ints, second: Ints) -> Pairs:
        rows, places = sketches.features.reshape(-1, self.width), sketches.starts // self.width
        return Pairs(first, second, self._agreement(rows[places[first]], rows[places[second]]))

    def _agreement(self, one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64]) -> Scores:
        """The share of equal bits of rows."""
        differences = np.bitwise_count(one[:, self.k :] ^ other[:, self.k :]).sum(axis=1, dtype=np.int64)
        return np.asarray(1 - differences / self.bits)
