"""Frequent patterns of tokens with repetitions, found by walking a finite automaton over all tokens.

From a noun, which is every fifth token, the elements of a pattern such as `[tag="DET"]? [tag="ADJ"]* [tag="NOUN"]+` go
to all sides, with arrays of millions of edges. An automaton looks at each token a few times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.search.cql.automaton import COLUMNS, Automaton, TooLargeError, automaton_of, is_pattern
from gristmill.search.cql.elements import Begun, Element, Run
from gristmill.search.cql.frontier import Frontier
from gristmill.search.cql.part_parsing import MAX_UNBOUNDED_TIMES
from gristmill.search.cql.query import Node
from gristmill.search.cql.selecting import BLOCK_TOKENS, AllTokens, OfValues, Selector
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.terms import relaxed
from gristmill.search.hits import MAX_SPANS, Edges, Hits, check_size
from gristmill.search.index.attribute import WIDE_TOKENS, Attribute

Codes = npt.NDArray[np.uint8]

_MAX_TOKENS_PER_SPAN = 15
"""A pattern is scanned for if there are at most so many tokens for a span that matching would begin with."""
_MIN_TOKENS = 1 << 16
"""Tokens that a corpus has at least: in a smaller one, making the automaton takes longer than it saves."""
_MAX_TOKENS = WIDE_TOKENS - (1 << 10)
"""Tokens that a corpus may have: the kernel writes positions in 32 bits."""
_MIN_TOKENS_PER_LONG_WALK = 50
"""If there are fewer tokens for a start of a longer walk than the kernel's, the pattern is not scanned for."""
_MIN_LONG_WALKS = 1000
_LONG_WALKS_AT_ONCE = 1 << 13
"""Starts of longer walks that are gone on from at a time."""
_STEPS_PER_TOKEN = 0.1
"""Steps that it counts to go over a token."""
_MIN_ROOM = 1 << 16
"""Spans that there is room for at least."""


def scanned(node: Node, element: Element, lookup: Lookup) -> Element:
    """Let a part of a query be scanned for where all its spans are wanted, if that can be done and is faster."""
    if isinstance(element, Run) or not is_pattern(node):
        return element
    size = element.stream.size
    if element.estimate * _MAX_TOKENS_PER_SPAN < size or not _MIN_TOKENS <= size <= _MAX_TOKENS or not element.most:
        return element
    from gristmill.kernel import COMPILED  # noqa: PLC0415 (to load it takes as long as a small search)

    if not COMPILED:
        return element
    try:
        automaton = automaton_of(node)
    except TooLargeError:
        return element
    coding = Coding([lookup.select(relaxed(condition)) for condition in automaton.conditions])
    return Scanned(element, automaton, coding)


