"""Where structures begin and end, asked for many positions at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.errors import UsageError
from gristmill.search.hits import Edges
from gristmill.search.index.attribute import Positions

_WORTH = 4
"""Looking up bounds among edges beats looking up edges among bounds if there are so many times more edges."""
MAX_STEPS = 200_000_000
"""Steps that the matching of a query may take: some ten seconds, at 20 to 90 nanoseconds each, more the more ways there are at a time."""
_CALL = 1000
"""Steps that it costs to go on at all, be it from one edge."""


class Bounds:
    """The bounds of the structures of one kind, which cover the stream: where each begins, and at the end the number of tokens."""

    def __init__(self, bounds: Positions) -> None:
        self.bounds = bounds

    def place(self, edges: Edges) -> npt.NDArray[np.int64]:
        """The number of the first bound that is not before each edge. Edges are from 0 to the number of tokens."""
        return np.searchsorted(self.bounds, edges.astype(self.bounds.dtype))

    def numbers(self, positions: Edges) -> npt.NDArray[np.int64]:
        """Which structure each of these positions is in; they ascend."""
        if len(positions) > _WORTH * len(self.bounds):
            return np.repeat(
                np.arange(len(self.bounds) - 1), np.diff(np.searchsorted(positions, self.bounds.astype(np.int64)))
            )
        return self.place(positions + 1) - 1

    def at(self, edges: Edges) -> Mask:
        """Whether there is a bound at each edge."""
        found: Mask = self.bounds[self.place(edges)] == edges
        return found

    def room(self, edges: Edges, right: bool) -> Edges:
        """How many tokens there are from each edge to the next bound on that side."""
        places = self.place(edges)
        after = self.bounds[places].astype(np.int64) - edges
        return after if right else np.where(after == 0, 0, edges - self.bounds[np.maximum(places, 1) - 1])

    def between(self, edges: Edges, length: int) -> Mask:
        """Whether one of `length` edges in a row, from each of these on, is a bound.

        At least one of them is in the stream.
        """
        if len(edges) > _WORTH * len(self.bounds) and np.all(edges[1:] >= edges[:-1]):
            return self._marked(edges, length)
        found: Mask = self.bounds[self.place(np.maximum(edges, 0))] < edges + length
        return found

    def _marked(self, edges: Edges, length: int) -> Mask:
        """The same for sorted edges: each bound marks those before it."""
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
    """What all parts of a query need to know of the index: where documents end. It counts the steps that they take."""

    size: int
    documents: Bounds
    steps: int = 0

    def count(self, steps: int) -> None:
        """Note that so many steps were taken at once."""
        self.steps += steps + _CALL
        if self.steps > MAX_STEPS:
            raise UsageError(
                "the query takes too long: make it narrower, by a rarer word, or fewer repetitions within repetitions"
            )
