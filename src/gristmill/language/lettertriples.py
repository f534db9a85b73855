"""Scores of letter triples, by which a text in one language is told from texts in others that share its letters.

The score of a triple is the logarithm of how much more frequent it is in the language than in the others on average:

    English    "the" 64    "ing" 23    "mil" 5    "sch" -14    "czy" -22

A text must score above a limit, which depends on how many triples it has. `triplescores.py` makes scores and limits,
and stores them in `lettertriples.npz`.
"""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Ints

Numbers = npt.NDArray[np.int32]
"""Scores, counts of triples, or both in one."""

STORED = Path(__file__).with_name("lettertriples.npz")
"""The file of all scores, which `triplescores.py` makes."""
ONE_TRIPLE = 1 << 20
"""What is added to the score of a triple that counts."""
# Languages without letters beyond ASCII but in names and foreign words, and what such a letter counts in them; in all
# languages, a letter of another script counts as much.
_WITHOUT_ACCENTS, _FOREIGN_LETTER = frozenset({"en", "id", "ms", "tl"}), -40


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """Letters as small numbers, and where their frequencies are."""

    numbers: bytes
    """The number of the letter for each byte of UTF-8, 0 for bytes that stand for none."""
    bits: int
    """Of a number."""
    step: int
    """From one letter to the next, in bytes."""
    encoding: str
    """Of the models that have the frequencies of triples."""
    model_numbers: Bytes
    """The number of the letter for each byte of that encoding."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What triples count for a language, and what texts in it score."""

    alphabet: Alphabet
    of_triples: Numbers
    """The score of each triple, and for those that are counted `ONE_TRIPLE` more: a sum of them holds both."""
    strict: Numbers
    """The score that a text must be above, for each number of triples."""
    mild: Numbers
    """The same for texts of which it is likely, before one looks at them, that they are in the language."""

    def are_above(self, sums: Numbers) -> tuple[Flags, Flags]:
        """Tell for texts whether their sums of scores are above the strict limit, and above the mild one."""
        counts = (sums + ONE_TRIPLE // 2) >> ONE_TRIPLE.bit_length() - 1
        scores = sums - counts * ONE_TRIPLE
        return scores > self.strict[counts], scores > self.mild[counts]


def scores_of(lang: str) -> Scores | None:
    """Read the scores for a language; there are none if the frequencies of its triples are not known."""
    with STORED.open("rb") as stream, np.load(stream) as file:
        for name, alphabet in ALPHABETS.items():
            languages = json.loads(file[f"{name}_languages"].tobytes())
            if lang in languages:
                number = languages.index(lang)
                limits = file[f"{name}_limits"][number]
                return Scores(
                    alphabet,
                    _of_triples(lang, alphabet, file[f"{name}_triples"], file[f"{name}_scores"][:, number]),
                    *limits,
                )
    return None


def _of_triples(lang: str, alphabet: Alphabet, triples: Ints, scores: npt.NDArray[np.int8]) -> Numbers:
    """Put the scores of some triples into the table of all triples, with what letters beyond the alphabet count."""
    of_triples = np.where(is_counted(alphabet), ONE_TRIPLE, 0).astype(np.int32)
    of_triples[triples] += scores
    by_last = of_triples.reshape(-1, 1 << alphabet.bits)
    by_last[:, _FOREIGN] = _FOREIGN_LETTER
    if alphabet.step == 1 and lang in _WITHOUT_ACCENTS:
        by_last[:, _BEYOND_ASCII] = _FOREIGN_LETTER
    return of_triples


def is_counted(alphabet: Alphabet) -> Flags:
    """Tell which triples of numbers count: two letters side by side or, where letters have two bytes, three."""
    numbers = np.arange(1 << alphabet.bits)
    is_letter = (numbers > 0) & (numbers <= (26 if alphabet.step == 1 else 49)) & (numbers != _FOREIGN)
    is_other = (numbers == 0) & (alphabet.step == 1)
    first, second, third = is_letter[:, None, None], is_letter[:, None], is_letter
    either = (first & (third | is_other)) | (is_other[:, None, None] & third)
    return np.asarray(second & either, np.bool_).ravel()


# Numbers that stand for no letter of the alphabet: the first byte of a letter beyond ASCII, other bytes of characters,
# and the first byte of a letter of another script.
_BEYOND_ASCII, _WITHIN = 27, 28
_FOREIGN = 31


def _latin() -> Alphabet:
    """Number the letters of ASCII from 1 to 26, in both cases; others of Latin script are 27, by their first byte."""
    numbers = bytearray(256)
    for letter in string.ascii_letters:
        numbers[ord(letter)] = ord(letter.lower()) - ord("a") + 1
    model_numbers = np.frombuffer(bytes(numbers), np.uint8)
    numbers[0xC3:0xCA] = bytes([_BEYOND_ASCII]) * 7
    numbers[0x80:0xC0] = bytes([_WITHIN]) * 64
    numbers[0xCA:0xE2] = bytes([_FOREIGN]) * 24
    numbers[0xE3:0xEE] = bytes([_FOREIGN]) * 11
    return Alphabet(bytes(numbers), 5, 1, "ASCII", model_numbers)


def _cyrillic() -> Alphabet:
    """Number letters from 1 to 49, by the second of their bytes.

    Capitals from А to П share it with letters that few languages have, but capitals are rare.
    """
    letters = [number for number in range(1, 50) if number != _FOREIGN]
    numbers = bytearray(bytes([_FOREIGN]) * 256)
    for code in range(0x80):
        numbers[code] = _FOREIGN if chr(code).isalpha() else 0
    numbers[0x80:0xC0] = bytes([*letters[16:32], *letters[32:], *letters[16:32], *letters[:16]])
    for code in (0xC2, *range(0xD0, 0xD4), 0xE2):
        numbers[code] = 0
    model_numbers = np.zeros(256, np.uint8)
    for code in range(128, 256):
        first, *rest = bytes([code]).decode("windows-1251", "replace").encode()
        model_numbers[code] = numbers[rest[0]] if first in range(0xD0, 0xD3) else 0
    return Alphabet(bytes(numbers), 6, 2, "windows-1251", model_numbers)


ALPHABETS = {"latin": _latin(), "cyrillic": _cyrillic()}
"""The alphabets that there are scores for, by the names under which they are stored."""
