"""Make the table that tells the kernel what each character is: `python -m gristmill.kernel.characters`.

The file `characters.bin` has, compressed, a byte for each code point of the basic plane; `rows` names its bits:

    "a"  LETTERS | IS_ALPHANUMERIC          " "  SPACES | IS_WHITE
    "好"  LETTERS | 1 << SCRIPT_SHIFT | IS_ALPHANUMERIC, as two characters of Han make a word

It is a file since it takes half a second to make. It holds the Unicode version of the Python that made it.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Bytes
from gristmill.kernel.rows import (
    CAPITALS,
    COMMAS,
    DIGITS,
    IS_ALPHANUMERIC,
    IS_CAREFUL,
    IS_WHITE,
    LETTERS,
    OTHERS,
    SCRIPT_SHIFT,
    SEPARATORS,
    SPACES,
    STOPS,
)
from gristmill.text.characters import CONTROLS, unit_table
from gristmill.text.composition import careful
from gristmill.text.scripts import characters_per_word
from gristmill.text.units import SURROGATES, UNITS

_STOPS = ".!?…。！？｡؟۔।॥։።"
_COMMAS = ",;、，；،؛"
_SEPARATORS = "|»›«‹·•→←>/"
_SCRIPTS = {0: 0, 2: 1, 5: 2, 6: 3}  # by characters per word


def make() -> bytes:
    """Make the table."""
    characters = list(map(chr, range(UNITS)))
    table = kinds()
    table |= np.fromiter(map(str.isspace, characters), np.uint8, UNITS) * np.uint8(IS_WHITE)
    table |= careful() * np.uint8(IS_CAREFUL)
    table |= np.array([_SCRIPTS.get(length, 0) << SCRIPT_SHIFT for length in range(7)], np.uint8)[characters_per_word()]
    table |= np.fromiter(map(str.isalnum, characters), np.uint8, UNITS) * np.uint8(IS_ALPHANUMERIC)
    return table.tobytes()


def kinds() -> Bytes:
    """Give the kind of each UTF-16 code unit; halves of surrogate pairs count as letters."""
    table = unit_table(
        OTHERS,
        {"L": LETTERS, "M": LETTERS, "Lu": CAPITALS, "Lt": CAPITALS, "N": DIGITS, "Z": SPACES},
        {CONTROLS: OTHERS, _STOPS: STOPS, _COMMAS: COMMAS, _SEPARATORS: SEPARATORS, "\n": SPACES},
    )
    table[SURROGATES] = LETTERS
    return table


if __name__ == "__main__":
    Path(__file__).with_name("characters.bin").write_bytes(zlib.compress(make(), 9))
