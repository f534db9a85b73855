"""Read what begins with a backslash and stands for a character or a property, within square brackets and outside."""

from __future__ import annotations

import re

from gristmill.condition.regex.characters import named_property, opposite
from gristmill.condition.regex.syntax import Named, RegexError

_PLAIN = {"t": 9, "n": 10, "f": 12, "r": 13, "a": 7, "e": 27}
_CODE = re.compile(
    r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{1,2})|u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))"
)
_OCTAL = re.compile(r"\\(?:o\{([0-7]+)\}|(0[0-7]{0,2})|([0-7]{3}))")
_PROPERTY = re.compile(r"\\([pP])(?:\{\s*(\^?)([^{}]+)\}|([a-zA-Z]))")
_LAST = 0x10FFFF


def read_character(text: str, at: int) -> tuple[int, int]:
    """Read an escape that stands for one character: its code point, and where the text goes on."""
    if at + 1 == len(text):
        raise RegexError("trailing \\ at the end; a backslash as such is \\\\")
    letter = text[at + 1]
    if found := _CODE.match(text, at):
        return _code(int(next(filter(None, found.groups())), 16), found[0]), found.end()
    if found := _OCTAL.match(text, at):
        return _code(int(next(filter(None, found.groups())), 8), found[0]), found.end()
    if letter in _PLAIN:
        return _PLAIN[letter], at + 2
    if letter == "c" and (control := text[at + 2 : at + 3].upper()) and "@" <= control <= "_":
        return ord(control) ^ 0x40, at + 3
    if letter.isascii() and letter.isalnum():
        raise RegexError(f"invalid escape sequence: \\{letter} means nothing here")
    return ord(letter), at + 2


def read_property(text: str, at: int) -> tuple[Named, bool, int]:
    """Read `\\p{Lu}`: the characters, whether all others are meant, and where the text goes on."""
    found = _PROPERTY.match(text, at)
    if not found:
        raise RegexError(rf"{text[at : at + 2]} needs a name, as in \p{{L}}")
    named = _known(found[3] or found[4], found[0])
    return named, (found[1] == "P") != bool(found[2]), found.end()


def _known(name: str, written: str) -> Named:
    plain = "".join(name.lower().split())
    if plain in {"cn", "unassigned"}:
        named = named_property("Assigned")
        return opposite(named) if named else Named("")
    if named := named_property(name):
        return named
    raise RegexError(
        rf"{written} is no property: write a category as in \p{{L}}, \p{{Lu}}, \p{{Nd}}, or a script as in \p{{Greek}}"
    )


def _code(code: int, written: str) -> int:
    if code > _LAST or 0xD800 <= code < 0xE000:
        raise RegexError(f"{written} is no character")
    return code
