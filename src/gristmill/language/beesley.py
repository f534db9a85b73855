"""Identify languages by the probabilities of character pairs: Beesley, Language identifier (1988).

Victor (2008) has it as `langid1`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.profile import Profile, padded_words
from gristmill.language.profiled import ProfileIdentifier, Table
from gristmill.registry import part

_UNSEEN_COUNT = 0.5  # of a pair that does not occur in the sample (additive smoothing)
_ALPHABET_SIZE = 100  # different characters that may follow another one
UNSEEN = math.log(_UNSEEN_COUNT / _ALPHABET_SIZE)
"""The logarithm of the probability of a pair that a profile does not have."""


@part("language identifier", "beesley")
class Beesley(ProfileIdentifier):
    """An identifier that multiplies the probabilities of all pairs of characters, given the first of each."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        super().__init__(profiles)
        self._table = Table([logarithms(profile) for profile in self.profiles], UNSEEN)

    def fit(self, text: str) -> Floats:
        """The log probability of the text in each language, as a mean over its pairs."""
        padded = padded_words(text)
        counts = Counter([padded[at : at + 2] for at in range(len(padded) - 1)])
        return self._table.sum(counts) / max(1, counts.total())

    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The probability of the language among all known ones, if all are equally frequent.

        The length of the text counts by its square root: pairs of characters are not independent of each other, as the
        product assumes, so that otherwise all longer texts would be certain.
        """
        odds = np.exp((fit - fit[best]) * math.sqrt(len(text)) * 2)
        return float(1.0 / odds.sum())


def logarithms(profile: Profile) -> dict[str, float]:
    """Return the logarithm of the probability of each pair of characters of a profile, given the first."""
    pairs = profile.frequencies(2)
    firsts: Counter[str] = Counter()
    for pair, count in pairs.items():
        firsts[pair[0]] += count
    return {
        pair: math.log((count + _UNSEEN_COUNT) / (firsts[pair[0]] + _UNSEEN_COUNT * _ALPHABET_SIZE))
        for pair, count in pairs.items()
    }
