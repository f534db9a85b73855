"""The method `ncleaner`: character trigram models.

Evert, A Lightweight and Efficient Tool for Cleaning Web Pages (LREC 2008); StupidOS at CleanEval (2007). A block is
what the one of two language models of character trigrams, of text and of boilerplate, says that gives it the higher
probability. Probabilities of a character after two, one and no others are interpolated with weights in a geometric
series. Of the two models only the difference is stored: for each trigram the logarithm of the ratio of its two
conditional probabilities.

The models are for English. For other languages there are two without words (the non-lexical version that Pomikálek
2011, 2.6.3, mentions): they only see whether a character is a lower-case letter, a capital, a digit, white space, or
which punctuation mark. Letters of scripts without case count as lower-case. A model of the user's own may have more
models with words, each of a language and with the letters that are most frequent in it. Of Evert's pre-cleaning one
step remains, fields between vertical bars; instead of his text dump and segments there are Gristmill's blocks.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.models import load, names_of
from gristmill.errors import GristmillError
from gristmill.registry import part
from gristmill.text.characters import Characters, unit_table

Symbols = npt.NDArray[np.int32]

_SMALL, _CAPITAL, _DIGIT, _OTHER = "a", "A", "0", "\x7f"
_MARKS = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())
ENGLISH = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters that the model for English distinguishes; another one has as many others in their places."""
ALPHABET = "\n " + ENGLISH + _DIGIT + _MARKS + "\xe9\xc9" + _OTHER
"""The characters that the models distinguish.

The first is the edge of a block. The last three stand for lower-case letters and capitals that are not English, and for
anything else.
"""
SIZE = len(ALPHABET)
_LETTERS = ".letters"  # ends the name of the array that has the letters of a model
KINDS = ("words", "shapes")
"""The model for English, and the one for all other languages."""


def with_model(arrays: Mapping[str, npt.NDArray[Any]]) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    tables = _tables(arrays)
    return lambda page, lang: _score(page, lang, tables)


class _Table(NamedTuple):
    """The log-odds of trigrams, and the letters that these are of."""

    odds: npt.NDArray[np.float32]
    letters: str


def words_in(lang: str) -> str:
    """Name the model with words of a language."""
    return KINDS[0] if lang == "en" else f"{KINDS[0]}-{lang}"


def _tables(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, _Table]:
    kinds = [*KINDS, *(key.removesuffix(_LETTERS) for key in arrays if key.endswith(_LETTERS))]
    return {kind: _Table(table_of(arrays, kind), _letters_of(arrays, kind)) for kind in kinds}


def _letters_of(arrays: Mapping[str, npt.NDArray[Any]], kind: str) -> str:
    """Read the letters of a model, as many as there are English ones."""
    found = names_of(arrays[f"{kind}{_LETTERS}"])[0] if f"{kind}{_LETTERS}" in arrays else ENGLISH
    if len(set(found)) != len(ENGLISH):
        raise GristmillError(f"its model {kind!r} has {len(set(found))} letters, not {len(ENGLISH)}: train it again")
    return found


@part("cleaning method", "ncleaner", with_model=with_model)
def ncleaner(page: Features, lang: str) -> Scores:
    """Score by the log-odds of boilerplate against text; at 0.5 both are equally probable."""
    return _score(page, lang, _shipped())


def _score(page: Features, lang: str, tables: Mapping[str, _Table]) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    kind = words_in(lang) if words_in(lang) in tables else "shapes"
    odds = log_odds(page.texts, kind, *tables[kind])
    # The characters of a text depend on each other, so that evidence grows more slowly than their number.
    values = 1 / (1 + np.exp(np.clip(odds / np.sqrt(page.characters + 1), -30, 30)))
    bars = np.array([text.count("|") >= 2 for text in page.texts], np.bool_)
    values[bars] = 1.0
    labels = [
        "bars" if bar else "dirty" if value > 0.5 else "clean"
        for bar, value in zip(bars.tolist(), values.tolist(), strict=True)
    ]
    return Scores(values, labels)


def log_odds(texts: Sequence[str], kind: str, table: npt.NDArray[np.float32], letters: str = ENGLISH) -> Floats:
    """Return for each text the log-odds of text against boilerplate."""
    trigrams, starts = trigrams_of(texts, kind, letters)
    return np.add.reduceat(table[trigrams], starts, dtype=np.float64)


def trigrams_of(texts: Sequence[str], kind: str, letters: str = ENGLISH) -> tuple[Symbols, npt.NDArray[np.intp]]:
    """Return the trigrams of all texts as numbers, and where those of each text begin.

    Two edges (symbol 0) stand before a text, one behind it. With `-` for the edge, the texts `ab` and `c` are padded to
    `--ab--c--`, and the trigrams are `--a`, `-ab`, `ab-`, `b--`, `--c`, `-c-`, `c--`: those of the second text begin at
    4. The trigrams with two edges at the end belong to no text, and are set to 0, which counts nothing.
    """
    characters = Characters(texts)
    symbols = _symbols(kind, letters)[characters.codes]
    edges = characters.starts + characters.lengths
    padded = np.insert(symbols, edges, 0)  # a second edge behind each text; its line end is the first
    padded = np.concatenate((np.zeros(2, np.int32), padded))
    trigrams = _pack_trigrams(padded[:-2], padded[1:-1], padded[2:])
    starts = characters.starts + np.arange(len(texts))
    trigrams[starts + characters.lengths + 1] = 0
    return trigrams, starts


def _pack_trigrams(first: Symbols, second: Symbols, third: Symbols) -> Symbols:
    """Number trigrams: three symbols are the digits of a number to the base `SIZE`."""
    trigrams: Symbols = (first * SIZE + second) * SIZE + third
    return trigrams


@functools.lru_cache(16)
def _symbols(kind: str, letters: str) -> Symbols:
    """Make the table of the symbol of each UTF-16 code unit: its place in the alphabet, which has these letters."""
    places = {character: place for place, character in enumerate(ALPHABET)}
    own = dict(zip(letters, range(places[ENGLISH[0]], places[ENGLISH[0]] + len(ENGLISH)), strict=True))
    marks = {character: at for character, at in places.items() if ord(character) < 127 and character not in ENGLISH}
    by_category = {"L": "\xe9", "M": "\xe9", "Lu": "\xc9", "Lt": "\xc9", "N": _DIGIT, "Z": " "}
    symbols = unit_table(
        places[_OTHER],
        {category: places[character] for category, character in by_category.items()},
        marks | own,
    ).astype(np.int32)
    if kind == "shapes":
        shape = np.arange(SIZE, dtype=np.int32)
        for character, place in places.items():
            if character.isalpha():
                shape[place] = places[_CAPITAL if character.isupper() else _SMALL]
        symbols = shape[symbols]
    return symbols


@functools.cache
def _shipped() -> dict[str, _Table]:
    return _tables(load("ncleaner"))


def table_of(arrays: Mapping[str, npt.NDArray[Any]], kind: str) -> npt.NDArray[np.float32]:
    """Unpack the log-odds of all trigrams from a stored model.

    Trigrams that were rare in training have those of their last two characters. `steps` are the distances between the
    numbers of the trigrams that are stored: [3, 2, 7] stands for the trigrams 3, 5 and 12.
    """
    scale = float(arrays["scale"])
    table = np.tile(arrays[f"{kind}.bigrams"].astype(np.float32), SIZE) * scale
    table[np.cumsum(arrays[f"{kind}.steps"].astype(np.int64))] = arrays[f"{kind}.trigrams"].astype(np.float32) * scale
    table[0] = 0.0
    return table
