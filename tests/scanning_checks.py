"""Conditions at random, for the queries of scanning_queries.py."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scanning_conditions import (
    Check,
    Rule,
    Term,
    and_check,
    attribute,
    both,
    bound_of,
    called,
    compared,
    either,
    frequency,
    ignored,
    implies_check,
    is_set,
    is_true,
    listed,
    literal,
    negation,
    not_check,
    numbered,
    of_token,
    or_check,
    order_rule,
    position,
    regex_rule,
    value_check,
)

Pick = Callable[[Sequence[Any]], Any]
"""Chooses one of several things."""
WORDS = ["a", "b", "B", "ab", "7", "12", "é", "É", "e\u0301", "Σ", "ς", "σα", "Яй", "яй", "हिन्दी", "中文", "٣"]
VALUES = ["a", "b", "B", "ab", "7", "12"]
_LETTERS = sorted({letter for value in [*WORDS, "x"] for letter in value})


def _characters(holds: Callable[[str], bool]) -> str:
    """A set of those letters of the test's words that are in a class."""
    return "[" + "".join(letter for letter in _LETTERS if holds(letter)) + "]"


_WORD = _characters(lambda letter: unicodedata.category(letter)[0] in "LMN")
_DIGIT = _characters(lambda letter: unicodedata.category(letter) == "Nd")
_ALPHA = _characters(lambda letter: unicodedata.category(letter)[0] in "LM")
_UPPER = _characters(lambda letter: unicodedata.category(letter) == "Lu")
_GREEK = _characters(lambda letter: unicodedata.name(letter).startswith("GREEK"))
_HAN = _characters(lambda letter: unicodedata.name(letter).startswith("CJK"))
REGEXES = ["a", "b", "a|b", "a.*", ".*b", ".", "[aB]", "", "(?i)b", "b+|12", "x", "é|Σ", "σ.*", "яй", "e.", ".*文"]
ONLY_REGEXES = ["[0-9]+", "a?b", ".{2}", "(7|12)?", "[^ab]+"]
CLASSES = [
    (r"\w+", _WORD + "+"),
    (r"\W+", "[^" + _WORD[1:] + "+"),
    (r"\d+", _DIGIT + "+"),
    (r"[[:alpha:]]+", _ALPHA + "+"),
    (r"[[:upper:]].*", _UPPER + ".*"),
    (r"\p{Lu}", _UPPER),
    (r"\p{Greek}+", _GREEK + "+"),
    (r"\p{Han}+", _HAN + "+"),
    (r"[^\W\d]+", _ALPHA + "+"),
]
"""Classes of characters, and what they are in the test's words."""
FLAGS = ["", "%c", "%l", "%d", "%cd", "%cl", "%cdl"]
LISTS = {"few": ["a", "B", "é", "हनद"], "regexes": ["a.*", "b|7", "Σ"], "none": []}
NAMES = ["word", "tag", "lemma"]
STRUCTURE_NAMES = {"doc": ["host", "year"], "p": ["kind"], "s": []}
OUTER_NAMES = ["doc_host", "doc_year", "p_kind"]


