"""Collocations by dependency: which words stand in a relation, or at a place of a tree, more often than by chance.

A tree with one token left open is a pattern, `[lemma="drink"] >nsubj [lemma="child"] >obj 1:[]`, as in *Dependency-tree
collocations* of RoDEO: what do children drink? Words at the open place are compared with all words that stand in the
relation there, here the objects of all verbs. With `|w, r, v|` for how often v stands in the pattern:

    together    |w, r, v|       ways to match the tree with v at the open place
    hits        |w, r, *|       ways to match the tree
    frequency   |*, r, v|       how often v stands in the relation at all
    size        |*, r, *|       all pairs of the relation

With these, MI is the mutual information of Lin (1998), *Automatic retrieval and clustering of similar words*, section
2; the other measures have their formulas as for windows, on these frequencies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.condition import Always, AnyOf
from gristmill.errors import UsageError
from gristmill.search.coverage import ALL_COUNTED
from gristmill.search.cql.attributes import attributes_of
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.matching import lists_for, resolved
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Alternatives, Branch, Node, Query, Sequence, Token, Tree, Words
from gristmill.search.cql.simple import simple_query
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.terms import labels_of
from gristmill.search.cql.trees import TreeMatcher
from gristmill.search.index.derived import NO_RELATIONS
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.collocations import Collocate, Collocations
from gristmill.search.statistics.measures import ASSOCIATION
from gristmill.search.statistics.queries import quoted
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.tally import tally
from gristmill.search.statistics.values import Keys, Values
from gristmill.search.subcorpus import Subcorpus
from gristmill.search.wordlists import Lists
from gristmill.wording import plural

_OPEN = "1"
"""The label of the open place, if a relation is named and no tree is written."""
_STRETCH_TOKENS = 1 << 22


@dataclass(frozen=True, slots=True, repr=False)
class RelationCollocations(Collocations):
    """Words at the open place of a tree; `hits` are ways to match it, `size` all pairs of the relation there."""

    tree: str = ""
    """The tree, as it was written, or the query with the relation."""

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        hits, words = plural(self.hits, "hit"), plural(self.types, "word")
        return f"{hits} of {self.tree} in {plural(self.size, 'pair')} of the relation; {words}"


def relation_collocations(
    index: Index,
    query: str,
    attribute: str = "lemma",
    *,
    relation: str | None = None,
    of: str | None = None,
    subcorpus: Subcorpus | None = None,
    lists: Lists | None = None,
    ignore_case: bool = False,
    matching: str | None = None,
    punctuation: bool = False,
    min_frequency: int = 5,
    min_together: int = 3,
    order: str = "logdice",
    limit: int | None = None,
) -> RelationCollocations:
    """Find the words that stand in a relation to a token, or at a labelled place of a tree, the strongest first.

    `relation` is that of a token which a query finds: `obj` for its dependents, `<obj` for its heads, or any that can
    stand in a query. Or the query is a tree, and `of` is the label of the open place; it may be left out if there is
    one label. `min_frequency` is the least frequency in the relation there, `min_together` that in the tree. Tokens
    whose tagger does not provide the attribute, or those that the query asks for, don't count, unless all matches are
    there.
    """
    if index.heads is None:
        raise UsageError(NO_RELATIONS)
    pattern = _pattern(index, query, relation, of)
    values = Values(index, attribute, ignore_case=ignore_case)
    choice = Choice(index, subcorpus, names=[*values.names, *pattern.asked])
    missing = choice.missing
    counting = _Counting(index, Lookup(index, lists_for(index, lists)), values, choice)
    keys, together = counting.tally(pattern.tree, pattern.label)
    if not len(keys) and missing.is_partial:
        counting = replace(counting, choice=Choice(index, subcorpus))
        keys, together = counting.tally(pattern.tree, pattern.label)
        missing = replace(missing, then=ALL_COUNTED) if len(keys) else missing
    everything, frequencies = counting.tally(_general(pattern.tree, pattern.label), pattern.label)
    hits, size = int(together.sum()), int(frequencies.sum())
    frequency = frequencies[np.searchsorted(everything, keys)]
    kept = (together >= min_together) & (frequency >= min_frequency)
    if matching is not None:
        kept &= values.first_matches(keys, matching)
    wanted = kept if punctuation else kept & values.are_words(keys)
    left_out = int(np.count_nonzero(kept) - np.count_nonzero(wanted))
    keys, together, frequency = keys[wanted], together[wanted], frequency[wanted]
    scores = {name: measure(together, hits, frequency, size) for name, measure in ASSOCIATION.items()}
    places = best(scores[order], limit)
    columns = [together[places].tolist(), frequency[places].tolist()]
    columns += [scores[name][places].tolist() for name in ASSOCIATION]
    strings = values.strings(keys[places]).to_pylist()
    rows = [Collocate(*row) for row in zip(strings, *columns, strict=True)]
    return RelationCollocations(values.name, size, hits, len(keys), rows, left_out, missing, tree=pattern.shown)


@dataclass
class _Counting:
    """Counts the values of a labelled token of trees."""

    index: Index
    lookup: Lookup
    values: Values
    choice: Choice

    def tally(self, tree: Tree, label: str) -> tuple[Keys, Ids]:
        """The keys of the values that stand at a label, and how often each does."""
        return tally((self.values.keys(places) for places in self._places(tree, label)), self.values.space)

    def _places(self, tree: Tree, label: str) -> Iterator[Ids]:
        """Where the labelled token is in all ways to match, a stretch of documents at a time."""
        stream = Stream(self.index.size, Bounds(self.index.structures["doc"].bounds))
        matcher = TreeMatcher(tree, self.lookup, stream)
        number = next(at for at, token in enumerate(matcher.tokens) if label in (token.label, token.target))
        for _ in stream.stretches(1 + self.index.size // _STRETCH_TOKENS):
            stream.steps = 0
            places = matcher.rows()[number]
            yield places[self.choice.counts(places)]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A tree with an open place."""

    tree: Tree
    label: str
    """The label of the open place."""
    shown: str
    """How the tree is written."""
    asked: frozenset[str]
    """Attributes of tokens that it asks for."""


