"""Learn the profile of a language from a sample of its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from gristmill.errors import UsageError
from gristmill.language.beesley import Beesley
from gristmill.language.cld2 import Cld2
from gristmill.language.identified import UNKNOWN
from gristmill.language.profile import Profile, profile, word_counts

LEAST = 1000
"""Characters in words that a sample must have; ten times as many are better."""
_WINDOWS = 40  # of each length, at even distances
_LENGTHS = (20, 50, 100, 200)
_MOST = 1_000_000  # characters; more text does not make a better profile
_LEAST_DEVIATION = 1.0  # real languages have 1.0 to 1.7; less means that the sample repeats itself
_RIVAL = 0.005  # of the windows of a sample that the library takes for a language


def train(lang: str, text: str) -> Profile:
    """The profile of a language, and what is needed to tell it from those that a library knows.

    The same text gives the same profile.
    """
    words = " ".join(
        dict.fromkeys(text[:_MOST].splitlines())
    ).split()  # what is repeated would seem to be the language's way
    middle = len(words) // 2
    halves = [" ".join(words[:middle]), " ".join(words[middle:])]
    counts = word_counts(" ".join(halves))
    size = sum(len(word) * count for word, count in counts.items())
    if size < LEAST:
        raise UsageError(f"the sample has {size:,} letters; a language can't be learned from fewer than {LEAST:,}")
    return profile(lang, counts, _fits(lang, halves), _rivals(lang, " ".join(halves)))


def _fits(lang: str, halves: list[str]) -> tuple[float, float]:
    """How well each half of the sample fits the profile of the other: the mean over windows, and the deviation for one character."""
    fits: list[tuple[int, float]] = []
    for own, other in (halves, halves[::-1]):
        identifier = Beesley([profile(lang, word_counts(own))])
        fits += [
            (len(window), float(identifier.fit(window)[0]))
            for length in (50, 100)
            for window in windows(other, length, _WINDOWS)
        ]
    lengths, values = np.array(fits).T
    mean = float(values.mean())
    return mean, max(_LEAST_DEVIATION, float(np.sqrt(np.mean((values - mean) ** 2 * lengths))))


def _rivals(lang: str, text: str) -> list[str]:
    """The languages that the library takes parts of the sample for."""
    parts = [window for length in _LENGTHS for window in windows(text, length, _WINDOWS)]
    found = Counter(answer.lang for answer in Cld2().identify_all(parts, guess=False))
    return sorted(
        rival for rival, count in found.items() if count >= _RIVAL * len(parts) and rival not in {UNKNOWN, lang}
    )


def windows(text: str, length: int, number: int) -> Iterator[str]:
    """Parts of a text at even distances, from the beginning of a word to the end of one, if words are not too long."""
    for at in range(0, max(1, len(text) - length), max(1, (len(text) - length) // number)):
        start = text.find(" ", at, at + length) + 1 if at else 0
        part = text[start or at : (start or at) + length]
        end = part.rfind(" ")
        yield part[:end] if end > length // 2 else part
