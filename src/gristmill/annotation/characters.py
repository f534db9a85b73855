"""Classes of characters that the pattern of tokens is made of, each as inside of a class of a regular expression."""

from __future__ import annotations

from functools import cache

from gristmill.text.characters import character_class, class_of, code_points_are
from gristmill.text.scripts import SEGMENTED, characters_of

EMOJI = (
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u231a\u231b\u23e9-\u23fa"
)
"""Inside of a class, but for the letters of flags and the tones of skin."""
_JOINED = "\u00ad\u200c\u200d"  # soft hyphens and joiners stand inside words
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)


@cache
def word_class() -> str:
    """Letters, marks, digits and low lines, without the scripts that have no spaces."""
    flags = code_points_are("L", "M", "N", "Pc")
    for characters in (*characters_of(SEGMENTED), _VARIATION_SELECTORS):
        flags[characters.start : characters.stop] = False
    return class_of(flags) + _JOINED


def mark_class() -> str:
    """Marks that belong to the letter before them."""
    return character_class("M")


def lower_class() -> str:
    """Lower-case letters."""
    return character_class("Ll")


def upper_class() -> str:
    """Upper-case letters."""
    return character_class("Lu", "Lt")
