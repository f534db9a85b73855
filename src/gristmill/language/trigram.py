"""Identify languages by the cosine similarity of character trigrams (Pomikálek 2011, section 3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.profile import Profile, padded_words
from gristmill.language.profiled import ProfileIdentifier, Table
from gristmill.registry import part

MIN_SIMILARITY = 0.6
"""The threshold of the thesis, for whole documents."""


@part("language identifier", "trigram")
class Trigram(ProfileIdentifier):
    """An identifier by the cosine of the angle between the trigram frequencies of a text and of a language."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        super().__init__(profiles)
        self._table = Table([_unit(profile.frequencies(3)) for profile in self.profiles], 0.0)

    def fit(self, text: str) -> Floats:
        """The similarity of the text to each language, from 0 to 1."""
        padded = padded_words(text)
        counts = Counter([padded[at : at + 3] for at in range(len(padded) - 2) if padded[at + 1] != " "])
        norm = float(np.sqrt(sum(count * count for count in counts.values())))
        return self._table.sum(counts) / (norm or 1.0)

    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The similarity, scaled so that the threshold of the thesis has a confidence of 0.5: more than a guess."""
        del text
        return float(min(1.0, fit[best] * 0.5 / MIN_SIMILARITY))


def _unit(frequencies: dict[str, int]) -> dict[str, float]:
    norm = float(np.sqrt(sum(count * count for count in frequencies.values()))) or 1.0
    return {gram: count / norm for gram, count in frequencies.items()}
