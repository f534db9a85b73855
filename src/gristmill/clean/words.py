"""How many words a text has, in scripts with and without spaces between them."""

from __future__ import annotations

import functools
import re

import numpy as np
import numpy.typing as npt

# Characters a word, on average, where words are not separated: Chinese and Japanese; Thai, Lao, Myanmar and Khmer.
_HAN_AND_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SOUTH_EAST_ASIAN = re.compile(r"[\u0e01-\u0e5b\u0e81-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_PER_WORD = ((_HAN_AND_KANA, 2), (_SOUTH_EAST_ASIAN, 5))
_MARKS = (
    r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]"
)
_ASTRAL_HAN = slice(0xD840, 0xD8C0)  # the first halves of their surrogate pairs


def count_words(text: str) -> int:
    """White-space separated items; runs of a script without spaces count by their length."""
    if text.isascii():
        return len(text.split())
    words = 0
    for script, per_word in _PER_WORD:
        if script.search(text):
            words += sum(-(-len(run) // per_word) for run in script.findall(text))
            text = script.sub(" ", text)
            text = " ".join(item for item in text.split() if any(map(str.isalnum, item)))
    return words + len(text.split())


def has_unspaced_script(text: str) -> bool:
    """Whether some of the text is in a script that does not separate its words."""
    return not text.isascii() and any(script.search(text) for script, _ in _PER_WORD)


@functools.cache
def _piece() -> re.Pattern[str]:
    han, other = (script.pattern.removesuffix("+") for script, _ in _PER_WORD)
    unspaced = "|".join(f"{script.pattern.removesuffix('+')}{{1,{per_word}}}{_MARKS}*" for script, per_word in _PER_WORD)
    return re.compile(rf"\s*(?:(?:{unspaced})[^\w\s]*|[^\s{han[1:-1]}{other[1:-1]}]+)|\s+")


def pieces(text: str) -> list[str]:
    """Pieces as long as words, where words are not separated: each with the space before it, and in such scripts with the mark behind it.

    `pieces("เด็กๆ 123 好好学习。")` has Thai in pieces of five characters and Han in pieces of two; joined they are the text again.
    """
    return _piece().findall(text)


def are_unspaced(codes: npt.NDArray[np.uint16]) -> bool:
    """The same for a long text, given as UTF-16: a table is faster than an expression, but takes longer to begin with."""
    return bool(unspaced_codes()[codes].any())


@functools.cache
def unspaced_codes() -> npt.NDArray[np.bool_]:
    """For each UTF-16 code unit whether it stands for a script without spaces."""
    unspaced = np.zeros(1 << 16, np.bool_)
    characters = "".join(map(chr, range(1 << 16)))
    for script, _ in _PER_WORD:
        for run in script.finditer(characters):
            unspaced[slice(*run.span())] = True
    unspaced[_ASTRAL_HAN] = True
    return unspaced
