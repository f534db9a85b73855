"""Pairs of words that are known before anything is aligned: equal ones, cognates, and those of a given dictionary."""

from __future__ import annotations

import numpy as np

from gristmill.alignment.cognates import find_cognates
from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.evidence import Pairs

NUMBER_RATE = 0.8
NAME_RATE = 0.6
"""Equal words of four letters or more, most of which are names or borrowed."""
SHORT_RATE = 0.2
"""Equal short words, which may be different ones: German and English `die`."""
MARK_RATE = 0.4
"""Punctuation and signs."""
COGNATE_RATES = (0.15, 0.5)
"""Cognates that are just alike enough, and those that differ in nothing but accents or script."""
_LEAST_ALIKE = 0.6


def known_pairs(source: list[str], target: list[str], dictionary: Dictionary | None) -> Pairs:
    """Find all pairs of words of two texts that are known, by their numbers."""
    many = [_equal(source, target), _alike(source, target)]
    if dictionary is not None:
        many.append(Pairs(*dictionary.rates(source, target)))
    return Pairs.joined(*many)


def _equal(source: list[str], target: list[str]) -> Pairs:
    numbers = {word: number for number, word in enumerate(target)}
    found = [(number, numbers[word], _rate(word)) for number, word in enumerate(source) if word in numbers]
    return _pairs(found)


def _alike(source: list[str], target: list[str]) -> Pairs:
    low, high = COGNATE_RATES
    return _pairs(
        [
            (number, other, low + (high - low) * (alike - _LEAST_ALIKE) / (1 - _LEAST_ALIKE))
            for number, other, alike in find_cognates(source, target)
        ]
    )


def _rate(word: str) -> float:
    if word.isdecimal():
        return NUMBER_RATE
    if word.isalpha():
        return NAME_RATE if len(word) >= 4 else SHORT_RATE
    return NAME_RATE if any(map(str.isalnum, word)) else MARK_RATE


def _pairs(found: list[tuple[int, int, float]]) -> Pairs:
    if not found:
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    sources, targets, rates = zip(*found, strict=True)
    return Pairs(np.array(sources, np.int64), np.array(targets, np.int64), np.array(rates))
