"""Hits: what a query finds, as spans of tokens. Queries make them; concordances and statistics use them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.errors import UsageError

MAX_SPANS = 50_000_000
"""Matches, and ways to one, that a query may have at most: more would take too much memory."""

Edges = npt.NDArray[np.int64]
"""Starts or ends of hits."""


class Hits:
    """Distinct spans of tokens from `start` to before `end`, sorted by both, none of them empty.

    No span goes over the end of a document. Most hits are of one token: of these only the starts are kept, as they
    stand in the index, until somebody asks for more.
    """

    def __init__(self, starts: npt.NDArray[Any], ends: npt.NDArray[Any] | None = None) -> None:
        """Take starts and ends, sorted; without ends each hit is one token."""
        self._starts = starts
        self._ends = ends

    @classmethod
    def of(cls, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> Hits:
        """Make hits of spans in any order, which may come more than once.

        A span is packed into one key, so that sorted keys are in the order of starts and then lengths. The lengths of
        spans of at most 9 tokens take 4 bits, and the span from 5 to 8 has the key 5 * 16 + 3 = 83.
        """
        keys, bits = packed(starts, ends - starts)
        if np.all(keys[1:] > keys[:-1]):
            return cls(starts, ends)
        starts, lengths = unpacked(distinct(keys), bits)
        return cls(starts, starts + lengths)

    @classmethod
    def none(cls) -> Hits:
        """Make an empty list of hits."""
        return cls(np.empty(0, np.int64))

    @classmethod
    def union(cls, parts: Sequence[Hits]) -> Hits:
        """Make hits of all that are in one of the parts, each once."""
        check_size(sum(map(len, parts)))
        filled = [part for part in parts if len(part)]
        if len(filled) < 2:
            return filled[0] if filled else cls.none()
        return cls.of(np.concatenate([part.starts for part in filled]), np.concatenate([part.ends for part in filled]))

    @classmethod
    def chained(cls, parts: Sequence[Hits]) -> Hits:
        """Make hits of several that come one after the other in the corpus."""
        if all(part.single for part in parts):
            return cls(np.concatenate([part.starts for part in parts]))
        return cls(np.concatenate([part.starts for part in parts]), np.concatenate([part.ends for part in parts]))

    @cached_property
    def starts(self) -> Edges:
        """The first token of each hit."""
        return self._starts.astype(np.int64, copy=False)

    @property
    def stored_starts(self) -> npt.NDArray[Any]:
        """The first token of each hit, in the type that the index or a query has for it: nothing is copied."""
        return np.asarray(self._starts)

    @cached_property
    def ends(self) -> Edges:
        """The token after the last of each hit."""
        return self.starts + 1 if self._ends is None else self._ends.astype(np.int64, copy=False)

    @property
    def single(self) -> bool:
        """Whether it is known that each hit is one token."""
        return self._ends is None

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, which: slice | Mask | Edges) -> Hits:
        """Take some of the hits: by a slice, a mask, or numbers that ascend."""
        return Hits(self._starts[which], None if self._ends is None else self._ends[which])

    def spans(self) -> list[tuple[int, int]]:
        """Return all hits as pairs of numbers."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))


class RaggedHits(Hits):
    """Hits of which several begin at the same place and end at edges in a row; they are written out when needed.

    With the edges 0, 2, 3 and 8, hits from 0 to the edges 1 and 2, and from 2 to the edge 2, are
        rows    starts 0 and 2, first edges 1 and 2, counts 2 and 1
        hits    (0, 2), (0, 3), (2, 3)
    So how many they are, and the first of them, is known without all the others.
    """

    def __init__(self, starts: Edges, first: Edges, counts: Edges, edges: npt.NDArray[Any]) -> None:
        """Take rows: where hits start, the number of the first edge where they end, and how many edges these are."""
        check_size(int(counts.sum()))
        self._row_starts, self._first, self._counts, self._edges = starts, first, counts, edges
        self._before = starts_of(counts)

    @cached_property
    def numbers(self) -> Edges:
        """The number of the edge where each hit ends."""
        return concatenated_ranges(self._first, self._counts)

    @cached_property
    def _starts(self) -> Edges:  # type: ignore[override]
        return np.repeat(self._row_starts, self._counts)

    @cached_property
    def _ends(self) -> Edges:  # type: ignore[override]
        return self._edges[self.numbers].astype(np.int64, copy=False)

    @property
    def single(self) -> bool:
        """Whether it is known that each hit is one token; it is not."""
        return False

    def __len__(self) -> int:
        return int(self._before[-1])

    def __getitem__(self, which: slice | Mask | Edges) -> Hits:
        """Take some of the hits; of a slice, only its rows are written out."""
        if not isinstance(which, slice) or which.step not in {None, 1}:
            return super().__getitem__(which)
        start, stop, _ = which.indices(len(self))
        row = int(np.searchsorted(self._before, start, side="right")) - 1
        last = max(row, int(np.searchsorted(self._before, stop)))
        rows = slice(max(row, 0), last)
        part = RaggedHits(self._row_starts[rows], self._first[rows], self._counts[rows], self._edges)
        shift = int(self._before[rows.start]) if len(self._before) else 0
        return Hits(part._starts[start - shift : stop - shift], part._ends[start - shift : stop - shift])


def pick(numbers: npt.NDArray[Any], mask: Mask) -> npt.NDArray[Any]:
    """Take the numbers where a mask is true; NumPy's own way is slower if they are few."""
    return numbers.take(np.flatnonzero(mask))


def distinct(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sort numbers and leave each once; NumPy's own way goes by hashing, which is slower for millions.

    Most are several sorted lists one behind the other. A stable sort merges these, ten times as fast as another.
    """
    numbers = np.sort(numbers, kind="stable")
    new = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return numbers if new.all() else pick(numbers, new)


def packed(upper: Edges, lower: Edges, bits: int | None = None) -> tuple[Edges, int]:
    """Pack pairs of numbers into one number each, in the order of the pairs; and how many bits the lower one takes.

    With lower numbers of up to 9 these are 4 bits: the pair (3, 7) is 3 * 16 + 7 = 55, which comes before (4, 0).
    """
    bits = int(lower.max(initial=0)).bit_length() if bits is None else bits
    return (upper << bits) | lower, bits


def unpacked(keys: Edges, bits: int) -> tuple[Edges, Edges]:
    """Unpack numbers that `packed` has made."""
    return keys >> bits, keys & ((1 << bits) - 1)


def too_many(spans: int) -> bool:
    """Tell whether these are more spans than a query may have."""
    return spans > MAX_SPANS


def check_size(spans: int) -> None:
    """Raise if these are more spans than a query may have."""
    if too_many(spans):
        advice = "make it narrower, by a rarer word or fewer repetitions"
        raise UsageError(f"the query has more than {MAX_SPANS:,} matches, or ways to one: {advice}")
