"""Words as filters count them, word lists of users, and the most frequent words of languages."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np

from gristmill.errors import UsageError
from gristmill.language import stop_list
from gristmill.language.stoplist import word_frequencies
from gristmill.text.characters import characters_are
from gristmill.text.scripts import unspaced_codes
from gristmill.text.units import utf16

ENGLISH = "en"
NOT_JUDGED = "not judged: words are not separated in this script"
_ELIDING_LANGUAGES = frozenset("ca fr it oc".split())  # an apostrophe stands between two words: l'eau
_MARKS = "".join(sign for sign in map(chr, range(0x3100)) if unicodedata.category(sign)[0] in "PS")


def words_of(text: str, lang: str = "") -> list[str]:
    """Return the words of a text, in lower case, without the punctuation around them."""
    return [word for item in _items(text, lang) if (word := item if item.isalpha() else item.strip(_MARKS))]


def is_unspaced(text: str) -> bool:
    """Tell whether most letters of a text are of scripts without spaces, so that its words can't be found."""
    if text.isascii():
        return False
    codes = utf16(text)
    return bool(2 * np.count_nonzero(unspaced_codes()[codes]) > np.count_nonzero(characters_are("L", "M", "N")[codes]))


def read_list(path: str, *, comments: bool = False) -> frozenset[tuple[str, ...]]:
    """Read a word list with an entry a line, each as a tuple of its words; raises `UsageError` if there are none.

    With `comments`, lines that begin with `#` are left out.
    """
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(f"can't read the word list {path}: {why}") from error
    entries = frozenset(tuple(words_of(line)) for line in lines if not (comments and line.startswith("#"))) - {()}
    if not entries:
        raise UsageError(f"there are no words in the list {path}")
    return entries


def count_words(text: str, lang: str = "") -> Counter[str]:
    """Count the words of a text; faster than to count `words_of`, since punctuation is removed once for equal items."""
    counts = Counter(_items(text, lang))
    for item in [item for item in counts if not item.isalpha()]:
        word = item.strip(_MARKS)
        if word != item:
            number = counts.pop(item)
            if word:
                counts[word] += number
    return counts


def _items(text: str, lang: str) -> list[str]:
    """Split a text into words with the punctuation around them, in lower case."""
    text = text.lower().replace("’", "'")
    return (text.replace("'", " ") if lang in _ELIDING_LANGUAGES else text).split()


@functools.cache
def frequent_words(lang: str, english: int) -> tuple[str, ...]:
    """Return the most frequent words of a language, the most frequent first; empty if there is no list of them.

    There are so many that they are as large a part of running text as the `english` most frequent words are in English:
    in a language with many forms of each word, a fixed number would be a smaller part.
    """
    ranked = _ranked(lang)
    if lang == ENGLISH or not ranked or not ranked[0][1]:
        return tuple(word for word, _ in ranked[: english if ranked and ranked[0][1] else None])
    wanted = sum(frequency for _, frequency in _ranked(ENGLISH)[:english])
    covered = itertools.accumulate((frequency for _, frequency in ranked), initial=0.0)
    frequent = [
        word for (word, frequency), before in zip(ranked, covered, strict=False) if frequency and before < wanted
    ]
    # Serbian: frequencies are known for one of its two scripts.
    in_other_script = [word for word, frequency in ranked if not frequency]
    return (*frequent, *in_other_script)


@functools.cache
def _ranked(lang: str) -> list[tuple[str, float]]:
    """Return the words of the stop list with their frequencies, the most frequent first; 0 if they are not known."""
    words = {word.lower() for word in stop_list(lang)}
    known = word_frequencies(lang) if words else {}
    return sorted(((word, known.get(word, 0.0)) for word in words), key=lambda item: (-item[1], item[0]))
