"""Scores of letter triples, by which a text in one language is told from texts in others that share its letters.

The score of a triple is the logarithm of how much more frequent it is in the language than in the others on average:

    English    "the" 64    "ing" 23    "mil" 5    "sch" -14    "czy" -22

What texts score on average in each language follows from the same frequencies, and so does the limit that a text must
be above: it lies between the language and the one that comes nearest to it, and higher for short texts, as their
scores vary more. Frequencies are those in the models of encodings (`decoding.model`).
"""

from __future__ import annotations

import functools
import string
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Floats, Ints
from gristmill.decoding.model import ASCII, shipped
from gristmill.language.cld2 import NAMES

Numbers = npt.NDArray[np.int32]
"""Scores, counts of triples, or both in one."""

_MAX_TRIPLES = 400  # of a text
# Scores are whole numbers, 16 for a factor of e, so that their sums are the same in whatever order.
_STEPS, _MAX_SCORE = 16, 127
_UNSEEN = 2e-5  # the share that a triple has at least
# What is asked of texts, strictly and less so: a number of triples; and how far above other languages they must score
# on average, as part of the way up to their own language, and in standard errors. Chosen on windows of declarations.
_STRICT, _MILD = (12, 0.4, 2.0), (8, 0.3, 1.0)
_ONE_TRIPLE = 1 << 20
_NEVER = np.iinfo(np.int32).max
_CODES = {"nb": "no", "sr-latn": "sr"}  # of languages in the models of encodings, and here
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
    """The score of each triple, and for those that are counted `_ONE_TRIPLE` more: a sum of them holds both."""
    strict: Numbers
    """The score that a text must be above, for each number of triples."""
    mild: Numbers
    """The same for texts of which it is likely, before one looks at them, that they are in the language."""

    def are_above(self, sums: Numbers) -> tuple[Flags, Flags]:
        """Tell for texts whether their sums of scores are above the strict limit, and above the mild one."""
        counts = (sums + _ONE_TRIPLE // 2) >> _ONE_TRIPLE.bit_length() - 1
        scores = sums - counts * _ONE_TRIPLE
        return scores > self.strict[counts], scores > self.mild[counts]


def scores_of(lang: str) -> Scores | None:
    """Make the scores for a language; there are none if the frequencies of its triples are not known."""
    for alphabet in (_LATIN, _CYRILLIC):
        frequencies = _frequencies(alphabet)
        if lang in frequencies.languages:
            return _scores(alphabet, frequencies, lang)
    return None


@dataclass(frozen=True, slots=True)
class _Frequencies:
    languages: list[str]
    triples: Ints
    """The triples that any of the languages has."""
    shares: Floats
    """A row for each language: the share of each of these triples."""


def _scores(alphabet: Alphabet, frequencies: _Frequencies, lang: str) -> Scores:
    own = frequencies.languages.index(lang)
    others = np.delete(frequencies.shares, own, axis=0)
    ratio = (frequencies.shares[own] + _UNSEEN) / (others.mean(axis=0) + _UNSEEN)
    scores = np.clip(np.rint(_STEPS * np.log(ratio)), -_MAX_SCORE, _MAX_SCORE)
    of_triples = np.where(_is_counted(alphabet), _ONE_TRIPLE, 0).astype(np.int32)
    of_triples[frequencies.triples] += scores.astype(np.int32)
    by_last = of_triples.reshape(-1, 1 << alphabet.bits)
    by_last[:, _FOREIGN] = _FOREIGN_LETTER
    if alphabet is _LATIN and lang in _WITHOUT_ACCENTS:
        by_last[:, _BEYOND_ASCII] = _FOREIGN_LETTER
    limits = [_limits(scores, frequencies.shares[own], others, *asked) for asked in (_STRICT, _MILD)]
    return Scores(alphabet, of_triples, *limits)


def _limits(scores: Floats, own: Floats, others: Floats, fewest: int, part: float, errors: float) -> Numbers:
    """Find limits from the mean scores of texts in the language and in others, and from how much these vary."""
    # By `einsum`, as libraries for matrices add up in an order that depends on the machine, and start threads.
    means = np.einsum("ij,j", others, scores)
    deviations = np.sqrt(np.maximum(np.einsum("ij,j", others, scores**2) - means**2, 0))
    counts = np.arange(fewest, _MAX_TRIPLES + 1)[:, None]
    varying = (means + errors * deviations / np.sqrt(counts)).max(axis=1)
    least = means.max() + part * (np.einsum("i,i", own, scores) - means.max())
    limits = np.full(_MAX_TRIPLES + 1, _NEVER, np.int32)
    limits[fewest:] = counts[:, 0] * np.maximum(varying, least)
    return limits


@functools.cache
def _frequencies(alphabet: Alphabet) -> _Frequencies:
    """Read frequencies, of languages that can be identified: no text will be taken for one in another language."""
    model, known = shipped(), frozenset(NAMES.values())
    rows, languages = [], []
    for row, (code, encoding) in enumerate(model.pairs):
        lang = _CODES.get(code, code)
        if encoding == alphabet.encoding and lang in known:
            rows.append(row)
            languages.append(lang)
    is_counted = _is_counted(alphabet)
    parts = [slice(model.starts[row], model.starts[row + 1]) for row in rows]
    triples = [_numbered(alphabet, model.keys[part]) for part in parts]
    is_used = np.zeros(len(is_counted), np.bool_)
    is_used[np.concatenate(triples)] = True
    used = np.flatnonzero(is_used & is_counted)
    places = np.full(len(is_counted), len(used))  # those that don't count come last, and are left out
    places[used] = np.arange(len(used))
    shares = np.zeros((len(rows), len(used)))
    for row, (part, found) in enumerate(zip(parts, triples, strict=True)):
        shares[row] = np.bincount(places[found], model.frequencies_of(part), len(used) + 1)[:-1]
    return _Frequencies(languages, used, shares / shares.sum(axis=1, keepdims=True))


def _numbered(alphabet: Alphabet, keys: npt.NDArray[np.uint32]) -> Ints:
    """Convert byte triples of an encoding to triples of numbers of letters."""
    first, second, third = (alphabet.model_numbers[keys >> shift & 0xFF].astype(np.int64) for shift in (16, 8, 0))
    return np.asarray(first << 2 * alphabet.bits | second << alphabet.bits | third, np.int64)


def _is_counted(alphabet: Alphabet) -> Flags:
    """Tell which triples of numbers count: two letters side by side or, where letters have two bytes, three."""
    numbers = np.arange(1 << alphabet.bits)
    is_letter = (numbers > 0) & (numbers <= (26 if alphabet is _LATIN else 49)) & (numbers != _FOREIGN)
    is_other = (numbers == 0) & (alphabet is _LATIN)
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
    return Alphabet(bytes(numbers), 5, 1, ASCII, model_numbers)


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


_LATIN, _CYRILLIC = _latin(), _cyrillic()
