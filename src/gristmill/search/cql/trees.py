"""Trees: tokens in relations to others, found by the inverted lists of tokens and relations and by the heads of tokens.

Matching begins with the rarest token of the tree, and goes from token to token along its relations. To the head it is
one look at the array of heads. To dependents there are two ways: the list of all tokens that can be the dependent, of
which those are kept whose head is known; or the sentences of the heads, if these are shorter together than the list.

    [lemma="eat"] >obj [tag="NOUN"]      1,000 times eat, 50,000 objects that are nouns, sentences of 20 tokens
    by sentences                         1,000 x 20 tokens are looked at

Rows are ways to match: for each token of the tree its position, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges, spread
from gristmill.condition import Always
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.evaluating import Rows, check_names, is_true
from gristmill.search.cql.frontier import Frontier, union
from gristmill.search.cql.marking import Marking
from gristmill.search.cql.query import Branch, Token, Tree
from gristmill.search.cql.selecting import AllTokens, Both, Selector
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.terms import CURRENT, labels_of, relaxed
from gristmill.search.hits import Hits, check_size, distinct, pick
from gristmill.search.index.derived import NO_RELATIONS
from gristmill.search.index.heads import Heads

Places = dict[int, Ids]
"""For each token of a tree, by its number, its position in each row."""
_MAX_STEPS = 1 << 15
"""Steps from a token towards the root; more are in a circle, which a damaged file may have."""
_MIN_SHARE_TO_MARK = 1 / 64
"""Heads are looked up in a table of all tokens of the stretch if there are this many times as many candidates."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A relation between two tokens of a tree, by their numbers."""

    head: int
    dependent: int
    relation: Selector | None
    """Dependents that have the relation; None if it can be any."""
    far: bool


