"""The distinct values of an attribute, sorted by their UTF-8 bytes; a value's id is its place among them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.arrays.dtypes import Array, Ids
from gristmill.condition.regex import Pattern, RegexError, compile_pattern, fold_values
from gristmill.condition.values import is_plain
from gristmill.errors import UsageError
from gristmill.search.index.lookup import Values

_AFTER_ALL = b"\xff"  # no byte of UTF-8 is as large
_MAX_REMEMBERED = 64
"""Results of the last expressions that are remembered."""
_MAX_REMEMBERED_IDS = 1 << 20
"""Ids in all of these results; at least the last result is remembered."""


class Lexicon:
    """A sorted list of strings, mapped from disk: to open it reads nothing, to look up a value some twenty of them."""

    def __init__(self, offsets: Array, text: Array) -> None:
        """Take all values end to end in UTF-8, and offsets of where each begins, and at the end how long the text is.

        The values a, bc and d are the text `abcd` with the offsets 0, 1, 3, 4.
        """
        self._values = Values(offsets, text)
        self._remembered: dict[tuple[str, bool, bool, bool], Ids] = {}

    @classmethod
    def of(cls, values: pa.Array) -> Lexicon:
        """Make a lexicon in memory of strings that are sorted and distinct."""
        return cls(**buffers_of(values))

    @property
    def array(self) -> pa.LargeStringArray:
        """All values, without a copy."""
        return self._values.array

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, number: int) -> str:
        """Look up the value with that id."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._values.bytes_of(number).decode()

    def strings(self, ids: npt.ArrayLike) -> list[str]:
        """Look up the values with these ids, in their order; ids may come more than once."""
        places = np.ascontiguousarray(ids, np.int64)
        found: list[str] = self.array.take(
            pa.Int64Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)])
        ).to_pylist()
        return found

    def find(self, value: str) -> int:
        """Find the id of a value; -1 if it is not among them."""
        data = _encode(value)
        place = self._values.place(data)
        return place if place < len(self) and self._values.bytes_of(place) == data else -1

    def matching(
        self, regex: str, ignore_case: bool = False, ignore_diacritics: bool = False, *, is_literal: bool = False
    ) -> Ids:
        """Find the ids of the values that a regular expression matches as a whole, ascending; not to be written to.

        Its time is linear in the length of all values, whatever the expression; the last results are remembered.
        `is_literal` if the text is no expression, but what the value must be.
        """
        key = regex, ignore_case, ignore_diacritics, is_literal
        found = self._remembered.get(key)
        if found is None:
            is_word = is_plain(regex) and not (ignore_case or ignore_diacritics)
            found = self._only(regex) if is_word else self._matching(_checked(*key))
            found.flags.writeable = False
            self._remembered[key] = found
            self._forget()
        return found

    def _forget(self) -> None:
        """Forget the oldest results if there are too many, or they are too long; never the last one."""
        results = list(self._remembered.items())
        total = sum(len(found) for _, found in results)
        for number, (key, found) in enumerate(results[:-1]):
            if total <= _MAX_REMEMBERED_IDS and len(results) - number <= _MAX_REMEMBERED:
                return
            self._remembered.pop(key, None)
            total -= len(found)

    def _only(self, value: str) -> Ids:
        """The id of a value, if it is among them."""
        place = self.find(value)
        return np.arange(place, place + (place >= 0))

    def _matching(self, pattern: Pattern) -> Ids:
        return (self._folded if pattern.ignore_diacritics else self._values).matching(pattern)

    @cached_property
    def _folded(self) -> Values:
        """All values without diacritics, in the order of the values."""
        folded = fold_values(self.array)
        return Values(**buffers_of(folded), is_sorted=False)

    def beginning_with(self, prefix: str) -> tuple[int, int]:
        """Find from where to where the values stand that begin with a prefix."""
        data = _encode(prefix)
        return self._values.place(data), self._values.place(data + _AFTER_ALL)


def buffers_of(values: pa.Array) -> dict[str, Array]:
    """Return the offsets and the text of an array of strings, as a lexicon is stored."""
    values = values.cast(pa.large_string())
    _, offsets, text = values.buffers()
    places = (
        np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
        if len(values)
        else np.zeros(1, np.int64)
    )
    whole = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
    return {"offsets": places - places[0], "text": whole[places[0] : places[-1]]}


def from_arrays(arrays: Mapping[str, Array], prefix: str = "") -> Lexicon:
    """Take a lexicon from arrays in which it is stored among others, with a prefix to its names."""
    return Lexicon(arrays[f"{prefix}offsets"], arrays[f"{prefix}text"])


def check_regex(regex: str) -> None:
    """Raise if a regular expression is not one."""
    _checked(regex, ignore_case=False, ignore_diacritics=False, is_literal=False)


def _checked(regex: str, ignore_case: bool, ignore_diacritics: bool, is_literal: bool) -> Pattern:
    """Prepare an expression; the error names it."""
    try:
        return compile_pattern(
            regex, is_literal=is_literal, ignore_case=ignore_case, ignore_diacritics=ignore_diacritics
        )
    except RegexError as error:
        shown = f"{regex!r} has {error}" if error.refused else f"{regex!r} is not a regular expression: {error}"
        raise UsageError(shown) from None


def _encode(value: str) -> bytes:
    return value.encode(errors="surrogatepass")  # such bytes are not in the lexicon, so they are not found
