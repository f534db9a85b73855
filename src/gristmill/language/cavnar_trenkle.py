"""Identify languages by the out-of-place measure: Cavnar and Trenkle, N-gram-based text categorization (1994).

Victor (2008) has it as `langid2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.profile import MAX_GRAM_CHARACTERS, Profile, padded_words
from gristmill.language.profiled import ProfileIdentifier, Table
from gristmill.registry import part

MAX_RANKS = 400
"""The n-grams of a profile or text that are compared; the paper has 300 to 400."""


@part("language identifier", "cavnar-trenkle")
class CavnarTrenkle(ProfileIdentifier):
    """An identifier that compares the ranks of the most frequent n-grams in a text and in a language."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        super().__init__(profiles)
        ranks = [
            {gram: float(rank) for rank, gram in enumerate(profile.grams[:MAX_RANKS].tolist())}
            for profile in self.profiles
        ]
        self._table = Table(ranks, float(MAX_RANKS))

    def fit(self, text: str) -> Floats:
        """The similarity to each language: 1 for the same n-grams in the same order, 0 for none in common."""
        grams = _ranked(padded_words(text))
        if not grams:
            return np.zeros(len(self.profiles))
        there, ranks = self._table.rows(grams)
        missing = np.full(len(self.profiles), float((len(grams) - len(there)) * MAX_RANKS))
        distance = np.minimum(np.abs(ranks - np.array(there)[:, None]), MAX_RANKS).sum(axis=0) if there else 0.0
        return 1.0 - (distance + missing) / (len(grams) * MAX_RANKS)

    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The fit itself, as it is a share from 0 to 1."""
        del text
        return float(fit[best])


def _ranked(padded: str) -> list[str]:
    """The most frequent n-grams of a text, the most frequent first; equally frequent ones in alphabetical order."""
    counts: Counter[str] = Counter()
    for word in padded.split():
        within = f" {word} "
        for length in range(1, MAX_GRAM_CHARACTERS + 1):
            counts.update([within[at : at + length] for at in range(len(within) - length + 1)])
    del counts[" "]
    return sorted(counts, key=lambda gram: (-counts[gram], gram))[:MAX_RANKS]
