"""The base of identifiers by profiles: a text is compared with the profiles of all languages in one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.identified import NOTHING, Identified
from gristmill.language.profile import Profile

_MAX_CHARACTERS = 2000  # more text does not change the answer
_MIN_CONFIDENCE, _MIN_CONFIDENCE_OF_GUESS = 0.5, 0.01


class ProfileIdentifier(ABC):
    """An identifier that knows the languages of its profiles and no other."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self.profiles = sorted(profiles, key=lambda profile: profile.lang)
        self._langs = [profile.lang for profile in self.profiles]

    @property
    def languages(self) -> frozenset[str]:
        """The languages of its profiles."""
        return frozenset(self._langs)

    @abstractmethod
    def fit(self, text: str) -> Floats:
        """Measure how well the text fits each profile: the higher, the better."""

    @abstractmethod
    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """The confidence from 0 to 1 in the profile that fits best."""

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify the language whose profile fits best; `und` for a text without letters, or without any profile."""
        return [self._identify(text[:_MAX_CHARACTERS], guess=guess) for text in texts]

    def _identify(self, text: str, *, guess: bool) -> Identified:
        if not self.profiles or not any(map(str.isalpha, text)):
            return NOTHING
        fit = self.fit(text)
        best = int(np.argmax(fit))
        confidence = self.confidence(fit, best, text)
        return (
            Identified(self._langs[best], confidence)
            if confidence >= (_MIN_CONFIDENCE_OF_GUESS if guess else _MIN_CONFIDENCE)
            else NOTHING
        )


class Table:
    """A matrix with a row for each n-gram and a column for each language; `missing` stands where a language lacks it.

    The columns {"a": 1.0} and {"a": 2.0, "b": 3.0} with `missing` 0 become the rows "a": [1, 2] and "b": [0, 3].
    """

    def __init__(self, columns: Sequence[Mapping[str, float]], missing: float) -> None:
        self._missing = missing
        self._places = {gram: row for row, gram in enumerate(sorted(set().union(*columns)))}
        self._values = np.full((len(self._places), len(columns)), missing)
        for number, column in enumerate(columns):
            self._values[[self._places[gram] for gram in column], number] = list(column.values())

    def sum(self, counts: Mapping[str, int]) -> Floats:
        """Sum up the numbers of a text's n-grams for each language, each as often as it occurs."""
        known = [(self._places[gram], count) for gram, count in counts.items() if gram in self._places]
        rest = (sum(counts.values()) - sum(count for _, count in known)) * self._missing
        if not known:
            return np.full(self._values.shape[1], float(rest))
        rows, weights = zip(*known, strict=True)
        return np.array(weights, np.float64) @ self._values[list(rows)] + rest

    def rows(self, grams: Sequence[str]) -> tuple[list[int], Floats]:
        """The positions of those n-grams that some language has, and the rows of these."""
        there = [at for at, gram in enumerate(grams) if gram in self._places]
        return there, self._values[[self._places[grams[at]] for at in there]]
