"""The compound parts of a query: choices, repetitions, sequences.

A sequence is matched from its rarest part to the left and to the right, for all places at once. What is reached on a
side is a `Frontier`: pairs of an origin (the span of the rarest part) and an edge.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

import numpy as np

from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.edges import Edge
from gristmill.search.cql.elements import Begun, Element, Nothing, Run
from gristmill.search.cql.frontier import Frontier, beyond, together, union
from gristmill.search.hits import Edges, Hits, check_size, too_many

_NO_STREAM = Stream(0, Bounds(np.zeros(1, np.int64)))
_NOTHING = Nothing(_NO_STREAM)
_STEPS_PER_SORTED_PAIR = 2
"""Steps that it costs to sort a pair of an origin and an edge among others."""
_MAX_ESTIMATED_TIMES = 100
"""Repetitions beyond so many are not counted when matches are estimated."""
_MIN_GAP_TO_LOOK_UP = 5
"""Over a gap that varies by so many tokens, what follows is looked up in its list and not tried token by token."""


class Choice(Element):
    """One of several elements."""

    def __init__(self, parts: SequenceOf[Element]) -> None:
        self.parts = parts
        self.stream = parts[0].stream
        self.least = min(part.least for part in parts)
        self.most = max(part.most for part in parts)
        self.estimate = sum(part.estimate for part in parts)

    def hits(self) -> Hits:
        """Spans of any of the parts."""
        return Hits.union([part.hits() for part in self.parts])

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over each of the parts."""
        return union([part.extend(frontier, right) for part in self.parts])

    def emptied(self) -> Element | None:
        """A choice of those parts that need no token."""
        parts = [part for part in (part.emptied() for part in self.parts) if part is not None]
        return Choice(parts) if parts else None


