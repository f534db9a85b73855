"""The syntax tree of a condition: comparisons of an attribute with a value, combined by and, or, not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from gristmill.arguments import wrong_type
from gristmill.condition.lexer import Place
from gristmill.condition.values import ORDER, as_number, matches
from gristmill.registry import did_you_mean

_NUMBERS = frozenset({"year", "words", "round", "rank", "version", "dup"})
"""Attributes with numeric values; a value that they are ordered against must be a number too."""


class Condition(ABC):
    """A condition on the attributes of one thing: a document, a paragraph, a token."""

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition such as `host=".*\\.uk" & year>=2005`; errors point at the place."""
        from gristmill.condition.parser import parse  # noqa: PLC0415 - the parser makes the classes below

        if not isinstance(text, str):
            raise wrong_type("a condition", "text such as 'year>=2005'", text)
        return parse(text)

    @abstractmethod
    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether the condition holds of a thing whose attributes `get` looks up by name."""

    @abstractmethod
    def comparisons(self) -> Iterator[Comparison]:
        """All comparisons of the condition, from left to right."""

    def names(self) -> set[str]:
        """The names of the attributes that the condition uses."""
        return {comparison.name for comparison in self.comparisons()}

    def check(self, known: Collection[str], owner: str) -> None:
        """Raise an error that points at the first attribute which `owner` (documents, tokens, <p>) does not have."""
        for comparison in self.comparisons():
            if comparison.name not in known:
                raise comparison.unknown(known, owner)
            if comparison.name in _NUMBERS and comparison.sign in ORDER and as_number(comparison.value) is None:
                raise comparison.place.error(f"{comparison.name} is a number and {comparison.value!r} is not, here:")


@dataclass(frozen=True, slots=True)
class Always(Condition):
    """The empty condition, that of `[]` and `<s>` in CQL."""

    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether the condition holds: always."""
        del get
        return True

    def comparisons(self) -> Iterator[Comparison]:
        """No comparisons."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """A comparison of an attribute with a value.

    `sign` is `=` (regular expression), `==` (literal) or one of order (`<`); `!=` is a negation of `=`.
    """

    name: str
    sign: str
    value: str
    ignore_case: bool = False
    place: Place = field(default=Place("", 0), compare=False, repr=False)
    ignore_diacritics: bool = False

    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether the value of the attribute matches."""
        return matches(get(self.name), self.sign, self.value, self.ignore_case, self.ignore_diacritics)

    def comparisons(self) -> Iterator[Comparison]:
        """This comparison alone."""
        yield self

    def unknown(self, known: Collection[str], owner: str) -> Exception:
        """Make the error that there is no such attribute."""
        names = ", ".join(known) or "none"
        return self.place.error(
            f"{owner} has no attribute {self.name!r}{did_you_mean(self.name, known)} (there are: {names}):"
        )


@dataclass(frozen=True, slots=True)
class Negation(Condition):
    """A condition that holds if another one does not: `!a`."""

    part: Condition

    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether the negated condition does not hold."""
        return not self.part.holds(get)

    def comparisons(self) -> Iterator[Comparison]:
        """The comparisons of the negated condition."""
        return self.part.comparisons()


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    """A condition that holds if all of its parts do: `a & b`."""

    parts: tuple[Condition, ...]

    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether all parts hold."""
        return all(part.holds(get) for part in self.parts)

    def comparisons(self) -> Iterator[Comparison]:
        """The comparisons of all parts."""
        return (comparison for part in self.parts for comparison in part.comparisons())


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    """A condition that holds if one of its parts does: `a | b`."""

    parts: tuple[Condition, ...]

    def holds(self, get: Callable[[str], str]) -> bool:
        """Whether one part holds."""
        return any(part.holds(get) for part in self.parts)

    def comparisons(self) -> Iterator[Comparison]:
        """The comparisons of all parts."""
        return (comparison for part in self.parts for comparison in part.comparisons())
