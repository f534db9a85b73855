"""Containment: the share of a document's shingles that another one has too (Broder 1997).

Unlike resemblance it finds an article in a page that shows many. It is estimated on those shingles whose hash is 0
modulo m, the same ones in all documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.frequent import drop_frequent
from gristmill.dedup.documents.method import SetMethod
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.registry import METHODS
from gristmill.dedup.tokens import Tokens


@METHODS.register("containment")
@dataclass(frozen=True, kw_only=True)
class Containment(SetMethod):
    """One in m shingles of every document; a pair's score is the containment of the smaller one in the larger one."""

    m: int = 25
    """One in this many shingles is looked at; 1 for all."""
    threshold: float = 0.9
    """Least containment of either document in the other."""
    least: int = 3
    """Least number of shingles that a pair shares: a short document of which one shingle is looked at proves little."""

    def sketch(self, tokens: Tokens) -> Sketches:
        """Distinct shingles whose hash is 0 modulo m, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        chosen = shingles.hashes % np.uint64(self.m) == 0
        sampled = Sketches(shingles.hashes, shingles.starts, tokens.counts).only(chosen)
        return Sketches(*distinct(sampled.features, sampled.starts), tokens.counts)

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs in which one is contained in the other."""
        kept = drop_frequent(sketches, self.drop_frequent)
        counts = kept.counts
        need = np.maximum(needed(counts, self.threshold), self.least)
        found = overlaps(kept, need, self.reach, both=False)
        return Pairs(found.first, found.second, found.shared / np.minimum(counts[found.first], counts[found.second]))
