"""Containment: the share of a document's shingles that another one has too (Broder 1997).

Unlike resemblance it finds an article in a page that shows many. It is estimated on those shingles whose hash is 0
modulo m, the same ones in all documents. What is contained in another document is dropped, wherever that one stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part


@part("de-duplication method", "containment")
@dataclass(frozen=True, kw_only=True)
class Containment(SetMethod):
    """One in m shingles of every document; a pair's score is the containment of the smaller one in the larger one."""

    m: int = 25
    """One in this many shingles is looked at; 1 for all."""
    threshold: float = 0.9
    """Least containment of either document in the other."""
    least: int = 3
    """Least number of shingles that a pair shares: a short document of which one shingle is looked at proves little."""

    clusters: bool = False
    """Join pairs into clusters, of which the first document is kept, whether it contains the others or not."""

    both: ClassVar[bool] = False

    def first_goes(self, one: Ints, other: Ints) -> Flags | None:
        """If it has fewer shingles, as the document with fewer is the one that is contained; of equal ones the second.

        So no documents can be dropped for each other in a circle.
        """
        return None if self.clusters else one < other

    def sketch(self, tokens: Tokens) -> Sketches:
        """Distinct shingles whose hash is 0 modulo m, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        chosen = shingles.hashes % np.uint64(self.m) == 0
        sampled = Sketches(shingles.hashes, shingles.starts, tokens.counts).only(chosen)
        return Sketches(*distinct(sampled.features, sampled.starts), tokens.counts)

    def need(self, counts: Ints) -> Ints:
        """The least share of the shingles, and the least number."""
        return np.maximum(needed(counts, self.threshold), self.least)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the features of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))