class Times(Element):
    """An element several times in a row: at least `low` and at most `high` times."""

    def __init__(self, part: Element, low: int, high: int, stream: Stream) -> None:
        self.part, self.low, self.high, self.stream = part, low, high, stream
        self.least, self.most = low * part.least, high * part.most
        share = min(1.0, part.estimate / max(1, stream.size))
        more = min(high - low, _MAX_ESTIMATED_TIMES)
        self.estimate = int(part.estimate * sum(share**number for number in range(more + 1)))

    def hits(self) -> Hits:
        """All spans, begun with the first repetition that has a token.

        Repetitions without a token before it could only satisfy the lower bound, and need not: the parser refuses what
        can be empty in some places only and must come twice.
        """
        if not self.most:
            return Hits.none()
        self._foresee_all()
        begun = Begun.of(self.part.hits(), self.stream)
        rest = Times(self.part, max(0, self.low - 1), self.high - 1, self.stream)
        ends = rest.extend(begun.to_right(), right=True)
        return Hits.of(begun.starts[ends.origins], ends.edges)

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend as often as it must, then as often as it may, as long as that leads to new edges."""
        return self.extend_then(frontier, right, _NOTHING)

    def extend_then(self, frontier: Frontier, right: bool, then: Element) -> Frontier:
        """Extend over the repetitions, and then over another element: if that is rare, few edges have to be kept."""
        if self.is_gap and isinstance(then, Edge):
            return then.extend_over(frontier, right, self.low, self.high)
        varies = self.high - self.low
        if (
            self.is_gap
            and isinstance(then, Run)
            and varies >= _MIN_GAP_TO_LOOK_UP
            and then.estimate <= len(frontier) * varies
        ):
            return then.extend_over(frontier, right, self.low, self.high)
        frontier = self._needed(frontier, right)
        if self.part.least == self.part.most:
            return self._steps(frontier, right, then)
        return then.extend(self._reached(frontier, right), right)

    def _needed(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend as often as it must."""
        if self.is_gap and isinstance(self.part, Run) and self.low:
            return Run(self.part.tokens * self.low, self.stream).extend(frontier, right)
        for _ in range(self.low):
            if not len(frontier):
                break
            frontier = self.part.extend(frontier, right)
        return frontier

    def _reached(self, frontier: Frontier, right: bool) -> Frontier:
        """All edges that up to `high - low` further repetitions lead to, whatever their lengths.

        As long as there is one way on from each origin, as over whole sentences, every step leads to new edges: none
        need be compared.
        """
        reached, one_way = [frontier], frontier.single and self.part.least > 0
        for _ in range(self.high - self.low):
            frontier = self.part.extend(frontier, right)
            one_way = one_way and frontier.single
            if not one_way:
                reached = [self._united(reached)]
                frontier = beyond(frontier, reached[0])
            if not len(frontier):
                break
            reached.append(frontier)
            check_size(sum(map(len, reached)))
        return together(reached)

    def _steps(self, frontier: Frontier, right: bool, then: Element) -> Frontier:
        """All edges that further repetitions of one length lead to, each followed by another element.

        From one origin and edge, no two numbers of repetitions lead to the same edge, so that pairs are distinct by
        themselves.
        """
        if then is _NOTHING:
            self._foresee(frontier, right)
        disjoint = frontier.single and self.part.most > 0 and then.least == then.most
        reached = [then.extend(frontier, right)]
        for _ in range(self.high - self.low):
            frontier = self.part.extend(frontier, right)
            if not len(frontier):
                break
            reached.append(then.extend(frontier, right))
            check_size(sum(map(len, reached)))
        return together(reached) if disjoint or len(reached) == 1 else self._united(reached)

    def _united(self, frontiers: SequenceOf[Frontier]) -> Frontier:
        """Union of frontiers. It sorts them, which takes longer than a step and so counts as several."""
        self.stream.count(_STEPS_PER_SORTED_PAIR * sum(map(len, frontiers)))
        return union(frontiers)

    @property
    def is_gap(self) -> bool:
        """Whether it is `[]` several times."""
        return isinstance(self.part, Run) and self.part.anything and self.part.most == 1

    @property
    def _anything(self) -> bool:
        """Whether any tokens will do, as in `[]*`. Then the number of matches is known without going there."""
        return isinstance(self.part, Run) and self.part.anything

    def _foresee(self, frontier: Frontier, right: bool) -> None:
        """Raise at once if any tokens may follow and these are too many."""
        steps = self.high - self.low
        if self._anything and frontier.single and too_many(len(frontier) * (steps + 1)):
            room = (frontier.room if right else -frontier.room) // self.part.most
            check_size(len(frontier) + int(np.minimum(room, steps).sum()))

    def _foresee_all(self) -> None:
        """Raise at once if all spans of some lengths are wanted and these are too many."""
        inner = self.stream.within(self.stream.documents.bounds).astype(np.int64)
        lengths, total = np.diff(inner, append=self.stream.last), 0
        for times in range(max(1, self.low), self.high + 1 if self._anything else 0):
            more = int(np.maximum(lengths - times * self.part.most + 1, 0).sum())
            if not more:
                break
            total += more
            check_size(total)

    def emptied(self) -> Element | None:
        """Nothing if it may be left out; otherwise what its part is without a token."""
        return Nothing(self.stream) if not self.low else self.part.emptied()


