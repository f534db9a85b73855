"""Conditions on tokens and structures, as they are written and what they mean, for the scan of scanning.py."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Attributes = dict[str, str]
Labels = frozenset[tuple[str, int]]
"""The tokens that have a label, as places in their document."""


@dataclass(eq=False)
class Doc:
    """A document for the scan: tokens, and for each kind of structure where it begins and ends, and its attributes."""

    tokens: list[Attributes]
    structures: dict[str, list[tuple[int, int, Attributes]]]
    glued: set[int] = field(default_factory=set)
    """Tokens without a space before them."""
    first: int = 0
    """The number of its first token in the corpus."""
    heads: list[int] = field(default_factory=list)
    """The head of each token, as a place in the document; that of a token without one is its own."""
    frequencies: dict[str, Counter[str]] = field(default_factory=dict)
    """How frequent the values of each attribute are in the corpus."""

    def around(self, structure: str, at: int) -> tuple[int, int, Attributes]:
        """The structure that a token is in."""
        return next(found for found in self.structures[structure] if found[0] <= at < found[1])


@dataclass(frozen=True)
class View:
    """What a condition sees: labelled tokens, and the token that it is about."""

    doc: Doc
    labels: Mapping[str, int]
    current: int | None = None

    def place(self, label: str) -> int | None:
        """Where the token with a label is in its document; nothing if there is none."""
        return self.current if label == "_" else self.labels.get(label)

    def value(self, label: str, name: str) -> str | None:
        """The value of an attribute of a labelled token, or of a structure around it (`doc_year`)."""
        at = self.place(label)
        if at is None:
            return None
        structure, _, own = name.partition("_")
        return self.doc.around(structure, at)[2][own] if own else self.doc.tokens[at][name]


@dataclass
class Rule:
    """A condition on the attributes of one thing: how it is written, and what it means."""

    text: str
    holds: Callable[[Attributes], bool]
    joined: str = ""
    """The sign between its parts; it is written without brackets if it has none."""


@dataclass
class Check:
    """A condition on a token, or on the labelled tokens of a match."""

    text: str
    holds: Callable[[View], bool]
    joined: str = ""


def without_brackets(condition: Rule | Check) -> str:
    """How a condition is written where it stands alone."""
    return condition.text[1:-1] if condition.joined else condition.text


def negated_text(condition: Rule | Check) -> str:
    """How the opposite is written: `!` binds closest, and what is joined has brackets."""
    return f"!{condition.text}"


def joined_text(sign: str, one: Rule | Check, other: Rule | Check) -> str:
    """How two conditions are written together: `&` binds closer than `|`, and that closer than `->`."""
    closer = {"&": "", "|": "&", "->": "&|"}[sign]
    texts = [without_brackets(part) if part.joined in closer else part.text for part in (one, other)]
    return f"({texts[0]} {sign} {texts[1]})"


@dataclass
class Term:
    """A text or a number in a condition; it has no value where a token is missing."""

    text: str
    value: Callable[[View], str | int | None]


# Conditions on values

ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


def without_diacritics(text: str) -> str:
    """Leave out the accents of Latin, Greek and Cyrillic letters; vowel signs of other scripts stay."""
    kept = (sign for sign in unicodedata.normalize("NFD", text) if not 0x300 <= ord(sign) < 0x370)
    return unicodedata.normalize("NFC", "".join(kept))


def value_test(sign: str, value: str, flags: str = "", meaning: str | None = None) -> Callable[[str], bool]:
    """Tell what a comparison with a written value means; `meaning` is the expression for Python where it differs."""
    pattern = re.escape(value) if "l" in flags or "==" in sign else value if meaning is None else meaning
    ignore = "d" in flags
    compiled = re.compile(
        without_diacritics(pattern) if ignore else pattern, re.DOTALL | (re.IGNORECASE if "c" in flags else 0)
    )

    def holds(text: str) -> bool:
        return bool(compiled.fullmatch(without_diacritics(text) if ignore else text)) != sign.startswith("!")

    return holds


def order_test(sign: str, value: str) -> Callable[[str], bool]:
    """Tell what `<` and the like mean: numbers are compared if the value is one, otherwise characters."""
    if sign.startswith("!"):
        opposite = order_test(sign[1:], value)
        return lambda text: not opposite(text)

    def number(text: str) -> float | None:
        return float(text) if re.fullmatch("[0-9]+", text) else None

    def holds(text: str) -> bool:
        one, other = number(text), number(value)
        if other is not None:
            return one is not None and ORDER[sign](one, other)
        return ORDER[sign](text, value)

    return holds


def regex_rule(name: str, sign: str, regex: str, flags: str = "", meaning: str | None = None) -> Rule:
    test = value_test(sign, regex, flags, meaning)
    return Rule(f'{name}{sign}"{regex}"{flags}', lambda thing: test(thing[name]))


def order_rule(name: str, sign: str, value: str) -> Rule:
    test = order_test(sign, value)
    return Rule(f'{name} {sign} "{value}"', lambda thing: test(thing[name]))


def negation(rule: Rule) -> Rule:
    return Rule(negated_text(rule), lambda thing: not rule.holds(thing))


def both(one: Rule, other: Rule) -> Rule:
    return Rule(joined_text("&", one, other), lambda thing: one.holds(thing) and other.holds(thing), "&")


def either(one: Rule, other: Rule) -> Rule:
    return Rule(joined_text("|", one, other), lambda thing: one.holds(thing) or other.holds(thing), "|")


# Conditions on tokens


def of_token(rule: Rule) -> Check:
    """Make a condition on the attributes of a token one on the token itself."""

    def holds(view: View) -> bool:
        assert view.current is not None
        return rule.holds(view.doc.tokens[view.current])

    return Check(rule.text, holds, rule.joined)


def not_check(check: Check) -> Check:
    return Check(negated_text(check), lambda view: not check.holds(view))


def and_check(one: Check, other: Check) -> Check:
    return Check(joined_text("&", one, other), lambda view: one.holds(view) and other.holds(view), "&")


def or_check(one: Check, other: Check) -> Check:
    return Check(joined_text("|", one, other), lambda view: one.holds(view) or other.holds(view), "|")


def implies_check(one: Check, other: Check) -> Check:
    return Check(joined_text("->", one, other), lambda view: not one.holds(view) or other.holds(view), "->")


def value_check(label: str, name: str, sign: str, value: str, flags: str = "", meaning: str | None = None) -> Check:
    """Compare the attribute of a labelled token with a value; that of a missing one is not equal, nor unequal."""
    order = sign.strip("!") in {"<", "<=", ">", ">="}
    test = order_test(sign, value) if order else value_test(sign, value, flags, meaning)

    def holds(view: View) -> bool:
        found = view.value(label, name)
        return found is not None and test(found)

    return Check(f'{label}.{name} {sign} "{value}"{flags}', holds)


def compared(one: Term, sign: str, other: Term) -> Check:
    """Compare two texts or two numbers; what is missing is not equal, nor unequal."""

    def holds(view: View) -> bool:
        left, right = one.value(view), other.value(view)
        return left is not None and right is not None and ORDER[sign](left, right)

    return Check(f"{one.text} {sign} {other.text}", holds)


def is_set(label: str) -> Check:
    return Check(label, lambda view: view.place(label) is not None)


def ignored(label: str) -> Check:
    return Check(f"ignore({label})", lambda _: True)


def is_true(term: Term) -> Check:
    return Check(term.text, lambda view: bool(term.value(view)))


def numbered(first: int, last: int | None) -> Check:
    """The tokens with these numbers in the corpus, the last included."""

    def holds(view: View) -> bool:
        assert view.current is not None
        return first <= view.doc.first + view.current <= (first if last is None else last)

    return Check(f"#{first}" if last is None else f"#{first}-{last}", holds)


def listed(term: Term, sign: str, words: tuple[str, Sequence[str]], regex: bool, flags: str) -> Check:
    """Values that are in a list of words, or match one of its regular expressions."""
    title, lines = words
    tests = [value_test("=", line, flags if regex else flags + "l") for line in lines]

    def holds(view: View) -> bool:
        value = term.value(view)
        return value is not None and any(test(str(value)) for test in tests) == (sign == "=")

    return Check(f"{term.text} {sign} {f'RE(${title})' if regex else f'${title}'}{flags}", holds)


# Terms


def literal(value: str | int) -> Term:
    return Term(str(value) if isinstance(value, int) else f'"{value}"', lambda _: value)


def attribute(label: str, name: str) -> Term:
    """An attribute of a labelled token; of the token itself without a label."""
    return Term(f"{label}.{name}" if label else name, lambda view: view.value(label or "_", name))


def position(label: str) -> Term:
    """The number of a labelled token in the corpus."""

    def value(view: View) -> int | None:
        at = view.place(label)
        return None if at is None else view.doc.first + at

    return Term(label, value)


def frequency(label: str, name: str) -> Term:
    def value(view: View) -> int | None:
        found = view.value(label or "_", name)
        return None if found is None else view.doc.frequencies[name][found]

    return Term(f"f({attribute(label, name).text})", value)


def bound_of(function: str, structure: str, around: Term | None) -> Term:
    """Bounds of structures: `lbound_of` and `rbound_of` a labelled token, `lbound` and `rbound` of the token itself."""
    last = function.startswith("r")

    def value(view: View) -> int | None:
        at = position("_").value(view) if around is None else around.value(view)
        if not isinstance(at, int):
            return None
        start, end, _ = view.doc.around(structure, at - view.doc.first)
        edge = (end - 1 if last else start) + view.doc.first
        return int(edge == at) if around is None else edge

    return Term(f"{function}({structure})" if around is None else f"{function}({structure}, {around.text})", value)


def common_prefix(one: str, other: str) -> str:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def leading_number(text: str) -> int:
    found = re.match(r"\s*([+-]?[0-9]+)", text)
    return int(found[1]) if found else 0


def normalized(text: str, how: str) -> str:
    text = text.lower() if "c" in how else text
    return without_diacritics(text) if "d" in how else text


FUNCTIONS: dict[str, Callable[..., str | int]] = {
    "strlen": len,
    "int": leading_number,
    "distance": lambda one, other: other - one,
    "dist": lambda one, other: other - one,
    "distabs": lambda one, other: abs(other - one),
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "prefix": common_prefix,
    "minus": lambda one, other: one[len(common_prefix(one, other)) :],
    "is_prefix": lambda one, other: int(other.startswith(one)),
    "normalize": normalized,
}


def called(function: str, *arguments: Term) -> Term:
    """Call a function; it has no value if one of its arguments has none."""

    def value(view: View) -> str | int | None:
        values = [argument.value(view) for argument in arguments]
        return None if None in values else FUNCTIONS[function](*values)

    return Term(f"{function}({', '.join(argument.text for argument in arguments)})", value)
