"""Scripts without spaces: libraries that find their words (extra `segment`), and characters where there is none.

Measured on UD (docs/figures/annotation.md): for Japanese MeCab with UniDic, whose short units are those of UD; for
Chinese, Thai, Lao, Khmer and Burmese the dictionaries of ICU.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from gristmill.annotation.characters import mark_class

Find = Callable[[str], Iterable[str]]
"""The words of a text, which together are the text; spaces may be left out."""

_LONGEST = 200  # characters: between two marks there are seldom more than thirty
_BATCH = 100  # runs

# Numerals and demonstratives before a classifier, and anything before the particle, but for a word that ends with its
# character.
_COUNTED = re.compile(
    "([一二三四五六七八九十百千万亿萬億两兩几幾多这這那每各某数數半第]+)([个個种種座层層次位名件条條项項部场場年月日天家所只支组組届代首间間张張集款辆輛艘枚])"
    "|(?!目的)(.+)(的)"
)


class Segmenter:
    """Finds the words of runs of characters without spaces."""

    def __init__(self, find: Find, characters: Find) -> None:
        self._find = find
        self._characters = characters

    def segment(self, runs: Sequence[str]) -> list[list[str]]:
        """The words of each run; many runs are given to the library at once, since it takes long to begin."""
        words = (word for batch in _batches(runs) for word in self._find(batch) if not word.isspace())
        segmented = []
        for run in runs:
            inside: list[str] = []
            length = 0
            while length < len(run) and (word := next(words, "")):
                inside.append(word)
                length += len(word)
            segmented.append(
                inside if "".join(inside) == run else [*self._characters(run)]
            )  # never to lose a character
        return segmented


def _batches(runs: Sequence[str]) -> Iterator[str]:
    """Runs with spaces between them, as many as make up a batch; very long ones are cut, for which libraries take more than linear time."""
    batch: list[str] = []
    for run in runs:
        for at in range(0, len(run), _LONGEST):
            batch.append(run[at : at + _LONGEST])
            if len(batch) == _BATCH or len(batch[-1]) == _LONGEST:
                yield " ".join(batch)
                batch = []
    if batch:
        yield " ".join(batch)


@cache
def segmenter_for(lang: str) -> Segmenter:
    """The best segmenter that is installed for a language; one that gives characters if there is none."""
    characters = re.compile(f".[{mark_class()}\u0e33\u0eb3]*+", re.DOTALL).findall
    try:
        find = _FINDERS[lang]() if lang in _FINDERS else characters
    except ImportError:
        find = characters
    return Segmenter(find, characters)


def _japanese() -> Find:
    importlib.import_module("unidic_lite")
    tagger = importlib.import_module("fugashi").Tagger("-Owakati")

    def find(text: str) -> list[str]:
        return str(tagger.parse(text)).split()

    return find


def _chinese() -> Find:
    """ICU, but its dictionary has numerals and demonstratives with their classifiers, and words with their particle, as one word."""
    words_of = _icu("zh")()

    def find(text: str) -> list[str]:
        words: list[str] = []
        for word in words_of(text):
            found = _COUNTED.fullmatch(word) if len(word) in {2, 3} else None
            words += filter(None, found.groups()) if found else (word,)
        return words

    return find


def _icu(lang: str) -> Callable[[], Find]:
    def make() -> Find:
        breaker = importlib.import_module("icu4py.breakers").WordBreaker

        def find(text: str) -> Iterable[str]:
            words: Iterable[str] = breaker(text, lang)
            return words

        return find

    return make


_FINDERS: dict[str, Callable[[], Find]] = {"ja": _japanese, "zh": _chinese} | {
    lang: _icu(lang) for lang in ("th", "lo", "km", "my")
}
