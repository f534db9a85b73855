"""The words of a text as numbers, in a form in which words of two languages can be compared.

Straße  ->  strasse        12.000  ->  12000        ٣  ->  3        。  ->  .
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of

MAX_WORD = 64
"""Characters of a word that are looked at."""
LONG = 4
"""Letters of a long word."""
_NUMBER = re.compile(r"[\d.,'’٬٫ ]*\d[\d.,'’٬٫ ]*")
_MARKS = str.maketrans("。、；：？！（）「」『』《》«»„“”‟‚‘’‛–—―؟،؛।", '.,;:?!()""""""""""""\'\'\'\'---?,;.')


@functools.lru_cache(1 << 16)
def fold(word: str) -> str:
    """Bring a word to the form in which it is looked up: case-folded, compatible characters made equal."""
    word = word[:MAX_WORD]
    if word.isascii():
        folded = word.casefold()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold()).translate(_MARKS)
    if any(map(str.isdecimal, folded)) and _NUMBER.fullmatch(folded):
        return "".join(str(unicodedata.decimal(c)) for c in folded if c.isdecimal())
    return folded


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as numbers of its different folded words."""

    forms: list[str]
    """The different words, by number."""
    words: npt.NDArray[np.int32]
    """The different words of each sentence, sentence after sentence, in ascending order."""
    starts: Ints
    """Where the words of each sentence begin, and at the end where those of the last one end."""
    frequencies: Ints
    """How many sentences have each word."""
    long: Flags
    """Which words are numbers or have `LONG` letters or more: these are rare in any text."""

    def head(self, sentences: int) -> Encoded:
        """The first sentences alone; words have the same numbers."""
        starts = self.starts[: sentences + 1]
        words = self.words[: starts[-1]]
        return Encoded(self.forms, words, starts, np.bincount(words, minlength=len(self.forms)), self.long)


def encode(words: list[str], counts: Ints) -> Encoded:
    """Number the words of sentences, given how many each sentence has."""
    seen = dict.fromkeys(words)
    numbers: dict[str, int] = {}
    for word in seen:
        seen[word] = numbers.setdefault(fold(word), len(numbers))
    found = np.fromiter(map(seen.__getitem__, words), np.int64, len(words))
    return different(found, counts, list(numbers))


def different(found: Ints, counts: Ints, forms: list[str]) -> Encoded:
    """Leave out words that a sentence has already had."""
    size = max(len(forms), 1)
    rows = np.repeat(np.arange(len(counts)), counts)
    keys = rows * size + found
    keys.sort()
    keys = keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
    rows, found = np.divmod(keys, size)
    starts = starts_of(np.bincount(rows, minlength=len(counts)))
    long = np.fromiter((len(form) >= LONG or form.isdecimal() for form in forms), np.bool_, len(forms))
    return Encoded(forms, found.astype(np.int32), starts, np.bincount(found, minlength=len(forms)), long)
