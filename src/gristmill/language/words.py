"""What a word is: letters and the marks that belong to them, so that scripts which write vowels as marks are not cut apart."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from itertools import filterfalse

_LETTERS = re.compile(r"[^\W\d_]+")
_BMP_END = 0x10000
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
_NO_LETTERS_BEYOND = re.compile("[\U00010000-\U0010ffff](?<=[\\W\\d_])")


@functools.cache
def word_pattern() -> re.Pattern[str]:
    """Words; a hyphen does not divide one (Pomikálek 2011, footnote 16). Made when first needed: it takes some milliseconds.

    It names what is no letter, within 16 bits: of all ways to write it this is the fastest, and faster than that for
    letters alone.
    """
    others = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in _no_letters())
    return re.compile(rf"[^{others}]+(?:-[^{others}]+)*")


def find_words(text: str) -> list[str]:
    """The words of a text, in their order."""
    if _BEYOND_BMP.search(text):
        text = _NO_LETTERS_BEYOND.sub(" ", text)
    return word_pattern().findall(text)


def words(text: str) -> list[str]:
    """The words of a text, in any order. The expression is slow, so it gets only what is not all letters."""
    items = text.split()
    return [*filter(str.isalpha, items), *find_words(" ".join(filterfalse(str.isalpha, items)))]


def _no_letters() -> Iterator[tuple[int, int]]:
    """Runs of characters that are neither letters nor marks."""
    after = 0
    for letters in _LETTERS.finditer("".join(map(chr, range(_BMP_END)))):
        yield from _without_marks(after, letters.start())
        after = letters.end()
    yield from _without_marks(after, _BMP_END)


def _without_marks(first: int, end: int) -> Iterator[tuple[int, int]]:
    start = first
    for code in range(first, end):
        if unicodedata.category(chr(code)).startswith("M"):
            if code > start:
                yield start, code - 1
            start = code + 1
    if end > start:
        yield start, end - 1
