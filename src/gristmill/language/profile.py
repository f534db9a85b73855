"""The profile of a language: the counts of its character n-grams, for n from 1 to 5.

It is learned from a sample of text or from a list of words with their frequencies. Both serve, as n-grams stay within a
word, with a space before and after it (Cavnar and Trenkle 1994). All identifiers but those of libraries use profiles.
"""

from __future__ import annotations

import functools
import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.errors import UsageError
from gristmill.shards import write_atomically
from gristmill.text.words import find_words

MAX_GRAM_CHARACTERS = 5
_MAX_GRAMS_PER_LENGTH = 4000
# What is longer is no word, or a sentence in a script without spaces, of which this is enough.
_MAX_WORD_CHARACTERS = 40
_MAX_LISTED_WORDS = 5000  # of a language's word list: what is rarer changes little
SUFFIX = ".language.npz"


@dataclass(frozen=True, slots=True)
class Profile:
    """The n-grams of a language and their counts, the most frequent first."""

    lang: str
    grams: npt.NDArray[np.str_]
    counts: npt.NDArray[np.int64]
    fits: npt.NDArray[np.float64]
    """The fit of other text of the language: the mean, and the standard deviation for one character (`training.py`)."""
    rivals: npt.NDArray[np.str_]
    """The languages that a library takes text of this language for."""

    def frequencies(self, length: int) -> dict[str, int]:
        """The n-grams of one length, with their counts."""
        return {
            gram: count
            for gram, count in zip(self.grams.tolist(), self.counts.tolist(), strict=True)
            if len(gram) == length
        }

    def save(self, path: Path) -> None:
        """Write the profile; the same profile gives the same bytes, as numpy dates all parts of a file 1980."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, allow_pickle=False, grams=self.grams, counts=self.counts, fits=self.fits, rivals=self.rivals
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Profile:
        """Read a profile that `save` has written; its language is the beginning of the file's name."""
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
                return cls(
                    path.name.removesuffix(SUFFIX), arrays["grams"], arrays["counts"], arrays["fits"], arrays["rivals"]
                )
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} is not a file of `gristmill train language`, or it is damaged") from error


def profile(
    lang: str, frequencies: Mapping[str, int], fits: Sequence[float] = (0.0, 0.0), rivals: Sequence[str] = ()
) -> Profile:
    """Make the profile of a language from its words and their counts."""
    counters: list[Counter[str]] = [Counter() for _ in range(MAX_GRAM_CHARACTERS)]
    for word, count in frequencies.items():
        padded = f" {word} "
        for length, counter in enumerate(counters, 1):
            for at in range(len(padded) - length + 1):
                counter[padded[at : at + length]] += count
    del counters[0][" "]
    found = [item for counter in counters for item in sorted(counter.items(), key=_by_count)[:_MAX_GRAMS_PER_LENGTH]]
    found.sort(key=_by_count)
    grams = np.array([gram for gram, _ in found], f"<U{MAX_GRAM_CHARACTERS}")
    counts = np.array([count for _, count in found], np.int64)
    return Profile(lang, grams, counts, np.array(fits, np.float64), np.array(rivals, "<U8"))


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def padded_words(text: str) -> str:
    """The words of a text in lower case, with a space before, after and between them."""
    return f" {' '.join([word[:_MAX_WORD_CHARACTERS] for word in find_words(text.lower())])} "


def word_counts(text: str) -> dict[str, int]:
    """Count the words of a text, in lower case and truncated to 40 characters."""
    return Counter(padded_words(text).split())


@functools.cache
def profile_of_library(lang: str) -> Profile | None:
    """Make the profile of a language from the frequencies of its words in wordfreq; None if it does not have them."""
    from gristmill.language.stoplist import word_frequencies  # noqa: PLC0415 (slow, and not always needed)

    frequencies = sorted(word_frequencies(lang).items(), key=lambda entry: (-entry[1], entry[0]))[:_MAX_LISTED_WORDS]
    return profile(lang, {word: round(share * 1e8) for word, share in frequencies}) if frequencies else None
