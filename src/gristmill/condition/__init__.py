"""Conditions on attributes, such as `host="www.*" & year>=2005`: one syntax for exports, subcorpora and CQL.

`Condition.parse` reads a condition; `holds` evaluates it. CQL uses the lexer and parts of the parser as well.
"""

from gristmill.condition.condition import AllOf, Always, AnyOf, Comparison, Condition, Negation
from gristmill.condition.lexer import MAX_LENGTH, Lexeme, Lexer, Place
from gristmill.condition.parser import MAX_DEPTH, SIGNS, parse_comparison, parse_condition, parse_value
from gristmill.condition.values import literal_regex, matching

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "SIGNS",
    "AllOf",
    "Always",
    "AnyOf",
    "Comparison",
    "Condition",
    "Lexeme",
    "Lexer",
    "Negation",
    "Place",
    "literal_regex",
    "matching",
    "parse_comparison",
    "parse_condition",
    "parse_value",
]
