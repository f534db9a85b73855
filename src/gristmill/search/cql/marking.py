"""Labelled tokens: where they are in a match, and conditions on them.

A query with conditions on labelled tokens is matched twice. First without these conditions, from its rarest part, as
any other: that gives the spans that may match. Then from the start of each of these to the right, noting the positions
of labelled tokens on the way; a span counts if one of the ways meets all conditions.

    1:[] []* 2:[] & 1.lemma = 2.lemma       in a b a c
    spans that may match                    all from one token to a later one
    ways from token 0                       1 at 0, 2 at 1, 2 or 3; of which 2 at 2 has the same lemma
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import replace

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.condition import Condition
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Element, Known
from gristmill.search.cql.evaluating import Rows, is_true
from gristmill.search.cql.frontier import Frontier, union
from gristmill.search.cql.query import Alternatives, Boundary, Glue, Node, Query, Repeat, Sequence, Token
from gristmill.search.cql.relations import window_of
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.terms import CURRENT, MATCH, MATCH_END, labels_of
from gristmill.search.hits import Edges, Hits, packed

Places = dict[str, Edges]
"""Where the token with each label is, hit by hit."""


class Marking(Element):
    """A part that is matched to the right only, from known starts."""

    estimate = 0

    def hits(self) -> Hits:
        """Raise: it is never asked for."""
        raise TypeError("labels are looked for from known starts")

    def emptied(self) -> None:
        """None: it needs a token."""


class Marked(Marking):
    """A token whose position is noted, and whose condition may be on other tokens."""

    least = most = 1

    def __init__(self, plain: Element, condition: Condition, labels: SequenceOf[str], lookup: Lookup) -> None:
        """Take the token without what its condition says of other tokens, the condition, and the token's labels."""
        self.plain, self.labels, self.lookup = plain, labels, lookup
        self.stream = plain.stream
        self.condition = condition if labels_of(condition) else None

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Compared the next token, and note where it is."""
        reached = self.plain.extend(frontier, right)
        at = reached.edges - 1
        if self.condition is not None:
            rows = Rows(self.lookup.index, {**reached.marks, CURRENT: at}, len(reached))
            holds = is_true(self.condition, rows, self.lookup.at)
            reached, at = reached.where(holds), at[holds]
        for label in self.labels:
            reached = reached.marked(label, at)
        return reached


class Looking(Marking):
    """A place before a token whose condition is on other tokens, `[: word = a.word :]`."""

    least = most = 0

    def __init__(self, plain: Element, condition: Condition, lookup: Lookup) -> None:
        self.plain, self.condition, self.lookup = plain, condition, lookup
        self.stream = plain.stream

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Stay where the next token meets the condition."""
        reached = self.plain.extend(frontier, right)
        rows = Rows(self.lookup.index, {**reached.marks, CURRENT: reached.edges}, len(reached))
        return reached.where(is_true(self.condition, rows, self.lookup.at))


