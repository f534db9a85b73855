"""Find the values that a pattern matches, among many that lie end to end in UTF-8.

What values must begin with, end with and contain (`Pattern.filters`) leaves a few of them, or all that match, without a
look at most of their characters. Only what is left is matched by RE2, whose time is linear whatever the expression.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.condition.regex import Branch, ByteRun, Pattern, edges

_AFTER_ALL = b"\xff"  # no byte of UTF-8 is as large
_MAX_WAYS = 64
"""Ways to begin that are followed at the same time; where there are more, all values beginning so are matched."""
_MAX_STEPS = 2000
"""Searches for how values begin; then too, all values are matched that begin as found so far."""
_VALUES_PER_WAY = 100
"""Ways are followed one by one if there are so many values for each of them: otherwise all values are looked at."""
_VALUES_PER_HIT_TO_SEARCH = 8
"""Places in the text are counted for all values if there is one for so many values, otherwise searched one by one."""
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
        if ways and self._is_sorted and len(ways) * _VALUES_PER_WAY < len(self) + _VALUES_PER_WAY * _MAX_WAYS:
            ranges, sure, is_all = self._by_prefix(ways)
            found = (
                concatenated_ranges(ranges[:, 0], ranges[:, 1] - ranges[:, 0])
                if is_all and filters.prefix_is_all and not self._has_new_lines
                else self._matched_in(ranges, pattern)
            )
            both: Ids = np.union1d(found, sure) if len(sure) else found
            return both
        candidates = None
        if ways and not self._is_sorted:
            runs = edges(ways)
            candidates = self._with_edge(None, runs, backwards=False) if runs else None
        return self._matched_among(candidates, pattern)

    def _matched_in(self, ranges: Ids, pattern: Pattern) -> Ids:
        """Match the values in some ranges of places."""
        if pattern.filters.suffixes or len(ranges) != 1:
            return self._matched_among(concatenated_ranges(ranges[:, 0], ranges[:, 1] - ranges[:, 0]), pattern)
        first, last = int(ranges[0, 0]), int(ranges[0, 1])
        return first + np.flatnonzero(_matches(self.array.slice(first, last - first), pattern))

    def _matched_among(self, candidates: Ids | None, pattern: Pattern) -> Ids:
        """Match some values, or all."""
        filters = pattern.filters
        if filters.suffixes:
            candidates = self._with_edge(candidates, filters.suffixes, backwards=True)
        elif filters.infix and candidates is None:
            candidates = self._with_infix(filters.infix)
        is_all = filters.suffix_is_all or (filters.infix_is_all and not filters.suffixes)
        if is_all and not self._has_new_lines:
            return np.arange(len(self)) if candidates is None else candidates
        if candidates is None:
            return np.flatnonzero(_matches(self.array, pattern))
        return candidates[_matches(self.array.take(pa.array(candidates)), pattern)]

    @cached_property
    def _has_new_lines(self) -> bool:
        return bool((self._text == _NEW_LINE).any())

    def _by_prefix(self, ways: Iterable[Branch]) -> tuple[Ids, Ids, bool]:
        """Follow ways among sorted values: ranges of places that may match, and places that surely do, ascending.

        The third is whether all ways were followed to where nothing is known of what comes next.
        """
        ranges: list[tuple[int, int]] = []
        sure: set[int] = set()
        is_all, steps = True, iter(range(_MAX_STEPS))
        for way in ways:
            starts, followed = self._follow(way, steps)
            is_all = is_all and followed
            for data in starts:
                first = self.place(data)
                if not (followed and way.complete):
                    ranges.append((first, self.place(data + _AFTER_ALL, first)))
                elif first < len(self) and self.bytes_of(first) == data:
                    sure.add(first)
        return _merged(ranges), np.array(sorted(sure), np.int64), is_all

    def _follow(self, way: Branch, steps: Iterator[int]) -> tuple[list[bytes], bool]:
        """Tell how the values begin that go a way, as far as there are some; and whether it was followed to its end.

        For one of g G and then one of o O there are `go`, `gO`, `Go`, `GO`: those that occur are followed.
        """
        starts = [b""]
        for characters in way.sets:
            encoded = [character.encode() for character in characters]
            if len(encoded) == 1:
                starts = [start + encoded[0] for start in starts]
                continue
            longer = [start + one for start in starts for one in encoded]
            if len(longer) > len(list(islice(steps, len(longer)))):
                return starts, False
            longer = [start for start in longer if self._begins(start)]
            if len(longer) > _MAX_WAYS:
                return starts, False
            starts = longer
        return starts, True

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
        if len(found) == 1:
            return found[0]
        flags = np.zeros(len(self), np.bool_)
        for left in found:
            flags[left] = True
        return np.flatnonzero(flags)

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
        if np.count_nonzero(found) > len(self) // _VALUES_PER_HIT_TO_SEARCH:
            before = np.zeros(len(self._text) + 1, np.int64)
            np.cumsum(found, out=before[1 : last + 1])
            before[last + 1 :] = before[last]
            ends = np.maximum(self._offsets[1:] - (length - 1), self._offsets[:-1])
            return np.flatnonzero(before[ends] > before[self._offsets[:-1]])
        at = np.flatnonzero(found)
        places = np.searchsorted(self._offsets, at, side="right") - 1
        places = places[at + length <= self._offsets[places + 1]]
        return places[np.diff(places, prepend=-1) > 0]


def _merged(ranges: list[tuple[int, int]]) -> Ids:
    """Put ranges into order, and join those that overlap or follow each other: 3 to 5, 0 to 2, 2 to 4 are 0 to 5."""
    merged: list[list[int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], last)
        elif first < last:
            merged.append([first, last])
    return np.array(merged, np.int64).reshape(-1, 2)


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