class Chain(Element):
    """Elements one after the other."""

    def __init__(self, parts: SequenceOf[Element]) -> None:
        self.parts = list(parts)
        self.stream = parts[0].stream if parts else _NO_STREAM
        self.least, self.most = (sum(getattr(part, name) for part in parts) for name in ("least", "most"))
        self.estimate = min(
            (part.estimate for part in parts if part.is_needed), default=sum(part.estimate for part in parts)
        )

    def hits(self) -> Hits:
        """All spans, from the rarest part that is in each; if none is, from each part, with nothing before it."""
        needed = [number for number, part in enumerate(self.parts) if part.is_needed]
        if needed:
            return self._around(min(needed, key=lambda number: self.parts[number].estimate), self.parts)
        found = [Hits.none()]
        before: list[Element] = []
        for number, part in enumerate(self.parts):
            if part.most:
                found.append(self._around(number, [*before, *self.parts[number:]]))
            empty = part.emptied()
            if empty is None:
                break
            before.append(empty)
        return Hits.union(found)

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over one part after the other."""
        parts = iter(self.parts if right else reversed(self.parts))
        for part in parts:
            then = next(parts, _NOTHING) if isinstance(part, Times) else _NOTHING
            frontier = (
                part.extend_then(frontier, right, then) if isinstance(part, Times) else part.extend(frontier, right)
            )
        return frontier

    def emptied(self) -> Element | None:
        """All parts without tokens, if none needs one."""
        parts = [part.emptied() for part in self.parts]
        kept = [part for part in parts if part is not None]
        return Chain(kept) if len(kept) == len(parts) else None

    def _around(self, anchor: int, parts: SequenceOf[Element]) -> Hits:
        """Find one part by itself, and extend from there to both sides."""
        part = parts[anchor]
        if len(parts) == 1:
            return part.hits()
        begun = part.begin()
        left, right = Chain(parts[:anchor]), Chain(parts[anchor + 1 :])
        if right.least == right.most or left.least != left.most:  # what only filters goes first
            ends = right.extend(begun.to_right(), right=True)
            begun, ends = _with_origins(begun, ends)
            starts = left.extend(begun.to_left(), right=False)
        else:
            starts = left.extend(begun.to_left(), right=False)
            begun, starts = _with_origins(begun, starts)
            ends = right.extend(begun.to_right(), right=True)
        return _combined(starts, ends, len(begun), part.least == 0)


def _with_origins(begun: Begun, frontier: Frontier) -> tuple[Begun, Frontier]:
    """Keep the spans that a frontier has reached an edge from, and number its origins anew.

    four spans begun; origins [0, 2, 2], edges [5, 8, 9]
    alive [1, 0, 1, 0], its prefix sums less one [0, 0, 1, 1] are the new numbers
    Spans 0 and 2 are kept, and the frontier has the origins [0, 1, 1].
    """
    if frontier.single and len(frontier) == len(begun):
        return begun, frontier
    alive = np.zeros(len(begun), np.bool_)
    alive[frontier.origins] = True
    numbers, kept = np.cumsum(alive) - 1, np.flatnonzero(alive)
    moved = Frontier(numbers[frontier.origins], frontier.edges, frontier.single, frontier.limits.take(kept))
    return begun.take(kept), moved


def _combined(starts: Frontier, ends: Frontier, origins: int, may_be_empty: bool) -> Hits:
    """Spans for all pairs of a start and an end with the same origin; spans without a token are left out.

    starts: origins [0, 0, 1], edges [3, 4, 7];  ends: origins [0, 1, 1], edges [6, 9, 11]
    counts of starts by origin [2, 1], first start of each origin [0, 2]
    The end 6 goes with starts 0 and 1, the ends 9 and 11 with start 2: (3, 6), (4, 6), (7, 9), (7, 11).
    """
    if starts.single:
        near, kept = _looked_up(starts, ends, origins)
        far = ends.edges[kept]
    elif ends.single:
        far, kept = _looked_up(ends, starts, origins)
        near = starts.edges[kept]
    else:
        starts = union([starts])
        counts = np.bincount(starts.origins, minlength=origins)
        first = np.cumsum(counts) - counts
        each = counts[ends.origins]
        check_size(int(each.sum()))
        near = starts.edges[concatenated_ranges(first[ends.origins], each)]
        far = np.repeat(ends.edges, each)
    if may_be_empty and not np.all(far > near):
        filled = np.flatnonzero(far > near)
        near, far = near[filled], far[filled]
    return Hits.of(near, far)


def _looked_up(single: Frontier, other: Frontier, origins: int) -> tuple[Edges, Edges | slice]:
    """For the pairs of `other`, the one edge that their origin has in `single`, and which pairs have one."""
    if len(single) == origins:  # each origin has its edge, in its place
        return single.edges[other.origins], slice(None)
    edge_of = np.full(origins, -1)
    edge_of[single.origins] = single.edges
    found = edge_of[other.origins]
    kept = np.flatnonzero(found >= 0)
    return found[kept], kept
