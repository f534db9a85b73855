"""Several segments seen as one: their tokens are numbered through, and their values are those of one joined lexicon.

A token's position is that in its segment plus the segment's base, the number of tokens before it. A value's id in the
joined lexicon is looked up in a table of its segment, from local ids to joined ones. Both lexicons are sorted the same
way, so these tables ascend, and lists that are sorted by id in a segment stay sorted.

    segments        bases       local lexicons         joined lexicon      tables
    [b a b] [c a]   0, 3 (5)    a b   |   a c          a b c               0 1   |   0 2

Whatever asks for many tokens is divided by segments once; what lies in one segment goes straight to its arrays.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ids
from gristmill.search.index.attribute import Attribute, Positions, position_type
from gristmill.search.index.lexicon import from_arrays
from gristmill.search.index.segment import check_files, checked_card, structure_file

Function = Callable[[int, npt.NDArray[Any]], npt.NDArray[Any]]
"""A function that is called with a segment's number and an array of it, and gives an array of the same length."""
_MIN_VALUES_PER_ID_TO_SEARCH = 16
"""A table of a segment is searched in, rather than read as a whole, if it is this many times longer than the ids."""
_MAX_LISTS_TO_SORT = 8
"""Up to so many lists of positions in a segment are put together and sorted at once."""

_SHAPE = {
    "index": {"format": int, "tokens": int, "bytes": int},
    "attributes": [str],
    "structures": {"doc": [str], "p": [str], "s": [str], str: [str]},
    "files": {str: int},
    "digests": {str: str},
}
"""What has to be in the card of a folder of joined files."""


class Bases:
    """Where each segment begins among all tokens."""

    def __init__(self, sizes: Sequence[int]) -> None:
        """Add up the numbers of tokens of the segments."""
        self.starts: list[int] = [0]
        for size in sizes:
            self.starts.append(self.starts[-1] + size)
        self._starts = np.array(self.starts, np.int64)

    @property
    def size(self) -> int:
        """The number of all tokens."""
        return self.starts[-1]

    def segment_at(self, position: int) -> int:
        """Find the segment that a position is in; the nearest one with tokens, if it is in none."""
        return bisect_right(self.starts, min(max(position, 0), self.size - 1)) - 1

    def gather(self, positions: npt.ArrayLike, function: Function, dtype: Any) -> npt.NDArray[Any]:
        """Apply a function to positions: it is called with a segment's number and those in it, counted from its base.

        Positions that ascend are divided by segments with one search. A position outside of all segments comes to the
        nearest one, as a number that is not in it. With bases 0, 3 and 5 tokens the function gets

            for [1, 2, 3, 4]    0, [1, 2]   and   1, [0, 1]
            for [4, 0, 3]       0, [0]      and   1, [1, 0]
        """
        given = np.asarray(positions)
        if not len(given):
            return np.empty(0, dtype)
        first, last = self.segment_at(int(given.min())), self.segment_at(int(given.max()))
        if first == last:
            return function(first, given - given.dtype.type(self.starts[first]))
        if not np.all(given[1:] >= given[:-1]):
            numbers = np.searchsorted(self._starts[first + 1 : last + 1], given, side="right")
            order = np.argsort(numbers.astype(np.min_scalar_type(last - first)), kind="stable")  # by counting
            found = np.empty(len(given), dtype)
            found[order] = self._gather_in_order(given[order], first, last, function, dtype)
            return found
        return self._gather_in_order(given, first, last, function, dtype)

    def _gather_in_order(
        self, given: npt.NDArray[Any], first: int, last: int, function: Function, dtype: Any
    ) -> npt.NDArray[Any]:
        """Gather for positions that are in the order of their segments, from the first to the last of these."""
        found = np.empty(len(given), dtype)
        start, kind = 0, given.dtype.type
        for number, end in enumerate(self._ends_in(given, first, last), first):
            if end > start:
                found[start:end] = function(number, given[start:end] - kind(self.starts[number]))
                start = end
        return found

    def _ends_in(self, given: npt.NDArray[Any], first: int, last: int) -> list[int]:
        """Find where in some positions, which are in the order of their segments, those of each segment end."""
        inner: list[int] = given.searchsorted(self._starts[first + 1 : last + 1].astype(given.dtype)).tolist()
        return [*inner, len(given)]

    def gather_near(
        self, positions: npt.NDArray[Any], places: npt.NDArray[Any], function: Function, dtype: Any
    ) -> npt.NDArray[Any]:
        """Apply a function to positions near some places, which ascend: an array with a column for each place.

        All of a column is looked up in the segment of its place; a position in another segment comes as a number that
        is not in that segment. With bases 0, 3 and 5 tokens, places 2 and 4, and the tokens before and after them, the
        function gets

            positions [[1, 3], [3, 5]]      0, [[1], [3]]   and   1, [[0], [2]]
        """
        found = np.empty(positions.shape, dtype)
        if not found.size:
            return found
        first, last = self.segment_at(int(places[0])), self.segment_at(int(places[-1]))
        start, kind = 0, positions.dtype.type
        for number, end in enumerate(self._ends_in(places, first, last), first):
            if end > start:
                found[:, start:end] = function(number, positions[:, start:end] - kind(self.starts[number]))
                start = end
        return found

    def between(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Divide the positions from `start` to before `stop`: each segment's number, and from where to where in it.

        With bases 0, 3 and 5 tokens, positions from 1 to before 4 are (0, 1, 3) and (1, 0, 1).
        """
        if start >= stop:
            return
        for number in range(self.segment_at(start), self.segment_at(stop - 1) + 1):
            begin, end = self.starts[number], self.starts[number + 1]
            if end > begin:
                yield number, max(start - begin, 0), min(stop, end) - begin


def chained(parts: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    """Put arrays one after the other; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype), *parts])


