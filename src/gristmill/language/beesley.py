"""Character pairs and their probabilities: Beesley, Language identifier (1988), which Victor (2008) has as `langid1`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.identifier import IDENTIFIERS
from gristmill.language.profile import Profile, padded_words
from gristmill.language.profiled import ProfileIdentifier, Table

_UNSEEN = 0.5  # how often a pair counts as seen that was not
_ALPHABET = 100  # different characters that may follow another one


@IDENTIFIERS.register("beesley")
class Beesley(ProfileIdentifier):
    """The product of the probabilities of each pair of characters, given the first of them."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        super().__init__(profiles)
        self._table = Table([_logarithms(profile) for profile in self.profiles], math.log(_UNSEEN / _ALPHABET))

    def fit(self, text: str) -> Floats:
        """The logarithm of the probability in each language, on average over the pairs of the text."""
        padded = padded_words(text)
        counts = Counter([padded[at : at + 2] for at in range(len(padded) - 1)])
        return self._table.sum(counts) / max(1, counts.total())

    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The probability of the language among all that are known, if all are as frequent; texts count by their square root.

        Pairs of characters are not independent of each other, as the product has it: longer texts would all be certain.
        """
        odds = np.exp((fit - fit[best]) * math.sqrt(len(text)) * 2)
        return float(1.0 / odds.sum())


def _logarithms(profile: Profile) -> dict[str, float]:
    pairs = profile.frequencies(2)
    firsts: Counter[str] = Counter()
    for pair, count in pairs.items():
        firsts[pair[0]] += count
    return {
        pair: math.log((count + _UNSEEN) / (firsts[pair[0]] + _UNSEEN * _ALPHABET)) for pair, count in pairs.items()
    }
