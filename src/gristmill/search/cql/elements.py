"""The simple parts of a query, bound to an index.

Each element finds its own spans, and extends spans that others found from their edges to the left or to the right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Stream
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.selecting import LIST_NANOSECONDS, AllTokens, Selector, scan
from gristmill.search.hits import Edges, Hits, pick


@dataclass(frozen=True, slots=True)
class Begun:
    """Where matching begins: spans, which may be empty at the edges of structures, and the documents they are in."""

    starts: Edges
    ends: Edges
    first: Edges
    """Where the document of each begins."""
    last: Edges
    """Where it ends."""

    @classmethod
    def of(cls, hits: Hits, stream: Stream) -> Begun:
        """Begin with spans that have tokens."""
        return cls(hits.starts, hits.ends, *stream.documents_of(hits.starts))

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, numbers: Edges) -> Begun:
        """Take some of the spans."""
        return Begun(*(part.take(numbers) for part in (self.starts, self.ends, self.first, self.last)))

    def to_right(self) -> Frontier:
        """Begin a frontier at the ends."""
        return Frontier.begin(self.ends, self.last)

    def to_left(self) -> Frontier:
        """Begin a frontier at the starts."""
        return Frontier.begin(self.starts, self.first)


class Element(ABC):
    """A part of a query, from `least` to `most` tokens long; `estimate` is the number of spans to expect."""

    least: int
    most: int
    estimate: int
    stream: Stream

    @property
    def is_needed(self) -> bool:
        """Whether it has a place in each match, so that matching can begin with it: it needs a token or is an edge."""
        return self.least > 0

    @abstractmethod
    def hits(self) -> Hits:
        """All its spans that have a token."""

    def begin(self) -> Begun:
        """All its spans as the places where matching begins."""
        return Begun.of(self.hits(), self.stream)

    @abstractmethod
    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over this element, to the right or to the left."""

    @abstractmethod
    def emptied(self) -> Element | None:
        """What it is without a token: a condition on the edge, or nothing; None if it needs a token."""


class Nothing(Element):
    """No token and no condition."""

    least = most = estimate = 0

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

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
            if isinstance(rarest, AllTokens):
                return Hits(np.arange(self.stream.first, self.stream.last))
            return Hits(self.stream.within(self._listed))
        if rarest.count * LIST_NANOSECONDS > self.stream.size * sum(token.cost for token in self.tokens):
            return self._inside(self._scan())
        return self._tested(self.stream.within(self._listed).astype(np.int64) - shift, self._by_count[1:])

    @cached_property
    def _listed(self) -> Edges:
        """Positions of the rarest token in the whole stream."""
        positions = self._by_count[0][1].positions()
        return positions if self.stream.is_whole else np.asarray(positions)

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
        """Compared the tokens beside each edge; those beyond the end of a document do not count."""
        if self.anything:
            self.stream.count(len(frontier))
            room = frontier.room if right else -frontier.room
            return frontier.where(room >= self.most, self.most if right else -self.most)
        for number in range(self.most):
            self.stream.count(len(frontier))
            token = self.tokens[number if right else self.most - 1 - number]
            inside = frontier.room > 0 if right else frontier.room < 0
            if not isinstance(token, AllTokens):
                inside &= token.at(frontier.edges if right else frontier.edges - 1)
            frontier = frontier.where(inside, 1 if right else -1)
        return frontier

    def extend_over(self, frontier: Frontier, right: bool, least: int, most: int) -> Frontier:
        """Go on to these tokens from `least` to `most` tokens further, and over them: they are looked up in a list.

        The tokens are found at 5 and 9, and the frontier is at 4: from 1 to 5 tokens further there are both.
        """
        self.stream.count(len(frontier))
        found = self._known.hits()
        limits = frontier.limits[frontier.origins]
        if right:
            near, far = found.starts, found.ends
            low, high = frontier.edges + least, np.minimum(frontier.edges + most, limits - self.most)
        else:
            near, far = found.ends, found.starts
            low, high = np.maximum(frontier.edges - most, limits + self.most), frontier.edges - least
        first = np.searchsorted(near, low)
        last = np.searchsorted(near, high, side="right")
        return frontier.joined(first, np.maximum(last - first, 0), far)

    @cached_property
    def _known(self) -> Known:
        return Known(self.hits, self.estimate, self.stream)

    def emptied(self) -> None:
        """None: it needs a token."""

    def _scan(self) -> Edges:
        """Where it can start, found by looking at each token."""
        first, last = self.stream.first, max(self.stream.first, self.stream.last - self.most + 1)
        used = [
            (shift, token) for shift, token in self._by_count if not isinstance(token, AllTokens)
        ] or self._by_count[:1]

        def block(start: int, end: int) -> Mask:
            return reduce(np.logical_and, (token.block(start + shift, end + shift) for shift, token in used))

        return scan(first, last, block)


class Known(Element):
    """Spans that are found by other means, for a stretch of the corpus at a time."""

    least = 1

    def __init__(self, find: Callable[[], Hits], estimate: int, stream: Stream) -> None:
        """Take a function that finds the spans of the stretch that is searched just now."""
        self._find, self.stream, self.estimate = find, stream, estimate
        self.most = max(1, stream.size)
        self._found: tuple[tuple[int, int], Hits] | None = None

    def hits(self) -> Hits:
        """All spans of the stretch; they are found once."""
        stretch = self.stream.first, self.stream.last
        if self._found is None or self._found[0] != stretch:
            self._found = stretch, self._find()
        return self._found[1]

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the known spans that begin (or end) at each edge."""
        self.stream.count(len(frontier))
        frontier = frontier.where(frontier.room != 0)
        found = self.hits()
        near, far = found.starts, found.ends
        if not right:
            order = np.argsort(found.ends, kind="stable")
            near, far = found.ends[order], found.starts[order]
        first = np.searchsorted(near, frontier.edges)
        return frontier.joined(first, np.searchsorted(near, frontier.edges, side="right") - first, far)

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
        """Extend over the spans that pass: those of the element from each edge on are found, and then tested."""
        reached = self.part.extend(frontier.restarted(), right)
        reached = reached.where(reached.edges != frontier.edges[reached.origins])
        near = frontier.edges[reached.origins]
        starts, ends = (near, reached.edges) if right else (reached.edges, near)
        order = np.lexsort((ends, starts))
        passed = np.zeros(len(reached), np.bool_)
        passed[order] = self.test(Hits(starts[order], ends[order]))
        return frontier.resumed(reached.where(passed))

    def emptied(self) -> None:
        """None: it needs a token."""
