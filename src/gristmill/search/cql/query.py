"""Queries as a tree: the parser makes it, and matching reads it."""

from __future__ import annotations

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
    label: int | None = None
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
class Relation:
    """Matches of a part that lie within a match of another, or contain one; or the matches that do not."""

    part: Node
    kind: str
    """`within` or `containing`."""
    other: Node
    negated: bool
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER

    @property
    def longest(self) -> int:
        """Tokens of its longest match."""
        return self.part.longest


@dataclass(frozen=True, slots=True)
class Words:
    """A simple query: the words of a text one after the other, each as word or lemma, ignoring case."""

    text: str
    emptiness: ClassVar[Emptiness] = Emptiness.NEVER
    longest: ClassVar[int] = 1


Node = Token | Boundary | Whole | Sequence | Alternatives | Repeat | Relation | Words


@dataclass(frozen=True, slots=True)
class Agreement:
    """A condition on two labelled tokens, as in `1:[] "and" 2:[] & 1.lemma = 2.lemma`."""

    labels: tuple[int, int]
    attributes: tuple[str, str]
    negated: bool
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the text that it was read from."""

    text: str
    node: Node
    agreements: tuple[Agreement, ...] = ()
