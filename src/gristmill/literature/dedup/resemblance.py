"""Exact resemblance: the share of all shingles of two documents that both have.

Pomikálek 2011, section 3.6.4, compares onion with it ("rsmbl. de-dupl."): 10-grams of tokens without punctuation, above
0.9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part


@part("de-duplication method", "resemblance")
@dataclass(frozen=True, kw_only=True)
class Resemblance(SetMethod):
    """All distinct shingles of every document; a pair's score is its resemblance."""

    threshold: float = 0.9
    """Least resemblance of a pair."""

    def sketch(self, tokens: Tokens) -> Sketches:
        """All distinct shingles, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        return Sketches(*distinct(shingles.hashes, shingles.starts), tokens.counts)

    @property
    def least_score(self) -> float:
        """The least resemblance."""
        return self.threshold

    def need(self, counts: Ints) -> Ints:
        """What a document shares at least with one that it resembles so much."""
        return needed(counts, self.threshold)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of all shingles of both documents that both have."""
        return np.asarray(shared / (one + other - shared))
