"""Blocks of a page as columns: texts in one buffer, strings that repeat as numbers, all else as arrays.

The page `<h1>Mills</h1><p>They grind.<p>Slowly.` has three blocks, and these columns among others:

    text    data b"MillsThey grind.Slowly.", offsets [0, 5, 16, 23]
    kind    values ["p", "h", "l"], codes [1, 0, 0]
    words   [1, 2, 1]

The segmenter makes them, and they stay columns up to Arrow. `document.Block` is one row of them, made when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints

Int32 = npt.NDArray[np.int32]
"""Counts and places within a page, as Arrow stores them."""

KINDS = ["p", "h", "l"]
"""The values of the column `kind`: paragraph, heading, list item."""


@dataclass(slots=True, eq=False)
class Texts(Sequence[str]):
    """Texts in one buffer of UTF-8: text n is `data[offsets[n]:offsets[n + 1]]`. Strings are made when asked for."""

    data: bytes
    offsets: Int32
    _strings: list[str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, strings: list[str]) -> Texts:
        """Make one of strings."""
        parts = [text.encode("utf-8", "replace") for text in strings]
        offsets = np.zeros(len(parts) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, parts), np.int32, len(parts)), out=offsets[1:])
        return cls(b"".join(parts), offsets, strings)

    def tolist(self) -> list[str]:
        """Return all texts as strings, which are made once."""
        if self._strings is None:
            places = self.offsets.tolist()
            if self.data.isascii():
                whole = self.data.decode("ascii")
                self._strings = [whole[at:end] for at, end in pairwise(places)]
            else:
                data = self.data
                self._strings = [data[at:end].decode() for at, end in pairwise(places)]
        return self._strings

    def bytes_at(self, place: int) -> bytes:
        """Return one text in UTF-8."""
        return self.data[self.offsets[place] : self.offsets[place + 1]]

    def lengths(self) -> Ints:
        """Count the characters of each text."""
        if self.data.isascii():
            return np.diff(self.offsets).astype(np.int64)
        begins = np.frombuffer(self.data, np.int8) >= -64  # all bytes but those that continue a character
        before = np.concatenate(([0], np.cumsum(begins)))
        return np.diff(before[self.offsets])

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self.tolist()[place]

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(slots=True, eq=False)
class Coded(Sequence[str]):
    """A column of strings that repeat: row n is `values[codes[n]]`."""

    values: list[str]
    codes: Int32

    @classmethod
    def of(cls, strings: Iterable[str]) -> Coded:
        """Make one of strings; values are in the order of their first occurrence."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(text, len(numbers)) for text in strings]
        return cls(list(numbers), np.array(codes, np.int32))

    @classmethod
    def same(cls, value: str, length: int) -> Coded:
        """Make one in which all rows are alike."""
        return cls([value], np.zeros(length, np.int32))

    def tolist(self) -> list[str]:
        """Return all rows as strings."""
        return list(map(self.values.__getitem__, self.codes.tolist()))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return list(map(self.values.__getitem__, self.codes[place].tolist()))
        return self.values[int(self.codes[place])]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(slots=True, eq=False)
class Columns:
    """The blocks of one page as columns, named as the fields of `document.Block`, and in their order."""

    text: Texts
    kind: Coded
    path: Coded
    start: Int32
    end: Int32
    words: Int32
    link_words: Int32
    links: Int32
    tags: Int32
    score: Floats
    label: Coded
    lang: Coded
    dropped: Coded
    row: Int32
    folded: Texts
    """The texts with white space folded; the same object as `text` where no block has line breaks."""

    @classmethod
    def of(
        cls,
        text: Texts,
        folded: Texts,
        kind: Coded,
        path: Coded,
        numbers: Sequence[Int32],
    ) -> Columns:
        """Make columns of blocks that are not judged yet; numbers are those from `start` to `tags`, and `row`."""
        size = len(text)
        nothing = Coded.same("", size)
        start, end, words, link_words, links, tags, row = numbers
        return cls(
            text, kind, path, start, end, words, link_words, links, tags,
            np.zeros(size), nothing, nothing, nothing, row, folded,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.start)

    def kept(self, max_boilerplate: float) -> Ints:
        """Return the numbers of the blocks that are text by this threshold, and that no filter dropped."""
        kept = self.score <= max_boilerplate
        if self.dropped.values != [""]:
            is_left = np.array([not value for value in self.dropped.values], np.bool_)
            kept &= is_left[self.dropped.codes]
        return np.flatnonzero(kept)
