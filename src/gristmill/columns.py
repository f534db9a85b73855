"""Blocks of a page as columns: texts in one buffer, strings that repeat as numbers, all else as arrays.

The page `<h1>Mills</h1><p>They grind.<p>Slowly.` has three blocks, and these columns among others:

    text    data b"MillsThey grind.Slowly.", offsets [0, 5, 16, 23]
    kind    values ["p", "h", "l"], codes [1, 0, 0]
    words   [1, 2, 1]

The segmenter makes them, and they stay columns up to Arrow. `document.Block` is one row of them, made when asked for.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.lazy import LazyModule
from gristmill.roles import is_chosen

kernel, kernel_rows = LazyModule("gristmill.kernel"), LazyModule("gristmill.kernel.rows")

if TYPE_CHECKING:
    import pyarrow as pa

Int32 = npt.NDArray[np.int32]
"""Counts and places within a page, as Arrow stores them."""

KINDS = ["p", "h", "l"]
"""The values of the column `kind`: paragraph, heading, list item."""


@dataclass(slots=True, eq=False)
class Texts(Sequence[str]):
    """Texts in one buffer of UTF-8: text n is `data[offsets[n]:offsets[n + 1]]`. Strings are made when asked for.

    The first text begins where the buffer does, and the last one ends with it.
    """

    data: bytes
    offsets: Int32
    _strings: list[str] | None = field(default=None, repr=False)
    _lengths: Ints | None = field(default=None, repr=False)
    _measures: Int32 | None = field(default=None, repr=False)

    @classmethod
    def of(cls, strings: list[str], errors: str = "replace") -> Texts:
        """Make one of strings; halves of surrogate pairs, which are no characters, become question marks."""
        return cls.of_parts([text.encode("utf-8", errors) for text in strings], strings)

    @classmethod
    def of_parts(cls, parts: Sequence[bytes], strings: list[str] | None = None) -> Texts:
        """Make one of texts in UTF-8, and of the same texts as strings if there are such."""
        offsets = np.zeros(len(parts) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, parts), np.int32, len(parts)), out=offsets[1:])
        return cls(b"".join(parts), offsets, strings)

    def __reduce__(self) -> tuple[type[Texts], tuple[bytes, Int32]]:
        """Pickle it without the strings, which can be made again."""
        return Texts, (self.data, self.offsets)

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

    def parts(self, places: Ints) -> list[bytes]:
        """Return some texts in UTF-8."""
        data = self.data
        starts, ends = self.offsets[places].tolist(), self.offsets[places + 1].tolist()
        return [data[at:end] for at, end in zip(starts, ends, strict=True)]

    def some(self, places: Ints) -> list[str]:
        """Return some texts as strings."""
        if self._strings is not None:
            return list(map(self._strings.__getitem__, places.tolist()))
        return list(map(bytes.decode, self.parts(places)))

    def take(self, places: Ints) -> Texts:
        """Return some texts as a column of their own."""
        return Texts.of_parts(self.parts(places))

    @property
    def characters(self) -> int:
        """The characters of all texts together."""
        return int(self.lengths().sum())

    def lengths(self) -> Ints:
        """Count the characters of each text, once; the result can't be changed."""
        if self._lengths is None:
            lengths = self._count_characters().astype(np.int64)
            lengths.setflags(write=False)
            self._lengths = lengths
        return self._lengths

    def _count_characters(self) -> Int32:
        sizes = self.offsets[1:] - self.offsets[:-1]
        if self.data.isascii():
            return np.asarray(sizes)
        if kernel.COMPILED:
            return np.asarray(self.measures()[kernel_rows.LENGTH])
        begins = np.frombuffer(self.data, np.int8) >= -64  # all bytes but those that continue a character
        filled = np.flatnonzero(sizes)  # `reduceat` can't sum up nothing
        sizes[filled] = np.add.reduceat(begins, self.offsets[filled], dtype=np.int32)
        return np.asarray(sizes)

    def measures(self) -> Int32:
        """Measure the texts, whose white space must be folded, once: the rows are named in `gristmill.kernel.rows`."""
        if self._measures is None:
            self._measures = kernel.measure(self.data, self.offsets)
        return self._measures

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
    def of_arrow(cls, strings: pa.StringArray) -> Coded:
        """Make one of a column of Arrow."""
        encoded = strings.dictionary_encode()
        return cls(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())

    @classmethod
    def same(cls, value: str, length: int) -> Coded:
        """Make one in which all rows are alike."""
        return cls([value], np.zeros(length, np.int32))

    def tolist(self) -> list[str]:
        """Return all rows as strings."""
        return list(map(self.values.__getitem__, self.codes.tolist()))

    def take(self, places: Ints | slice) -> Coded:
        """Return some rows as a column of their own."""
        return Coded(self.values, self.codes[places])

    def put(self, places: Ints, value: str) -> Coded:
        """Return the column with another value in some rows."""
        values = self.values if value in self.values else [*self.values, value]
        codes = self.codes.copy()
        codes[places] = values.index(value)
        return Coded(values, codes)

    def counts(self) -> dict[str, int]:
        """Count the rows of each value that there is, empty ones left out."""
        if self.values == [""]:
            return {}
        counts = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return {value: count for value, count in zip(self.values, counts, strict=True) if value and count}

    def flags(self, holds: Callable[[str], bool]) -> Flags:
        """Tell of each row whether something holds for its value."""
        return np.fromiter(map(holds, self.values), np.bool_, len(self.values))[self.codes]

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
    role: Coded
    _folded: Texts | None = None

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
            np.zeros(size), nothing, nothing, nothing, row, nothing, folded,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.start)

    @property
    def folded(self) -> Texts:
        """The texts with white space folded; the same object as `text` where no block has line breaks."""
        if self._folded is None:
            self._folded = _folded(self.text)
        return self._folded

    @property
    def link_density(self) -> Floats:
        """Share of the words of each block that stand inside links."""
        density = np.minimum(1.0, self.link_words / np.maximum(self.words, 1))
        density[self.words == 0] = 0.0
        return density

    def take(self, places: Ints) -> Columns:
        """Return the columns of some blocks."""
        columns: list[Any] = [getattr(self, item.name) for item in fields(self)[:-1]]
        made: list[Any] = [
            column[places] if isinstance(column, np.ndarray) else column.take(places) for column in columns
        ]
        made.append(made[0] if self._folded is self.text else None)
        return Columns(*made)

    def are_text(self, max_boilerplate: float, roles: str) -> Flags:
        """Tell which blocks are text by a threshold and by the roles that a document has (`Document.roles`)."""
        flags = self.score <= max_boilerplate
        if roles and self.role.values != [""]:
            flags &= are_chosen(tuple(self.role.values), roles)[self.role.codes]
        return flags

    def kept(self, max_boilerplate: float, roles: str) -> Ints:
        """Return the numbers of the blocks that are text, and that no filter dropped, as `Block.is_kept` tells it."""
        kept = self.are_text(max_boilerplate, roles)
        if self.dropped.values != [""]:
            kept &= self.dropped.flags(operator.not_)
        return np.flatnonzero(kept)

    def joined(self, places: Ints) -> bytes:
        """Join the texts of some blocks with line ends, and those of the cells of a table row with tabs.

        Blocks in the rows 0, 1, 1 and 2 are `a`, a line end, `b`, a tab, `c`, a line end, and `d`.
        """
        parts, rows = self.text.parts(places), self.row[places]
        if not rows.any():
            return b"\n".join(parts)
        beside = ((rows[:-1] == rows[1:]) & (rows[1:] != 0)).tolist()
        ends = [b"\t" if is_beside else b"\n" for is_beside in beside]
        return b"".join([part for pair in zip(parts, [*ends, b""], strict=True) for part in pair])


@functools.lru_cache(256)  # the columns of all pages have the same values
def are_chosen(values: tuple[str, ...], roles: str) -> Flags:
    """Tell of each of some roles whether it is among those of a document; the result can't be changed."""
    flags = np.array([is_chosen(role, roles) for role in values], np.bool_)
    flags.setflags(write=False)
    return flags


def fold(text: str) -> str:
    """Put the text of a block on one line, with single spaces between words."""
    return " ".join(text.split()) if "\n" in text or "\t" in text or "  " in text else text


def _folded(texts: Texts) -> Texts:
    """Fold white space in all texts; the result is the same object if there is none to be folded."""
    if not _has_spaces(texts.data):
        return texts
    parts = texts.parts(np.arange(len(texts)))
    folded = [fold(part.decode()).encode() if _has_spaces(part) else part for part in parts]
    return texts if folded == parts else Texts.of_parts(folded)


def _has_spaces(data: bytes) -> bool:
    return b"\n" in data or b"\t" in data or b"  " in data
