"""Names in the texts of a page by rules: runs of words with a capital, as far as they are no common words.

What a capital says depends on the page. A word that the page has in small letters, too, is no name, and a single word
at the beginning of a sentence is one only if it has a capital within a sentence elsewhere. So "We", "The" and the words
of a headline in capitals do not link items that have nothing else in common. Nothing is known of any language.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

_LAST_LETTER = 0x24FF
_WORD = re.compile(r"\w+")
_APOSTROPHES = "'’"
_MAX_SUFFIX = 2
_OPENING = "\"'“”„«‘’([—–-"
_CLOSING = "\"'”’»)]"
_ENDS = ".!?:…。！？•|"
_LOOKED_BACK = 6
"""How many characters before a word tell whether a sentence begins with it: closing marks, a space, opening marks."""


class _Run(NamedTuple):
    """Words with a capital in a row, in small letters, and whether a sentence begins with the first."""

    words: list[str]
    begins: bool


def names_in(texts: Sequence[str]) -> list[list[frozenset[str]]]:
    """Return the names of each text, as sets of words in small letters.

    Of "Miller's mill burns", "We saw Jane Miller. The mill burnt." the names are miller; jane and miller. "We" and
    "The" stand alone at the beginning of a sentence.
    """
    small = {word for text in texts for word in _WORD.findall(text)}
    runs = [list(_runs(text)) for text in texts]
    inside = {word for found in runs for run in found for word in run.words[run.begins :]}
    return [[frozenset(words) for run in found if (words := list(_own_words(run, small, inside)))] for found in runs]


def _own_words(run: _Run, small: set[str], inside: set[str]) -> Iterator[str]:
    """Yield the words of a run that are no common ones; single letters say nothing."""
    for at, word in enumerate(run.words):
        alone = run.begins and len(run.words) == 1
        if len(word) > 1 and word not in small and (at or not alone or word in inside):
            yield word


def _runs(text: str) -> Iterator[_Run]:
    for match in _pattern().finditer(text):
        yield _Run([_without_suffix(word) for word in match[0].lower().split(" ")], _begins(text, match.start()))


def _without_suffix(word: str) -> str:
    """Take off what an apostrophe adds: Miller's is Miller, I'm is I, and O'Neill is O'Neill."""
    place = max(map(word.rfind, _APOSTROPHES))
    kept = word[:place] if place > 0 and len(word) - place - 1 <= _MAX_SUFFIX else word
    return kept.rstrip("-" + _APOSTROPHES)


def _begins(text: str, place: int) -> bool:
    """Tell whether a sentence begins at a place: at the beginning, behind its end, and behind an opening mark."""
    before = text[max(0, place - _LOOKED_BACK) : place]
    bare = before.rstrip(_OPENING)
    if bare != before and bare[-1:] in {"", " "}:
        return True  # an opening mark
    bare = bare.rstrip(" ").rstrip(_CLOSING)
    return not bare or bare[-1] in _ENDS


@cache
def _pattern() -> re.Pattern[str]:
    """Match runs of words with a capital; `U.S.` is a word."""
    codes = [code for code in range(min(_LAST_LETTER, sys.maxunicode)) if chr(code).isupper()]
    ends = [place for place, (one, two) in enumerate(pairwise(codes)) if two != one + 1]
    starts = [codes[0], *(codes[place + 1] for place in ends)]
    ranges = zip(starts, [*(codes[place] for place in ends), codes[-1]], strict=True)
    upper = "".join(re.escape(chr(first)) + "-" + re.escape(chr(last)) for first, last in ranges)
    word = rf"(?:(?:[{upper}]\.){{2,}}|[{upper}][\w'’-]*)"
    return re.compile(rf"(?<![\w'’-]){word}(?: {word})*")
