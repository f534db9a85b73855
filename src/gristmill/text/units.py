"""A text as an array of UTF-16 code units, so that a table of 65,536 entries tells something of each of its characters.

Most characters are one unit. Those beyond the basic plane (emoji, rare Han, old scripts) are two, a surrogate pair:

    "a😀b"   characters: a, 😀, b                units: 0x61, 0xD83D, 0xDE00, 0x62
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Codes, Flags, Ints

UNITS = 1 << 16
"""How many different code units there are: the size of each table of them."""

SURROGATES = slice(0xD800, 0xE000)
"""The halves of surrogate pairs: not characters by themselves."""
SECOND_HALVES = slice(0xDC00, 0xE000)


def utf16(text: str) -> Codes:
    """Give the code units of a text, to be looked up in tables."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)


def count_characters(utf8: bytes) -> int:
    """Count the characters of a text in UTF-8: the bytes that don't go on with one, which are less than 0xC0 - 256."""
    if utf8.isascii():
        return len(utf8)
    return int(np.count_nonzero(np.frombuffer(utf8, np.int8) >= 0xC0 - 256))


def are_second_halves(codes: Codes) -> Flags:
    """Tell for each code unit whether it is the second half of a surrogate pair; decoded text has no lone halves."""
    are: Flags = codes & 0xFC00 == SECOND_HALVES.start
    return are


def places_in_units(codes: Codes, places: Ints) -> Ints:
    """Turn places in a text into places among its code units: in `a😀b` place 2 becomes 3."""
    return np.searchsorted(np.cumsum(~are_second_halves(codes)) - 1, places)


def first_halves(first: int, last: int) -> slice:
    """Give the first halves of the surrogate pairs of all characters between two beyond the basic plane."""
    return slice(0xD800 + ((first - UNITS) >> 10), 0xD800 + ((last - UNITS) >> 10) + 1)
