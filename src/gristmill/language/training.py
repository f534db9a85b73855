"""Learn the profile of a language from a sample of its text, for `gristmill train language`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from gristmill.config import DEFAULT_IDENTIFIER
from gristmill.errors import UsageError
from gristmill.language.beesley import Beesley
from gristmill.language.identified import UNKNOWN
from gristmill.language.identifier import IDENTIFIERS
from gristmill.language.profile import Profile, profile, word_counts

MIN_LETTERS = 1000
"""The letters that a sample must have; ten times as many are better."""
_WINDOWS_PER_LENGTH = 40  # evenly spaced
_WINDOW_CHARACTERS = (20, 50, 100, 200)
_MAX_CHARACTERS = 1_000_000  # more text does not make a better profile
_MIN_DEVIATION = 1.0  # real languages have 1.0 to 1.7; less means that the sample repeats itself
_MIN_RIVAL_SHARE = 0.005  # of the windows of a sample, which the library takes for a language


def train(lang: str, text: str) -> Profile:
    """Learn the profile of a language, with what distinguishes it from languages that the default identifier knows.

    The same text gives the same profile.
    """
    # Each line counts once: what a sample repeats is not typical of the language.
    words = " ".join(dict.fromkeys(text[:_MAX_CHARACTERS].splitlines())).split()
    middle = len(words) // 2
    halves = [" ".join(words[:middle]), " ".join(words[middle:])]
    counts = word_counts(" ".join(halves))
    size = sum(len(word) * count for word, count in counts.items())
    if size < MIN_LETTERS:
        raise UsageError(
            f"the sample has {size:,} letters; a language can't be learned from fewer than {MIN_LETTERS:,}"
        )
    return profile(lang, counts, _fits(lang, halves), _rivals(lang, " ".join(halves)))


def _fits(lang: str, halves: list[str]) -> tuple[float, float]:
    """Measure how well each half of the sample fits the profile of the other.

    Gives the mean over windows, and the standard deviation for one character.
    """
    fits: list[tuple[int, float]] = []
    for own, other in (halves, halves[::-1]):
        identifier = Beesley([profile(lang, word_counts(own))])
        fits += [
            (len(window), float(identifier.fit(window)[0]))
            for length in (50, 100)
            for window in windows(other, length, _WINDOWS_PER_LENGTH)
        ]
    lengths, values = np.array(fits).T
    mean = float(values.mean())
    return mean, max(_MIN_DEVIATION, float(np.sqrt(np.mean((values - mean) ** 2 * lengths))))


def _rivals(lang: str, text: str) -> list[str]:
    """The languages that the default identifier takes parts of the sample for."""
    parts = [window for length in _WINDOW_CHARACTERS for window in windows(text, length, _WINDOWS_PER_LENGTH)]
    found = Counter(answer.lang for answer in IDENTIFIERS[DEFAULT_IDENTIFIER](()).identify_all(parts, guess=False))
    return sorted(
        rival
        for rival, count in found.items()
        if count >= _MIN_RIVAL_SHARE * len(parts) and rival not in {UNKNOWN, lang}
    )


def windows(text: str, length: int, number: int) -> Iterator[str]:
    """Evenly spaced parts of a text, from the beginning of a word to the end of one if words are not too long."""
    for at in range(0, max(1, len(text) - length), max(1, (len(text) - length) // number)):
        start = text.find(" ", at, at + length) + 1 if at else 0
        part = text[start or at : (start or at) + length]
        end = part.rfind(" ")
        yield part[:end] if end > length // 2 else part
