"""The characters of all blocks of a page as one array, so that tables and C loops do what would be work for each character."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.decoding.normalisation import utf16

Codes = npt.NDArray[np.uint16]
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

SURROGATES = slice(0xD800, 0xE000)
_LARGE_BLOCKS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0xE000, 0xF900),
)  # Han, Hangul, private use


class Characters:
    """The UTF-16 code units of texts, with a line end behind each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join(texts) + "\n"
        self.codes: Codes = utf16(self.text)
        lengths = list(map(len, texts))
        if self.codes.size != len(self.text):  # characters that are two units
            lengths = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]
        self.lengths: Ints = np.array(lengths, np.intp)
        self.starts: Ints = np.cumsum(self.lengths + 1) - self.lengths - 1

    def count(self, flags: Flags) -> Ints:
        """How many code units of each text are flagged, given a flag for each unit; the line ends don't count."""
        flags = flags.copy()
        flags[self.starts + self.lengths] = False
        return np.add.reduceat(flags, self.starts, dtype=np.intp) if len(self.starts) else self.starts

    def are(self, *categories: str) -> Flags:
        """For each unit whether it is of these Unicode categories (`Lu`, or `N` for all that begin so)."""
        return characters_are(*categories)[self.codes]

    def among(self, characters: str) -> Flags:
        """For each unit whether it is one of these."""
        return _members(characters)[self.codes]


@functools.cache
def _members(characters: str) -> Flags:
    flags = np.zeros(1 << 16, np.bool_)
    flags[list(map(ord, characters))] = True
    return flags


@functools.cache
def characters_are(*categories: str) -> Flags:
    """The same for each of the 65,536 code units there are."""
    names, places = _categories()
    return np.array([name.startswith(categories) for name in names], np.bool_)[places]


@functools.cache
def _categories() -> tuple[list[str], npt.NDArray[np.int8]]:
    """The names of all categories, and the place among them of that of each code unit.

    White space is `Z`, also where Unicode calls it a control; half a character is of no category.
    """
    found = [""] * (1 << 16)
    for block in _LARGE_BLOCKS:  # in these all characters are alike
        found[block.start : block.stop] = [unicodedata.category(chr(block.start))] * len(block)
    edges = [0, *(edge for block in _LARGE_BLOCKS for edge in (block.start, block.stop)), 1 << 16]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        characters = list(map(chr, range(start, end)))
        found[start:end] = map(unicodedata.category, characters)
        for space in filter(str.isspace, characters):
            found[ord(space)] = "Zs"
    found[SURROGATES] = [""] * 2048
    names = sorted(set(found))
    places = {name: place for place, name in enumerate(names)}
    return names, np.array(list(map(places.__getitem__, found)), np.int8)
