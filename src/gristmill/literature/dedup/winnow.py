"""Winnowing (Schleimer, Wilkerson and Aiken 2003): of every window of shingles the one with the least hash.

Two documents that share a run of `window + n - 1` tokens share a fingerprint, wherever the run stands; and about 2 /
(window + 1) of the shingles are fingerprints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.ragged import changes, distinct, padded, spread, starts_of
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part


@part("de-duplication method", "winnow")
@dataclass(frozen=True, kw_only=True)
class Winnow(SetMethod):
    """Compares fingerprints, of which a document has more the longer it is.

    A pair's score is the share of the fingerprints of the document with fewer that both have.
    """

    window: int = 20
    """Shingles in a window.

    The paper takes windows of 100 substrings of 50 characters on the web: about 20 and 10 in tokens.
    """
    threshold: float = 0.5
    """Least share of the fingerprints of the document that has fewer."""

    both: ClassVar[bool] = False

    def sketch(self, tokens: Tokens) -> Sketches:
        """The distinct fingerprints of each document, 8 bytes each; one that is shorter than a window has one."""
        shingles = all_shingles(tokens, self.n)
        return Sketches(*fingerprints(shingles.hashes, shingles.starts, self.window), tokens.counts)

    def need(self, counts: Ints) -> Ints:
        """The least share of the fingerprints."""
        return needed(counts, self.threshold)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the features of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))


def fingerprints(hashes: Hashes, starts: Ints, window: int) -> tuple[Hashes, Ints]:
    """The least hashes of all windows of each row, each once, in rising order, and where rows begin.

    Which of several equal hashes is the one does not matter, as only their value is kept.
    """
    least, starts = padded(hashes, starts, window, np.iinfo(np.uint64).max)
    counts = np.diff(starts)
    width = 1
    while width < window and len(least):
        step = min(width, window - width)
        least = np.minimum(least[:-step], least[step:])
        width += step
    windows = np.where(counts, counts - window + 1, 0)
    _, places = spread(starts[:-1], windows)
    return distinct(*changes(least[places], starts_of(windows)))
