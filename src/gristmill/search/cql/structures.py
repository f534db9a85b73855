"""Whole structures as parts of a query: `<s/>`, `<p kind="h"/>`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.edges import Edge
from gristmill.search.cql.elements import Element, Filtered, Known
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.relations import structures_with
from gristmill.search.hits import Edges, Hits, RaggedHits
from gristmill.search.index.attribute import Positions


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


class InARow(Known):
    """What is from where a structure begins to where one of its kind ends, with so many tokens: `<s> []{1,3} </s>`.

    Sentences of 2, 1 and 5 tokens, bounds 0, 2, 3 and 8; from 1 to 3 tokens:
        from 0 on, the bounds from 1 to 3 are the second and the third      from 0 to 2, from 0 to 3
        from 2 on, the bounds from 3 to 5 are the third                     from 2 to 3
        from 3 on, there is no bound from 4 to 6
    """

    def __init__(self, opening: Edge, closing: Edge, least: int, most: int, in_one: bool = False) -> None:
        """Take both edges, and how many tokens are between them; `in_one` if these must be of one structure."""
        self.opening, self.closing, self.tokens, self.in_one = opening, closing, (least, most), in_one
        super().__init__(self._rows, opening.estimate, opening.stream)

    def is_of(self, structure: Bounds) -> bool:
        """Whether its edges are those of a kind of structure."""
        return self.opening.structure.bounds is structure.bounds

    def alone(self) -> InARow:
        """Such spans within one structure."""
        return InARow(self.opening, self.closing, *self.tokens, in_one=True)

    def _rows(self) -> Hits:
        least, most = self.tokens
        bounds = self.stream.bounds_of_stretch(self.opening.structure.bounds)
        begin, end = (_chosen_in(edge, bounds) for edge in (self.opening, self.closing))
        short = np.diff(bounds) <= most
        first = np.flatnonzero(short if begin is None else short & begin)
        starts = bounds[first].astype(np.int64)
        if self.in_one:
            last = first + 2
        else:
            _, limits = self.stream.documents_of(starts)
            last = _places(bounds, np.minimum(starts + most, limits) + 1)
        low = first + 1 if least <= 1 else np.maximum(_places(bounds, starts + least), first + 1)
        self.stream.count(len(first))
        rows = RaggedHits(starts, low, np.maximum(last - low, 0), bounds)
        if end is None:
            return rows
        return rows[np.flatnonzero(end[rows.numbers - 1])]


def _chosen_in(edge: Edge, bounds: Positions) -> Mask | None:
    """Whether each of the structures with some bounds, which come one after the other, is chosen; None if all are."""
    if edge.chosen is None:
        return None
    first = int(edge.structure.place(bounds[:1].astype(np.int64))[0])
    return edge.chosen[first : first + len(bounds) - 1]


def _places(bounds: Positions, edges: Edges) -> Edges:
    """Number of the first bound that is not before each edge; among numbers of another type it would take longer."""
    return np.searchsorted(bounds, edges.astype(bounds.dtype))


class Containing(Filtered):
    """The structures that have a match of something else in them: they are found from these matches."""

    def __init__(self, part: Structures, others: Callable[[], Hits], test: Callable[[Hits], Mask]) -> None:
        super().__init__(part, test, part.stream)
        self._structures, self._others = part, others

    def hits(self) -> Hits:
        """The structures, found from what they contain."""
        return structures_with(self._structures.structure, self._structures.chosen, self._others())
