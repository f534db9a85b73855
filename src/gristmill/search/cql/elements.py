"""The simple parts of a query, bound to an index.

Each element finds its own spans, and extends spans that others found from their edges to the left or to the right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from functools import cached_property, reduce

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.selecting import LIST_NANOSECONDS, AllTokens, Selector, scan
from gristmill.search.hits import Edges, Hits, pick


class Element(ABC):
    """A part of a query, from `least` to `most` tokens long; `estimate` is the number of spans to expect."""

    least: int
    most: int
    estimate: int

    @abstractmethod
    def hits(self) -> Hits:
        """All its spans that have a token."""

    @abstractmethod
    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over this element, to the right or to the left, from the edges of spans that have a token."""

    @abstractmethod
    def emptied(self) -> Element | None:
        """What it is without a token: a condition on the edge, or nothing; None if it needs a token."""


class Nothing(Element):
    """No token and no condition."""

    least = most = estimate = 0

    def hits(self) -> Hits:
        """No spans: it has no token."""
        return Hits.none()

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Stay at each edge."""
        del right
        return frontier

    def emptied(self) -> Element:
        """Itself, as it has no token."""
        return self


class Run(Element):
    """Tokens one after the other."""

    def __init__(self, tokens: SequenceOf[Selector], stream: Stream) -> None:
        self.tokens = list(tokens)
        self.stream = stream
        self.least = self.most = len(self.tokens)
        self._by_count = sorted(enumerate(self.tokens), key=lambda token: token[1].count)
        self.estimate = self._by_count[0][1].count
        self.anything = all(isinstance(token, AllTokens) for token in self.tokens)

    def hits(self) -> Hits:
        """All spans, from the rarest token; or by scanning, if even that is frequent."""
        shift, rarest = self._by_count[0]
        if self.most == 1:
            return Hits(rarest.positions())
        if rarest.count * LIST_NANOSECONDS > self.stream.size * sum(token.cost for token in self.tokens):
            return self._inside(self._scan())
        return self._tested(rarest.positions().astype(np.int64) - shift, self._by_count[1:])

    def hits_at(self, starts: Edges) -> Hits:
        """The spans that start at one of these places, which ascend."""
        return self._tested(starts, self._by_count)

    def _tested(self, starts: Edges, tokens: SequenceOf[tuple[int, Selector]]) -> Hits:
        """Keep the starts where all these tokens stand, each at its distance from the start."""
        for shift, token in tokens:
            if not isinstance(token, AllTokens):
                starts = pick(starts, token.at(starts + shift))
        return self._inside(starts)

    def _inside(self, starts: Edges) -> Hits:
        """Keep the spans that do not cross the end of a document."""
        if self.most == 1:
            return Hits(starts)
        starts = pick(starts, ~self.stream.documents.between(starts + 1, self.most - 1))
        return Hits(starts, starts + self.most)

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Test the tokens beside each edge; those beyond the end of a document do not count."""
        for number in range(self.most):
            self.stream.count(len(frontier))
            token = self.tokens[number if right else self.most - 1 - number]
            if not isinstance(token, AllTokens):
                frontier = frontier.where(token.at(frontier.edges if right else frontier.edges - 1))
            frontier = frontier.where(~self.stream.documents.between(frontier.edges, 1), 1 if right else -1)
        return frontier

    def emptied(self) -> None:
        """None: it needs a token."""

    def _scan(self) -> Edges:
        """Where it can start, found by looking at each token."""
        size = max(0, self.stream.size - self.most + 1)
        used = [
            (shift, token) for shift, token in self._by_count if not isinstance(token, AllTokens)
        ] or self._by_count[:1]

        def block(first: int, last: int) -> Mask:
            return reduce(np.logical_and, (token.block(first + shift, last + shift) for shift, token in used))

        return scan(size, block)


class Edge(Element):
    """The place where a structure begins or ends."""

    least = most = 0

    def __init__(self, structure: Bounds, chosen: Mask | None, closing: bool, stream: Stream) -> None:
        """Take the bounds of the structures; `chosen` says which of these count."""
        self.structure, self.chosen, self.closing, self.stream = structure, chosen, closing, stream
        self.estimate = len(self.places)

    @cached_property
    def places(self) -> Edges:
        """All such places, ascending."""
        places = self.structure.bounds[1:] if self.closing else self.structure.bounds[:-1]
        return (places if self.chosen is None else places[self.chosen]).astype(np.int64)

    def hits(self) -> Hits:
        """No spans: it has no token."""
        return Hits.none()

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Stay where there is such an edge, in the document that the span is in."""
        self.stream.count(len(frontier))
        numbers = self.structure.place(frontier.edges)
        found = self.structure.bounds[numbers] == frontier.edges
        if self.chosen is not None:
            found &= self.chosen.take(numbers - self.closing, mode="clip")
        if self.closing != right:
            # What ends where the span begins, or begins where it ends, may be in another document.
            found &= ~self.stream.documents.at(frontier.edges)
        return frontier.where(found)

    def emptied(self) -> Element:
        """Itself, as it has no token."""
        return self


class Known(Element):
    """Spans that are known beforehand: whole structures, or what was found by other means."""

    least = 1

    def __init__(self, found: Hits, stream: Stream) -> None:
        self.found, self.stream = found, stream
        self.estimate = len(found)
        self.most = int((found.ends - found.starts).max(initial=1))

    def hits(self) -> Hits:
        """All known spans."""
        return self.found

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the known spans that begin (or end) at each edge."""
        self.stream.count(len(frontier))
        frontier = frontier.where(~self.stream.documents.at(frontier.edges))
        near, far = (self.found.starts, self.found.ends) if right else self._by_end
        first = np.searchsorted(near, frontier.edges)
        return frontier.joined(first, np.searchsorted(near, frontier.edges, side="right") - first, far)

    @cached_property
    def _by_end(self) -> tuple[Edges, Edges]:
        """The ends of the spans, ascending, and the start of each."""
        order = np.argsort(self.found.ends, kind="stable")
        return self.found.ends[order], self.found.starts[order]

    def emptied(self) -> None:
        """None: it needs a token."""


class Filtered(Element):
    """The spans of an element that pass a test. What passes has a token."""

    def __init__(self, part: Element, test: Callable[[Hits], Mask], stream: Stream) -> None:
        self.part, self.test, self.stream = part, test, stream
        self.least, self.most, self.estimate = max(1, part.least), part.most, part.estimate

    def hits(self) -> Hits:
        """The spans of the element that pass."""
        found = self.part.hits()
        return found[np.flatnonzero(self.test(found))]

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the spans that pass."""
        return self._known.extend(frontier, right)

    def emptied(self) -> None:
        """None: it needs a token."""

    @cached_property
    def _known(self) -> Known:
        return Known(self.hits(), self.stream)
