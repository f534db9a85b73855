"""A regular expression that is ready to be matched by RE2, whose time is linear in the text whatever the expression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import pyarrow as pa

from gristmill.condition.regex.boundaries import resolve
from gristmill.condition.regex.diacritics import fold_expression, fold_text
from gristmill.condition.regex.filters import Filters, filters_of
from gristmill.condition.regex.parsing import parse_regex
from gristmill.condition.regex.syntax import (
    Anchor,
    AnyCharacter,
    Boundary,
    Characters,
    Choice,
    Node,
    RegexError,
    Repeat,
    Sequence,
    literal,
)
from gristmill.lazy import LazyModule

pc = LazyModule("pyarrow.compute")

_REPEATS = {(0, None): "*", (1, None): "+", (0, 1): "?"}


@dataclass(frozen=True)
class Pattern:
    """What values are compared with as a whole; if diacritics are ignored, folded values (`fold_values`)."""

    tree: Node
    re2: str
    """The expression in the words of RE2."""
    ignore_diacritics: bool

    @cached_property
    def filters(self) -> Filters:
        """What values must begin with, end with and contain, as far as that can be told."""
        return filters_of(self.tree)


@lru_cache(256)
def compile_pattern(
    value: str, *, is_literal: bool = False, ignore_case: bool = False, ignore_diacritics: bool = False
) -> Pattern:
    """Prepare a regular expression, or a text to be taken literally; raises RegexError if it is no expression."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RegexError("it is not valid Unicode text") from None
    if is_literal:
        tree: Node = literal(fold_text(value) if ignore_diacritics else value, ignore_case)
    else:
        tree = resolve(parse_regex(value, ignore_case))
        tree = fold_expression(tree) if ignore_diacritics else tree
    pattern = Pattern(tree, rf"\A{_written(tree, ignore_case, bind=True)}\z", ignore_diacritics)
    if ignore_case:
        pattern = Pattern(tree, f"(?i){pattern.re2}", ignore_diacritics)
    try:
        pc.match_substring_regex(pa.array([""]), pattern.re2)
    except pa.ArrowInvalid as error:
        raise RegexError(_in_words(str(error))) from None
    return pattern


def _in_words(message: str) -> str:
    """Say what RE2 finds wrong with an expression that was read."""
    if "too large" in message or "repetition size" in message:
        return "invalid repetition size: what is repeated in it is too large; repeat it less often"
    return message.removeprefix("Invalid regular expression: ")


def _written(node: Node, ignore_case: bool, *, bind: bool = False) -> str:
    """Write an expression for RE2; `bind` if a sequence must be in brackets, where it is repeated or a choice."""
    match node:
        case Characters():
            text = _set(node)
            return text if node.ignore_case == ignore_case else f"(?{'' if node.ignore_case else '-'}i:{text})"
        case AnyCharacter():
            return "(?s:.)" if node.newlines else "."
        case Anchor(text):
            return text
        case Sequence(parts):
            text = "".join(_written(part, ignore_case, bind=isinstance(part, Choice)) for part in parts)
            return f"(?:{text})" if bind else text
        case Choice(options):
            text = "|".join(_written(option, ignore_case) for option in options)
            return f"(?:{text})" if bind else text
        case Repeat(part, least, most):
            times = f"{{{least},{'' if most is None else most}}}"
            text = _written(part, ignore_case, bind=True)
            text = f"(?:{text})" if isinstance(part, Repeat | Anchor) else text
            return text + _REPEATS.get((least, most), times)
        case Boundary():
            raise AssertionError("boundaries are resolved before")


def _set(characters: Characters) -> str:
    ranges, names = characters.ranges, characters.names
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and not names and not characters.negated:
        return _character(ranges[0][0])
    items = [_character(first) + (f"-{_character(last)}" if last > first else "") for first, last in ranges]
    return f"[{'^' if characters.negated else ''}{''.join(items)}{''.join(named.text for named in names)}]"


def _character(code: int) -> str:
    """Write a character so that it stands for itself."""
    character = chr(code)
    return character if character.isalnum() else f"\\x{{{code:X}}}"
