"""The parts of a query that have no token: where a structure begins or ends, and where no space is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Begun, Element
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.selecting import Selector
from gristmill.search.hits import Edges, Hits


class Edge(Element):
    """The place where a structure begins or ends."""

    least = most = 0
    is_needed = True

    def __init__(self, structure: Bounds, chosen: Mask | None, closing: bool, stream: Stream) -> None:
        """Take the bounds of the structures; `chosen` says which of these count."""
        self.structure, self.chosen, self.closing, self.stream = structure, chosen, closing, stream
        self.estimate = len(structure.bounds) - 1 if chosen is None else int(np.count_nonzero(chosen))

    @cached_property
    def places(self) -> Edges:
        """All such places, ascending."""
        places = self.structure.bounds[1:] if self.closing else self.structure.bounds[:-1]
        return (places if self.chosen is None else places[self.chosen]).astype(np.int64)

    def hits(self) -> Hits:
        """No spans: it has no token."""
        return Hits.none()

    def begin(self) -> Begun:
        """All such places, as spans without a token; each belongs to the document that its structure is in."""
        inner = self.stream.within(self.places - self.closing)
        places = inner + self.closing
        return Begun(places, places, *self.stream.documents_of(inner))

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Stay where there is such an edge, in the document that the span is in."""
        self.stream.count(len(frontier))
        numbers = self.structure.place(frontier.edges)
        found = self.structure.bounds[numbers] == frontier.edges
        if self.chosen is not None:
            found &= self.chosen.take(numbers - self.closing, mode="clip")
        found[found] = self._in_document(frontier.where(found), right)
        return frontier.where(found)

    def _in_document(self, frontier: Frontier, right: bool) -> Mask:
        """Whether a structure that has an edge at the edges of a frontier is in the document that matching is in.

        What begins where the document ends, and what ends where it begins, is of another one. The limit is the one; if
        matching began at an edge, it may still be at the other.
        """
        at_limit: Mask = frontier.room == 0
        return ~at_limit if self.closing != right else at_limit | ~self.stream.documents.at(frontier.edges)

    def extend_over(self, frontier: Frontier, right: bool, least: int, most: int) -> Frontier:
        """Go on to such edges from `least` to `most` tokens further, whatever these tokens are.

        Sentences begin at 0, 5 and 9, and the frontier is at 4: from 1 to 5 tokens further there are the edges 5 and 9,
        numbers 1 to before 3 of the places.
        """
        self.stream.count(len(frontier))
        limits = frontier.limits[frontier.origins]
        if right:
            low, high = frontier.edges + least, np.minimum(frontier.edges + most, limits - (not self.closing))
        else:
            low, high = np.maximum(frontier.edges - most, limits + self.closing), frontier.edges - least
        if not least and self.closing == right:
            outside = ~self._in_document(frontier, right)
            low, high = (low + outside, high) if right else (low, high - outside)
        first = np.searchsorted(self.places, low)
        last = np.searchsorted(self.places, high, side="right")
        return frontier.joined(first, np.maximum(last - first, 0), self.places)

    def emptied(self) -> Element:
        """Itself, as it has no token."""
        return self


class Between(Element):
    """A place before a token that passes a test, such as one without a space before it."""

    least = most = 0
    is_needed = True

    def __init__(
        self, test: Callable[[npt.NDArray[Any]], Mask], stream: Stream, selector: Selector | None = None
    ) -> None:
        """Take a test of the positions of tokens, and a selector of the tokens that pass, if there is one.

        Without one the place must be between two tokens of a document.
        """
        self.test, self.stream, self.selector = test, stream, selector
        self.estimate = stream.size if selector is None else selector.count

    def hits(self) -> Hits:
        """No spans: it has no token."""
        return Hits.none()

    def begin(self) -> Begun:
        """All such places in the stretch that is searched."""
        if self.selector is None:
            inner = np.arange(self.stream.first, self.stream.last)
            inner = inner[self.test(inner) & ~self.stream.documents.at(inner)]
        else:
            inner = self.stream.within(np.asarray(self.selector.positions())).astype(np.int64)
        return Begun(inner, inner, *self.stream.documents_of(inner))

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Stay where the token after the edge is in the document and passes the test."""
        self.stream.count(len(frontier))
        inside = ~self.stream.documents.at(frontier.edges)
        if self.selector is not None:
            # At the start of its own document a place has a token after it, at the end of it none.
            inside = frontier.room > 0 if right else inside | (frontier.room == 0)
        inside[inside] = self.test(frontier.edges[inside])
        return frontier.where(inside)

    def emptied(self) -> Element:
        """Itself, as it has no token."""
        return self
