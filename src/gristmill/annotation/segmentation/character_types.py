"""The types of characters by which a model of word segmentation knows those that it has not seen in training.

Models store the types with which they were trained, so that they don't depend on the Unicode tables of a Python.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.text.characters import code_points_are
from gristmill.text.scripts import SEGMENTED, characters_of

_TABLE = 1 << 16
_OTHER, _LETTER, _DIGIT, _UNSPACED = 1, 2, 3, 4  # 0 is before and after the text
_TYPES = (
    "\u3041-\u3096\u309d-\u309f",  # hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f",  # katakana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",  # Han
    "〇一二三四五六七八九十百千万亿零两",  # numerals, as they are folded
    "\u0e01-\u0e2e",  # Thai consonants
    "\u0e40-\u0e44",  # vowels before them
    "\u0e30-\u0e39\u0e45",  # and after them
    "\u0e3a\u0e47-\u0e4e",  # tones
)


def type_table() -> npt.NDArray[np.uint8]:
    """The type of each character; the last entry is for all those outside of the first plane."""
    types = np.full(_TABLE + 1, _OTHER, np.uint8)
    for number, categories in ((_LETTER, ("L", "M")), (_DIGIT, ("Nd",))):
        types[:-1][code_points_are(*categories)[:_TABLE]] = number
    _set(types, SEGMENTED, _UNSPACED)
    for number, ranges in enumerate(_TYPES, _UNSPACED + 1):
        _set(types, ranges, number)
    types[-1] = types[ord("中")]  # most of what is written there are rare Han characters
    return types


def _set(types: npt.NDArray[np.uint8], ranges: str, number: int) -> None:
    for characters in characters_of(ranges):
        types[characters.start : min(characters.stop, _TABLE)] = number


def stretches(types: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """The first characters of stretches with the same type, and their types."""
    starts = np.flatnonzero(np.diff(types, prepend=types[0] + 1)).astype(np.uint32)
    return starts, types[starts]
