"""Text as one would have written it: letters and accents in one character (normal form C), without control characters.

All takes linear time, whatever the text is.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import chain

import numpy as np

from gristmill.arrays.dtypes import Codes, Flags
from gristmill.text.characters import CONTROLS, characters_are
from gristmill.text.units import SECOND_HALVES, SURROGATES, first_halves, utf16

_MAX_MARKS = 30  # combining marks in a row
_HANGUL_LETTERS = slice(0x1100, 0x1200)  # syllables are composed of them
_INVISIBLE = "\xad\ufeff"  # a soft hyphen and a byte order mark get into the middle of words
_EMOJI = first_halves(0x1F000, 0x1FBFF)
_REMOVED = re.compile(f"[{re.escape(CONTROLS + _INVISIBLE)}]")


def clean_text(text: str) -> str:
    """Fold white space, remove control characters, compose letters: character references may have brought them in."""
    text = " ".join(text.split())
    if text.isascii():
        return text if text.isprintable() else _without_controls(text)
    return compose(text if text.isprintable() else _without_controls(text))


def _without_controls(text: str) -> str:
    """Remove control characters, and the white space around them that is then too much."""
    return " ".join(_REMOVED.sub("", text).split())


def compose(text: str) -> str:
    """Bring a text to normal form C; of a run of combining marks only the first thirty are kept.

    Unicode's Stream-Safe format has this limit too, as no writing has more; and putting marks into order takes time
    that grows with the square of their number.
    """
    marks = may_combine()[utf16(text)]
    if marks.any() and np.diff(np.flatnonzero(~marks), prepend=-1, append=len(marks)).max() > _MAX_MARKS:
        text = _long_runs().sub(r"\1", text)
    return unicodedata.normalize("NFC", text)


def needs_care(codes: Codes) -> bool:
    """Tell whether some character is a control, or not in normal form C, or not surely so whatever stands before it."""
    return bool(careful()[codes].any())


@functools.cache
def careful() -> Flags:
    """Tell for each code unit whether it needs care; beyond the basic plane only emoji do not: the rest is rare."""
    found = may_combine().copy()
    found[list(map(ord, CONTROLS + _INVISIBLE))] = True
    found[_HANGUL_LETTERS] = True
    for code in chain(range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x10000)):  # in between: Han, Hangul...
        decomposition = unicodedata.decomposition(chr(code))
        if decomposition and decomposition[0] != "<":
            _, _, second = decomposition.partition(" ")
            if second:
                found[int(second, 16)] = True  # it may go together with what stands before it
            found[code] |= not unicodedata.is_normalized("NFC", chr(code))
    found[_EMOJI] = found[SECOND_HALVES] = False
    return found


@functools.cache
def may_combine() -> Flags:
    """Tell for each code unit whether it may be a combining mark, or half of one."""
    marks = characters_are("M").copy()
    marks[marks] = [unicodedata.combining(chr(code)) != 0 for code in np.flatnonzero(marks).tolist()]
    marks[SURROGATES] = True
    return marks


@functools.cache
def _long_runs() -> re.Pattern[str]:
    """Compile what matches too many marks: slow, as it has a thousand characters to compare with."""
    marks = "".join(character for character in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(character))
    return re.compile(f"([{marks}]{{{_MAX_MARKS}}})[{marks}]+")
