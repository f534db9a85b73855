"""Whole structures as parts of a query: `<s/>`, `<p kind="h"/>`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Element, Filtered
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.relations import structures_with
from gristmill.search.hits import Hits


class Structures(Element):
    """All tokens of a structure of a kind, if it is one of those that are chosen."""

    least = 1

    def __init__(self, structure: Bounds, chosen: Mask | None, stream: Stream) -> None:
        self.structure, self.chosen, self.stream = structure, chosen, stream
        self.most = max(1, stream.size)
        self.estimate = len(structure.bounds) - 1 if chosen is None else int(np.count_nonzero(chosen))

    def hits(self) -> Hits:
        """All such structures."""
        bounds = self.structure.bounds.astype(np.int64)
        found = Hits(bounds[:-1], bounds[1:])
        if self.chosen is not None:
            found = found[np.flatnonzero(self.chosen)]
        if self.stream.is_whole:
            return found
        first, last = np.searchsorted(found.starts, [self.stream.first, self.stream.last]).tolist()
        return found[first:last]

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Go from one bound to the next."""
        self.stream.count(len(frontier))
        frontier = frontier.where(frontier.room != 0)
        numbers = self.structure.place(frontier.edges)
        found = self.structure.bounds[numbers] == frontier.edges
        if self.chosen is not None:
            found &= self.chosen.take(numbers - (not right), mode="clip")
        numbers = numbers[found] + (1 if right else -1)
        return replace(frontier.where(found), edges=self.structure.bounds[numbers].astype(np.int64))

    def emptied(self) -> None:
        """None: it needs a token."""


class Containing(Filtered):
    """The structures that have a match of something else in them: they are found from these matches."""

    def __init__(self, part: Structures, others: Callable[[], Hits], test: Callable[[Hits], Mask]) -> None:
        super().__init__(part, test, part.stream)
        self._structures, self._others = part, others

    def hits(self) -> Hits:
        """The structures, found from what they contain."""
        return structures_with(self._structures.structure, self._structures.chosen, self._others())
