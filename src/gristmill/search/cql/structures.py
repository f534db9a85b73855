"""Whole structures as parts of a query: `<s/>`, `<p kind="h"/>`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.edges import Edge
from gristmill.search.cql.elements import Element, Filtered
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.relations import structures_with
from gristmill.search.hits import Edges, Hits, check_size


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


def in_a_row(edges: tuple[Edge, Edge], least: int, most: int) -> Hits:
    """Find the spans from where a structure begins to where one of its kind ends, if they have so many tokens.

    Sentences of 2, 1 and 5 tokens, bounds 0, 2, 3 and 8; from 1 to 3 tokens:
        one sentence in a row       lengths 2, 1 and 5      from 0 to 2, from 2 to 3
        two sentences in a row      lengths 3 and 6         from 0 to 3
    Spans are put in the order of their starts: the first two of all are those that begin with the first sentence.
    """
    opening, _ = edges
    stream = opening.stream
    bounds = stream.bounds_of_stretch(opening.structure.bounds)
    begin, end = (_chosen_in(edge, bounds) for edge in edges)
    short = np.diff(bounds) <= most
    first = np.flatnonzero(short if begin is None else short & begin)
    starts, (_, limits) = bounds[first], stream.documents_of(bounds[first])
    alive, found = np.arange(len(first)), []
    for row in count(1):
        numbers = first[alive] + row
        ends = bounds.take(numbers, mode="clip")
        inside = (numbers < len(bounds)) & (ends - starts[alive] <= most) & (ends <= limits[alive])
        alive, numbers, ends = alive[inside], numbers[inside], ends[inside]
        if not len(alive):
            break
        stream.count(len(alive))
        wanted = ends - starts[alive] >= least
        if end is not None:
            wanted &= end[numbers - 1]
        found.append(alive[wanted])
        check_size(sum(map(len, found)))
    return _in_order(found, first, bounds)


def _chosen_in(edge: Edge, bounds: Edges) -> Mask | None:
    """Whether each of the structures with some bounds, which come one after the other, is chosen; None if all are."""
    if edge.chosen is None:
        return None
    first = int(edge.structure.place(bounds[:1])[0])
    return edge.chosen[first : first + len(bounds) - 1]


def _in_order(found: Sequence[Edges], first: Edges, bounds: Edges) -> Hits:
    """Put spans in order, given for each number of structures in a row which of the `first` ones they begin with."""
    each = np.bincount(np.concatenate([np.empty(0, np.int64), *found]), minlength=len(first))
    starts, ends = np.repeat(bounds[first], each), np.empty(int(each.sum()), np.int64)
    free = np.cumsum(each) - each
    for row, which in enumerate(found, 1):
        ends[free[which]] = bounds[first[which] + row]
        free[which] += 1
    return Hits(starts, ends)


class Containing(Filtered):
    """The structures that have a match of something else in them: they are found from these matches."""

    def __init__(self, part: Structures, others: Callable[[], Hits], test: Callable[[Hits], Mask]) -> None:
        super().__init__(part, test, part.stream)
        self._structures, self._others = part, others

    def hits(self) -> Hits:
        """The structures, found from what they contain."""
        return structures_with(self._structures.structure, self._structures.chosen, self._others())
