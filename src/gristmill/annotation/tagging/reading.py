"""What the tagger reads off a word before it has a tag: traits for the kernel, and its lemmas by the dictionary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.tagging.dictionary import Dictionary
from gristmill.annotation.tagging.lemmas import Candidates
from gristmill.annotation.tagging.words import MAX_CHARACTERS, lowered

_IS_WORD, _IS_LONG, _IS_CAPITAL = 1, 2, 4  # as in the kernel
_MIN_LONG = 4


def traits_of(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the traits of words, by which the kernel tells where their case says nothing."""
    return np.array(
        [
            (_IS_WORD if word.isalnum() or any(map(str.isalnum, word)) else 0)
            | (_IS_LONG if len(word) >= _MIN_LONG and word.isalpha() else 0)
            | (_IS_CAPITAL if word[:1].isupper() else 0)
            for word in words
        ],
        np.uint8,
    )


def candidates_of(words: Sequence[str], entries: NDArray[np.int32], dictionary: Dictionary) -> list[Candidates]:
    """Return the lemmas that the dictionary has for words, given their entries as the kernel finds them."""
    return [
        candidates(word, found, dictionary) if len(word) <= MAX_CHARACTERS else Candidates("", "", "")
        for word, found in zip(words, entries.tolist(), strict=True)
    ]


def candidates(word: str, entries: Sequence[int], dictionary: Dictionary) -> Candidates:
    """Return the lemmas that the dictionary has for one word."""
    lower, capital, tail, at = entries
    form = lowered(word)
    return Candidates(
        dictionary.lemma(lower, form) if lower >= 0 else "",
        dictionary.lemma(capital, form) if capital >= 0 else "",
        form[:at] + dictionary.lemma(tail, form[at:]) if tail >= 0 else "",
    )
