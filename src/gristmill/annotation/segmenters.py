"""Word segmentation for scripts without spaces, by libraries of the extra `segment`; without one, by characters.

Chosen by measurements on UD (docs/figures/annotation.md): for Japanese MeCab with UniDic, whose short units are those
of UD; for Chinese, Thai, Lao, Khmer and Burmese the dictionaries of ICU. Used by `words`.
"""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from gristmill.annotation.characters import mark_class

Find = Callable[[str], Iterable[str]]
"""A function that finds the words of a text: together they are the text, but spaces may be left out."""

_MAX_RUN_CHARACTERS = 200  # that a library gets; between two marks there are rarely more than 30
_BATCH_RUNS = 100

# Chinese words that are split: a numeral or demonstrative with its classifier, and anything before the particle 的,
# but for the word 目的, in which it is no particle.
_COUNTED = re.compile(
    "([一二三四五六七八九十百千万亿萬億两兩几幾多这這那每各某数數半第]+)"
    "([个個种種座层層次位名件条條项項部场場年月日天家所只支组組届代首间間张張集款辆輛艘枚])"
    "|(?!目的)(.+)(的)"
)


class Segmenter:
    """Finds the words in runs of characters of scripts without spaces."""

    def __init__(self, find: Find, characters: Find) -> None:
        self._find = find
        self._characters = characters

    def segment(self, runs: Sequence[str]) -> list[list[str]]:
        """Return the words of each run; the library gets many runs at once, since a call of it is slow to start."""
        words = (word for batch in _batches(runs) for word in self._find(batch) if not word.isspace())
        segmented = []
        for run in runs:
            inside: list[str] = []
            length = 0
            while length < len(run) and (word := next(words, "")):
                inside.append(word)
                length += len(word)
            # A library that has lost or changed a character is not trusted.
            segmented.append(inside if "".join(inside) == run else [*self._characters(run)])
        return segmented


def _batches(runs: Sequence[str]) -> Iterator[str]:
    """Join runs to batches, with spaces between them; very long ones are split, as libraries need superlinear time."""
    batch: list[str] = []
    for run in runs:
        for at in range(0, len(run), _MAX_RUN_CHARACTERS):
            batch.append(run[at : at + _MAX_RUN_CHARACTERS])
            if len(batch) == _BATCH_RUNS or len(batch[-1]) == _MAX_RUN_CHARACTERS:
                yield " ".join(batch)
                batch = []
    if batch:
        yield " ".join(batch)


@cache
def segmenter_for(lang: str) -> Segmenter:
    """Return the best segmenter that is installed for a language; without one, each character is a word."""
    characters = re.compile(f".[{mark_class()}\u0e33\u0eb3]*+", re.DOTALL).findall
    try:
        find = _FINDERS[lang]() if lang in _FINDERS else characters
    except ImportError:
        find = characters
    return Segmenter(find, characters)


def mecab(options: str = "") -> Any:
    """Load MeCab with the dictionary of `unidic_lite`, also where a larger one is installed.

    Raises `ImportError` if the extra `segment` is not installed.
    """
    folder = importlib.import_module("unidic_lite").DICDIR
    places = f"-r {shlex.quote(f'{folder}/mecabrc')} -d {shlex.quote(folder)}"
    return importlib.import_module("fugashi").Tagger(f"{places} {options}")


def _japanese() -> Find:
    """Return the finder of MeCab with UniDic."""
    tagger = mecab("-Owakati")

    def find(text: str) -> list[str]:
        return str(tagger.parse(text)).split()

    return find


def _chinese() -> Find:
    """Return the finder of ICU, with a correction: it has `_COUNTED` as one word."""
    words_of = _icu("zh")()

    def find(text: str) -> list[str]:
        words: list[str] = []
        for word in words_of(text):
            found = _COUNTED.fullmatch(word) if len(word) in {2, 3} else None
            words += filter(None, found.groups()) if found else (word,)
        return words

    return find


def _icu(lang: str) -> Callable[[], Find]:
    """Return a function that makes the finder of ICU for a language."""

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
