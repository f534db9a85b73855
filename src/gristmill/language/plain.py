"""Tell texts that are plainly in one language, and so need not be identified one by one.

Most blocks of a page are in one language. Once that is known of its longest blocks, the letters of the others nearly
always tell that they are in it too, at a small part of what asking an identifier costs. On an English page:

    "Read the terms of use"    "the", "ter", "erm"... are more frequent in English than elsewhere: plainly English
    "Lire les mentions"        "lir", "les", "men"... are not: to be identified
    "Tel. +44 20 7946 0018"    too few letters to tell: to be identified

Languages in Latin and Cyrillic letters are told by letter triples (`lettertriples.py` has their scores); Greek,
Chinese, Japanese and Korean by their script.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags
from gristmill.columns import Int32
from gristmill.kernel import COMPILED, add_scores
from gristmill.language.lettertriples import Scores, scores_of

_MAX_BYTES = 200  # of the beginning of a text that are looked at, times the bytes of a letter
_MIN_SHARE = 0.8  # of the bytes of all texts in a language that make it likely that others are in it, too
_MIN_SCRIPT_BYTES = 20


class Plain(Protocol):
    """What tells whether texts are plainly in one language."""

    def tell(self, data: bytes, starts: Int32, ends: Int32) -> Flags:
        """Tell for each text `data[start:end]`, in UTF-8, whether it is; if not, it may still be in that language."""


@functools.cache
def plain(lang: str) -> Plain | None:
    """Return what tells texts that are plainly in a language, if there is something; made once for each language."""
    if lang in _SCRIPTS:
        return ByScript(_weights(*_SCRIPTS[lang]))
    scores = scores_of(lang)
    return ByTriples(scores) if scores else None


@dataclass(frozen=True, slots=True)
class ByTriples:
    """Tells a language by letter triples: those more frequent in it than in others count for it."""

    scores: Scores

    def tell(self, data: bytes, starts: Int32, ends: Int32) -> Flags:
        """Tell whether each text scores above the limit: the mild one, if most are above the strict one."""
        alphabet, sizes = self.scores.alphabet, ends - starts
        ends = np.minimum(ends, starts + _MAX_BYTES * alphabet.step)
        add = add_scores if COMPILED else add_scores_by_arrays
        sums = add(data, starts, ends, alphabet.numbers, self.scores.of_triples, alphabet.step)
        strict, mild = self.scores.are_above(sums)
        return mild if sizes[strict].sum() >= _MIN_SHARE * sizes.sum() else strict


def add_scores_by_arrays(data: bytes, starts: Int32, ends: Int32, numbers: bytes, scores: Int32, step: int) -> Int32:
    """Do what `kernel.add_scores` does, without a loop."""
    reach, bits = 2 * step, 4 + step
    letters = np.frombuffer(data.translate(numbers) + bytes(reach), np.uint8)
    triples = letters[:-reach].astype(np.int32)
    for place in (step, reach):
        triples <<= bits
        triples |= letters[place : len(letters) - reach + place]
    # Sums up to each place: they may overflow, but differences of them are right all the same.
    sums = np.zeros(len(triples) + 1, np.int32)
    np.cumsum(scores[triples], dtype=np.int32, out=sums[1:])
    return np.asarray(sums[np.maximum(ends - reach, starts)] - sums[starts], np.int32)


@dataclass(frozen=True, slots=True)
class ByScript:
    """Tells a language by its script: bytes that begin its characters count for it, letters of others against it."""

    weights: npt.NDArray[np.int8]

    def tell(self, data: bytes, starts: Int32, ends: Int32) -> Flags:
        """Tell whether the weights of each text are 20 at least, and a third of its bytes."""
        sums = np.zeros(len(data) + 1, np.int32)
        np.cumsum(self.weights[np.frombuffer(data, np.uint8)], dtype=np.int32, out=sums[1:])
        ends = np.minimum(ends, starts + 2 * _MAX_BYTES)
        totals = sums[ends] - sums[starts]
        return np.asarray((totals >= _MIN_SCRIPT_BYTES) & (3 * totals >= ends - starts), np.bool_)


# For each language the bytes that begin characters of its script, what they count, and the bytes that count nothing.
_SCRIPTS: dict[str, tuple[Sequence[int], int, Sequence[int]]] = {
    "el": ((0xCE, 0xCF), 2, ()),
    "zh": (range(0xE4, 0xEA), 3, ()),
    "ja": ((0xE3,), 3, range(0xE4, 0xEA)),  # kana, which all sentences have, with Chinese characters in between
    "ko": (range(0xEA, 0xEE), 3, ()),
}


def _weights(own: Sequence[int], weight: int, neutral: Sequence[int]) -> npt.NDArray[np.int8]:
    """Return what each byte counts: nothing if it is within a character, or begins signs such as dashes."""
    weights = np.zeros(256, np.int8)
    weights[[ord(letter) for letter in string.ascii_letters]] = -1
    weights[0xC3:0xEF] = -3
    weights[[0xE2, *neutral]] = 0
    weights[list(own)] = weight
    return weights
