"""Find the values that a pattern matches, among many that lie end to end in UTF-8.

What values must begin with, end with and contain (`Pattern.filters`) leaves a few of them, or all that match, without a
look at most of their characters. Only what is left is matched by RE2, whose time is linear whatever the expression.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.condition.regex import Branch, ByteRun, Pattern, byte_run

_AFTER_ALL = b"\xff"  # no byte of UTF-8 is as large
_MAX_WAYS = 64
"""Ways to begin that are followed at the same time; where there are more, all values beginning so are matched."""
_VALUES_PER_WAY = 100
"""Ways are followed one by one if there are so many values for each of them: otherwise all values are looked at."""
_NEW_LINE = 10


class Values:
    """Values by their offsets and text, as in a lexicon; `is_sorted` if they are in the order of their bytes."""

    def __init__(self, offsets: Array, text: Array, *, is_sorted: bool = True) -> None:
        self._offsets, self._text, self._is_sorted = offsets, text, is_sorted

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @cached_property
    def array(self) -> pa.LargeStringArray:
        """All values, without a copy."""
        return pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(self._offsets), pa.py_buffer(self._text))

    def bytes_of(self, number: int) -> bytes:
        """The text of the value at a place."""
        return self._text[self._offsets[number] : self._offsets[number + 1]].tobytes()

    def place(self, data: bytes, first: int = 0, last: int | None = None) -> int:
        """Find where a text stands, or would stand, among sorted values."""
        return bisect_left(range(len(self)), data, first, len(self) if last is None else last, key=self.bytes_of)

    def matching(self, pattern: Pattern) -> Ids:
        """Find the places of the values that a pattern matches, ascending."""
        filters = pattern.filters
        ways = filters.prefixes
        candidates, matched = None, np.empty(0, np.int64)
        if ways and self._is_sorted and len(ways) * _VALUES_PER_WAY < len(self) + _VALUES_PER_WAY * _MAX_WAYS:
            candidates, matched = self._by_prefix(ways)
            if not len(candidates):
                return matched
        elif ways and not any(_is_empty(way) for way in ways):
            candidates = self._with_edge(candidates, [byte_run(way) for way in ways], backwards=False)
        found = self._matched_among(candidates, pattern)
        return np.union1d(found, matched) if len(matched) else found

    def _matched_among(self, candidates: Ids | None, pattern: Pattern) -> Ids:
        """Match some values, or all."""
        filters = pattern.filters
        if filters.suffixes:
            candidates = self._with_edge(candidates, filters.suffixes, backwards=True)
        elif filters.infix and candidates is None:
            candidates = self._with_infix(filters.infix)
        by_edge = filters.suffix_is_all or (filters.infix_is_all and not filters.suffixes)
        if by_edge and not self._has_new_lines:
            return np.arange(len(self)) if candidates is None else candidates
        if candidates is None:
            return np.flatnonzero(_matches(self.array, pattern))
        return candidates[_matches(self.array.take(pa.array(candidates)), pattern)]

    @cached_property
    def _has_new_lines(self) -> bool:
        return bool((self._text == _NEW_LINE).any())

    def _by_prefix(self, ways: Iterable[Branch]) -> tuple[Ids, Ids]:
        """Follow ways among sorted values: the places that may match, and those that surely do; each ascending."""
        open_ranges: list[tuple[int, int]] = []
        sure: set[int] = set()
        for way in ways:
            starts, complete = self._follow(way)
            for data in starts:
                first = self.place(data)
                if not complete:
                    open_ranges.append((first, self.place(data + _AFTER_ALL, first)))
                elif first < len(self) and self.bytes_of(first) == data:
                    sure.add(first)
        bounds = np.array(open_ranges, np.int64).reshape(-1, 2)
        places = concatenated_ranges(bounds[:, 0], bounds[:, 1] - bounds[:, 0])
        if len(bounds) > 1:
            places = np.unique(places)
        return places, np.array(sorted(sure), np.int64)

    def _follow(self, way: Branch) -> tuple[list[bytes], bool]:
        """Tell how the values begin that go a way, as far as there are some; and whether nothing comes after that.

        For one of g G and then one of o O there are `go`, `gO`, `Go`, `GO`: those that occur are followed.
        """
        starts = [b""]
        for characters in way.sets:
            encoded = [character.encode() for character in characters]
            if len(encoded) == 1:
                starts = [start + encoded[0] for start in starts]
                continue
            longer = [start + one for start in starts for one in encoded]
            longer = [start for start in longer if self._begins(start)]
            if len(longer) > _MAX_WAYS:
                return starts, False
            starts = longer
        return starts, way.complete

    def _begins(self, start: bytes) -> bool:
        """Whether a value begins so."""
        place = self.place(start)
        return place < len(self) and self.bytes_of(place).startswith(start)

    def _with_edge(self, candidates: Ids | None, runs: Sequence[ByteRun], *, backwards: bool) -> Ids:
        """Choose the values that begin (or backwards, end) with one of some runs of bytes, ascending.

        All are looked at by one byte, those that are left by the next one, and so on.
        """
        places = np.arange(len(self)) if candidates is None else candidates
        if len(runs) > 1:
            outermost = frozenset[int]().union(*(run.sets[0] for run in runs))
            places = self._with_byte(places, 0, outermost, backwards=backwards)
        found = []
        for run in runs:
            left = places
            for depth, wanted in enumerate(run.sets):
                left = self._with_byte(left, depth, wanted, backwards=backwards)
            found.append(left)
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    def _with_byte(self, places: Ids, depth: int, wanted: frozenset[int], *, backwards: bool) -> Ids:
        """Choose the values that have one of some bytes at a place, counted from the start or from the end."""
        starts, ends = self._offsets[places], self._offsets[places + 1]
        long_enough = ends - starts > depth
        if not long_enough.all():
            places, starts, ends = places[long_enough], starts[long_enough], ends[long_enough]
        at = ends - (depth + 1) if backwards else starts + depth
        return places[_one_of(self._text[at], wanted)]

    def _with_infix(self, run: ByteRun) -> Ids:
        """Choose the values that contain a run of bytes, ascending.

        The text is compared as a whole: with `ab`, the bytes that are a and whose next one is b. What goes over the end
        of a value is left out afterwards.
        """
        length = len(run.sets)
        if len(self._text) < length:
            return np.empty(0, np.int64)
        last = len(self._text) - length + 1
        masks: dict[frozenset[int], Mask] = {}
        found = np.ones(last, np.bool_)
        for depth, wanted in enumerate(run.sets):
            if wanted not in masks:
                masks[wanted] = _one_of(self._text, wanted)
            found &= masks[wanted][depth : depth + last]
        at = np.flatnonzero(found)
        places = np.searchsorted(self._offsets, at, side="right") - 1
        places = places[at + length <= self._offsets[places + 1]]
        return np.unique(places)


def _is_empty(way: Branch) -> bool:
    return not byte_run(way).sets


def _one_of(data: Array, wanted: frozenset[int]) -> Mask:
    """Whether bytes are among some."""
    if len(wanted) <= 2:
        found: Mask = np.logical_or.reduce([data == byte for byte in wanted])
        return found
    table = np.zeros(256, np.bool_)
    table[list(wanted)] = True
    return table[data]


def _matches(values: pa.Array, pattern: Pattern) -> Mask:
    found: Mask = pc.match_substring_regex(values, pattern.re2).to_numpy(zero_copy_only=False)
    return found
