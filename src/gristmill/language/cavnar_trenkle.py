"""The out-of-place measure: Cavnar and Trenkle, N-gram-based text categorization (1994), which Victor (2008) has as `langid2`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.identifier import IDENTIFIERS
from gristmill.language.profile import LONGEST, Profile, padded_words
from gristmill.language.profiled import ProfileIdentifier, Table

_RANKS = 400  # of a profile; the paper has 300 to 400


@IDENTIFIERS.register("cavnar-trenkle")
class CavnarTrenkle(ProfileIdentifier):
    """How far the most frequent sequences of a text are from their places among the most frequent ones of a language."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        super().__init__(profiles)
        ranks = [
            {gram: float(rank) for rank, gram in enumerate(profile.grams[:_RANKS].tolist())}
            for profile in self.profiles
        ]
        self._table = Table(ranks, float(_RANKS))

    def fit(self, text: str) -> Floats:
        """1 for the same sequences in the same order, 0 for none in common."""
        grams = _ranked(padded_words(text))
        if not grams:
            return np.zeros(len(self.profiles))
        there, ranks = self._table.rows(grams)
        missing = np.full(len(self.profiles), float((len(grams) - len(there)) * _RANKS))
        distance = np.minimum(np.abs(ranks - np.array(there)[:, None]), _RANKS).sum(axis=0) if there else 0.0
        return 1.0 - (distance + missing) / (len(grams) * _RANKS)

    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The fit itself."""
        del text
        return float(fit[best])


def _ranked(padded: str) -> list[str]:
    """The most frequent sequences of a text, in the order of their frequency; of the same frequency, in that of the alphabet."""
    counts: Counter[str] = Counter()
    for word in padded.split():
        within = f" {word} "
        for length in range(1, LONGEST + 1):
            counts.update([within[at : at + length] for at in range(len(within) - length + 1)])
    del counts[" "]
    return sorted(counts, key=lambda gram: (-counts[gram], gram))[:_RANKS]
