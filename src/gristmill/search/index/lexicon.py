"""The distinct values of an attribute, sorted by their UTF-8 bytes; a value's id is its place among them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ids
from gristmill.condition.values import regex_problem
from gristmill.errors import UsageError

_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_REPEATS = frozenset("*+?{")
_AFTER_ALL = b"\xff"  # no byte of UTF-8 is as large


class Lexicon:
    """A sorted list of strings, mapped from disk: to open it reads nothing, to look up a value some twenty of them."""

    def __init__(self, offsets: Array, text: Array) -> None:
        """Take all values end to end in UTF-8, and offsets of where each begins, and at the end how long the text is.

        The values a, bc and d are the text `abcd` with the offsets 0, 1, 3, 4.
        """
        self._offsets = offsets
        self._text = text

    @classmethod
    def of(cls, values: pa.Array) -> Lexicon:
        """Make a lexicon in memory of strings that are sorted and distinct."""
        return cls(**buffers_of(values))

    @cached_property
    def array(self) -> pa.LargeStringArray:
        """All values, without a copy."""
        return pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(self._offsets), pa.py_buffer(self._text))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> str:
        """Look up the value with that id."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._bytes(number).decode()

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
        place = self._place(data)
        return place if place < len(self) and self._bytes(place) == data else -1

    def matching(self, regex: str, ignore_case: bool = False) -> Ids:
        """Find the ids of the values that a regular expression matches as a whole, ascending.

        Expressions are those of RE2, whose time is linear in the length of the text, whatever the expression.
        """
        if not (ignore_case or _META.search(regex)):
            found = self.find(regex)
            return np.array([found] if found >= 0 else [], np.int64)
        check_regex(regex)
        first, last = (0, len(self)) if ignore_case else self.beginning_with(_literal_prefix(regex))
        return first + np.flatnonzero(_matches(self.array.slice(first, last - first), rf"\A(?:{regex})\z", ignore_case))

    def _bytes(self, number: int) -> bytes:
        return self._text[self._offsets[number] : self._offsets[number + 1]].tobytes()

    def _place(self, data: bytes) -> int:
        return bisect_left(range(len(self)), data, key=self._bytes)

    def beginning_with(self, prefix: str) -> tuple[int, int]:
        """Find from where to where the values stand that begin with a prefix."""
        data = _encode(prefix)
        return self._place(data), self._place(data + _AFTER_ALL)


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
    problem = regex_problem(regex)
    if problem:
        raise UsageError(f"{regex!r} is not a regular expression: {problem}")


def _matches(values: pa.Array, regex: str, ignore_case: bool) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.match_substring_regex(values, regex, ignore_case=ignore_case).to_numpy(
        zero_copy_only=False
    )
    return found


def _literal_prefix(regex: str) -> str:
    """Return what every match must begin with, as far as that can be seen without reading the expression."""
    meta = _META.search(regex)
    if meta is None or "|" in regex:
        return ""
    end = meta.start()
    return regex[: end - 1] if end and meta.group() in _REPEATS else regex[:end]


def _encode(value: str) -> bytes:
    return value.encode(errors="surrogatepass")  # such bytes are not in the lexicon, so they are not found
