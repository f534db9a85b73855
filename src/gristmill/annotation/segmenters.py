"""Word segmentation for scripts without spaces: by models of our own, or by libraries of the extra `segment`.

Chosen by measurements on UD (docs/figures/annotation.md), language by language: for Chinese and Thai our own models, on
every machine; for Japanese MeCab with UniDic, whose short units are those of UD, and our own model without it; for Lao,
Khmer and Burmese the dictionaries of ICU, and else characters. Used by `words`.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol

from gristmill.annotation.characters import mark_class

Find = Callable[[str], Iterable[str]]
"""A function that finds the words of a text: together they are the text, but spaces may be left out."""

_MAX_RUN_CHARACTERS = 200  # that a library gets; between two marks there are rarely more than 30
_BATCH_RUNS = 100
_CHOICES = {"ja": ("mecab", "own"), "th": ("own",), "zh": ("own",)} | dict.fromkeys(("lo", "km", "my"), ("icu",))
"""What finds the words of a language, the best first."""
_MODULES = {"mecab": ("fugashi", "unidic_lite"), "icu": ("icu4py",)}
"""The modules that a choice needs."""


class Segmenter(Protocol):
    """Finds the words in runs of characters of scripts without spaces."""

    def cut(self, chunk: str, runs: Sequence[tuple[int, int]]) -> bytes:
        """Return a byte for each character of a chunk: 0 if it goes on with a word.

        Only what it says within the runs (from a character to before another) and at their edges counts.
        """


class ModelSegmenter:
    """Cuts by a model of our own, which sees all of a chunk: in `3名` it is the number that tells what 名 is."""

    def __init__(self, lang: str) -> None:
        # The kernel is loaded when there is text to cut: most searches have none.
        model = importlib.import_module("gristmill.annotation.segmentation.model")
        self._cut: Callable[[str], bytes] = model.shipped_cut(lang)

    def cut(self, chunk: str, runs: Sequence[tuple[int, int]]) -> bytes:
        """Cut a chunk."""
        del runs
        return self._cut(chunk)


class LibrarySegmenter:
    """Cuts by a library, or by characters, each run by itself."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def cut(self, chunk: str, runs: Sequence[tuple[int, int]]) -> bytes:
        """Cut a chunk."""
        flags = bytearray(b"\1" * len(chunk))
        segmented = self._segment([chunk[start:end] for start, end in runs])
        for (start, _), words in zip(runs, segmented, strict=True):
            at = start
            for word in words:
                flags[at + 1 : at + len(word)] = bytes(len(word) - 1)
                at += len(word)
        return bytes(flags)

    def _segment(self, runs: Sequence[str]) -> list[list[str]]:
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
            segmented.append(inside if "".join(inside) == run else characters(run))
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


def characters(text: str) -> list[str]:
    """Divide a text into characters with their marks: its tokens where no segmenter is installed."""
    return _character().findall(text)


@cache
def _character() -> re.Pattern[str]:
    return re.compile(f".[{mark_class()}\u0e33\u0eb3]*+", re.DOTALL)


@cache
def segmenter_for(lang: str) -> Segmenter:
    """Return the segmenter of a language; without one, each character is a word."""
    name = chosen_segmenter(lang)
    if name == "own":
        return ModelSegmenter(lang)
    find = characters if name == "characters" else _japanese() if name == "mecab" else _icu(lang)
    return LibrarySegmenter(find)


def is_segmented(lang: str) -> bool:
    """Tell whether a language has a segmenter, on this machine or on others."""
    return lang in _CHOICES


@cache
def chosen_segmenter(lang: str) -> str:
    """Return what the words of a language are found by: own, mecab, icu or characters."""
    for name in _CHOICES.get(lang, ()):
        if all(importlib.util.find_spec(module) for module in _MODULES.get(name, ())):
            return name
    return "characters"


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


def _icu(lang: str) -> Find:
    """Return the finder of ICU for a language."""
    breaker = importlib.import_module("icu4py.breakers").WordBreaker

    def find(text: str) -> Iterable[str]:
        words: Iterable[str] = breaker(text, lang)
        return words

    return find
