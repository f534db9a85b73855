"""Read a set in square brackets: `[a-z]`, `[^\\W\\d]`, `[[:alpha:]'-]`."""

from __future__ import annotations

import re

from gristmill.condition.regex.characters import CLASSES, ESCAPES, opposite
from gristmill.condition.regex.escapes import read_character, read_property
from gristmill.condition.regex.syntax import Characters, Named, RegexError
from gristmill.registry import did_you_mean

_POSIX = re.compile(r"\[([:.=])(\^?)([^\[\]:.=]*)\1\]")
_NOT_IN_SETS = frozenset("BRXNAzZGKC")


def read_set(text: str, at: int, ignore_case: bool) -> tuple[Characters, int]:
    """Read a set whose opening bracket is at a place: the set, and where the text goes on."""
    start = at
    at += 1
    negated = text.startswith("^", at)
    at += negated
    first, quoted = at, False
    ranges: list[tuple[int, int]] = []
    names: list[Named] = []
    while True:
        if at >= len(text):
            raise RegexError(f"missing ] after {text[start : start + 20]}; a bracket as such is \\[")
        if text.startswith(r"\E", at) or (text.startswith(r"\Q", at) and not quoted):
            quoted = text[at + 1] == "Q"
            at += 2
            continue
        if text[at] == "]" and at > first and not quoted:
            return Characters(tuple(ranges), tuple(names), negated, ignore_case), at + 1
        item, at = (ord(text[at]), at + 1) if quoted else _item(text, at)
        if isinstance(item, Named):
            names.append(item)
            continue
        last = item
        if not quoted and text.startswith("-", at) and text[at + 1 : at + 2] not in {"]", ""}:
            end, after = _item(text, at + 1)
            if not isinstance(end, Named):  # otherwise the hyphen stands for itself
                last, at = end, after
        if last < item:
            raise RegexError(f"invalid character class range: {chr(item)}-{chr(last)} goes backwards")
        ranges.append((item, last))


def _item(text: str, at: int) -> tuple[int | Named, int]:
    """Read a character or a name."""
    if posix := _POSIX.match(text, at):
        if posix[1] != ":":
            raise RegexError(f"{posix[0]} is not known: write the characters themselves")
        if posix[3] not in CLASSES:
            raise RegexError(
                f"invalid character class range: {posix[0]}{did_you_mean(posix[3], CLASSES)}"
                f" (there are: {', '.join(CLASSES)})"
            )
        named = CLASSES[posix[3]]
        return (opposite(named) if posix[2] else named), posix.end()
    if text[at] != "\\":
        return ord(text[at]), at + 1
    letter = text[at + 1 : at + 2]
    if letter and letter.lower() in ESCAPES:
        named = ESCAPES[letter.lower()]
        return (opposite(named) if letter.isupper() else named), at + 2
    if letter in {"p", "P"}:
        named, negated, at = read_property(text, at)
        return (opposite(named) if negated else named), at
    if letter == "b":
        return 8, at + 2
    if letter in _NOT_IN_SETS:
        raise RegexError(f"\\{letter} can't stand in square brackets")
    return read_character(text, at)
