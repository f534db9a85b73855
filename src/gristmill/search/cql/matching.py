"""Matching: find the spans that a query matches in an index."""

from __future__ import annotations

from functools import singledispatchmethod

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.condition import Always
from gristmill.registry import did_you_mean
from gristmill.search.cql.agreement import agreeing
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.compounds import Chain, Choice, Times
from gristmill.search.cql.edges import Edge
from gristmill.search.cql.elements import Element, Filtered, Known, Run
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import (
    Alternatives,
    Boundary,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Whole,
    Words,
)
from gristmill.search.cql.relations import contains, lies_within, lies_within_structure
from gristmill.search.cql.selecting import select_tokens
from gristmill.search.cql.simple import simple_query
from gristmill.search.hits import Hits, check_size
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus, holds_of

_STRETCH_SPANS = 1 << 20
"""Spans that matching begins with at a time, about."""
_MIN_STRETCH_TOKENS = 1 << 18
"""Tokens that a stretch of the corpus has at least, about."""
_MAX_WRITTEN_OUT_TOKENS = 20
"""Repeated tokens are written out as a run of up to this length."""


def find(index: Index, query: str | Query, within: Subcorpus | None = None) -> Hits:
    """Find all distinct spans that a query matches, each in one document; those of a subcorpus, if one is given."""
    query = query if isinstance(query, Query) else parse(query)
    matcher = _Matcher(index)
    element = matcher.element(query.node)
    hits = agreeing(index, query, matcher.all_hits(element))
    check_size(len(hits))
    return hits if within is None else within.restrict(hits)


class _Matcher:
    """Binds the parts of a query to an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.stream = Stream(index.size, Bounds(index.structures["doc"].bounds))

    def all_hits(self, element: Element) -> Hits:
        """All spans of an element, a stretch of the corpus at a time if it has many."""
        if not self.stream.size:
            return Hits.none()
        stretches = min(element.estimate // _STRETCH_SPANS, self.stream.size // _MIN_STRETCH_TOKENS)
        if stretches <= 1 or (isinstance(element, Run) and element.most == 1):
            return element.hits()
        found, total = [], 0
        for _ in self.stream.stretches(stretches):
            found.append(element.hits())
            total += len(found[-1])
            check_size(total)
        return Hits.chained(found)

    @singledispatchmethod
    def element(self, node: Node) -> Element:
        """The element for a part of a query."""
        raise TypeError(node)

    @element.register
    def _(self, node: Token) -> Element:
        return Run([select_tokens(node.condition, self.index)], self.stream)

    @element.register
    def _(self, node: Boundary) -> Element:
        return Edge(*self.structure(node), node.closing, self.stream)

    @element.register
    def _(self, node: Whole) -> Element:
        structure, chosen = self.structure(node)
        bounds = structure.bounds.astype(np.int64)
        found = Hits(bounds[:-1], bounds[1:])
        return Known(found if chosen is None else found[chosen], self.stream)

    @element.register
    def _(self, node: Alternatives) -> Element:
        return Choice([self.element(part) for part in node.parts])

    @element.register
    def _(self, node: Sequence) -> Element:
        parts: list[Element] = []
        for part in node.parts:
            parts += self.split(part, after=parts[-1] if parts else None)
        return self.chain(parts)

    @element.register
    def _(self, node: Repeat) -> Element:
        return self.chain(self.split(node, after=None))

    def split(self, node: Node, after: Element | None) -> list[Element]:
        """Elements for a part of a sequence.

        Of repeated tokens, those that must be there become a run, which joins the tokens beside it: a longer run is
        rarer.
        """
        if not isinstance(node, Repeat):
            return [self.element(node)]
        part = self.element(node.part)
        varies = node.least != node.most
        if not (isinstance(part, Run) and 0 < part.most * node.least <= _MAX_WRITTEN_OUT_TOKENS) or (
            part.anything and varies
        ):
            return [Times(part, node.least, node.most, self.stream)]
        needed = Run(part.tokens * node.least, self.stream)
        if not varies:
            return [needed]
        rest = Times(part, 0, node.most - node.least, self.stream)
        return [needed, rest] if isinstance(after, Run) else [rest, needed]

    def chain(self, elements: list[Element]) -> Element:
        """Put elements one after the other, with adjacent runs of tokens joined."""
        parts: list[Element] = []
        for part in elements:
            before = parts[-1] if parts else None
            if isinstance(part, Run) and isinstance(before, Run):
                parts[-1] = Run([*before.tokens, *part.tokens], self.stream)
            else:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Chain(parts)

    @element.register
    def _(self, node: Relation) -> Element:
        part = self.element(node.part)
        if node.kind == "within" and isinstance(node.other, Whole):
            structure, chosen = self.structure(node.other)
            return Filtered(
                part, lambda hits: lies_within_structure(hits, structure, chosen) != node.negated, self.stream
            )
        other = self.element(node.other)
        relation = lies_within if node.kind == "within" else contains
        return Filtered(part, lambda hits: relation(hits, other.hits()) != node.negated, self.stream)

    @element.register
    def _(self, node: Words) -> Element:
        return self.element(simple_query(node.text, self.index))

    def structure(self, node: Boundary | Whole) -> tuple[Bounds, Mask | None]:
        """Bounds of the structures of a kind, and which of them are meant, if not all."""
        if node.structure not in self.index.structures:
            known = self.index.structures
            names = ", ".join(known)
            raise node.place.error(
                f"there is no structure {node.structure!r}{did_you_mean(node.structure, known)} (there are: {names}):"
            )
        structure = self.index.structures[node.structure]
        node.condition.check(structure.attributes, f"<{structure.name}>")
        return Bounds(structure.bounds), None if isinstance(node.condition, Always) else holds_of(
            node.condition, structure
        )
