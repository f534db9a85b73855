"""Conditions of CQL that need an index to be evaluated: on labelled tokens, by functions, by place, by word list.

    a:[] "and" [lemma = a.lemma]                a token that is compared with another one
    1:[] 2:[] & f(1.word) > 10 & 1.tag = 2.tag  conditions on a whole match
    [strlen(word) > 12], [#100-200], [word = $names]

They stand beside the plain comparisons of `gristmill.condition` in the same trees of and, or, not. The current token is
the one with the label `_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from gristmill.condition import AllOf, Always, AnyOf, Comparison, Condition, Negation, Place

CURRENT = "_"
"""The label of the token that a condition in brackets is on."""
MATCH, MATCH_END = "match", "matchend"
"""Labels that each match has: its first and its last token."""
TARGET, KEYWORD = "target", "keyword"
"""Labels of tokens that are marked by `@` and `@1`."""
NOWHERE = Place("", 0)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a labelled token, as a number."""

    label: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an attribute of a labelled token, or of the structure around it: `a.lemma`, `a.doc_year`."""

    label: str
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it is written, in a function: `is_prefix("un", word)`."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number."""

    number: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function of terms: `strlen(word)`, `distabs(a, b)`."""

    function: str
    arguments: tuple[Term, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Term = Position | Value | Text | Number | Call


class IndexCondition(Condition):
    """A condition that is evaluated by an index, not by the attributes of one thing."""

    def holds(self, get: Callable[[str], str]) -> NoReturn:
        """Raise: what it says of a token can't be told by its attributes alone."""
        del get
        raise TypeError("this condition needs an index")

    def comparisons(self) -> Iterator[Comparison]:
        """No comparisons of attributes: they are looked up when it is evaluated."""
        return iter(())

    def labels(self) -> set[str]:
        """Labels of the tokens that it is on."""
        return {CURRENT}


@dataclass(frozen=True, slots=True)
class Compared(IndexCondition):
    """A comparison of two terms: `a.lemma = b.lemma`, `f(word) > 10`."""

    left: Term
    sign: str
    """`=`, `<`, `<=`, `>` or `>=`; `!=` is `=` with `negated`: it does not hold either if a term has no value."""
    right: Term
    negated: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def labels(self) -> set[str]:
        """Labels in both terms."""
        return labels_in(self.left) | labels_in(self.right)


@dataclass(frozen=True, slots=True)
class Holds(IndexCondition):
    """A term by itself: a labelled token that is there, a value that is there, a number that is not 0."""

    term: Term

    def labels(self) -> set[str]:
        """Labels in the term."""
        return labels_in(self.term)


@dataclass(frozen=True, slots=True)
class Of(IndexCondition):
    """A comparison of an attribute of a labelled token with a value: `a.lemma = "go.*" %c`.

    It does not hold if there is no such token, nor does its negation `a.lemma != ...`.
    """

    label: str
    comparison: Condition
    """A comparison, or its negation; or a `Listed`."""

    def labels(self) -> set[str]:
        """The label."""
        return {self.label}


@dataclass(frozen=True, slots=True)
class At(IndexCondition):
    """A token by its number in the corpus, from 0: `[#100]`, `[#100-200]`."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Listed(IndexCondition):
    """An attribute that is in a list of words: `[lemma = $animals]`."""

    name: str
    words: str
    """The name of the list."""
    regex: bool = False
    """Whether its lines are regular expressions, `RE($animals)`."""
    ignore_case: bool = False
    ignore_diacritics: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sketched(IndexCondition):
    """Tokens that word sketches know: `ws("mill-n", "modifiers.*", ".*")`, `term("rye flour")`, `~5"mill-n"`."""

    function: str
    """`ws`, `term` or `~`."""
    arguments: tuple[str, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Swapped(IndexCondition):
    """Collocates of `ws(...)` instead of heads, `swap(1, ws(...))`; or `ccoll(1, 2, ...)`, its label renamed."""

    label: int
    part: Condition
    renamed: int | None = None
    """The label's new number, for `ccoll(1, 2, ...)`; None for `swap`."""
    place: Place = field(default=NOWHERE, compare=False, repr=False)


def labels_in(term: Term) -> set[str]:
    """Labels that a term uses."""
    match term:
        case Position() | Value():
            return {term.label}
        case Call():
            return {label for argument in term.arguments for label in labels_in(argument)}
        case _:
            return set()


def labels_of(condition: Condition) -> set[str]:
    """Labels of other tokens than the current one that a condition is on."""
    match condition:
        case Negation():
            return labels_of(condition.part)
        case AllOf() | AnyOf():
            return {label for part in condition.parts for label in labels_of(part)}
        case IndexCondition():
            return condition.labels() - {CURRENT}
        case _:
            return set()


def relaxed(condition: Condition, negated: bool = False) -> Condition:
    """Take a condition, or its negation, without what it says of other tokens: it holds wherever the whole may hold.

    `[tag="NOUN" & lemma = a.lemma]` becomes `[tag="NOUN"]`.
    """
    match condition:
        case Negation():
            return relaxed(condition.part, not negated)
        case AllOf() | AnyOf():
            parts = tuple(relaxed(part, negated) for part in condition.parts)
            if isinstance(condition, AllOf) != negated:
                kept = tuple(part for part in parts if not isinstance(part, Always))
                return AllOf(kept) if len(kept) > 1 else (kept[0] if kept else Always())
            return Always() if any(isinstance(part, Always) for part in parts) else AnyOf(parts)
        case _ if labels_of(condition):
            return Always()
        case _:
            return Negation(condition) if negated else condition
