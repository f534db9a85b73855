"""Exact resemblance: the share of all shingles of two documents that both have.

Pomikálek 2011, section 3.6.4, compares onion with it ("rsmbl. de-dupl."): 10-grams of tokens without punctuation, above
0.9.
"""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.frequent import drop_frequent
from gristmill.dedup.documents.method import SetMethod
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.registry import METHODS
from gristmill.dedup.tokens import Tokens


@METHODS.register("resemblance")
@dataclass(frozen=True, kw_only=True)
class Resemblance(SetMethod):
    """All distinct shingles of every document; a pair's score is its resemblance."""

    threshold: float = 0.9
    """Least resemblance of a pair."""

    def sketch(self, tokens: Tokens) -> Sketches:
        """All distinct shingles, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        return Sketches(*distinct(shingles.hashes, shingles.starts), tokens.counts)

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs whose resemblance is at least the threshold."""
        kept = drop_frequent(sketches, self.drop_frequent)
        counts = kept.counts
        found = overlaps(kept, needed(counts, self.threshold), self.reach)
        union = counts[found.first] + counts[found.second] - found.shared
        pairs = Pairs(found.first, found.second, found.shared / union)
        return pairs.only(pairs.scores >= self.threshold)
