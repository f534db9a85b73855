"""The lines of Shivakumar and Garcia-Molina (1998; Pomikálek 2011, section 3.2.4): hashes of two and of four lines.

A document's fingerprint are 32-bit hashes of each two and of each four lines in a row. A line is one of the clean text,
where a paragraph is on one line. How much two documents have to share is left open there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import distinct, starts_of
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.documents.units import LINES
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part

_TWO, _FOUR = 2, 4
_HASH_BITS = np.uint64(32)


@part("de-duplication method", "shivakumar")
@dataclass(frozen=True, kw_only=True)
class Shivakumar(FeatureMethod):
    """Compares hashes of two and of four lines.

    A pair's score is the share of the hashes of the document with fewer that both have.
    """

    threshold: float = 0.5
    """Least share of the hashes of the document that has fewer."""

    both: ClassVar[bool] = False
    unit: ClassVar[str] = LINES

    def sketch(self, tokens: Tokens) -> Sketches:
        """The distinct hashes of each document, those of two lines and those of four; 8 bytes each.

        A document of fewer lines is one hash. Those of four lines are 2^32 above the others, so none is taken for one.
        """
        twos, fours = all_shingles(tokens, _TWO), all_shingles(tokens, _FOUR)
        hashes = np.concatenate(
            [twos.hashes >> _HASH_BITS, (fours.hashes >> _HASH_BITS) | (np.uint64(1) << _HASH_BITS)]
        )
        counts = np.diff(twos.starts), np.diff(fours.starts)
        owners = np.concatenate([np.repeat(np.arange(len(part)), part) for part in counts])
        order = np.argsort(owners, kind="stable")
        return Sketches(*distinct(hashes[order], starts_of(counts[0] + counts[1])), tokens.counts)

    def need(self, counts: Ints) -> Ints:
        """The least share of the hashes."""
        return needed(counts, self.threshold)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the hashes of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))
