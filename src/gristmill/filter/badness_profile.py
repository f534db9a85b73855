"""Profiles of languages for the filter `badness`: how frequent the most frequent words are in texts, and how evenly.

A profile has a few words (ten, in texrex), each with the mean and the standard deviation of the decimal logarithm of
its relative frequency in texts of the language. The badness of a text is a sum over these words: how many standard
deviations the logarithm of its frequency there is below the mean, and at most `LIMIT`; a word that is not there counts
`LIMIT`. A word that is more frequent than usual counts nothing. So badness is from 0 to 50, and running text has little
(Schäfer, Barbaresi & Bildhauer 2013, "The Good, the Bad, and the Hazy"; the limit of 5 is that of texrex's profiles).

Profiles are written as texrex writes them, so that its profiles can be used: `word|mean|deviation|limit`, a line each.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from gristmill.errors import UsageError
from gristmill.filter.words import count_words

WORDS = 10
LIMIT = 5.0
MIN_TEXTS = 20
"""Fewer texts say nothing of how frequencies vary."""
_MIN_DEVIATION = 0.01
"""Of a word that is equally frequent in all texts: any difference would be endless."""
_SHIPPED = "badness_profiles.txt"


@dataclass(frozen=True, slots=True)
class Expected:
    """A word of a profile: mean and deviation of the logarithm of its frequency, and what it counts at most."""

    word: str
    mean: float
    deviation: float
    limit: float = LIMIT


@dataclass(frozen=True, slots=True)
class Profile:
    """What is expected of the most frequent words of a language."""

    words: tuple[Expected, ...]

    def badness(self, counts: Mapping[str, int]) -> float:
        """Add up how much rarer the words are than expected, given how often each word of a text occurs."""
        total = sum(counts.values())
        found = 0.0
        for expected in self.words:
            count = counts.get(expected.word, 0)
            below = (expected.mean - math.log10(count / total)) / expected.deviation if count else expected.limit
            found += min(max(below, 0.0), expected.limit)
        return found

    def to_text(self) -> str:
        """Write the profile."""
        return "".join(f"{one.word}|{one.mean:.4f}|{one.deviation:.4f}|{one.limit:g}\n" for one in self.words)

    @classmethod
    def from_lines(cls, lines: Iterable[str], name: str) -> Profile:
        """Read a profile; lines that begin with # or ! are passed over. Raises `UsageError` if it is none."""
        words = []
        for line in lines:
            if not line.strip() or line[0] in "#!":
                continue
            fields = line.strip().split("|")
            try:
                word, mean, deviation, limit = fields[0], *map(float, fields[1:])
            except ValueError as error:
                raise _no_profile(name, line) from error
            if not word or not all(map(math.isfinite, (mean, deviation, limit))) or deviation <= 0 or limit < 0:
                raise _no_profile(name, line)
            words.append(Expected(word.lower(), mean, deviation, limit))
        if not words:
            raise UsageError(f"there are no words in the profile {name}")
        return cls(tuple(words))

    @classmethod
    def load(cls, path: str) -> Profile:
        """Read the profile in a file."""
        try:
            return cls.from_lines(Path(path).read_text("utf-8-sig").splitlines(), path)
        except (OSError, UnicodeDecodeError) as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise UsageError(f"can't read the profile {path}: {why}") from error


def _no_profile(name: str, line: str) -> UsageError:
    form = "WORD|MEAN|DEVIATION|LIMIT"
    return UsageError(f"{name} is no profile of frequent words, which has lines {form}: {line[:80]!r}")


def train_profile(texts: Iterable[str], lang: str = "", words: int = WORDS) -> Profile:
    """Learn a profile from texts of a language: its most frequent words, those that are in most texts first of equals.

    A text in which a word does not occur says nothing of its mean and deviation, as its logarithm is not known. Only
    words of letters count.
    """
    counted = [counts for text in texts if (counts := count_words(text, lang)).total()]
    if len(counted) < MIN_TEXTS:
        raise UsageError(
            f"there are {len(counted)} texts, and at least {MIN_TEXTS} are needed; some hundred are better"
        )
    shares: Counter[str] = Counter()
    for counts in counted:
        total = counts.total()
        for word, count in counts.items():
            if word.isalpha():
                shares[word] += count / total  # type: ignore[assignment]  # a Counter of fractions
    ranked = sorted(shares, key=lambda word: (-shares[word], word))
    return Profile(tuple(_expected(word, counted) for word in ranked[:words]))


def _expected(word: str, counted: Sequence[Counter[str]]) -> Expected:
    logarithms = [math.log10(counts[word] / counts.total()) for counts in counted if counts[word]]
    mean = math.fsum(logarithms) / len(logarithms)
    variance = math.fsum((value - mean) ** 2 for value in logarithms) / max(len(logarithms) - 1, 1)
    return Expected(word, round(mean, 4), round(max(math.sqrt(variance), _MIN_DEVIATION), 4))


@functools.cache
def shipped_profiles() -> Mapping[str, Profile]:
    """Read the profiles that come with Gristmill, by language; lines `[xx]` begin that of a language."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in resources.files(__package__).joinpath(_SHIPPED).read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        else:
            lines.append(line)
    return {lang: Profile.from_lines(some, _SHIPPED) for lang, some in found.items()}
