"""Manber's sif (1994; Pomikálek 2011, section 3.2.4), which finds similar files: hashes of 50 bytes, one in 256.

A document's fingerprint are those of the 30-bit hashes of all its substrings of 50 bytes whose lowest 8 bits are 0. So
long stretches may have none, and a short document may have none at all. How much two documents have to share is left
open there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.documents.units import BYTES
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.registry import part

_WORD = 64


@part("de-duplication method", "sif")
@dataclass(frozen=True, kw_only=True)
class Sif(SetMethod):
    """Compares some of the hashes of all substrings of documents.

    A pair's score is the share of the fingerprint of the document with fewer hashes that both have.
    """

    n: int = 50
    """Bytes in a substring. A document that is shorter is one substring."""
    bits: int = 30
    """Bits of a hash. In a large corpus many substrings have the same one: 2^22 different ones are chosen."""
    m: int = 256
    """Hashes that are 0 modulo this number are the fingerprint; 1 for all."""
    threshold: float = 0.5
    """Least share of the fingerprint of the document that has fewer hashes."""
    least: int = 3
    """Least number of hashes that a pair shares: one substring proves little."""

    both: ClassVar[bool] = False
    unit: ClassVar[str] = BYTES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits > _WORD:
            raise UsageError(f"bits must be at most {_WORD}, not {self.bits}")

    def sketch(self, tokens: Tokens) -> Sketches:
        """The distinct hashes that are chosen, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        hashes = shingles.hashes >> np.uint64(_WORD - self.bits)
        chosen = Sketches(hashes, shingles.starts, tokens.counts).only(hashes % np.uint64(self.m) == 0)
        return Sketches(*distinct(chosen.features, chosen.starts), tokens.counts)

    def need(self, counts: Ints) -> Ints:
        """The least share of the hashes, and the least number."""
        return np.maximum(needed(counts, self.threshold), self.least)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the hashes of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))
