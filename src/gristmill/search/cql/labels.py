"""Where the labelled tokens of hits are: found for the hits that are shown, sorted or counted by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import count

import numpy as np

from gristmill.condition import Always
from gristmill.search.cql.binding import Binder
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.marking import Checked, Places, first_ways, fixed_places, meeting
from gristmill.search.cql.query import (
    Alternatives,
    Branch,
    Constrained,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Tree,
    parts_of,
)
from gristmill.search.cql.special import Lookup
from gristmill.search.hits import Edges, Hits
from gristmill.search.index.index import Index
from gristmill.search.wordlists import WordLists

_MAX_HITS_AT_ONCE = 1 << 17
"""Hits that are matched again together."""
_MAX_STRETCH_TOKENS = 1 << 16
"""Tokens of the stretch in which labelled tokens outside of hits are looked for together."""


class Labelling:
    """Finds where the labelled tokens of hits of a query are. It is bound to the index once, however often asked."""

    def __init__(self, index: Index, query: Query, lists: WordLists) -> None:
        self.index, self.query, self.lists = index, query, lists
        self.labels = [] if query.expansion is not None else query.labels
        """The labels, in the order of the query; none if its hits are expanded."""

    def places(self, hits: Hits) -> Places:
        """For each label where it is, hit by hit; -1 for a hit that does not have it. Hits may be in any order."""
        if not self.labels:
            return {}
        fixed = fixed_places(_core(self.query.node), set(self.labels), hits)
        if fixed is not None:
            return {label: fixed[label] for label in self.labels}
        order = np.argsort(hits.starts, kind="stable")
        found = {label: np.full(len(hits), -1, np.int64) for label in self.labels}
        for some in self._portions(hits, order):
            for label, column in self._matched_again(hits[some]).items():
                found[label][some] = column
        return found

    def _portions(self, hits: Hits, order: Edges) -> list[Edges]:
        """Divide hits, whose order in the text is given, into portions that are matched together.

        If labelled tokens can be outside of the hits, all places that they can have are looked at, so the hits of a
        portion are near each other.
        """
        cuts = np.arange(_MAX_HITS_AT_ONCE, len(order), _MAX_HITS_AT_ONCE)
        if _labels_beside(self.query.node):
            stretches = hits.starts[order] // _MAX_STRETCH_TOKENS
            cuts = np.union1d(cuts, np.flatnonzero(np.diff(stretches)) + 1)
        return [part for part in np.split(order, cuts) if len(part)]

    def _matched_again(self, hits: Hits) -> Places:
        """Match the query again from the starts of hits, which ascend, and note where labelled tokens are."""
        stream = self._checked.stream
        documents = stream.documents.numbers(hits.starts[[0, -1]])
        bounds = stream.documents.bounds
        stream.first, stream.last, stream.steps = int(bounds[documents[0]]), int(bounds[documents[1] + 1]), 0
        found, places, _ = meeting(hits, self._checked, stream)
        return first_ways(hits, found, {label: places[label] for label in self.labels if label in places})

    @cached_property
    def _checked(self) -> Checked:
        stream = Stream(self.index.size, Bounds(self.index.structures["doc"].bounds))
        binder = Binder(Lookup(self.index, self.lists), stream)
        return binder.checked(Constrained(self.query.node, Always()))


def with_numbered_trees(query: Query) -> Query:
    """Number the tokens of trees from 1 on, in the order of the query, if no token of it has a label.

    So lines show which tokens of a tree were found, and these can be counted:

        [lemma="eat"] >obj ([] >amod [])        1:[lemma="eat"] >obj (2:[] >amod 3:[])
    """
    if query.labels or query.expansion is not None or not _has_tree(query.node):
        return query
    return replace(query, node=_numbered(query.node, map(str, count(1))))


def _has_tree(node: Node) -> bool:
    return isinstance(node, Tree) or any(map(_has_tree, parts_of(node)))


def _numbered(node: Node, labels: Iterator[str]) -> Node:
    """Give the tokens of all trees in a part of a query labels, one after the other."""
    match node:
        case Tree():
            return _numbered_tree(node, labels)
        case Sequence() | Alternatives():
            return replace(node, parts=tuple(_numbered(part, labels) for part in node.parts))
        case Meet():
            return replace(node, part=_numbered(node.part, labels), other=_numbered(node.other, labels))
        case Repeat() | Relation() | Length() | Constrained():
            return replace(node, part=_numbered(node.part, labels))
        case _:
            return node


def _numbered_tree(tree: Tree, labels: Iterator[str]) -> Tree:
    """Give the tokens of a tree labels; what must not be there has none."""

    def numbered(branch: Branch) -> Branch:
        if branch.negated:
            return branch
        node = branch.node
        return replace(
            branch,
            node=_numbered_tree(node, labels) if isinstance(node, Tree) else replace(node, label=next(labels)),
        )

    token: Token = replace(tree.token, label=next(labels))
    return Tree(token, tuple(map(numbered, tree.branches)))


def _core(node: Node) -> Node:
    """The part of a query that has the same spans: without what they lie within or contain, and conditions on them."""
    while isinstance(node, Relation | Length | Constrained):
        node = node.part
    return node


def _labels_beside(node: Node) -> bool:
    """Whether labelled tokens can be outside of the match: `(meet "a" 2:[] -3 3)`."""
    if isinstance(node, Meet) and Query("", node.other).labels:
        return True
    return any(_labels_beside(part) for part in parts_of(node))
