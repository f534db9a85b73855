"""What our own identifiers have in common: languages known by their profiles, all looked at in one pass over a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.language.identified import NOTHING, Identified
from gristmill.language.profile import Profile

_ENOUGH = 2000  # characters: more text does not change the answer
_SURE, _LEAST = 0.5, 0.01  # confidence: of more than a guess, and of a guess at all


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
        """How well the text fits each profile: the higher, the better."""

    @abstractmethod
    def confidence(self, fit: Floats, best: int, text: str) -> float:
        """How sure it is of the profile that fits best."""

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """The language whose profile fits best; `und` for a text without letters, or if there is no profile at all."""
        return [self._identify(text[:_ENOUGH], guess=guess) for text in texts]

    def _identify(self, text: str, *, guess: bool) -> Identified:
        if not self.profiles or not any(map(str.isalpha, text)):
            return NOTHING
        fit = self.fit(text)
        best = int(np.argmax(fit))
        confidence = self.confidence(fit, best, text)
        return Identified(self._langs[best], confidence) if confidence >= (_LEAST if guess else _SURE) else NOTHING


class Table:
    """A number for each sequence of characters in each language, and another for what a language does not have."""

    def __init__(self, columns: Sequence[Mapping[str, float]], missing: float) -> None:
        self._missing = missing
        self._places = {gram: row for row, gram in enumerate(sorted(set().union(*columns)))}
        self._values = np.full((len(self._places), len(columns)), missing)
        for number, column in enumerate(columns):
            self._values[[self._places[gram] for gram in column], number] = list(column.values())

    def sum(self, counts: Mapping[str, int]) -> Floats:
        """The sum over the sequences of a text, each as often as it occurs."""
        known = [(self._places[gram], count) for gram, count in counts.items() if gram in self._places]
        rest = (sum(counts.values()) - sum(count for _, count in known)) * self._missing
        if not known:
            return np.full(self._values.shape[1], float(rest))
        rows, weights = zip(*known, strict=True)
        return np.array(weights, np.float64) @ self._values[list(rows)] + rest

    def rows(self, grams: Sequence[str]) -> tuple[list[int], Floats]:
        """Which of the sequences any language has, and their numbers in each."""
        there = [at for at, gram in enumerate(grams) if gram in self._places]
        return there, self._values[[self._places[grams[at]] for at in there]]
