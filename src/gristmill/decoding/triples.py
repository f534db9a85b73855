"""Triples of bytes: what the models of encodings are made of, in training as in detection.

Triples with a byte beyond ASCII tell encodings apart. All encodings here agree on ASCII, so the other triples have the
same frequency in all of them (PRESEMT D3.1.3, section 4): they only tell languages apart, and are counted apart.
"""

from __future__ import annotations

import string

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint32]
"""Triples as numbers, the first byte highest."""


_STEPS = (1, 3, 8)
_REACH = sum(_STEPS)  # bytes: as far from one beyond ASCII the text is taken to be of the same language


def _folding() -> npt.NDArray[np.uint8]:
    """All digits count as one, and everything in ASCII that is neither letter nor digit as a space: markup is not what it is about."""
    table = np.arange(256, dtype=np.uint8)
    for code in range(128):
        character = chr(code)
        table[code] = code if character in string.ascii_letters else ord("0") if character.isdigit() else ord(" ")
    return table


_FOLDED = _folding()


def triples(data: bytes) -> tuple[Keys, Keys]:
    """The triples with a byte beyond ASCII, in their order, and those of ASCII near them.

    Before and after the data is a space.
    """
    codes = _without_runs(_FOLDED[np.frombuffer(b" " + data + b" ", np.uint8)])
    high = codes > 127
    high = high[:-2] | high[1:-1] | high[2:]
    chosen = np.flatnonzero(high)
    around = np.flatnonzero(near(high) & ~high)
    wide = codes.astype(np.uint32)
    return _keys(wide, chosen), _with_letters(_keys(wide, around))


def _without_runs(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Lines drawn with a sign count as one sign: no word has three times the same letter."""
    again = (codes[1:] == codes[:-1]) & (codes[1:] > 127)
    if not (again[1:] & again[:-1]).any():
        return codes
    in_run = np.zeros(len(codes), np.bool_)
    thrice = np.flatnonzero(again[1:] & again[:-1])
    in_run[thrice + 1] = in_run[thrice + 2] = True
    return codes[~in_run]


def near(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which places are within reach of one that is marked, to either side."""
    marked = np.pad(flags, _REACH)
    for step in _STEPS:
        grown = marked.copy()
        grown[step:] |= marked[:-step]
        grown[:-step] |= marked[step:]
        marked = grown
    return marked[_REACH:-_REACH]


def all_ascii(data: bytes) -> Keys:
    """The triples of ASCII letters in data, wherever they are."""
    wide = _FOLDED[np.frombuffer(b" " + data + b" ", np.uint8)].astype(np.uint32)
    keys = _keys(wide, np.arange(len(wide) - 2))
    return _with_letters(np.asarray(keys[keys & 0x808080 == 0], np.uint32))


def _keys(codes: Keys, places: npt.NDArray[np.intp]) -> Keys:
    keys = codes[places]
    keys <<= 8
    keys |= codes[places + 1]
    keys <<= 8
    keys |= codes[places + 2]
    return np.asarray(keys, np.uint32)


def _with_letters(keys: Keys) -> Keys:
    """Those that have two letters side by side."""
    return np.asarray(keys[_HAS_LETTERS[keys >> 8] | _HAS_LETTERS[keys & 0xFFFF]], np.uint32)


def _two_letters() -> npt.NDArray[np.bool_]:
    letters = np.zeros(256, np.bool_)
    letters[[*string.ascii_letters.encode()]] = True
    return (letters[:, None] & letters[None, :]).ravel()


_HAS_LETTERS = _two_letters()
