"""Word lists as a lexicon of word segmentation: hashes of words, each with the class of its frequency in each list."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import msgpack
import numpy as np
import numpy.typing as npt
import wordfreq

from gristmill.errors import UsageError
from gristmill.kernel import word_hash
from gristmill.text.scripts import SEGMENTED

MAX_LISTS = 2
_LOWEST = -9.5  # logarithm of the frequency, to base 10, of the first class
_LAST_CLASS = 15
_CLASSES_PER_DECADE = 1

WordList = Mapping[str, float]
"""The frequency of each word, as a part of all words."""


def words_of(lang: str) -> WordList:
    """The words of a language and how frequent they are, by wordfreq; empty if it does not have the language."""
    return wordfreq.get_frequency_dict(lang, "best") if lang in wordfreq.available_languages("best") else {}


def read_words(path: Path) -> WordList:
    """Read a list with a word and its number on each line, a tab or blank between them; the number may be missing."""
    counts: dict[str, float] = {}
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"can't read the word list {path}: {getattr(error, 'strerror', None) or error}") from error
    for line in lines:
        word, *rest = line.split()[:2] or [""]
        count = float(rest[0]) if rest and re.fullmatch(r"\d{1,18}(?:\.\d{1,18})?", rest[0]) else 1.0
        counts[word] = counts.get(word, 0.0) + count
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items() if word and count}


def make_lexicon(
    lists: Sequence[WordList], folds: Mapping[int, int], longest: int, most: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Make a lexicon of the most frequent words that have up to so many characters: ascending hashes, and classes.

    A word has four bits for each list: 0 if it is not in it, else a class for each power of ten of its frequency.
    """
    native = re.compile(f"[{SEGMENTED}]")
    classes: dict[int, int] = {}
    order: dict[int, float] = {}
    for number, words in enumerate(lists[:MAX_LISTS]):
        for word, frequency in words.items():
            if len(word) <= longest and native.match(word):
                key = word_hash(word.translate(folds))
                shift = 4 * number
                known = classes.get(key, 0)
                found = max(known >> shift & _LAST_CLASS, _class_of(frequency))
                classes[key] = known & ~(_LAST_CLASS << shift) | found << shift
                order[key] = max(order.get(key, 0.0), frequency)
    kept = sorted(sorted(classes, key=lambda key: (-order[key], key))[:most])
    return np.array(kept, np.uint32), np.array([classes[key] for key in kept], np.uint8)


def _class_of(frequency: float) -> int:
    return min(_LAST_CLASS, max(1, math.ceil((math.log10(frequency) - _LOWEST) * _CLASSES_PER_DECADE)))


def simplified() -> dict[int, int]:
    """Traditional Chinese characters and the simplified ones for them, as wordfreq has them (from OpenCC)."""
    path = resources.files("wordfreq").joinpath("data", "_chinese_mapping.msgpack.gz")
    table = msgpack.unpackb(gzip.decompress(path.read_bytes()), strict_map_key=False)
    pairs = {int(key): ord(value) if isinstance(value, str) else int(value) for key, value in table.items()}
    return {key: value for key, value in sorted(pairs.items()) if max(key, value) < 1 << 16}
