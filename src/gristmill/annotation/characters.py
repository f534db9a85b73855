"""Classes of characters for the pattern of tokens, each as it is written in the brackets of a regular expression."""

from __future__ import annotations

from functools import cache

from gristmill.text.characters import character_class, class_of, code_points_are
from gristmill.text.scripts import SEGMENTED, characters_of

EMOJI = (
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u231a\u231b\u23e9-\u23fa"
)
"""Emoji without the letters of flags and the skin tones."""
_JOINERS = "\u00ad\u200c\u200d"  # soft hyphens and joiners, which stand inside words
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)


@cache
def word_class() -> str:
    """Return letters, marks, digits and low lines, without scripts that have no spaces."""
    flags = code_points_are("L", "M", "N", "Pc")
    for characters in (*characters_of(SEGMENTED), _VARIATION_SELECTORS):
        flags[characters.start : characters.stop] = False
    return class_of(flags) + _JOINERS


def mark_class() -> str:
    """Return marks, which belong to the letter before them."""
    return character_class("M")


def lower_class() -> str:
    """Return lower-case letters."""
    return character_class("Ll")


def upper_class() -> str:
    """Return upper-case letters."""
    return character_class("Lu", "Lt")


def is_georgian(letter: str) -> bool:
    """Tell whether a letter is one of the Georgian alphabet, which Unicode has as lower-case."""
    return "ა" <= letter <= "ჿ"


def is_lower(letter: str) -> bool:
    """Tell whether a letter is lower-case in a script that begins sentences with a capital, which Georgian doesn't."""
    return letter.islower() and not is_georgian(letter)
