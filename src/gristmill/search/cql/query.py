"""Queries as a tree: the parser makes it, and matching reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

from gristmill.condition import Condition, Place

NOWHERE = Place("", 0)
"""The place of a node that was not read from a query."""


class Emptiness(IntEnum):
    """Whether a part of a query can match without a token: nowhere, at the edges of structures, anywhere."""

    NEVER = 0
    SOMETIMES = 1
    ALWAYS = 2


@dataclass(frozen=True, slots=True)
class Token:
    """One token that meets a condition."""

    condition: Condition
    label: str | None = None
    target: str | None = None
    """The label that `@` gives it, besides its own."""
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Boundary:
    """The edge of a structure, without a token: `<s>` where one begins, `</s>` where one ends."""

    structure: str
    condition: Condition
    closing: bool
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    emptiness: ClassVar[Emptiness] = Emptiness.SOMETIMES
    longest: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Glue:
    """A place between two tokens without a space, `<g/>`."""

    emptiness: ClassVar[Emptiness] = Emptiness.SOMETIMES
    longest: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Ahead:
    """A place before a token that meets a condition, which is not part of the match: `[: tag="NOUN" :]`."""

    condition: Condition
    emptiness: ClassVar[Emptiness] = Emptiness.SOMETIMES
    longest: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Whole:
    """All tokens of a structure, `<s/>`. It counts as one token for the length of a query."""

    structure: str
    condition: Condition
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple[Node, ...]

    @property
    def emptiness(self) -> Emptiness:
        """Emptiness of its strictest part."""
        return min(part.emptiness for part in self.parts)

    @property
    def longest(self) -> int:
        """Tokens of its longest match."""
        return sum(part.longest for part in self.parts)


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several parts."""

    parts: tuple[Node, ...]

    @property
    def emptiness(self) -> Emptiness:
        """Emptiness of its laxest part."""
        return max(part.emptiness for part in self.parts)

    @property
    def longest(self) -> int:
        """Tokens of its longest match."""
        return max(part.longest for part in self.parts)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part repeated at least and at most so many times."""

    part: Node
    least: int
    most: int

    @property
    def emptiness(self) -> Emptiness:
        """Emptiness of its part, or anywhere if it may be left out."""
        return self.part.emptiness if self.least else Emptiness.ALWAYS

    @property
    def longest(self) -> int:
        """Tokens of its longest match."""
        return self.most * self.part.longest


@dataclass(frozen=True, slots=True)
class Gaps:
    """The longest stretches of text in which a part does not match, `!"a"`; they end at the ends of documents."""

    part: Node
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Branch:
    """A relation between a token of a tree and another one."""

    relation: Condition
    """The condition on the relation of the dependent."""
    up: bool
    """Whether the token that it goes from is the dependent, `A <obj B`."""
    far: bool
    """Whether there can be several such relations in a row, `A >>obj B`."""
    negated: bool
    """Whether there must be no such token."""
    node: Token | Tree
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tree:
    """A token with relations to others, `[lemma="eat"] >nsubj [] >obj []`; its span is from the first to the last."""

    token: Token
    branches: tuple[Branch, ...]
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1

    @property
    def nodes(self) -> tuple[Token | Tree, ...]:
        """What it has relations to, without what must not be there."""
        return tuple(branch.node for branch in self.branches if not branch.negated)

    @property
    def size(self) -> int:
        """How many tokens it has, with those that must not be there."""
        return 1 + sum(branch.node.size if isinstance(branch.node, Tree) else 1 for branch in self.branches)


class _Kept:
    """What some of the matches of a part are kept by; they have a token."""

    __slots__ = ()
    part: Node
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER

    @property
    def longest(self) -> int:
        """Tokens of its longest match."""
        return self.part.longest


@dataclass(frozen=True, slots=True)
class Meet(_Kept):
    """Matches of a part near which another one matches: `(meet "a" "b" -3 3)`.

    The distance is from the first token of the one to the first of the other.
    """

    part: Node
    other: Node
    first: int
    last: int
    structure: Whole | None = None
    """The kind of structure that both must be in; the numbers don't count then."""


@dataclass(frozen=True, slots=True)
class Relation(_Kept):
    """Matches of a part that lie within a match of another, or contain one; or the matches that do not."""

    part: Node
    kind: str
    """`within` or `containing`."""
    other: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Length(_Kept):
    """Matches of a part that have at most so many tokens (`within 5`), at least so many, or the others."""

    part: Node
    kind: str
    tokens: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Constrained(_Kept):
    """Matches of a part whose labelled tokens meet a condition, as in `1:[] "and" 2:[] & 1.lemma = 2.lemma`."""

    part: Node
    condition: Condition


@dataclass(frozen=True, slots=True)
class Words:
    """A simple query: the words of a text one after the other, each as word or lemma, ignoring case."""

    text: str
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1


Node = (
    Token
    | Boundary
    | Glue
    | Ahead
    | Whole
    | Sequence
    | Alternatives
    | Repeat
    | Gaps
    | Meet
    | Relation
    | Length
    | Constrained
    | Tree
    | Words
)


@dataclass(frozen=True, slots=True)
class Expansion:
    """How hits are made longer: `expand left to 2 s`."""

    structure: Whole | None
    """The kind of structure; None for single tokens."""
    count: int = 1
    left: bool = True
    right: bool = True


@dataclass(frozen=True, slots=True)
class AlignedQuery:
    """What must match in the sentences that a hit is aligned with in another language, or must not."""

    lang: str
    query: Query
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the text that it was read from."""

    text: str
    node: Node
    strategy: str = "all"
    """Which of all matches count: see `strategies.py`."""
    cut: int | None = None
    """How many of the first hits are kept; None for all."""
    expansion: Expansion | None = None
    spelt: tuple[str, ...] = ()
    """Words that are no words of the corpus, and were replaced by their characters: see `spelling.py`."""
    aligned: tuple[AlignedQuery, ...] = ()
    """What the other language of a parallel corpus must have: `within de: "Haus"`."""

    @property
    def labels(self) -> list[str]:
        """The labels of its tokens, in their order."""
        return list(dict.fromkeys(_labels(self.node)))


def spelling_notes(words: tuple[str, ...]) -> list[str]:
    """Say that words were looked for by their characters, in a line; nothing if there are none."""
    if not words:
        return []
    if len(words) == 1:
        return [f"{words[0]} is no word of this corpus; its characters in a row are shown"]
    return [f"{', '.join(words)} are no words of this corpus; their characters in a row are shown"]


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a part of a query that are in its matches; what these lie within or contain is not one of them."""
    match node:
        case Sequence() | Alternatives():
            return node.parts
        case Repeat() | Relation() | Length() | Constrained():
            return (node.part,)
        case Meet():
            return node.part, node.other
        case Tree():
            return node.token, *node.nodes
        case _:
            return ()


def _labels(node: Node) -> Iterator[str]:
    if isinstance(node, Token):
        yield from (label for label in (node.label, node.target) if label is not None)
    for part in parts_of(node):
        yield from _labels(part)