class Checked(Marking):
    """A part whose labelled tokens meet a condition."""

    def __init__(self, part: Element, condition: Condition, lookup: Lookup) -> None:
        self.part, self.condition, self.lookup = part, condition, lookup
        self.stream = part.stream
        self.least, self.most = max(1, part.least), part.most

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the part, and keep the ways that meet the condition."""
        begun = frontier.restarted().marked(MATCH, frontier.edges)
        reached = self.part.extend(begun, right)
        reached = reached.where(reached.edges != frontier.edges[reached.origins])
        rows = Rows(self.lookup.index, {**reached.marks, MATCH_END: reached.edges - 1}, len(reached))
        reached = reached.where(is_true(self.condition, rows, self.lookup.at))
        marks = {label: places for label, places in reached.marks.items() if label != MATCH}
        if MATCH in frontier.marks:
            marks[MATCH] = frontier.marks[MATCH][reached.origins]
        return frontier.resumed(replace(reached, marks=marks))


class Met(Marking):
    """A part near which another one matches; the labels of both are noted."""

    def __init__(self, part: Element, other: Element, starts: Known, near: tuple[int, int] | Bounds) -> None:
        """Take both parts, the spans of the other one, and how near it is: tokens from the start, or a structure."""
        self.part, self.other, self.starts, self.near = part, other, starts, near
        self.stream = part.stream
        self.least, self.most = part.least, part.most

    def extend(self, frontier: Frontier, right: bool) -> Frontier:
        """Extend over the part, and from each of its matches go through the other part where that is near."""
        reached = self.part.extend(frontier.restarted(), right)
        starts = frontier.edges[reached.origins]
        if isinstance(self.near, tuple):
            order = np.argsort(starts, kind="stable")
            low, high = np.empty_like(starts), np.empty_like(starts)
            low[order], high[order] = window_of(starts[order], *self.near, self.stream)
        else:
            numbers = self.near.place(starts + 1) - 1
            low, high = (self.near.bounds[numbers + more].astype(np.int64) for more in (0, 1))
        begins = np.unique(self.starts.hits().starts)
        first, last = np.searchsorted(begins, low), np.searchsorted(begins, high)
        ways = reached.restarted()
        each = replace(ways, single=False).joined(first, last - first, begins)
        there = each.restarted()
        beside = self.other.extend(there, right)
        met = there.resumed(beside.where(beside.edges != there.edges[beside.origins]))
        back = each.origins[met.origins]
        found = replace(met, origins=reached.origins[back], edges=reached.edges[back], limits=reached.limits)
        return frontier.resumed(union([replace(found, single=False)]))


def meeting(hits: Hits, checked: Checked, stream: Stream) -> tuple[Hits, Places, Mask]:
    """Match again from the starts of hits: the ways, where their labelled tokens are, and which hits have a way."""
    starts = np.unique(hits.starts)
    _, limits = stream.documents_of(starts)
    ways = checked.extend(Frontier.begin(starts, limits), right=True)
    found = Hits(starts[ways.origins], ways.edges)
    keys, wanted = _keys(found, hits)
    return found, dict(ways.marks), np.isin(wanted, keys)


def _keys(found: Hits, hits: Hits) -> tuple[Edges, Edges]:
    """Pack the spans of ways, and those of hits, into one number each, so that they can be compared."""
    lengths, wanted = found.ends - found.starts, hits.ends - hits.starts
    bits = int(max(lengths.max(initial=0), wanted.max(initial=0))).bit_length()
    return packed(found.starts, lengths, bits)[0], packed(hits.starts, wanted, bits)[0]


def first_ways(hits: Hits, found: Hits, places: Places) -> Places:
    """For each hit the places of its labelled tokens, in the first of its ways by these places."""
    keys, wanted = _keys(found, hits)
    order = np.lexsort((*(column for column in reversed(places.values())), keys))
    at = np.minimum(np.searchsorted(keys[order], wanted), max(0, len(keys) - 1))
    return {label: column[order][at] for label, column in places.items()}


def fixed_places(node: Node, labels: set[str], hits: Hits) -> Places | None:
    """Where labelled tokens are, if all stand at a fixed distance from the start or the end; otherwise None."""
    parts = node.parts if isinstance(node, Sequence) else (node,)
    places: Places = {MATCH: hits.starts, MATCH_END: hits.ends - 1}
    for label in labels - places.keys():
        at = [number for number, part in enumerate(parts) if isinstance(part, Token) and label in _own_labels(part)]
        if len(at) != 1 or label in _labels_within(parts):
            return None
        before, after = _width(parts[: at[0]]), _width(parts[at[0] :])
        if before is None and after is None:
            return None
        places[label] = hits.starts + before if before is not None else hits.ends - (after or 0)
    return places


def _own_labels(token: Token) -> set[str]:
    return {label for label in (token.label, token.target) if label is not None}


def _labels_within(parts: SequenceOf[Node]) -> set[str]:
    """Labels in groups among these parts, of which it is not known where they are."""
    return {label for part in parts if not isinstance(part, Token) for label in Query("", part).labels}


def _width(parts: SequenceOf[Node]) -> int | None:
    """Number of tokens that parts have together, if that is always the same; otherwise None."""
    widths = [_one_width(part) for part in parts]
    known = [width for width in widths if width is not None]
    return sum(known) if len(known) == len(widths) else None


def _one_width(node: Node) -> int | None:
    """Number of tokens of a part, if that is always the same; otherwise None."""
    match node:
        case Token():
            return 1
        case Boundary() | Glue():
            return 0
        case Sequence():
            return _width(node.parts)
        case Alternatives():
            widths = {_one_width(part) for part in node.parts}
            return widths.pop() if len(widths) == 1 else None
        case Repeat():
            width = _one_width(node.part)
            return None if width is None or node.least != node.most else width * node.least
        case _:
            return None