def _pattern(index: Index, text: str, relation: str | None, of: str | None) -> _Pattern:
    """Read a tree with an open place, or make one of a token and a relation."""
    query = resolved(text, index)
    if relation is not None:
        if of is not None:
            raise UsageError("a relation is of a token, and a label is one of a tree: name one of the two")
        sign = relation if relation.lstrip("!").startswith((">", "<")) else f">{relation}"
        parsed = parse(f"[] {sign} {_OPEN}:[]").node
        if not isinstance(parsed, Tree) or len(parsed.branches) != 1 or not parsed.nodes:
            raise UsageError(f"{relation!r} is no relation: name one, such as obj, or <obj for the head")
        tree = Tree(_single(query, index), parsed.branches)
        return _Pattern(tree, _OPEN, f"{_written(query)} {sign} []", attributes_of(query.node))
    node = query.node
    if not isinstance(node, Tree):
        raise UsageError(
            'the query must be a tree, such as [lemma="drink"] >obj 1:[], without further conditions'
            "; or name a relation"
        )
    labels = query.labels
    if of is None and len(labels) == 1:
        of = labels[0]
    if of not in labels:
        known = f" (there are: {', '.join(labels)})" if labels else ": write 1: before a token of the tree"
        raise UsageError(f"which token is counted? There is no label {of!r}{known}" if of else f"name a label{known}")
    return _Pattern(node, of, text, attributes_of(node))


def _single(query: Query, index: Index) -> Token:
    """The one token that a query finds; raises if it is another query."""
    found = _one_token(simple_query(query.node.text, index) if isinstance(query.node, Words) else query.node)
    if found is None or labels_of(found.condition):
        raise UsageError(
            'a relation is one of a single token, such as eat or [lemma="eat"]; of more, write a tree with a label: '
            '[lemma="eat"] >nsubj [lemma="child"] >obj 1:[]'
        )
    return found


def _written(query: Query) -> str:
    """How the one token of a query is written in CQL."""
    if not isinstance(query.node, Words):
        return query.text
    word = quoted(query.text.strip())
    return f"[word=={word}%c | lemma=={word}%c]"


def _one_token(node: Node) -> Token | None:
    if isinstance(node, Token):
        return Token(node.condition)
    if isinstance(node, Sequence) and len(node.parts) == 1:
        return _one_token(node.parts[0])
    if isinstance(node, Alternatives):
        parts = [_one_token(part) for part in node.parts]
        tokens = [part.condition for part in parts if part is not None]
        return Token(AnyOf(tuple(tokens))) if len(tokens) == len(parts) else None
    return None


def _general(tree: Tree, label: str) -> Tree:
    """The relation by which the labelled token hangs in a tree, between it and any other token."""
    token, branch, is_first = next(_open_branches(tree, label))
    anything = Token(Always())
    if is_first:
        return Tree(token, (Branch(branch.relation, branch.up, branch.far, negated=False, node=anything),))
    return Tree(anything, (Branch(branch.relation, branch.up, branch.far, negated=False, node=token),))


def _open_branches(tree: Tree, label: str) -> Iterator[tuple[Token, Branch, bool]]:
    """The labelled token with a relation that it stands in; and whether it is the one that it is written from."""
    if label in (tree.token.label, tree.token.target):
        yield from ((tree.token, branch, True) for branch in tree.branches if not branch.negated)
    for branch in tree.branches:
        if branch.negated:
            continue
        token = branch.node.token if isinstance(branch.node, Tree) else branch.node
        if label in (token.label, token.target):
            yield token, branch, False
        if isinstance(branch.node, Tree):
            yield from _open_branches(branch.node, label)
