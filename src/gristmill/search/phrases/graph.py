"""The tree of a query as a graph: its places, each open or with the words that the query gives, and their relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gristmill.condition import AllOf, Always, AnyOf, Comparison, Condition, Negation
from gristmill.corpus.attributes import DEPREL
from gristmill.errors import UsageError
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Branch, Token, Tree
from gristmill.search.cql.terms import IndexCondition

EXAMPLE = '1:[tag="NOUN"] <nsubj ([lemma="drive"] >obj [lemma="ball"])'
_LEMMA, _WORD = "lemma", "word"
_LEXICAL = {"lemma": _LEMMA, "lemma_lc": _LEMMA, "word": _WORD, "lc": _WORD}
_OTHER_LEXICAL = {"lempos"}
_REGEX = re.compile(r"[\\.\[\](){}*+?^$]")
_BASE = re.compile(r"[a-z]+(?=$|:|\()")
_MAX_WORDS = 20
"""Words that one token of the tree may stand for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A token of the tree: what it must be, without its words; and the words, if the query gives any."""

    condition: Condition
    words: tuple[str, ...] = ()
    is_lemma: bool = True
    """Whether the words are lemmas, to be inflected, or forms."""
    is_asked: bool = False
    """Whether it has a label: it is what is looked for, so no word is ever put there."""
    without: tuple[Branch, ...] = ()
    """What must not hang on it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two places, by their numbers."""

    head: int
    dependent: int
    relation: Condition
    far: bool = False

    @property
    def name(self) -> str:
        """The name of the relation without a subtype; empty if it is not one name, or goes over several steps."""
        if self.far or not isinstance(self.relation, Comparison):
            return ""
        found = _BASE.match(self.relation.value)
        return found[0] if found and "|" not in self.relation.value else ""


@dataclass(frozen=True, slots=True)
class Graph:
    """The places of a tree and their relations."""

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]

    def tree(self) -> tuple[Tree, list[int]]:
        """Write it as a tree from its first place on; and the number of each place, in the order of the tree."""
        order: list[int] = []
        node = self._node(0, None, order)
        if not isinstance(node, Tree):
            raise TypeError(node)
        return node, order

    def _node(self, number: int, came: Edge | None, order: list[int]) -> Token | Tree:
        order.append(number)
        token = Token(self.places[number].condition)
        branches = list(self.places[number].without)
        for edge in self.edges:
            if edge is not came and number in {edge.head, edge.dependent}:
                up = edge.dependent == number
                other = self._node(edge.head if up else edge.dependent, edge, order)
                branches.append(Branch(edge.relation, up, edge.far, negated=False, node=other))
        return Tree(token, tuple(branches)) if branches else token

    def with_conditions(self, more: dict[int, Condition]) -> Graph:
        """Add conditions to some places."""
        places = list(self.places)
        for number, condition in more.items():
            places[number] = replace(places[number], condition=_all([places[number].condition, condition]))
        return replace(self, places=tuple(places))

    def relative(self, clause: Condition, pronoun: Condition) -> Iterator[Graph]:
        """Yield the same with a subject or object outside of its clause: a golfer that drives the ball.

        In Universal Dependencies the pronoun is the subject there, and the clause hangs on the noun. RoDEO's parser,
        Minipar, gives such a verb the noun itself as its subject, as its example has it.
        """
        for edge in self.edges:
            has_head = any(other.dependent == edge.head for other in self.edges)
            if edge.name in {"nsubj", "obj"} and not has_head:
                others = tuple(other for other in self.edges if other is not edge)
                new = Edge(edge.dependent, edge.head, clause), Edge(edge.head, len(self.places), edge.relation)
                yield Graph((*self.places, Place(pronoun)), (*others, *new))


@dataclass
class _Reader:
    """Reads a tree into places and edges."""

    places: list[Place] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def add(self, node: Token | Tree) -> int:
        """Add a token and all that it has relations to; returns its number."""
        token, branches = (node.token, node.branches) if isinstance(node, Tree) else (node, ())
        number = len(self.places)
        self.places.append(_place(token, tuple(branch for branch in branches if branch.negated)))
        for branch in branches:
            if not branch.negated:
                other = self.add(branch.node)
                head, dependent = (other, number) if branch.up else (number, other)
                self.edges.append(Edge(head, dependent, branch.relation, branch.far))
        return number


def read_graph(text: str) -> Graph:
    """Read a tree; raises if the query is none, or gives no word to search for."""
    if not text.strip():
        raise UsageError(f"which tree? Write one, such as {EXAMPLE}")
    node = parse(text).node
    if not isinstance(node, Tree):
        raise UsageError(f"search phrases are made of a tree, such as {EXAMPLE}, without further conditions")
    reader = _Reader()
    reader.add(node)
    if not reader.edges:
        raise UsageError(f"the tree has one token: search phrases need a relation to another one, as in {EXAMPLE}")
    if not any(place.words for place in reader.places):
        raise UsageError(f"the tree has no word to search for: give a lemma or a word, as in {EXAMPLE}")
    return Graph(tuple(reader.places), tuple(reader.edges))


def _place(token: Token, without: tuple[Branch, ...]) -> Place:
    parts = token.condition.parts if isinstance(token.condition, AllOf) else (token.condition,)
    given = [(part, found) for part in parts if (found := _words(part)) is not None]
    rest = [part for part in parts if all(part is not lexical for lexical, _ in given)]
    if len(given) > 1 or any(_is_obscure(part) for part in rest):
        raise UsageError(
            'a token of the tree gives its words as in [lemma="drive"] or [lemma="drive|hit"], and may have other '
            'attributes beside, [lemma="drive" & tag="VERB"]: other expressions for words, lists of words, '
            "functions and conditions on other tokens can't be put into a search phrase"
        )
    is_lemma, words = given[0][1] if given else (True, ())
    is_asked = token.label is not None or token.target is not None
    return Place(_all(rest), words, is_lemma, is_asked, without)


def _words(part: Condition) -> tuple[bool, tuple[str, ...]] | None:
    """Whether a part of a condition gives lemmas, and which; None if it gives no words that can be listed."""
    if isinstance(part, AnyOf):
        found = [_words(one) for one in part.parts]
        kinds = {one[0] for one in found if one is not None}
        if None in found or len(kinds) != 1:
            return None
        return kinds.pop(), tuple(dict.fromkeys(word for one in found if one is not None for word in one[1]))
    if not isinstance(part, Comparison) or part.name not in _LEXICAL or part.sign not in {"=", "=="}:
        return None
    words = [part.value] if part.sign == "==" else part.value.split("|")
    if part.sign == "=" and _REGEX.search(part.value):
        return None
    words = [" ".join(word.replace('"', " ").split()) for word in words]
    if not all(words) or len(words) > _MAX_WORDS:
        return None
    return _LEXICAL[part.name] == _LEMMA, tuple(dict.fromkeys(words))


def _is_obscure(part: Condition) -> bool:
    """Whether a part of a condition is on words in a way that no search phrase can say."""
    if isinstance(part, IndexCondition):
        return True
    if isinstance(part, AllOf | AnyOf):
        return any(map(_is_obscure, part.parts))
    if isinstance(part, Negation):
        return isinstance(part.part, IndexCondition)
    return bool(part.names() & ({*_LEXICAL} | _OTHER_LEXICAL))


def _all(parts: list[Condition]) -> Condition:
    kept = tuple(part for part in parts if not isinstance(part, Always))
    return kept[0] if len(kept) == 1 else AllOf(kept) if kept else Always()


def relation_is(name: str) -> Condition:
    """The condition that a token has a relation, with or without a subtype."""
    return Comparison(DEPREL, "=", f"{name}(:.*)?")