@dataclass
class TreeMatcher:
    """Finds all ways to match a tree."""

    node: Tree
    lookup: Lookup
    stream: Stream
    heads: Heads = field(init=False)
    tokens: list[Token] = field(default_factory=list)
    """The tokens of the tree, in the order of the query."""
    selectors: list[Selector] = field(default_factory=list)
    """For each token what it can be, by its own condition and by its relation."""

    def __post_init__(self) -> None:
        """Bind the tree to the index; raises if that knows no heads."""
        heads = self.lookup.index.heads
        if heads is None:
            raise self.node.branches[0].place.error(f"{NO_RELATIONS}:")
        self.heads = heads
        self._sentences = Bounds(self.lookup.index.structures["s"].bounds)
        self._edges: list[_Edge] = []
        self._without: list[tuple[int, TreeMatcher]] = []
        self._known: dict[int, Ids] = {}
        self._add(self.node)

    def _add(self, node: Token | Tree) -> int:
        """Number a token and all that hangs on it."""
        token, branches = (node, ()) if isinstance(node, Token) else (node.token, node.branches)
        number = len(self.tokens)
        self.tokens.append(token)
        self.selectors.append(self.lookup.select(relaxed(token.condition)))
        check_names(token.condition, self.lookup.index)
        for branch in branches:
            if branch.negated:
                alone = Tree(Token(Always()), (_positive(branch),))
                self._without.append((number, TreeMatcher(alone, self.lookup, self.stream)))
                continue
            other = self._add(branch.node)
            head, dependent = (other, number) if branch.up else (number, other)
            relation = None if isinstance(branch.relation, Always) else self.lookup.select(branch.relation)
            if relation is not None:
                self.selectors[dependent] = _both(self.selectors[dependent], relation)
            self._edges.append(_Edge(head, dependent, relation, branch.far))
        return number

    @property
    def estimate(self) -> int:
        """Tokens that matching begins with."""
        return self.selectors[self._anchor].count

    @property
    def _anchor(self) -> int:
        return min(range(len(self.selectors)), key=lambda number: self.selectors[number].count)

    def hits(self) -> Hits:
        """The spans of all ways to match in the stretch."""
        return Hits.of(*spans_of(self.rows()))

    def rows(self) -> Places:
        """All ways to match in the stretch."""
        anchor = self._anchor
        return self._from(anchor, self._listed(anchor), None)

    def rows_in(self, sentences: Ids) -> Places:
        """All ways to match in some sentences, whose numbers ascend."""
        tokens, anchor = self._tokens_of(sentences), self._anchor
        return self._from(anchor, pick(tokens, self.selectors[anchor].at(tokens)), sentences)

    def have(self, positions: Ids) -> Mask:
        """Whether the first token of the tree can be at each of these positions, which ascend and are distinct."""
        sentences = distinct(self._sentences.numbers(positions))
        found = self._from(0, pick(positions, self.selectors[0].at(positions)), sentences)[0]
        return np.isin(positions, found)

    def _listed(self, number: int) -> Ids:
        """Where a token of the tree can be in the stretch."""
        if number not in self._known:
            self._known[number] = np.asarray(self.selectors[number].positions())
        return self.stream.within(self._known[number]).astype(np.int64)

    def _tokens_of(self, sentences: Ids) -> Ids:
        bounds = self._sentences.bounds
        starts = bounds[sentences].astype(np.int64)
        return concatenated_ranges(starts, bounds[sentences + 1].astype(np.int64) - starts)

    def _from(self, anchor: int, positions: Ids, sentences: Ids | None) -> Places:
        """Go from the positions of one token to all others; only in some sentences, if these are given."""
        places: Places = {anchor: positions}
        edges = list(self._edges)
        while edges:
            edge = min((edge for edge in edges if _touches(edge, places)), key=lambda one: self._cost(one, places))
            edges.remove(edge)
            places = self._joined(places, edge, sentences)
        for number, other in self._without:
            there = distinct(places[number])
            absent = there[~other.have(there)]
            kept = np.flatnonzero(np.isin(places[number], absent))
            places = {one: of[kept] for one, of in places.items()}
        return places

    def _cost(self, edge: _Edge, places: Places) -> int:
        """What comes first: going to heads, which makes no more rows, then to rare dependents."""
        return -1 if edge.dependent in places and not edge.far else self.selectors[edge.dependent].count

    def _joined(self, places: Places, edge: _Edge, sentences: Ids | None) -> Places:
        """Add the token at the other end of a relation; each is another token than all that are known."""
        if edge.dependent in places:
            new = edge.head
            rows, found = self._to_heads(places[edge.dependent], edge)
            wanted = self.selectors[new].at(found)
        else:
            new = edge.dependent
            rows, found = self._to_dependents(places[edge.head], edge, sentences)
            wanted = np.ones(len(rows), np.bool_)
        for of in places.values():
            wanted &= of[rows] != found
        kept = np.flatnonzero(wanted)
        rows, found = rows[kept], found[kept]
        self.stream.count(len(rows))
        return {**{one: of[rows] for one, of in places.items()}, new: found}

    def _to_heads(self, positions: Ids, edge: _Edge) -> tuple[Ids, Ids]:
        """For tokens their heads, or all above them: numbers of the former, and positions of the latter."""
        steps = list(self._climb(positions, edge))
        return _chained(steps)

    def _climb(self, positions: Ids, edge: _Edge) -> Iterator[tuple[Ids, Ids]]:
        """Go from tokens that have the relation to their heads; if it is far, on to the heads of these, and so on."""
        rows, at = np.arange(len(positions)), positions
        total = 0
        for step in range(_MAX_STEPS if edge.far else 1):
            self.stream.count(len(at))
            above = self.heads.at(at)
            moved = above != at
            if step and edge.relation is not None:
                moved &= edge.relation.at(at)
            kept = np.flatnonzero(moved)
            if not len(kept):
                return
            rows, at = rows[kept], above[kept]
            total += len(rows)
            check_size(total)
            yield rows, at

    def _to_dependents(self, positions: Ids, edge: _Edge, sentences: Ids | None) -> tuple[Ids, Ids]:
        """For tokens their dependents, or all below them: numbers of the former, and positions of the latter."""
        order = np.argsort(positions, kind="stable")
        ordered = positions[order]
        candidates = self._candidates(ordered, edge.dependent, sentences)
        found = []
        marked = self._marked(ordered) if len(candidates) > _MIN_SHARE_TO_MARK * self.stream.last else None
        for rows, above in self._climb(candidates, edge):
            kept = slice(None) if marked is None else np.flatnonzero(marked[above - self.stream.first])
            first = np.searchsorted(ordered, above[kept])
            counts = np.searchsorted(ordered, above[kept], side="right") - first
            check_size(int(counts.sum()))
            own, there = spread(first, counts)
            found.append((order[there], candidates[rows[kept][own]]))
        return _chained(found)

    def _marked(self, positions: Ids) -> Mask:
        """Which tokens of the stretch are among these."""
        marked = np.zeros(self.stream.last - self.stream.first, np.bool_)
        marked[positions - self.stream.first] = True
        return marked

    def _candidates(self, heads: Ids, number: int, sentences: Ids | None) -> Ids:
        """Tokens that can be a dependent of some heads, which ascend, by a list or by their sentences."""
        selector = self.selectors[number]
        if sentences is None:
            there = distinct(self._sentences.numbers(heads))
            bounds = self._sentences.bounds
            tokens = int((bounds[there + 1].astype(np.int64) - bounds[there].astype(np.int64)).sum())
            listed = selector.count * (self.stream.last - self.stream.first) // max(1, self.stream.size)
            if listed <= tokens:
                return self._listed(number)
            sentences = there
        inside = self._tokens_of(sentences)
        self.stream.count(len(inside))
        return pick(inside, selector.at(inside))


