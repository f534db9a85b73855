"""The parser of conditions, by recursive descent, with this grammar.

condition  = both { "|" both }
both       = single { "&" single }
single     = "!" single | "(" condition ")" | comparison
comparison = name sign value [ "%" flag { flag } ]
flag       = "c" | "d" | "l"
sign       = "=" | "!=" | "==" | "!==" | "<" | "<=" | ">" | ">="
value      = string in double or single quotes | number | word
"""

from __future__ import annotations

from gristmill.condition.condition import AllOf, AnyOf, Comparison, Condition, Negation
from gristmill.condition.lexer import Lexeme, Lexer, Place
from gristmill.condition.values import ORDER, regex_problem
from gristmill.errors import UsageError

MAX_DEPTH = 40
"""The maximum depth of brackets within brackets."""
_SIGNS = ("=", "!=", "==", "!==", *ORDER)
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


def parse_condition(lexer: Lexer, depth: int = 0) -> Condition:
    """Parse a condition at the position of the lexer, as far as it goes."""
    parts = [_both(lexer, depth)]
    while lexer.accept("|"):
        parts.append(_both(lexer, depth))
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _both(lexer: Lexer, depth: int) -> Condition:
    parts = [_single(lexer, depth)]
    while lexer.accept("&"):
        parts.append(_single(lexer, depth))
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _single(lexer: Lexer, depth: int) -> Condition:
    negated = False
    while lexer.accept("!"):
        negated = not negated
    if opening := lexer.accept("("):
        if depth == MAX_DEPTH:
            raise opening.place.error(f"there are more than {MAX_DEPTH} brackets within brackets, here:")
        condition = parse_condition(lexer, depth + 1)
        lexer.expect(")")
    else:
        condition = _comparison(lexer)
    return Negation(condition) if negated else condition


def _comparison(lexer: Lexer) -> Condition:
    if lexer.next.kind != "name":
        raise lexer.unexpected("the name of an attribute", 'a condition looks like name="value"')
    name = lexer.take()
    if not lexer.at(*_SIGNS):
        raise lexer.unexpected(f"one of {' '.join(_SIGNS)} after {name.text!r}")
    return parse_value(lexer, name.text, lexer.take().text, name.place)


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
