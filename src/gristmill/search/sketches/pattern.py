"""Patterns of a sketch grammar: CQL with labelled tokens, `1:` the head, `2:` its collocate, `3:` what names it.

1:[tag="VERB"] [tag="DET|ADJ"]{0,3} 2:[tag="NOUN"]        the object of a verb
1:[tag="NOUN"] 3:[tag="ADP"] [tag="DET"]? 2:[tag="NOUN"]  a relation for each preposition
1:[tag="VERB"] >obj 2:[tag="NOUN"]                        a tree, where the index knows relations
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import spread
from gristmill.condition import Always
from gristmill.errors import UsageError
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Constrained, Node, Query, Relation, Sequence, Token, Tree, Whole, parts_of
from gristmill.search.cql.trees import spans_of, tree_matcher
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index

HEAD, COLLOCATE, NAME = 1, 2, 3
"""Labels of the tokens of a pattern."""
MAX_TOKENS = 60
"""Tokens that a match of a pattern may have."""
_STRING = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
LABELLED = re.compile(rf"{_STRING}|(?P<label>\d+):\[(?P<condition>(?:{_STRING}|[^\]\"'])*)\]")
"""Labelled tokens of a pattern, and texts in quotes, which may look like some."""


@dataclass(frozen=True, slots=True)
class Found:
    """Matches of a pattern: where they are, and where their labelled tokens are."""

    starts: Ids
    ends: Ids
    heads: Ids
    collocates: Ids
    names: Ids | None
    """Positions of the tokens that name the relation; None if the pattern has none."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of a relation; matches stay within a sentence.

    It is matched in pieces, which meet at its labelled tokens: what may stand between these and before and after them
    can be of any length, and still it is known which token of a match is which.

        pattern     "the" [tag="ADJ"]{0,2} 2:[tag="NOUN"] [tag="AUX"]{0,2} 1:[tag="VERB"]
        pieces      "the" [tag="ADJ"]{0,2} [tag="NOUN"]     and     [tag="NOUN"] [tag="AUX"]{0,2} [tag="VERB"]
    """

    text: str

    @cached_property
    def _parts(self) -> tuple[Node, ...]:
        node = parse(self.text).node
        return node.parts if isinstance(node, Sequence) else (node,)

    @property
    def is_tree(self) -> bool:
        """Whether it is a tree, which needs an index that knows relations."""
        return isinstance(self._parts[0], Tree) and len(self._parts) == 1

    @cached_property
    def _labels(self) -> dict[int, int]:
        """The labels, and the number of the part (or of the token of a tree) that each is before, in order."""
        if self.is_tree:
            labels = [token.label for token in _tokens(self._parts[0])]
            return {int(label): at for at, label in enumerate(labels) if label is not None and label.isdigit()}
        return {
            int(part.label): at
            for at, part in enumerate(self._parts)
            if isinstance(part, Token) and part.label is not None and part.label.isdigit()
        }

    def check(self, where: str, *, labels: Iterable[int]) -> Pattern:
        """Return this pattern; raise if it is not one, or lacks one of some labels."""
        try:
            alone = parse(self.text)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
        if isinstance(alone.node, Constrained):
            raise UsageError(f"{where}: a pattern can't have conditions on two tokens (& 1.lemma = 2.lemma)")
        if any(isinstance(part, Tree) for part in self._parts) and not self.is_tree:
            raise UsageError(f"{where}: a tree is a pattern by itself, with nothing before or after it: {self.text}")
        if alone.node.longest > MAX_TOKENS:
            raise UsageError(f"{where}: a pattern may match {MAX_TOKENS} tokens, and this one could match more")
        for label in labels:
            if label not in self._labels or not self._has(label):
                raise UsageError(f"{where}: the pattern needs a token {label}:[...] outside of groups: {self.text}")
        return self

    def find(self, index: Index, known: dict[Node, Hits] | None = None) -> Found:
        """Find all matches in an index; `known` are pieces that were found in it before."""
        if self.is_tree:
            return self._grown(index)
        known = {} if known is None else known
        cuts = list(self._labels.values())
        first = _find(index, self._piece(cuts[0], cuts[1]), known)
        starts, places = first.starts, [first.starts, first.ends - 1]
        ends = first.ends
        for begin, end in pairwise([*cuts[1:], len(self._parts) - 1]):
            if begin == end:
                continue
            after = _find(index, self._piece(begin, end), known)
            rows, found = _meeting(after.starts, places[-1])
            starts, places, ends = starts[rows], [place[rows] for place in places], after.ends[found]
            if end in cuts:
                places.append(ends - 1)
        if cuts[0] > 0:
            before = _find(index, self._piece(0, cuts[0]), known)
            order = np.argsort(before.ends, kind="stable")
            rows, found = _meeting(before.ends[order] - 1, places[0])
            starts, places, ends = before.starts[order[found]], [place[rows] for place in places], ends[rows]
        at = dict(zip(self._labels, places, strict=True))
        return Found(starts, ends, at[HEAD], at[COLLOCATE], at.get(NAME))

    def _grown(self, index: Index) -> Found:
        """Find all matches of a tree; those that are too long are left out, as in the queries that it gives."""
        stream = Stream(index.size, Bounds(index.structures["doc"].bounds))
        places = tree_matcher(index, self._parts[0], stream).rows()
        starts, ends = spans_of(places)
        kept = np.flatnonzero(ends - starts <= MAX_TOKENS)
        at = {label: places[number][kept] for label, number in self._labels.items()}
        return Found(starts[kept], ends[kept], at[HEAD], at[COLLOCATE], at.get(NAME))

    def _piece(self, first: int, last: int) -> Query:
        """Some parts of the pattern as a query, within sentences; labels are not needed to find it."""
        parts = self._parts[first : last + 1]
        plain = tuple(replace(part, label=None) if isinstance(part, Token) else part for part in parts)
        node = plain[0] if len(plain) == 1 else Sequence(plain)
        return Query("", Relation(node, "within", Whole("s", Always()), negated=False))

    def restricted(self, conditions: Mapping[int, str]) -> str:
        """Write the pattern without its labels, with a further condition on some of the labelled tokens."""

        def labelled(match: re.Match[str]) -> str:
            if match["label"] is None:
                return match[0]
            more, own = conditions.get(int(match["label"]), ""), match["condition"].strip()
            both = f"{more} & ({own})" if more and own else more or own
            return f"[{both}]"

        written = LABELLED.sub(labelled, self.text)
        return f"({written} within {MAX_TOKENS})" if self.is_tree else written

    def _has(self, label: int) -> bool:
        return any(match["label"] == str(label) for match in LABELLED.finditer(self.text))


def _tokens(node: Node) -> Iterator[Token]:
    """The tokens of a tree, in the order of the query."""
    if isinstance(node, Token):
        yield node
    for part in parts_of(node):
        yield from _tokens(part)


def _find(index: Index, query: Query, known: dict[Node, Hits]) -> Hits:
    if query.node not in known:
        known[query.node] = find(index, query)
    return known[query.node]


def _meeting(sorted_places: Ids, places: Ids) -> tuple[Ids, Ids]:
    """All ways in which places meet equal ones of a sorted list: numbers of the former, and of the latter."""
    first = np.searchsorted(sorted_places, places)
    return spread(first, np.searchsorted(sorted_places, places, side="right") - first)


def joined(patterns: Iterable[str], within: str = "") -> str:
    """Write several patterns as one query, in sentences, and within a structure if one is given."""
    return f"({' | '.join(patterns)}) within <s/>{f' within {within}' if within else ''}"
