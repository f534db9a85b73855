"""The parser of conditions, by recursive descent, with this grammar.

condition  = both { "|" both } [ "->" condition ]
both       = single { "&" single }
single     = "!" single | "(" condition ")" | comparison
comparison = name [ "!" ] sign value [ "%" flag { flag } ]
flag       = "c" | "d" | "l"
sign       = "=" | "!=" | "==" | "!==" | "<" | "<=" | ">" | ">="
value      = string in double or single quotes | number | word
"""

from __future__ import annotations

from collections.abc import Callable

from gristmill.condition.condition import AllOf, AnyOf, Comparison, Condition, Negation
from gristmill.condition.lexer import Lexeme, Lexer, Place
from gristmill.condition.values import ORDER, regex_problem
from gristmill.errors import UsageError

MAX_DEPTH = 40
"""The maximum depth of brackets within brackets."""
SIGNS = ("=", "!=", "==", "!==", *ORDER)
Leaf = Callable[[Lexer], Condition]
"""A function that reads the smallest part of a condition."""
_POSITIVE = {"!=": "=", "!==": "=="}
_FLAGS = frozenset("cdl")
_LITERALLY = "%l after the value or == takes it literally; a backslash before a sign does so for one sign"


def parse(text: str) -> Condition:
    """Parse a whole text as a condition."""
    if not text.strip():
        raise UsageError('the condition is empty: write one such as lang="en" & year>=2005')
    lexer = Lexer(text, "condition")
    condition = parse_condition(lexer)
    if lexer.next.kind != "end":
        raise lexer.unexpected(
            "'&', '|' or the end", "a value with other characters than letters and digits needs quotes"
        )
    return condition


def parse_condition(lexer: Lexer, depth: int = 0, leaf: Leaf | None = None) -> Condition:
    """Parse a condition at the position of the lexer, as far as it goes.

    `leaf` reads what can't be divided; without it that is a comparison.
    """
    parts = [_both(lexer, depth, leaf)]
    while lexer.accept("|"):
        parts.append(_both(lexer, depth, leaf))
    condition = parts[0] if len(parts) == 1 else AnyOf(tuple(parts))
    if lexer.accept("->"):
        return AnyOf((Negation(condition), parse_condition(lexer, depth, leaf)))
    return condition


def _both(lexer: Lexer, depth: int, leaf: Leaf | None) -> Condition:
    parts = [_single(lexer, depth, leaf)]
    while lexer.accept("&"):
        parts.append(_single(lexer, depth, leaf))
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _single(lexer: Lexer, depth: int, leaf: Leaf | None) -> Condition:
    negated = False
    while lexer.accept("!"):
        negated = not negated
    if opening := lexer.accept("("):
        if depth == MAX_DEPTH:
            raise opening.place.error(f"there are more than {MAX_DEPTH} brackets within brackets, here:")
        condition = parse_condition(lexer, depth + 1, leaf)
        lexer.expect(")")
    else:
        condition = parse_comparison(lexer) if leaf is None else leaf(lexer)
    return Negation(condition) if negated else condition


def parse_comparison(lexer: Lexer, name: Lexeme | None = None) -> Condition:
    """Parse a comparison; `name` is its attribute, if that was taken already."""
    if name is None:
        if lexer.next.kind != "name":
            raise lexer.unexpected("the name of an attribute", 'a condition looks like name="value"')
        name = lexer.take()
    negated = lexer.at("!") and lexer.after.text in ORDER and lexer.accept("!") is not None
    if not lexer.at(*SIGNS):
        raise lexer.unexpected(f"one of {' '.join(SIGNS)} after {name.text!r}")
    comparison = parse_value(lexer, name.text, lexer.take().text, name.place)
    return Negation(comparison) if negated else comparison


def parse_value(lexer: Lexer, name: str, sign: str, place: Place) -> Condition:
    """Parse the value that an attribute is compared with, and its flags; `place` is that of the comparison."""
    if lexer.next.kind not in {"string", "number", "name"}:
        raise lexer.unexpected("a value", "put it in quotes")
    value = lexer.take()
    flags = _flags(lexer, sign)
    plain = "==" if "l" in flags else _POSITIVE.get(sign, sign)
    comparison = Comparison(name, plain, _value(value, plain), "c" in flags, place, ignore_diacritics="d" in flags)
    return Negation(comparison) if sign in _POSITIVE else comparison


def _value(value: Lexeme, sign: str) -> str:
    try:
        value.text.encode()
    except UnicodeEncodeError:
        raise value.place.error("this value is not valid Unicode text:") from None
    if sign != "=":
        return value.literal
    if problem := regex_problem(value.raw):
        hint = "" if problem.refused else f" ({_LITERALLY})"
        raise value.place.error(f"{problem.sentence}{hint}:")
    return value.raw


def _flags(lexer: Lexer, sign: str) -> str:
    if lexer.next.kind != "sign" or not lexer.next.text.startswith("%"):
        return ""
    flags = lexer.next.text[1:]
    if not flags or not _FLAGS.issuperset(flags):
        raise lexer.unexpected("%c (ignore case), %d (ignore diacritics), %l (literal) or several, as %cd")
    if sign in ORDER:
        raise lexer.next.place.error(f"%c, %d and %l go with = and !=, not with {sign}:")
    lexer.take()
    return flags