class MarkedTree(Marking):
    """A tree that is matched from known starts; its labelled tokens are noted, and conditions on others checked."""

    def __init__(self, matcher: TreeMatcher) -> None:
        self.matcher, self.stream = matcher, matcher.stream
        self.least, self.most = len(matcher.tokens), max(1, matcher.stream.size)

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Go over all ways to match that begin at each edge."""
        del right
        frontier = frontier.where(frontier.room > 0)
        matcher, index = self.matcher, self.matcher.lookup.index
        sentences = distinct(index.structures["s"].number_at(frontier.edges)).astype(np.int64)
        places = matcher.rows_in(sentences)
        starts, ends = spans_of(places)
        order = np.argsort(starts, kind="stable")
        first = np.searchsorted(starts[order], frontier.edges)
        counts = np.searchsorted(starts[order], frontier.edges, side="right") - first
        check_size(int(counts.sum()))
        ways, there = spread(first, counts)
        rows = order[there]
        marks = {label: of[ways] for label, of in frontier.marks.items()}
        for number, token in enumerate(matcher.tokens):
            for label in (token.label, token.target):
                if label is not None:
                    marks[label] = places[number][rows]
        reached = Frontier(frontier.origins[ways], ends[rows], single=False, limits=frontier.limits, marks=marks)
        holds = np.ones(len(rows), np.bool_)
        for number, token in enumerate(matcher.tokens):
            if labels_of(token.condition):
                seen = Rows(index, {**marks, CURRENT: places[number][rows]}, len(rows))
                holds &= is_true(token.condition, seen, matcher.lookup.at)
        return union([reached.where(holds)])


def spans_of(places: Places) -> tuple[Ids, Ids]:
    """Where each way to match begins and ends: at its first and after its last token."""
    columns = list(places.values())
    return np.minimum.reduce(columns), np.maximum.reduce(columns) + 1


def _positive(branch: Branch) -> Branch:
    return Branch(branch.relation, branch.up, branch.far, negated=False, node=branch.node, place=branch.place)


def _both(one: Selector, other: Selector) -> Selector:
    return other if isinstance(one, AllTokens) else Both([one, other])


def _touches(edge: _Edge, places: Places) -> bool:
    return (edge.head in places) != (edge.dependent in places)


def _chained(parts: list[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    empty = np.empty(0, np.int64)
    return (
        np.concatenate([empty, *(part[0] for part in parts)]),
        np.concatenate([empty, *(part[1] for part in parts)]),
    )
