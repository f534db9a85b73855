"""What a word is, and how many words a text has.

There are two answers. To look words up in lists (`find_words`, `words`) a word is letters, with the marks that belong
to them, so that scripts which write vowels as marks are not cut apart. To measure a text (`count_words`) it is what
stands between spaces, or in a script without spaces so many characters as a word has there on average.

    find_words("well-known, 2nd!")    ["well-known", "nd"]
    count_words("well-known, 2nd!")    2
    count_words("好好学习")    2
"""

from __future__ import annotations

import functools
import re
from itertools import filterfalse

from gristmill.arrays.dtypes import Flags
from gristmill.text.characters import characters_are, runs_of
from gristmill.text.scripts import MARKS, UNSPACED, has_unspaced_script, ranges_by_length

_BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")
_NO_LETTERS_BEYOND = re.compile("[\U00010000-\U0010ffff](?<=[\\W\\d_])")


@functools.cache
def are_letters() -> Flags:
    """Tell for each code unit whether words can have it: letters, marks, and numbers that are no digits (`²`, `Ⅷ`)."""
    return characters_are("L", "M", "Nl", "No")


@functools.cache
def word_pattern() -> re.Pattern[str]:
    """Compile what matches words; a hyphen does not divide one (Pomikálek 2011, footnote 16).

    It names what is no letter, within 16 bits: of all ways to write it this is the fastest, and faster than that for
    letters alone.
    """
    others = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in runs_of(~are_letters()))
    return re.compile(rf"[^{others}]+(?:-[^{others}]+)*")


def find_words(text: str) -> list[str]:
    """Find the words of a text, in their order."""
    if _BEYOND_BASIC_PLANE.search(text):
        text = _NO_LETTERS_BEYOND.sub(" ", text)
    return word_pattern().findall(text)


def words(text: str) -> list[str]:
    """Find the words of a text, in any order: the expression is slow, so it gets only what is not all letters."""
    items = text.split()
    return [*filter(str.isalpha, items), *find_words(" ".join(filterfalse(str.isalpha, items)))]


def count_words(text: str) -> int:
    """Count white-space separated items; runs of a script without spaces count by their length."""
    if not has_unspaced_script(text):
        return len(text.split())
    count = 0
    for script, per_word in _unspaced_runs():
        count += sum(-(-len(run) // per_word) for run in script.findall(text))
        text = script.sub(" ", text)
    return count + sum(any(map(str.isalnum, item)) for item in text.split())


def pieces(text: str) -> list[str]:
    """Cut a text into pieces as long as words, where words are not separated.

    Each has the space before it, and in scripts without spaces the mark behind it. `pieces("เด็กๆ 123 好好学习。")` has
    Thai in pieces of five characters and Han in pieces of two; joined they are the text again.
    """
    return _piece().findall(text)


@functools.cache  # large expressions are compiled when they are needed
def _unspaced_runs() -> list[tuple[re.Pattern[str], int]]:
    """Compile what matches runs of scripts without spaces, with how many of their characters make a word."""
    return [(re.compile(f"[{ranges}]+"), per_word) for per_word, ranges in ranges_by_length().items()]


@functools.cache
def _piece() -> re.Pattern[str]:
    unspaced = "|".join(f"[{ranges}]{{1,{per_word}}}[{MARKS}]*" for per_word, ranges in ranges_by_length().items())
    return re.compile(rf"\s*(?:(?:{unspaced})[^\w\s]*|[^\s{UNSPACED}]+)|\s+")
