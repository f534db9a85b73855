"""BM25 (Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, section 3.4).

The score of a unit is the sum, over the terms of the query in their order, of

    ln(1 + (N - n + 0.5) / (n + 0.5)) * (k1 + 1) * f / (f + k1 * (1 - b + b * length / mean length))

with N units, n of which have the term, f times in this one; lengths are in tokens. The logarithm is that of Lucene,
which is never negative. Everything is a float of 64 bits, computed in the order in which it is written here, so that
whoever does the same gets the same number to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.errors import UsageError


@dataclass(frozen=True, slots=True)
class BM25:
    """The parameters of BM25: `k1` from 0 (only whether a term is there counts), `b` from 0 (lengths don't) to 1."""

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            raise UsageError(f"k1 of BM25 is 0 or more, not {self.k1}")
        if not 0 <= self.b <= 1:
            raise UsageError(f"b of BM25 is from 0 to 1, not {self.b}")

    def weights(self, counts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], mean: float) -> Floats:
        """Weigh how often a term is in units of some lengths: from 0 to k1 + 1, not yet times its rarity."""
        return self.normed(counts, self.norms(lengths, mean))

    def norms(self, lengths: npt.NDArray[Any], mean: float) -> Floats:
        """Compute what of the formula depends on units of some lengths alone, and is the same for all terms."""
        found: Floats = self.k1 * (1 - self.b + self.b * lengths / mean)
        return found

    def normed(self, counts: npt.NDArray[np.int64], norms: Floats) -> Floats:
        """Weigh how often a term is in units with some norms."""
        found: Floats = (self.k1 + 1) * counts / (counts + norms)
        return found


def rarity(units: int, having: int) -> float:
    """Compute the inverse document frequency of a term that `having` of `units` have."""
    return math.log1p((units - having + 0.5) / (having + 0.5))
