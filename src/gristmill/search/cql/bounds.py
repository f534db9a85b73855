"""Bounds of structures: where sentences, paragraphs and documents begin and end, asked for many positions at once.

A position is the number of a token; an edge is a place between tokens, named by the position after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.errors import GristmillError, UsageError
from gristmill.search.hits import Edges
from gristmill.search.index.attribute import Positions

_MIN_EDGES_PER_BOUND = 4
"""Looking up bounds among edges beats looking up edges among bounds if there are so many edges for a bound."""
MAX_STEPS = 200_000_000
"""Steps that the matching of a query may take before it is given up.

That is some ten seconds: a step takes 20 to 90 nanoseconds, more the more edges are held at a time.
"""
_STEPS_PER_CALL = 1000
"""Steps that a call costs, be it for one edge."""


class CancelledError(GristmillError):
    """A search that was given up because nobody wants its answer any more."""


class Bounds:
    """The bounds of the structures of one kind, which cover the stream of tokens without gaps.

    The bounds of three sentences of 5, 4 and 1 tokens are [0, 5, 9, 10]: where each begins, and the number of tokens.
    """

    def __init__(self, bounds: Positions) -> None:
        self.bounds = bounds

    def place(self, edges: Edges) -> npt.NDArray[np.int64]:
        """Number of the first bound that is not before each edge. Edges are from 0 to the number of tokens."""
        return np.searchsorted(self.bounds, edges.astype(self.bounds.dtype))

    def numbers(self, positions: Edges) -> npt.NDArray[np.int64]:
        """Number of the structure that each position is in; positions ascend."""
        if len(positions) > _MIN_EDGES_PER_BOUND * len(self.bounds):
            return np.repeat(
                np.arange(len(self.bounds) - 1), np.diff(np.searchsorted(positions, self.bounds.astype(np.int64)))
            )
        return self.place(positions + 1) - 1

    def at(self, edges: Edges) -> Mask:
        """Whether there is a bound at each edge."""
        found: Mask = self.bounds[self.place(edges)] == edges
        return found

    def between(self, edges: Edges, length: int) -> Mask:
        """Whether a bound is among the `length` edges from each of these on.

        At least one of them is in the stream.
        """
        if len(edges) > _MIN_EDGES_PER_BOUND * len(self.bounds) and np.all(edges[1:] >= edges[:-1]):
            return self._marked(edges, length)
        found: Mask = self.bounds[self.place(np.maximum(edges, 0))] < edges + length
        return found

    def _marked(self, edges: Edges, length: int) -> Mask:
        """Answer `between` for sorted edges: each bound marks the edges that are up to `length` before it.

        edges [0, 2, 3, 7, 8], length 2, bounds [0, 4, 9]
        The bound 4 marks edges above 4 - 2 and up to 4: numbers 2 to before 3 of the edges, which is the edge 3.
        The bound 9 marks edges above 7 and up to 9: the edge 8. The bound 0 marks the edge 0.
        So the answer is [True, False, True, False, True].
        """
        bounds = self.bounds.astype(np.int64)
        first, last = (
            np.searchsorted(edges, bounds - length, side="right"),
            np.searchsorted(edges, bounds, side="right"),
        )
        found = np.zeros(len(edges), np.bool_)
        found[concatenated_ranges(first, last - first)] = True
        return found


@dataclass
class Stream:
    """The token stream as all parts of a query see it: its size, its documents, and what of it is searched just now.

    No match goes over the end of a document, so a query that matches much is answered a stretch of documents at a time:
    what it takes in memory does not grow with the corpus. The stream counts the steps of matching.
    """

    size: int
    documents: Bounds
    steps: int = 0
    first: int = 0
    """Where the stretch begins."""
    last: int = -1
    """Where the stretch ends; at the end of the stream if nothing else is said."""
    cancelled: Callable[[], bool] = lambda: False
    """Asked at each step whether anybody still wants the answer."""

    def __post_init__(self) -> None:
        if self.last < 0:
            self.last = self.size

    @property
    def is_whole(self) -> bool:
        """Whether all of it is searched at once."""
        return self.first == 0 and self.last == self.size

    def stretches(self, count: int) -> Iterator[None]:
        """Go through the stream in about so many stretches of whole documents, one after the other."""
        starts = np.linspace(0, self.size, count + 1)[1:-1].astype(np.int64)
        bounds = self.documents.bounds
        cuts = {0, self.size, *bounds[self.documents.place(starts)].tolist()}
        for self.first, self.last in pairwise(sorted(cuts)):
            yield
        self.first, self.last = 0, self.size

    def within(self, places: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Take those of some places, which ascend, that are tokens of the stretch."""
        if self.is_whole:
            return places
        kind = places.dtype.type
        first, last = np.searchsorted(places, np.array([self.first, self.last], kind)).tolist()
        return places[first:last]

    def bounds_of_stretch(self, bounds: Positions) -> Positions:
        """Take those of the bounds of structures that are in the stretch, with its end; nothing is copied."""
        kind = bounds.dtype.type
        first, last = np.searchsorted(bounds, np.array([self.first, self.last], kind)).tolist()
        return bounds[first : last + 1]

    def documents_of(self, positions: Edges) -> tuple[Edges, Edges]:
        """Find where the documents of some tokens, whose positions ascend, begin and end."""
        numbers = self.documents.numbers(positions)
        bounds = self.documents.bounds
        return bounds[numbers].astype(np.int64), bounds[numbers + 1].astype(np.int64)

    def count(self, steps: int) -> None:
        """Count steps that were taken at once; raise if the query has taken too many, or nobody waits for it."""
        self.steps += steps + _STEPS_PER_CALL
        if self.steps > MAX_STEPS:
            raise UsageError(
                "the query takes too long: make it narrower, by a rarer word, or fewer repetitions within repetitions"
            )
        if self.cancelled():
            raise CancelledError("the search was cancelled")
