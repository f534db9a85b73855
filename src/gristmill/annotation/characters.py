"""Classes of characters that the pattern of tokens is made of, from Unicode's own tables."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Scripts that are written without spaces between words: Han, kana, bopomofo, Thai, Lao, Tibetan, Burmese, Khmer, Tai Le
# to Tai Tham.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u0f40-\u0fbc\u1000-\u103f\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17dd\u1950-\u1974"
    "\u1980-\u19c9\u1a20-\u1a7c\ua9e0-\ua9fe\uaa60-\uaadd\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096"
    "\u3099-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
"""Inside of a class of a regular expression."""

EMOJI = (
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u231a\u231b\u23e9-\u23fa"
)
"""Inside of a class, but for the letters of flags and the tones of skin."""
_LAST = 0x1FFFF  # all further letters are Han
_JOINED = "\u00ad\u200c\u200d"  # soft hyphens and joiners stand inside words


@cache
def _categories() -> str:
    """One letter a character up to the last: `w` of words, `l` and `u` in lower and upper case, `m` marks, `-` others."""
    short = {
        "Lu": "u",
        "Lt": "u",
        "Ll": "l",
        "Lm": "w",
        "Lo": "w",
        "Nd": "w",
        "Nl": "w",
        "No": "w",
        "Mn": "m",
        "Mc": "m",
        "Me": "m",
        "Pc": "w",
    }
    return "".join([short.get(unicodedata.category(chr(code)), "-") for code in range(_LAST + 1)])


def _ranges(kinds: str) -> str:
    return "".join(
        f"{chr(found.start())}-{chr(found.end() - 1)}" for found in re.finditer(f"[{kinds}]+", _categories())
    )


@cache
def word_class() -> str:
    """Inside of a class: letters, marks, digits and low lines, without the scripts that have no spaces."""
    kinds = _categories()
    for first, last in re.findall("(.)(?:-(.))?", UNSPACED):
        start, end = ord(first), ord(last or first) + 1
        kinds = kinds[:start] + "-" * (end - start) + kinds[end:] if end <= _LAST else kinds
    ranges = (f"{chr(found.start())}-{chr(found.end() - 1)}" for found in re.finditer(r"[wlum]+", kinds))
    return "".join(ranges).replace("\ufe00-\ufe0f", "") + _JOINED


@cache
def mark_class() -> str:
    """Inside of a class: marks that belong to the letter before them."""
    return _ranges("m")


@cache
def lower_class() -> str:
    """Inside of a class: lower-case letters."""
    return _ranges("l")


@cache
def upper_class() -> str:
    """Inside of a class: upper-case letters."""
    return _ranges("u")
