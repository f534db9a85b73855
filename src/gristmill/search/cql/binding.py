"""Bind the parts of a query to an index: each node of its tree becomes an element that can be matched."""

from __future__ import annotations

from functools import singledispatchmethod

from gristmill.annotation.chunks import KINDS
from gristmill.arrays.dtypes import Mask
from gristmill.condition import Always
from gristmill.registry import did_you_mean
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.compounds import Chain, Choice, Times
from gristmill.search.cql.edges import Between, Edge
from gristmill.search.cql.elements import Element, Filtered, Known, Run
from gristmill.search.cql.evaluating import Rows, check_names, is_true
from gristmill.search.cql.marking import Checked, Looking, Marked, Met, fixed_places, meeting
from gristmill.search.cql.query import (
    Ahead,
    Alternatives,
    Boundary,
    Constrained,
    Emptiness,
    Gaps,
    Glue,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Tree,
    Whole,
    Words,
    parts_of,
)
from gristmill.search.cql.relations import (
    contains,
    gaps_between,
    is_in_same_structure,
    is_near,
    lies_within,
    lies_within_structure,
)
from gristmill.search.cql.scanned import scanned
from gristmill.search.cql.simple import simple_query
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.structures import Containing, InARow, Structures
from gristmill.search.cql.terms import MATCH, MATCH_END, labels_of, relaxed
from gristmill.search.cql.trees import MarkedTree, TreeMatcher
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import holds_of

_MAX_WRITTEN_OUT_TOKENS = 20
"""Repeated tokens are written out as a run of up to this length."""


