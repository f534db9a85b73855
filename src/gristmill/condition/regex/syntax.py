"""The parts that a regular expression is read into: sets of characters, sequences, choices, repetitions.

`(ab|[c-e])+.` is a sequence of a repetition (1 or more) of a choice between the sequence `a`, `b` and a set, and of any
character. Whether case is ignored is noted at each set, so nothing depends on what stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.errors import UsageError

WORD, OTHER = frozenset({"word"}), frozenset({"other"})
MIXED = WORD | OTHER
"""What a character can be, as `\\b` sees it."""


class RegexError(UsageError):
    """What is wrong with a regular expression; `refused` if it is one, but with a part that can't be had here."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused

    @property
    def sentence(self) -> str:
        """The whole sentence, about an expression that stands beside it."""
        return f"this regular expression has {self}" if self.refused else f"this is not a regular expression, {self}"


@dataclass(frozen=True, slots=True)
class Named:
    """Characters that have a name, such as all letters; `text` is what RE2 writes for it in square brackets.

    `whole` if these are all characters of their kind, as those of `\\w` and `\\W` are.
    """

    text: str
    kinds: frozenset[str] = MIXED
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set: of some ranges of code points and of some names, or of none of these."""

    ranges: tuple[tuple[int, int], ...] = ()
    names: tuple[Named, ...] = ()
    negated: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class AnyCharacter:
    """Any character, `.`; a new line only if that is said."""

    newlines: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place: the start or the end of the value, or of a line of it, in the words of RE2."""

    text: str


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place between a character of a word and another one, `\\b`, or where there is no such place, `\\B`."""

    negated: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other; without parts it is the empty text."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part from `least` to `most` times; without a limit if `most` is None."""

    part: Node
    least: int
    most: int | None


Node = Characters | AnyCharacter | Anchor | Boundary | Sequence | Choice | Repeat

EMPTY = Sequence()
NOTHING = Characters(((0, 0x10FFFF),), negated=True)
"""A set without a character: it matches nothing."""


def single(character: str, ignore_case: bool = False) -> Characters:
    """Make the set of one character."""
    return Characters(((ord(character), ord(character)),), ignore_case=ignore_case)


def literal(text: str, ignore_case: bool = False) -> Sequence:
    """Make the expression that matches a text and nothing else."""
    return Sequence(tuple(single(character, ignore_case) for character in text))