@dataclass
class CheckMaker:
    """Makes conditions. Simple choices come first, so that examples can be made smaller."""

    pick: Pick
    visible: list[str] = field(default_factory=list)
    """Labels that conditions can name."""

    def rule(self, names: list[str], depth: int = 2) -> Rule:
        """A condition on attributes of one thing."""
        kind = self.pick(["single"] * 4 + ["not", "and", "or"]) if depth else "single"
        if kind == "not":
            return negation(self.rule(names, depth - 1))
        if kind != "single":
            return (both if kind == "and" else either)(self.rule(names, depth - 1), self.rule(names, depth - 1))
        name = self.pick(names)
        if self.pick([False, False, True]):
            values = ["7", "12", "9"] if name == "year" else VALUES
            return order_rule(name, self.pick(["<", "<=", ">", ">=", "!<=", "!>="]), self.pick(values))
        return regex_rule(name, *self.comparison())

    def comparison(self) -> tuple[str, str, str, str | None]:
        """A sign, a value, flags, and what the value means in Python."""
        kind = self.pick(["value", "value", "regex", "class"])
        if kind == "class":
            regex, meaning = self.pick(CLASSES)
            return self.pick(["=", "!="]), regex, "", meaning
        if kind == "regex":
            flags = [flag for flag in FLAGS if "l" not in flag]
            return self.pick(["=", "!="]), self.pick(ONLY_REGEXES), self.pick(flags), None
        return self.pick(["=", "!=", "==", "!=="]), self.pick(REGEXES), self.pick(FLAGS), None

    def check(self, in_token: bool, depth: int = 2) -> Check:
        """A condition on a token, or on labelled ones."""
        kind = self.pick(["single"] * 4 + ["not", "and", "or", "implies"]) if depth else "single"
        if kind == "not":
            return not_check(self.check(in_token, depth - 1))
        if kind != "single":
            make = {"and": and_check, "or": or_check, "implies": implies_check}[kind]
            return make(self.check(in_token, depth - 1), self.check(in_token, depth - 1))
        kinds = ["value", "texts", "texts", "numbers", "numbers", "true", "listed"]
        kind = self.pick(kinds + (["rule", "numbered", "bound"] if in_token else ["set", "set", "ignored"]))
        if kind in {"numbered", "bound", "set", "ignored"}:
            return self.simple(kind, in_token)
        if kind in {"rule", "listed"}:
            return of_token(self.rule(NAMES, 1)) if kind == "rule" else self.listed(in_token)
        return self.comparing(kind, in_token)

    def simple(self, kind: str, in_token: bool) -> Check:
        """A condition that compares nothing."""
        if kind == "numbered":
            first = self.pick(range(12))
            return numbered(first, self.pick([None, first, first + 3, first + 20]))
        if kind == "bound":
            return is_true(bound_of(self.pick(["lbound", "rbound"]), self.pick(["s", "p", "doc"]), None))
        return (is_set if kind == "set" else ignored)(self.pick(self.labels(in_token)))

    def listed(self, in_token: bool) -> Check:
        """A value that is in a list."""
        title = self.pick(list(LISTS))
        flags = self.pick(["", "%c", "%d", "%cd"])
        label = self.pick([*([""] if in_token else []), *self.labels(in_token)])
        term = attribute(label, self.pick(NAMES))
        return listed(term, self.pick(["=", "!="]), (title, LISTS[title]), title == "regexes", flags)

    def comparing(self, kind: str, in_token: bool) -> Check:
        """A comparison of terms."""
        if kind == "value":
            label, name = self.pick(self.labels(in_token)), self.pick(NAMES + OUTER_NAMES)
            if self.pick([False, False, True]):
                values = ["7", "12", "9"] if name == "doc_year" else VALUES
                return value_check(label, name, self.pick(["<", "<=", ">", ">="]), self.pick(values))
            return value_check(label, name, *self.comparison())
        if kind == "texts":
            other = self.text(in_token, 1) if self.pick([True, True, False]) else None
            if other is None:
                return compared(self.changed(in_token, 1), self.pick(["=", "!="]), literal(self.pick(VALUES)))
            if in_token and other.text in NAMES:
                other = attribute("_", other.text)  # a name by itself would be a value
            return compared(self.text(in_token, 1), self.pick(["=", "!="]), other)
        if kind == "true":
            return is_true(called("is_prefix", self.pick([literal("a"), self.value(in_token)]), self.text(in_token, 1)))
        sign = self.pick(["=", "!=", "<", "<=", ">", ">="])
        other_number = literal(self.pick(range(8))) if self.pick([True, False]) else self.number(in_token, 1)
        return compared(self.number(in_token, 2), sign, other_number)

    def labels(self, in_token: bool) -> list[str]:
        """Labels that a condition can name."""
        return ["_", *self.visible, "match"] if in_token else [*self.visible, "match", "matchend"]

    def value(self, in_token: bool) -> Term:
        """An attribute of a token."""
        label = self.pick([*(["", ""] if in_token else []), *self.labels(in_token)])
        return attribute(label, self.pick(NAMES if label in {"", "_"} else NAMES + OUTER_NAMES))

    def text(self, in_token: bool, depth: int) -> Term:
        """A text: the value of an attribute, or made of such."""
        return self.changed(in_token, depth) if depth and self.pick([False, False, True]) else self.value(in_token)

    def changed(self, in_token: bool, depth: int) -> Term:
        """A text that a function makes."""
        function = self.pick(["prefix", "minus", "normalize"])
        one = self.text(in_token, depth - 1)
        if function == "normalize":
            return called(function, one, literal(self.pick(["c", "d", "cd"])))
        return called(function, one, self.text(in_token, depth - 1))

    def number(self, in_token: bool, depth: int) -> Term:
        """A number."""
        kinds = ["f", "strlen", "int", "distance", "dist", "distabs", "lbound_of", "rbound_of"]
        kind = self.pick(kinds + (["add", "sub", "mul"] if depth else []))
        if kind == "f":
            label = self.pick([*([""] if in_token else []), *self.labels(in_token)])
            return frequency(label, self.pick(NAMES))
        if kind in {"strlen", "int"}:
            return called(kind, self.text(in_token, 1))
        if kind in {"add", "sub", "mul"}:
            other = (
                self.pick([literal(2), literal(1)]) if self.pick([True, False]) else self.number(in_token, depth - 1)
            )
            return called(kind, self.number(in_token, depth - 1), other)
        place = position(self.pick(self.labels(in_token)))
        if kind.endswith("_of"):
            return bound_of(kind, self.pick(["s", "p", "doc"]), place)
        return called(kind, place, position(self.pick(self.labels(in_token))))