class Binder:
    """Binds the parts of a query to an index.

    One that is `marking` makes elements that note labelled tokens and check conditions on them; they are matched from
    known starts to the right. One that is not leaves conditions on labelled tokens to be checked by such elements.
    """

    def __init__(self, lookup: Lookup, stream: Stream, marking: bool = False) -> None:
        self.lookup, self.stream, self.marking = lookup, stream, marking

    @property
    def index(self) -> Index:
        """The index that is searched."""
        return self.lookup.index

    @singledispatchmethod
    def element(self, node: Node) -> Element:
        """The element for a part of a query."""
        raise TypeError(node)

    def spans_of(self, node: Node) -> Element:
        """The element for a part of which all spans are wanted, and not only those beside others."""
        element = self.element(node)
        return element if self.marking else scanned(node, element, self.lookup)

    @element.register
    def _(self, node: Token) -> Element:
        plain = Run([self.lookup.select(relaxed(node.condition))], self.stream)
        check_names(node.condition, self.index)
        labels = [label for label in (node.label, node.target) if label is not None]
        if not self.marking or not (labels or labels_of(node.condition)):
            return plain
        return Marked(plain, node.condition, labels, self.lookup)

    @element.register
    def _(self, node: Boundary) -> Element:
        return Edge(*self.structure(node), node.closing, self.stream)

    @element.register
    def _(self, node: Glue) -> Element:
        del node
        return Between(self.index.is_glued, self.stream)

    @element.register
    def _(self, node: Ahead) -> Element:
        selector = self.lookup.select(relaxed(node.condition))
        check_names(node.condition, self.index)
        plain = Between(selector.at, self.stream, selector)
        return Looking(plain, node.condition, self.lookup) if self.marking and labels_of(node.condition) else plain

    @element.register
    def _(self, node: Whole) -> Element:
        return Structures(*self.structure(node), self.stream)

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
        if node.least > 1 and node.part.emptiness is Emptiness.SOMETIMES:
            rest = [Times(part, 0, node.most - node.least, self.stream)] if varies else []
            return [*[part] * node.least, *rest]
        if not (isinstance(part, Run) and 0 < part.most * node.least <= _MAX_WRITTEN_OUT_TOKENS) or (
            part.anything and varies
        ):
            return [Times(part, node.least, node.most, self.stream)]
        needed = Run(part.tokens * node.least, self.stream)
        if not varies:
            return [needed]
        more = Times(part, 0, node.most - node.least, self.stream)
        return [needed, more] if isinstance(after, Run) else [more, needed]

    def chain(self, elements: list[Element]) -> Element:
        """Put elements one after the other, with adjacent runs of tokens joined."""
        parts: list[Element] = []
        for part in elements:
            before = parts[-1] if parts else None
            if isinstance(part, Run) and isinstance(before, Run):
                parts[-1] = Run([*before.tokens, *part.tokens], self.stream)
            else:
                parts.append(part)
        parts = self.joined_edges(parts)
        return parts[0] if len(parts) == 1 else Chain(parts)

    def joined_edges(self, parts: list[Element]) -> list[Element]:
        """Put the two edges of `<s> []{1,3} </s>` into one element, as both are in one list."""
        for number, (before, gap, after) in enumerate(zip(parts, parts[1:], parts[2:], strict=False)):
            tokens = _any_tokens(gap)
            if (
                tokens is not None
                and isinstance(before, Edge)
                and isinstance(after, Edge)
                and (before.closing, after.closing) == (False, True)
                and before.structure.bounds is after.structure.bounds
            ):
                row = InARow(before, after, *tokens)
                return self.joined_edges([*parts[:number], row, *parts[number + 3 :]])
        return parts

    @element.register
    def _(self, node: Gaps) -> Element:
        part = self.plain(node.part)
        estimate = part.estimate + len(self.stream.documents.bounds)
        return Known(lambda: gaps_between(part.hits(), self.stream), estimate, self.stream)

    @element.register
    def _(self, node: Relation) -> Element:
        part = self.spans_of(node.part)
        if node.kind == "within" and isinstance(node.other, Whole):
            structure, chosen = self.structure(node.other)
            if isinstance(part, InARow) and part.is_of(structure) and chosen is None and not node.negated:
                return part.alone()
            return Filtered(
                part, lambda hits: lies_within_structure(hits, structure, chosen) != node.negated, self.stream
            )
        others = self.known(node.other)
        if node.kind == "within":
            return Filtered(part, lambda hits: lies_within(hits, others.hits()) != node.negated, self.stream)
        if isinstance(part, Structures) and not node.negated:
            return Containing(part, others.hits, lambda hits: contains(hits, others.hits()))
        return Filtered(part, lambda hits: contains(hits, others.hits()) != node.negated, self.stream)

    @element.register
    def _(self, node: Length) -> Element:
        tokens = max(1, node.tokens)

        def test(hits: Hits) -> Mask:
            lengths = hits.ends - hits.starts
            fits: Mask = lengths <= tokens if node.kind == "within" else lengths >= tokens
            return ~fits if node.negated else fits

        return Filtered(self.spans_of(node.part), test, self.stream)

    @element.register
    def _(self, node: Meet) -> Element:
        part, others = self.spans_of(node.part), self.known(node.other)
        near = (node.first, node.last) if node.structure is None else self.covering(node.structure)
        if self.marking and (Query("", node.other).labels or _used_labels(node.other) - {MATCH, MATCH_END}):
            return Met(part, self.element(node.other), others, near)

        def test(hits: Hits) -> Mask:
            if isinstance(near, Bounds):
                return is_in_same_structure(hits, others.hits(), near)
            return is_near(hits, others.hits(), *near, self.stream)

        return Filtered(part, test, self.stream)

    @element.register
    def _(self, node: Constrained) -> Element:
        check_names(node.condition, self.index)
        if self.marking:
            return Checked(self.element(node.part), node.condition, self.lookup)
        part = self.spans_of(node.part)
        if _used_labels(node) - {*Query("", node).labels, MATCH, MATCH_END}:
            return part  # it is on tokens outside of it: whoever knows these checks it
        return Filtered(part, lambda hits: self.holds(node, hits), self.stream)

    def holds(self, node: Constrained, hits: Hits) -> Mask:
        """Whether the labelled tokens of each hit of a part meet its condition."""
        places = None if _has_references(node.part) else fixed_places(node.part, labels_of(node.condition), hits)
        if places is not None:
            return is_true(node.condition, Rows(self.index, places, len(hits)), self.lookup.at)
        return meeting(hits, self.checked(node), self.stream)[2]

    def checked(self, node: Constrained) -> Checked:
        """The element that notes the labelled tokens of a part and checks its condition."""
        part = Binder(self.lookup, self.stream, marking=True).element(node.part)
        return Checked(part, node.condition, self.lookup)

    @element.register
    def _(self, node: Tree) -> Element:
        matcher = TreeMatcher(node, self.lookup, self.stream)
        if self.marking:
            return MarkedTree(matcher)
        return Known(matcher.hits, matcher.estimate, self.stream)

    @element.register
    def _(self, node: Words) -> Element:
        return self.element(simple_query(node.text, self.index))

    def plain(self, node: Node) -> Element:
        """The element for a part of which all spans are wanted and no labels."""
        return Binder(self.lookup, self.stream).spans_of(node)

    def known(self, node: Node) -> Known:
        """The spans of a part, found once for each stretch of the corpus."""
        element = self.plain(node)
        return Known(element.hits, element.estimate, self.stream)

    def structure(self, node: Boundary | Whole) -> tuple[Bounds, Mask | None]:
        """Bounds of the structures of a kind, and which of them are meant, if not all."""
        if node.structure in KINDS:
            node.condition.check((), f"<{node.structure}>")
            chunks = self.index.chunks(node.structure)
            return Bounds(chunks.bounds), chunks.chosen
        if node.structure not in self.index.structures:
            known = [*self.index.structures, *KINDS]
            names = ", ".join(known)
            raise node.place.error(
                f"there is no structure {node.structure!r}{did_you_mean(node.structure, known)} (there are: {names}):"
            )
        structure = self.index.structures[node.structure]
        node.condition.check(structure.attributes, f"<{structure.name}>")
        return Bounds(structure.bounds), None if isinstance(node.condition, Always) else holds_of(
            node.condition, structure
        )

    def covering(self, node: Boundary | Whole) -> Bounds:
        """Bounds of structures that every token is in one of; raises for chunks."""
        if node.structure in KINDS:
            raise node.place.error(
                f"tokens may be in no <{node.structure}>, so this goes with {', '.join(self.index.structures)} only:"
            )
        return self.structure(node)[0]


def _any_tokens(element: Element) -> tuple[int, int] | None:
    """How many tokens an element has at least and at most, if these can be any; otherwise None."""
    if isinstance(element, Run) and element.anything:
        return element.most, element.most
    if isinstance(element, Times) and element.is_gap:
        return element.low, element.high
    return None


def _has_references(node: Node) -> bool:
    """Whether a token in a part has a condition on another token, or a group in it on tokens outside of the group."""
    if isinstance(node, Token | Ahead):
        return bool(labels_of(node.condition))
    if isinstance(node, Constrained) and labels_of(node.condition) - {*Query("", node).labels, MATCH, MATCH_END}:
        return True
    return any(_has_references(part) for part in parts_of(node))


def _used_labels(node: Node) -> set[str]:
    """Labels that conditions in a part are on."""
    own = labels_of(node.condition) if isinstance(node, Token | Ahead | Constrained) else set()
    return own.union(*(_used_labels(part) for part in parts_of(node)))
