"""Write texts in another way, letter by letter: the words look the same to people, but have other code points."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

_TO_FULL_WIDTH = {ord(letter): ord(letter) + 0xFEE0 for letter in map(chr, range(0x21, 0x7F)) if letter.isalnum()}
_ZERO_WIDTH = "\u200b\u00ad\u2060\ufeff"
_DOTTED = ("tr", "az")
"""Languages in which the capital of i has a dot."""


def upper_case(text: str, lang: str, _: random.Random) -> str:
    """Write all letters as capitals."""
    return (text.replace("i", "İ") if lang in _DOTTED else text).upper()


def full_width(text: str, _: str, __: random.Random) -> str:
    """Write Latin letters and digits in full width, as wide as Chinese characters."""
    return text.translate(_TO_FULL_WIDTH)


def zero_width(text: str, _: str, rng: random.Random) -> str:
    """Insert an invisible character into about every other word."""
    return " ".join(_with_zero_width(word, rng) for word in text.split(" "))


def _with_zero_width(word: str, rng: random.Random) -> str:
    if len(word) < 2 or rng.random() < 0.5:
        return word
    place = rng.randrange(1, len(word))
    return word[:place] + rng.choice(_ZERO_WIDTH) + word[place:]


def decomposed(text: str, _: str, __: random.Random) -> str:
    """Decompose letters with marks into letters and combining marks."""
    return unicodedata.normalize("NFD", text)


WAYS: dict[str, Callable[[str, str, random.Random], str]] = {
    "upper case": upper_case,
    "full width": full_width,
    "zero width": zero_width,
    "decomposed": decomposed,
}
"""The functions that write a text in another way, given the text, its language and a random generator."""
