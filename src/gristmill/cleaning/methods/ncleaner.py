"""NCleaner: Evert, A Lightweight and Efficient Tool for Cleaning Web Pages (LREC 2008); StupidOS at CleanEval (2007).

Two language models of character trigrams, one of text and one of boilerplate, look at each block, and the one that
gives it the higher probability says what it is. Probabilities of a character after two, one and no others are
interpolated with weights in a geometric series. Of the two models only their difference is kept: for each trigram the
logarithm of the ratio of its two conditional probabilities.

The models know English. For other languages there are two without words (the non-lexical version that Pomikálek 2011,
2.6.3, mentions): they see only whether a character is a small or a capital letter, a digit, white space, or which
punctuation mark. Letters of scripts without case count as small ones. Of his pre-cleaning only one step is left to do,
fields between vertical bars; his text dump and segments are Gristmill's blocks here.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.models import load
from gristmill.text.characters import Characters, unit_table

Symbols = npt.NDArray[np.int32]

_SMALL, _CAPITAL, _DIGIT, _OTHER = "a", "A", "0", "\x7f"
_MARKS = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())
ALPHABET = "\n " + "abcdefghijklmnopqrstuvwxyz" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + _DIGIT + _MARKS + "\xe9\xc9" + _OTHER
"""The characters that the models tell apart: the first is the edge of a block, the last three stand for small and
capital letters that are not English, and for anything else."""
SIZE = len(ALPHABET)
KINDS = ("words", "shapes")
"""The models for English, and those for all other languages."""


@page_method("ncleaner")
def ncleaner(page: Features, lang: str) -> Scores:
    """Score by the log-odds of boilerplate against text: 0.5 is where both models are as good."""
    if not page.blocks:
        return Scores(np.zeros(0), [])
    kind = "words" if lang == "en" else "shapes"
    odds = log_odds(page.texts, kind, _shipped(kind))
    # Characters of a text depend on each other: the evidence grows, but not as fast as their number.
    values = 1 / (1 + np.exp(np.clip(odds / np.sqrt(page.characters + 1), -30, 30)))
    bars = np.array([text.count("|") >= 2 for text in page.texts], np.bool_)
    values[bars] = 1.0
    labels = [
        "bars" if bar else "dirty" if value > 0.5 else "clean"
        for bar, value in zip(bars.tolist(), values.tolist(), strict=True)
    ]
    return Scores(values, labels)


def log_odds(texts: Sequence[str], kind: str, table: npt.NDArray[np.float32]) -> Floats:
    """For each text the logarithm of how much more probable it is as text than as boilerplate."""
    trigrams, starts = trigrams_of(texts, kind)
    return np.add.reduceat(table[trigrams], starts, dtype=np.float64)


def trigrams_of(texts: Sequence[str], kind: str) -> tuple[Symbols, npt.NDArray[np.intp]]:
    """The trigrams of all texts as numbers, and where those of each text begin.

    Before a text stand two edges, behind it one.
    """
    characters = Characters(texts)
    symbols = _symbols(kind)[characters.codes]
    edges = characters.starts + characters.lengths
    padded = np.insert(symbols, edges, 0)  # two edges behind each text: the second is the first before the next text
    padded = np.concatenate((np.zeros(2, np.int32), padded))
    trigrams = (padded[:-2] * SIZE + padded[1:-1]) * SIZE + padded[2:]
    starts = characters.starts + np.arange(len(texts))
    trigrams[starts + characters.lengths + 1] = 0  # an edge after an edge says nothing
    return trigrams, starts


@functools.cache
def _symbols(kind: str) -> Symbols:
    """The place in the alphabet of each UTF-16 code unit."""
    places = {character: place for place, character in enumerate(ALPHABET)}
    by_category = {"L": "\xe9", "M": "\xe9", "Lu": "\xc9", "Lt": "\xc9", "N": _DIGIT, "Z": " "}
    symbols = unit_table(
        places[_OTHER],
        {category: places[character] for category, character in by_category.items()},
        {character: place for character, place in places.items() if ord(character) < 127},
    ).astype(np.int32)
    if kind == "shapes":
        shape = np.arange(SIZE, dtype=np.int32)
        for character, place in places.items():
            if character.isalpha():
                shape[place] = places[_CAPITAL if character.isupper() else _SMALL]
        symbols = shape[symbols]
    return symbols


@functools.cache
def _shipped(kind: str) -> npt.NDArray[np.float32]:
    return table_of(load("ncleaner"), kind)


def table_of(arrays: Mapping[str, npt.NDArray[Any]], kind: str) -> npt.NDArray[np.float32]:
    """The log-odds of all trigrams: of those that were seen often enough, and for all others those of their last two characters."""
    scale = float(arrays["scale"])
    table = np.tile(arrays[f"{kind}.bigrams"].astype(np.float32), SIZE) * scale
    table[np.cumsum(arrays[f"{kind}.steps"].astype(np.int64))] = arrays[f"{kind}.trigrams"].astype(np.float32) * scale
    table[0] = 0.0
    return table
