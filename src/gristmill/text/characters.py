"""Unicode categories of characters, as tables for arrays of code units and as classes of regular expressions.

All tables are made from one, which is made when it is first needed and kept. `Lu` is the category of capitals, `L`
stands for all letters: `Lu`, `Ll`, `Lt`, `Lm` and `Lo`.

    characters_are("L")[utf16("a1 é")]    [True, False, False, True]
    re.compile(f"[{character_class('Lu', 'Lt')}]")    matches a capital letter of any script
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Codes, Flags, Ints
from gristmill.text.units import SURROGATES, UNITS, utf16

CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
_LAST_CODE_POINT = 0x1FFFF  # of the tables: beyond it are only Han, tags and private use
_LARGE_BLOCKS = (  # Han, Hangul, private use: all characters of each are of one category
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0xE000, 0xF900),
)


class Characters:
    """The code units of several texts in one array, with a line end behind each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join(texts) + "\n"
        self.codes: Codes = utf16(self.text)
        lengths = list(map(len, texts))
        if self.codes.size != len(self.text):  # characters that are two units
            lengths = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]
        self.lengths: Ints = np.array(lengths, np.int64)
        self.starts: Ints = np.cumsum(self.lengths + 1) - self.lengths - 1

    def count(self, flags: Flags) -> Ints:
        """Count the flagged code units of each text, given a flag for each unit; the line ends don't count."""
        flags = flags.copy()
        flags[self.starts + self.lengths] = False
        return np.add.reduceat(flags, self.starts, dtype=np.int64) if len(self.starts) else self.starts

    def are(self, *categories: str) -> Flags:
        """Tell for each unit whether it is of these categories (`Lu`, or `N` for all that begin so)."""
        return characters_are(*categories)[self.codes]

    def among(self, characters: str) -> Flags:
        """Tell for each unit whether it is one of these characters."""
        return _members(characters)[self.codes]


@functools.cache
def characters_are(*categories: str) -> Flags:
    """Tell for each of the 65,536 code units whether it is of these categories (`Lu`, or `N` for all that begin so).

    White space is `Z`, also where Unicode calls it a control. Half a character is of no category.
    """
    names, places = _categories()
    return np.array([name.startswith(categories) for name in names], np.bool_)[places]


def unit_table(default: int, categories: Mapping[str, int], characters: Mapping[str, int] | None = None) -> Bytes:
    """Give each code unit a number by its category, or by what it is, which goes first.

    `unit_table(0, {"L": 1, "Lu": 2}, {"!?": 3})` has 2 for capitals, 1 for other letters, 3 for two marks, and else 0.
    """
    names, places = _categories()
    by_length = sorted(categories, key=len, reverse=True)
    numbers = [next((categories[key] for key in by_length if name.startswith(key)), default) for name in names]
    table: Bytes = np.array(numbers, np.uint8)[places]
    for signs, number in (characters or {}).items():
        table[list(map(ord, signs))] = number
    return table


def runs_of(flags: Flags) -> Iterator[tuple[int, int]]:
    """Give the first and the last place of each run of flags that are set: `[0, 1, 1, 0, 1]` has (1, 2) and (4, 4)."""
    edges = np.flatnonzero(np.diff(flags, prepend=np.False_, append=np.False_)).tolist()
    return zip(edges[::2], (edge - 1 for edge in edges[1::2]), strict=True)


def class_of(flags: Flags) -> str:
    """Write flags for code points as the inside of a class of a regular expression; none may be of ASCII's signs."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs_of(flags))


@functools.cache
def character_class(*categories: str) -> str:
    """Write the characters of some categories as the inside of a class of a regular expression.

    Those beyond U+1FFFF are left out: Han, tags and private use.
    """
    return class_of(code_points_are(*categories))


def code_points_are(*categories: str) -> Flags:
    """Tell for each code point up to U+1FFFF whether it is of some categories: beyond it all letters are Han."""
    names, places = _categories_beyond()
    beyond = np.array([name.startswith(categories) for name in names], np.bool_)[places]
    return np.concatenate((characters_are(*categories), beyond))


@functools.cache
def _members(characters: str) -> Flags:
    flags = np.zeros(UNITS, np.bool_)
    flags[list(map(ord, characters))] = True
    return flags


@functools.cache
def _categories() -> tuple[list[str], npt.NDArray[np.int8]]:
    """Give the names of all categories, and for each code unit the place of its own among them."""
    found = [""] * UNITS
    for block in _LARGE_BLOCKS:
        found[block.start : block.stop] = [unicodedata.category(chr(block.start))] * len(block)
    edges = [0, *(edge for block in _LARGE_BLOCKS for edge in (block.start, block.stop)), UNITS]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        characters = list(map(chr, range(start, end)))
        found[start:end] = map(unicodedata.category, characters)
        for space in filter(str.isspace, characters):
            found[ord(space)] = "Zs"
    found[SURROGATES] = [""] * (SURROGATES.stop - SURROGATES.start)
    return _numbered(found)


@functools.cache
def _categories_beyond() -> tuple[list[str], npt.NDArray[np.int8]]:
    """Give the names of categories beyond the basic plane, and for each code point up to U+1FFFF its place in them."""
    return _numbered([unicodedata.category(chr(code)) for code in range(UNITS, _LAST_CODE_POINT + 1)])


def _numbered(values: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int8]]:
    """Give the distinct values, sorted, and the place of each value among them: `b a b` is `a b` and `1 0 1`."""
    names = sorted(set(values))
    places = {name: place for place, name in enumerate(names)}
    return names, np.array(list(map(places.__getitem__, values)), np.int8)