class Scanned(Element):
    """A pattern of tokens whose spans are found by an automaton.

    Everything else is left to the element that it stands for, as is what begins with more tokens in a row than
    repetitions without a bound may have.
    """

    def __init__(self, exact: Element, automaton: Automaton, coding: Coding) -> None:
        self.exact, self.coding, self.stream = exact, coding, exact.stream
        self.least, self.most, self.estimate = exact.least, exact.most, exact.estimate
        self._table = automaton.rows(coding.of_ids)
        self._accepting = automaton.accepting * COLUMNS
        self._given_up = False

    def hits(self) -> Hits:
        """All spans of the stretch."""
        found = self.walk()
        return self.exact.hits() if found is None else found

    def walk(self) -> Hits | None:
        """Find all spans by the automaton; None if there are too many places from where it would go too far."""
        if self._given_up:
            return None
        first, last = self.stream.first, self.stream.last
        walks = _Walks.begin(last - first, self.estimate)
        bounds = self.stream.bounds_of_stretch(self.stream.documents.bounds).astype(np.int64)
        while first < last:
            end = min(first + BLOCK_TOKENS, last)
            codes = self.coding.between(first, min(end + MAX_UNBOUNDED_TIMES, last))
            document = int(np.searchsorted(bounds, first, side="right")) - 1
            base = first
            while first < end:
                first, walked = walks.go_on(codes, base, (first, end), bounds[document:], self._table, self._accepting)
                self.stream.count(int((walked + end - base) * _STEPS_PER_TOKEN))
                check_size(walks.written)
                if walks.put_aside == len(walks.aside):
                    self._given_up = True
                    return None
                if first < end:
                    walks.grow((last - self.stream.first) / (first - self.stream.first + 1))
                    document = int(np.searchsorted(bounds, first, side="right")) - 1
        return self._with_long(walks)

    def _with_long(self, walks: _Walks) -> Hits:
        """Put the spans from the starts of long walks in between; there are none yet from these.

        Starts [1, 1, 6] and spans (4, 105) and (4, 106): both come before the number 2, and the starts are then
        [1, 1, 4, 4, 6].
        """
        starts, ends = walks.starts[: walks.written], walks.ends[: walks.written]
        if not walks.put_aside:
            return Hits(starts, ends)
        parts, total = [], walks.written
        for number in range(0, walks.put_aside, _LONG_WALKS_AT_ONCE):
            parts.append(self._from_starts(walks.aside[: walks.put_aside][number : number + _LONG_WALKS_AT_ONCE]))
            total += len(parts[-1])
            check_size(total)
        long = Hits.chained(parts)
        places = np.searchsorted(starts, long.starts.astype(np.uint32))
        return Hits(np.insert(starts, places, long.starts), np.insert(ends, places, long.ends))

    def _from_starts(self, starts: Edges) -> Hits:
        """All spans from some starts, as the exact element has them."""
        reached = self.exact.extend(Frontier.begin(starts, self.stream.documents_of(starts)[1]), right=True)
        reached = reached.where(reached.edges > starts[reached.origins])
        return Hits.of(starts[reached.origins], reached.edges)

    def begin(self) -> Begun:
        """All its spans as the places where matching begins."""
        return self.exact.begin()

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the pattern as its element does."""
        return self.exact.extend(frontier, right)

    def emptied(self) -> Element | None:
        """What its element is without a token."""
        return self.exact.emptied()


@dataclass
class _Walks:
    """What the kernel writes: spans, and starts of long walks."""

    starts: npt.NDArray[np.uint32]
    ends: npt.NDArray[np.uint32]
    aside: Edges
    written: int = 0
    put_aside: int = 0

    @classmethod
    def begin(cls, tokens: int, spans: int) -> _Walks:
        """Make room. What is not written to takes no memory."""
        room = max(_MIN_ROOM, min(spans, tokens))
        long = max(_MIN_LONG_WALKS, tokens // _MIN_TOKENS_PER_LONG_WALK)
        return cls(np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(long, np.int64))

    def go_on(
        self,
        codes: Codes,
        base: int,
        between: tuple[int, int],
        bounds: Edges,
        table: npt.NDArray[np.int32],
        accept: int,
    ) -> tuple[int, int]:
        """Walk from each token of a block; returns where to go on, and how many tokens were gone over."""
        from gristmill.kernel import find_walks  # noqa: PLC0415 (as above)

        first, self.written, self.put_aside, walked = find_walks(
            codes,
            base,
            *between,
            bounds,
            table,
            accept,
            self.starts,
            self.ends,
            self.written,
            self.aside,
            self.put_aside,
        )
        return first, walked

    def grow(self, times: float) -> None:
        """Make more room: as much as is likely to be needed, if there are so many times as many tokens."""
        room = max(2 * len(self.starts), int(min(times * self.written * 1.1, MAX_SPANS)))
        for name in ("starts", "ends"):
            grown = np.empty(room, np.uint32)
            grown[: self.written] = getattr(self, name)[: self.written]
            setattr(self, name, grown)


class Coding:
    """Gives each token a code: a bit for each selector that selects it."""

    def __init__(self, selectors: list[Selector]) -> None:
        self._masks: list[tuple[int, Selector]] = []
        """Selectors whose bits come from masks."""
        self._tables: dict[str, tuple[Attribute, Codes]] = {}
        """For attributes with few values, the code of each value."""
        self._always = 0
        for bit, selector in enumerate(selectors):
            if isinstance(selector, AllTokens):
                self._always |= 1 << bit
            elif isinstance(selector, OfValues) and len(selector.attribute.lexicon) <= COLUMNS:
                attribute = selector.attribute
                _, table = self._tables.setdefault(attribute.name, (attribute, np.zeros(COLUMNS, np.uint8)))
                table[: len(attribute.lexicon)] |= selector.wanted.astype(np.uint8)[
                    : len(attribute.lexicon)
                ] << np.uint8(bit)
            else:
                self._masks.append((bit, selector))
        self._own: dict[tuple[str, int], Codes] = {}

    @property
    def of_ids(self) -> Codes | None:
        """If the ids of one attribute can stand for codes: the code of each id."""
        attribute = self._attribute
        return None if attribute is None else self._tables[attribute.name][1] | np.uint8(self._always)

    @property
    def _attribute(self) -> Attribute | None:
        """The one attribute whose ids can stand for codes: they are bytes, and those of one segment."""
        if len(self._tables) != 1 or self._masks:
            return None
        ((attribute, _),) = self._tables.values()
        return attribute if not attribute.joined and attribute.ids.dtype == np.uint8 else None

    def between(self, first: int, last: int) -> Codes:
        """The codes, or ids that stand for them, of the tokens from `first` to before `last`."""
        if self._attribute is not None:
            return np.ascontiguousarray(self._attribute.ids[first:last])
        codes = np.full(last - first, self._always, np.uint8)
        for name, (attribute, _) in self._tables.items():
            codes |= attribute.apply_between(partial(self._codes, name), first, last, np.uint8)
        for bit, selector in self._masks:
            codes |= selector.block(first, last).view(np.uint8) << np.uint8(bit)
        return codes

    def _codes(self, name: str, segment: int, ids: npt.NDArray[Any]) -> Codes:
        """Look up codes by the ids that a segment has for the values of an attribute."""
        if (name, segment) not in self._own:
            attribute, table = self._tables[name]
            values = attribute.own_values(segment, table[: len(attribute.lexicon)])
            self._own[name, segment] = np.pad(values, (0, COLUMNS - len(values)))
        own = self._own[name, segment]
        if ids.dtype != np.uint8:
            return own.take(ids, mode="clip")
        return np.frombuffer(ids.tobytes().translate(own.tobytes()), np.uint8)  # faster than NumPy
