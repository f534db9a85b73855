"""The near-duplicates of ukWaC (Ferraresi et al. 2008, section 2.3): documents that share 2 of 25 random 5-grams.

The second document of each pair is dropped, also if the first one is: of the pairs A-B, B-C and C-D only A is kept; of
A-C and B-C, A and B are.

The paper does not say how they were sampled. Sampled for each document independently, two copies of a document of 500
words would share about one; so the random choice must be the same in all documents. Here those n-grams are the sample
whose hashes are smallest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import distinct
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part


@part("de-duplication method", "wacky")
@dataclass(frozen=True, kw_only=True)
class Wacky(SetMethod):
    """Compares samples of the distinct n-grams of documents.

    A pair's score is the share of the smaller sample that both have.
    """

    n: int = 5
    """Tokens in an n-gram. A document that is shorter is one n-gram."""
    stop_words: bool = False
    """Let function words be tokens; the paper removes them first."""
    sample: int = 25
    """N-grams that are drawn from a document, or all if there are fewer."""
    least: int = 2
    """Least number of them that a pair shares."""
    clusters: bool = False
    """Join pairs into clusters, of which only the first document is kept; the paper leaves that to future work."""

    def first_goes(self, one: Ints, other: Ints) -> Flags | None:
        """Never: the second document of each pair goes."""
        del other
        return None if self.clusters else np.zeros(len(one), np.bool_)

    def sketch(self, tokens: Tokens) -> Sketches:
        """The distinct n-grams with the smallest hashes, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        hashes, starts = distinct(shingles.hashes, shingles.starts)
        places = np.arange(len(hashes)) - np.repeat(starts[:-1], np.diff(starts))
        return Sketches(hashes, starts, tokens.counts).only(places < self.sample)

    def need(self, counts: Ints) -> Ints:
        """The same number, however many there are."""
        return np.full(len(counts), self.least)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the features of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))
