"""How many words a text has, in scripts with and without spaces between them."""

from __future__ import annotations

import functools
import re

import numpy as np
import numpy.typing as npt

# Scripts that don't separate words, and characters a word in each: about as many as the Universal Declaration of Human
# Rights has for each word of its English text.
_HAN_AND_KANA = r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_BOPOMOFO_AND_YI = r"\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\ua000-\ua48f"
_THAI_LAO_KHMER = r"\u0e01-\u0e5b\u0e81-\u0eff\u1780-\u17ff"
_TAI = r"\u1950-\u19df\u1a20-\u1aaf"
_MYANMAR = r"\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
_TIBETAN = r"\u0f00\u0f0b\u0f0c\u0f18-\u0f39\u0f3e-\u0fbc"  # with the mark between syllables
_JAVANESE_AND_BALINESE = r"\ua980-\ua9c0\ua9d0-\ua9d9\u1b00-\u1b59"
_PER_WORD = {
    f"{_HAN_AND_KANA}{_BOPOMOFO_AND_YI}": 2,
    f"{_THAI_LAO_KHMER}{_TAI}": 5,
    f"{_MYANMAR}{_TIBETAN}{_JAVANESE_AND_BALINESE}": 6,
}
_ANY = "".join(_PER_WORD)
_MARKS = r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]"
_ASTRAL_HAN = slice(0xD840, 0xD8C0)  # the first halves of their surrogate pairs


def count_words(text: str) -> int:
    """White-space separated items; runs of a script without spaces count by their length."""
    if not has_unspaced_script(text):
        return len(text.split())
    words = 0
    for script, per_word in _runs():
        words += sum(-(-len(run) // per_word) for run in script.findall(text))
        text = script.sub(" ", text)
    return words + sum(any(map(str.isalnum, item)) for item in text.split())


def has_unspaced_script(text: str) -> bool:
    """Whether some of the text is in a script that does not separate its words."""
    return not text.isascii() and _some().search(text) is not None


@functools.cache  # the expressions are large: they are compiled when they are needed
def _some() -> re.Pattern[str]:
    return re.compile(f"[{_ANY}]")


@functools.cache
def _runs() -> list[tuple[re.Pattern[str], int]]:
    """Runs of characters of scripts without spaces, and how many of them are a word."""
    return [(re.compile(f"[{characters}]+"), per_word) for characters, per_word in _PER_WORD.items()]


@functools.cache
def _piece() -> re.Pattern[str]:
    unspaced = "|".join(f"[{characters}]{{1,{per_word}}}{_MARKS}*" for characters, per_word in _PER_WORD.items())
    return re.compile(rf"\s*(?:(?:{unspaced})[^\w\s]*|[^\s{_ANY}]+)|\s+")


def pieces(text: str) -> list[str]:
    """Pieces as long as words, where words are not separated: each with the space before it, and in such scripts with the mark behind it.

    `pieces("เด็กๆ 123 好好学习。")` has Thai in pieces of five characters and Han in pieces of two; joined they are the text
    again.
    """
    return _piece().findall(text)


def are_unspaced(codes: npt.NDArray[np.uint16]) -> bool:
    """The same for a long text, given as UTF-16: a table is faster than an expression, but takes longer to begin with."""
    return bool(unspaced_codes()[codes].any())


@functools.cache
def unspaced_codes() -> npt.NDArray[np.bool_]:
    """For each UTF-16 code unit whether it stands for a script without spaces."""
    return characters_per_word() > 0


@functools.cache
def characters_per_word() -> npt.NDArray[np.uint8]:
    """For each UTF-16 code unit how many characters a word has on average, where words are not separated; else 0."""
    lengths = np.zeros(1 << 16, np.uint8)
    for characters, per_word in _PER_WORD.items():
        for first, last in re.findall(r"\\u(\w{4})(?:-\\u(\w{4}))?", characters):
            lengths[int(first, 16) : int(last or first, 16) + 1] = per_word
    lengths[_ASTRAL_HAN] = 2
    return lengths
