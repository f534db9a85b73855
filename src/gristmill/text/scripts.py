"""Scripts that put no spaces between words: the one table of them, and what others make of it.

A text in such a script has no words to count, so its words are counted by characters: about as many of them make a word
as the Universal Declaration of Human Rights has for each word of its English text.

Ranges of characters are written as inside of a class of a regular expression: `"\u0e01-\u0e3a\u0e40-\u0e4e"`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Bytes, Codes, Flags
from gristmill.text.units import UNITS, first_halves


class Script(NamedTuple):
    """A script without spaces, or several that are much alike."""

    letters: str
    """Letters and the marks on them, which words are made of."""
    signs: str
    """Digits, punctuation and gaps between the letters: they count as text of the script."""
    characters_per_word: int
    """How many characters a word has on average."""


# Blocks of Unicode that are needed by themselves.
UNIFIED_IDEOGRAPHS = "\u4e00-\u9fff"
_EXTENSION_A, _COMPATIBILITY_IDEOGRAPHS = "\u3400-\u4dbf", "\uf900-\ufaff"
_IDEOGRAPHIC_PLANES = "\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff"
_HALF_WIDTH_KANA = "\uff66-\uff9f"
CJK_PUNCTUATION = "\u3000-\u303f"
_HEXAGRAMS = "\u4dc0-\u4dff"
FULL_WIDTH = "\uff00-\uff65"
"""Letters, digits and punctuation of ASCII as wide as a Han character, and half-width punctuation."""

_HAN = Script(f"\u3005-\u3007{_EXTENSION_A}{UNIFIED_IDEOGRAPHS}{_COMPATIBILITY_IDEOGRAPHS}{_IDEOGRAPHIC_PLANES}", "", 2)
_KANA = Script(
    f"\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff{_HALF_WIDTH_KANA}",
    "\u3040\u3097-\u3098\u30a0\u30fb",
    2,
)
_BOPOMOFO = Script("\u3105-\u312f\u31a0-\u31bf", "", 2)
_YI = Script("\ua000-\ua48f", "", 2)
_THAI = Script("\u0e01-\u0e3a\u0e40-\u0e4e", "\u0e3b-\u0e3f\u0e4f-\u0e5b", 5)
_LAO = Script("\u0e81-\u0ece\u0edc-\u0edf", "\u0ecf-\u0edb\u0ee0-\u0eff", 5)
_KHMER = Script("\u1780-\u17d3\u17d7\u17dc-\u17dd", "\u17d4-\u17d6\u17d8-\u17db\u17de-\u17ff", 5)
_TAI = Script("\u1950-\u1974\u1980-\u19c9\u1a20-\u1a7c", "\u1975-\u197f\u19ca-\u19df\u1a7d-\u1aaf", 5)
_MYANMAR = Script("\u1000-\u103f\u1050-\u109d\ua9e0-\ua9fe\uaa60-\uaa7f", "\u1040-\u104f\u109e-\u109f\ua9ff", 6)
_TIBETAN = Script(  # the signs are with the mark between syllables, without those between phrases
    "\u0f40-\u0fbc", "\u0f00\u0f0b-\u0f0c\u0f18-\u0f39\u0f3e-\u0f3f", 6
)
_JAVANESE_AND_BALINESE = Script("\ua980-\ua9c0\u1b00-\u1b59", "\ua9d0-\ua9d9", 6)

_SEGMENTED = (_HAN, _KANA, _BOPOMOFO, _THAI, _LAO, _KHMER, _TAI, _MYANMAR, _TIBETAN)
_SCRIPTS = (*_SEGMENTED, _YI, _JAVANESE_AND_BALINESE)
# Radicals, Hangzhou numerals, repetition marks of kana, Tai Viet, old kana: so rare in running text that no word count
# knows them.
_RARE_LETTERS = "\u2e80-\u2fd5\u3021-\u3029\u3031-\u3035\u3038-\u303c\uaa80-\uaadd\U0001b000-\U0001b16f"

UNSPACED = "".join(script.letters + script.signs for script in _SCRIPTS)
"""All characters of scripts without spaces."""
SEGMENTED = "".join(script.letters for script in _SEGMENTED) + _RARE_LETTERS
"""Letters of the scripts without spaces that are segmented into words (or else characters) when text is annotated."""
COMMON_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
    f"{KANA}{_EXTENSION_A}{UNIFIED_IDEOGRAPHS}{_COMPATIBILITY_IDEOGRAPHS}{_IDEOGRAPHIC_PLANES}"
)
"""The main blocks of Thai, Lao, Burmese, Khmer, Japanese and Chinese: most text that is in a script without spaces."""
COMMON_UNSPACED_AND_SIGNS = f"{COMMON_UNSPACED}{CJK_PUNCTUATION}{_HEXAGRAMS}{FULL_WIDTH}"
"""The main blocks, with the wide punctuation that goes with them."""
PRINTED_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uf900-\ufaff\uff00-\uffef"
"""What stands among characters of such a script and is joined without a space: also enclosed letters, Hangul jamo."""
MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u17b4-\u17d3\u3099\u309a"
)
"""Marks that belong to the character of such a script before them, also Latin accents."""
FIRST_UNSPACED = "\u0e00"
"""No script without spaces has a character before this one."""


def characters_of(ranges: str) -> Iterator[range]:
    """Give ranges of characters as ranges of code points: `"a-cx"` as `range(97, 100)` and `range(120, 121)`."""
    for first, last in re.findall("(.)(?:-(.))?", ranges):
        yield range(ord(first), ord(last or first) + 1)


def has_unspaced_script(text: str) -> bool:
    """Tell whether some of a text is in a script without spaces."""
    return not text.isascii() and _any_unspaced().search(text) is not None


def are_unspaced(codes: Codes) -> bool:
    """Tell whether some of a long text, given in code units, is in a script without spaces.

    A table is faster than the regular expression of `has_unspaced_script`, but takes longer to begin with.
    """
    return bool(unspaced_codes()[codes].any())


def ranges_by_length() -> dict[int, str]:
    """Give all characters of scripts without spaces, by how many of them make a word."""
    found: dict[int, str] = {}
    for script in _SCRIPTS:
        length = script.characters_per_word
        found[length] = found.get(length, "") + script.letters + script.signs
    return found


@functools.cache
def unspaced_codes() -> Flags:
    """Tell for each code unit whether it stands for a script without spaces."""
    return characters_per_word() > 0


@functools.cache
def characters_per_word() -> Bytes:
    """Give for each code unit how many characters a word has on average in a script without spaces; else 0."""
    lengths = np.zeros(UNITS, np.uint8)
    for length, ranges in ranges_by_length().items():
        for characters in characters_of(ranges):
            if characters.start < UNITS:
                lengths[characters.start : characters.stop] = length
            else:
                lengths[first_halves(characters.start, characters.stop - 1)] = length
    return lengths


@functools.cache  # large expressions are compiled when they are needed
def _any_unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")
