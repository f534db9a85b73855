"""The profile of a language: how often each sequence of one to five characters occurs, learned from a sample or a list of words.

Sequences stay within a word, with a blank before and after it, as Cavnar and Trenkle (1994) have it: so a list of words
with their frequencies makes as good a profile as running text. The same profile serves all identifiers of our own.
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

LONGEST = 5
_MOST = 4000  # sequences of each length
_LONGEST_WORD = (
    40  # characters; what is longer is no word, or a sentence in a script without spaces, of which this is enough
)
_MOST_WORDS = 5000  # of a language's list: what is rarer changes little
SUFFIX = ".language.npz"


@dataclass(frozen=True, slots=True)
class Profile:
    """A language's sequences of characters and how often each occurred, the most frequent first."""

    lang: str
    grams: npt.NDArray[np.str_]
    counts: npt.NDArray[np.int64]
    fits: npt.NDArray[np.float64]
    """How well other text of the language fits the profile: the mean, and the deviation for one character (`training.py`)."""
    rivals: npt.NDArray[np.str_]
    """The languages that a library takes text of the language for."""

    def frequencies(self, length: int) -> dict[str, int]:
        """The sequences of one length."""
        return {
            gram: count
            for gram, count in zip(self.grams.tolist(), self.counts.tolist(), strict=True)
            if len(gram) == length
        }

    def save(self, path: Path) -> None:
        """Write the profile; the same profile gives the same bytes: numpy dates all parts of a file 1980."""
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
    """The profile of a language by its words and how often each occurs."""
    counters: list[Counter[str]] = [Counter() for _ in range(LONGEST)]
    for word, count in frequencies.items():
        padded = f" {word} "
        for length, counter in enumerate(counters, 1):
            for at in range(len(padded) - length + 1):
                counter[padded[at : at + length]] += count
    del counters[0][" "]
    found = [item for counter in counters for item in sorted(counter.items(), key=_by_count)[:_MOST]]
    found.sort(key=_by_count)
    grams = np.array([gram for gram, _ in found], f"<U{LONGEST}")
    counts = np.array([count for _, count in found], np.int64)
    return Profile(lang, grams, counts, np.array(fits, np.float64), np.array(rivals, "<U8"))


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def padded_words(text: str) -> str:
    """The words of a text in lower case, a blank before, after and between them."""
    return f" {' '.join([word[:_LONGEST_WORD] for word in find_words(text.lower())])} "


def word_counts(text: str) -> dict[str, int]:
    """How often each word of a text occurs, as far as it is no longer than a word can be."""
    return Counter(padded_words(text).split())


@functools.cache
def profile_of_library(lang: str) -> Profile | None:
    """The profile of a language by the frequencies of its words in wordfreq; None if they are not there."""
    from gristmill.language.stoplist import word_frequencies  # noqa: PLC0415 (half of a short command's time, and not always needed)

    frequencies = sorted(word_frequencies(lang).items(), key=lambda entry: (-entry[1], entry[0]))[:_MOST_WORDS]
    return profile(lang, {word: round(share * 1e8) for word, share in frequencies}) if frequencies else None