class JoinedIds:
    """The joined ids of all tokens, used like an array; what is asked for is looked up in the segments.

    Segments `[b a b]` and `[c a]` have the ids 1 0 1 and 1 0, and the tables 0 1 and 0 2: the joined ids are 1 0 1 2 0.
    """

    def __init__(self, bases: Bases, ids: Sequence[npt.NDArray[Any]], tables: Sequence[npt.NDArray[Any]]) -> None:
        """Take, of each segment, the ids of its tokens, and a table with the joined id of each of its own ids."""
        self._bases, self._ids, self._tables = bases, ids, tables
        self.dtype: np.dtype[Any] = tables[0].dtype
        self.itemsize = max(own.itemsize for own in ids)
        """Bytes of an id as segments store it: what the speed of a scan depends on."""

    def __len__(self) -> int:
        return self._bases.size

    def __getitem__(self, where: slice | npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Look up the joined ids at some positions: a slice without a step, or numbers.

        A number outside of the stream is taken for the nearest one inside.
        """
        if not isinstance(where, slice):
            return self._bases.gather(where, self._joined, self.dtype)
        start, stop, _ = where.indices(len(self))
        parts = self._bases.between(start, stop)
        return chained([self._tables[number][self._ids[number][low:high]] for number, low, high in parts], self.dtype)

    def _joined(self, number: int, local: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self._tables[number].take(self._ids[number].take(local, mode="clip"))

    def tolist(self) -> list[int]:
        """Return all ids as numbers of Python."""
        found: list[int] = self[:].tolist()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        del copy
        return np.asarray(self[:], dtype)


class JoinedPositions:
    """The positions of a value in all segments, ascending, used like an array; looked up only as far as needed.

    A value at 1 in a segment of 3 tokens and at 0 and 1 in the next is at 1, 0 + 3 and 1 + 3. Whoever asks for the
    first position only does not have the second segment looked at.
    """

    def __init__(self, parts: Iterator[tuple[Positions, int]], count: int, dtype: np.dtype[Any]) -> None:
        """Take the positions in each segment, counted from its base, and the base; and how many these are in all."""
        self._parts, self._count, self.dtype = parts, count, dtype
        self._found = np.empty(count, dtype)
        self._known = 0
        """How many of the positions are looked up already."""

    def __len__(self) -> int:
        return self._count

    def _first(self, count: int) -> npt.NDArray[Any]:
        """Return an array in which at least the first `count` positions are looked up."""
        while self._known < count:
            part, base = next(self._parts)
            before, self._known = self._known, self._known + len(part)
            np.add(part, self.dtype.type(base), out=self._found[before : self._known])
        return self._found

    def __getitem__(self, where: slice | npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return some of the positions: by a slice, by numbers, or by a mask."""
        return self._first(where.indices(self._count)[1] if isinstance(where, slice) else self._count)[where]

    def astype(self, dtype: Any, *, copy: bool = True) -> npt.NDArray[Any]:
        """Return all positions as an array of another type."""
        return self._first(self._count).astype(dtype, copy=copy)

    def take(self, places: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the positions at some places of the list."""
        return self._first(self._count).take(places)

    def tolist(self) -> list[int]:
        """Return all positions as numbers of Python."""
        found: list[int] = self._first(self._count).tolist()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        del copy
        return np.asarray(self._first(self._count), dtype)


class JoinedAttribute(Attribute):
    """One attribute of the tokens of several segments, with the interface of that of one segment."""

    joined = True

    def __init__(self, name: str, bases: Bases, segments: Sequence[Attribute], arrays: dict[str, Array]) -> None:
        """Take the joined lexicon, how many tokens come before those of each value, and a table for each segment."""
        self.name = name
        self.lexicon = from_arrays(arrays)
        self.first: Ids = arrays["first"]
        self._bases, self._segments = bases, segments
        self._tables = [arrays[table_name(number)] for number in range(len(segments))]
        self._type = position_type(bases.size)
        self._own_ids = [segment.ids for segment in segments]
        self.ids = cast("npt.NDArray[Any]", JoinedIds(bases, self._own_ids, self._tables))
        fitting = [len(table) == len(segment.lexicon) for table, segment in zip(self._tables, segments, strict=True)]
        if not all(fitting) or len(self.first) != len(self.lexicon) + 1 or self.first[-1] != bases.size:
            raise ValueError(f"the joined lexicon of {name} is not that of the segments")

    def parts(self) -> Iterator[tuple[Attribute, npt.NDArray[Any] | None]]:
        """Yield the attribute in each segment, with the table of its ids there."""
        yield from zip(self._segments, self._tables, strict=True)

    def positions(self, number: int) -> Positions:
        """Give the positions of the value with that id, ascending; segments are looked at when they are needed."""
        count = int(self.first[number + 1] - self.first[number])
        return cast("Positions", JoinedPositions(self._positions_in_each(number), count, self._type))

    def _positions_in_each(self, number: int) -> Iterator[tuple[Positions, int]]:
        """Yield the positions of a value in each segment that has it, counted from the segment's base, and the base."""
        for segment, table, base in zip(self._segments, self._tables, self._bases.starts, strict=False):
            own = int(table.searchsorted(table.dtype.type(number)))
            if own < len(table) and table[own] == number:
                yield segment.positions(own), base

    def positions_of(self, ids: npt.NDArray[Any]) -> Positions:
        """Give the positions of the values with these ids, ascending. Ids are distinct and may be in any order."""
        ids = np.sort(np.asarray(ids, np.int64))
        if len(ids) == 1:
            return self.positions(int(ids[0]))
        found = [np.empty(0, self._type)]
        flags = None
        for number, (segment, base) in enumerate(zip(self._segments, self._bases.starts, strict=False)):
            if len(ids) * _MIN_VALUES_PER_ID_TO_SEARCH > len(self._tables[number]):
                if flags is None:
                    flags = np.zeros(len(self.lexicon), np.bool_)
                    flags[ids] = True
                own = np.flatnonzero(flags.take(self._tables[number]))
            else:
                own = self.own_ids(number, ids)
            if len(own) > _MAX_LISTS_TO_SORT:
                found.append(segment.positions_of(own).astype(self._type, copy=False) + self._type.type(base))
            elif len(own):
                positions = np.concatenate([segment.positions(number) for number in own.tolist()])
                positions.sort()
                found.append(positions.astype(self._type, copy=False) + self._type.type(base))
        return np.concatenate(found)

    def own_ids(self, number: int, ids: npt.NDArray[Any]) -> Ids:
        """Translate joined ids, which ascend, to those of a segment, which may not have all values.

        The table of a segment with the values a and c of a, b, c is [0, 2]. Of the joined ids 1 and 2 it has only 2,
        with its own id 1.
        """
        table = self._tables[number]
        if not len(table):
            return np.empty(0, np.int64)
        places: Ids = np.minimum(table.searchsorted(ids.astype(table.dtype)), len(table) - 1)
        own: Ids = places[table[places] == ids]
        return own

    def own_values(self, number: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Choose, of an array with an entry for each value, the entries for the values of a segment, by its own ids.

        In a segment with the values a and c, the array [5, 6, 7] for a, b, c becomes [5, 7].
        """
        return values.take(self._tables[number])

    def apply(self, function: Function, positions: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
        """Apply a function to the tokens at some positions: it gets a segment's number and the segment's own ids."""
        own = self._own_ids
        return self._bases.gather(
            positions, lambda number, local: function(number, own[number].take(local, mode="clip")), dtype
        )

    def apply_near(
        self, function: Function, positions: npt.NDArray[Any], places: npt.NDArray[Any], dtype: Any
    ) -> npt.NDArray[Any]:
        """Apply a function to tokens near some places, which ascend: positions have a column for each place.

        A token that is not in the segment of its place is taken for the nearest one in it: it is of another document,
        so nobody looks at the result.
        """
        own = self._own_ids
        return self._bases.gather_near(
            positions, places, lambda number, local: function(number, own[number].take(local, mode="clip")), dtype
        )

    def apply_between(self, function: Function, start: int, stop: int, dtype: Any) -> npt.NDArray[Any]:
        """Apply a function to the tokens from `start` to before `stop`: it gets a segment's number and its own ids."""
        parts = self._bases.between(start, stop)
        return chained([function(number, self._own_ids[number][low:high]) for number, low, high in parts], dtype)


def table_name(number: int) -> str:
    """Name the table of a segment among the arrays of a joined lexicon."""
    return f"table.{number}"


def lexicon_file(name: str) -> str:
    """Name the file of the joined lexicon of an attribute of tokens."""
    return f"lexicon-{name}.arrays"


def read_joined_card(folder: Path) -> dict[str, Any]:
    """Read the card of a folder of joined files; raises if there is none, or a file has another size."""
    card = checked_card(folder, _SHAPE)
    names = [*map(lexicon_file, card["attributes"]), *map(structure_file, card["structures"])]
    check_files(folder, names, card["files"])
    return card
