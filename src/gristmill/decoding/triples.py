"""Extract byte triples from text, of which the models of encodings are made, in training as in detection.

Triples with a byte beyond ASCII tell encodings apart. All encodings here agree on ASCII, so the other triples have the
same frequency in all of them (PRESEMT D3.1.3, section 4): they only tell languages apart, and are counted apart.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint32]
"""Triples as numbers, the first byte highest: `pack` makes them and `unpack` takes them apart."""

Numbers = npt.NDArray[np.integer[Any]]

_REACH_STEPS = (1, 3, 8)
_REACH_BYTES = sum(_REACH_STEPS)  # as far from a byte beyond ASCII, text is taken to be of the same language


def _folding() -> npt.NDArray[np.uint8]:
    """A table of bytes in which all digits are one, and all other ASCII but letters a space: markup says nothing."""
    table = np.arange(256, dtype=np.uint8)
    for code in range(128):
        character = chr(code)
        table[code] = code if character in string.ascii_letters else ord("0") if character.isdigit() else ord(" ")
    return table


_FOLDED = _folding()


def triples(data: bytes) -> tuple[Keys, Keys]:
    """Extract the triples with a byte beyond ASCII, in their order, and those of ASCII near them.

    A space is added before and after the data.
    """
    codes = _without_runs(_FOLDED[np.frombuffer(b" " + data + b" ", np.uint8)])
    high = codes > 127
    high = high[:-2] | high[1:-1] | high[2:]
    chosen = np.flatnonzero(high)
    around = np.flatnonzero(near(high) & ~high)
    wide = codes.astype(np.uint32)
    return pack(wide, chosen), _with_letters(pack(wide, around))


def _without_runs(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Shorten runs of three and more equal bytes beyond ASCII to one: lines are drawn so, but no word is spelt so."""
    again = (codes[1:] == codes[:-1]) & (codes[1:] > 127)
    if not (again[1:] & again[:-1]).any():
        return codes
    in_run = np.zeros(len(codes), np.bool_)
    thrice = np.flatnonzero(again[1:] & again[:-1])
    in_run[thrice + 1] = in_run[thrice + 2] = True
    return codes[~in_run]


def near(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Mark the positions within 12 of a marked one, to either side.

    Marks are spread by 1, then by 3, then by 8, which reaches every position up to 1 + 3 + 8: a mark at 20 spreads to
    19-21, then to 16-24 (each with its neighbours at 3), then to 8-32.
    """
    marked = np.zeros(len(flags) + 2 * _REACH_BYTES, np.bool_)
    marked[_REACH_BYTES:-_REACH_BYTES] = flags
    for step in _REACH_STEPS:
        grown = marked.copy()
        grown[step:] |= marked[:-step]
        grown[:-step] |= marked[step:]
        marked = grown
    return marked[_REACH_BYTES:-_REACH_BYTES]


def all_ascii(data: bytes) -> Keys:
    """Extract all triples of ASCII letters."""
    wide = _FOLDED[np.frombuffer(b" " + data + b" ", np.uint8)].astype(np.uint32)
    keys = pack(wide, np.arange(len(wide) - 2))
    return _with_letters(np.asarray(keys[keys & 0x808080 == 0], np.uint32))


def pack(codes: Keys, places: npt.NDArray[np.intp]) -> Keys:
    """Pack the byte at each place and the two after it into one number: 0x61, 0x62, 0x63 into 0x616263."""
    keys = codes[places]
    keys <<= 8
    keys |= codes[places + 1]
    keys <<= 8
    keys |= codes[places + 2]
    return np.asarray(keys, np.uint32)


def unpack(keys: Keys) -> tuple[Numbers, Numbers, Numbers]:
    """Unpack triples into their first byte, their first two and their last two: 0x616263 into 0x61, 0x6162, 0x6263."""
    return keys >> 16, keys >> 8, keys & 0xFFFF


def _with_letters(keys: Keys) -> Keys:
    """The triples that have two letters side by side."""
    _, pairs, next_pairs = unpack(keys)
    return np.asarray(keys[_HAS_LETTERS[pairs] | _HAS_LETTERS[next_pairs]], np.uint32)


def _two_letters() -> npt.NDArray[np.bool_]:
    letters = np.zeros(256, np.bool_)
    letters[[*string.ascii_letters.encode()]] = True
    return (letters[:, None] & letters[None, :]).ravel()


_HAS_LETTERS = _two_letters()
