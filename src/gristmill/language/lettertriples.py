"""Scores of letter triples, by which a text in one language is told from texts in others that share its letters.

The score of a triple is the logarithm of how much more frequent it is in the language than in the others on average:

    English    "the" 33    "ing" 26    "ngl" 4    "sch" -25    "czy" -9

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
# Languages without letters beyond ASCII but in names and foreign words, and what such a letter counts in them.
_WITHOUT_ACCENTS, _ACCENT = frozenset({"en", "id", "ms", "tl"}), -40


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
    if alphabet is _LATIN and lang in _WITHOUT_ACCENTS:
        of_triples.reshape(-1, 1 << alphabet.bits)[:, _BEYOND_ASCII] = _ACCENT
    limits = [_limits(scores, frequencies.shares[own], others, *asked) for asked in (_STRICT, _MILD)]
    return Scores(alphabet, of_triples, *limits)


def _limits(scores: Floats, own: Floats, others: Floats, fewest: int, part: float, errors: float) -> Numbers:
    """Find limits from the mean scores of texts in the language and in others, and from how much these vary."""
    means = others @ scores
    deviations = np.sqrt(np.maximum(others @ scores**2 - means**2, 0))
    counts = np.arange(fewest, _MAX_TRIPLES + 1)[:, None]
    varying = (means + errors * deviations / np.sqrt(counts)).max(axis=1)
    least = means.max() + part * (float(own @ scores) - means.max())
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
    shares = np.zeros((len(rows), len(is_counted)))
    frequencies = model.frequencies
    for place, row in enumerate(rows):
        part = slice(model.starts[row], model.starts[row + 1])
        triples = _numbered(alphabet, model.keys[part])
        np.add.at(shares[place], triples, np.where(is_counted[triples], frequencies[part], 0))
    used = np.flatnonzero(shares.any(axis=0))
    shares = shares[:, used]
    return _Frequencies(languages, used, shares / shares.sum(axis=1, keepdims=True))


def _numbered(alphabet: Alphabet, keys: npt.NDArray[np.uint32]) -> Ints:
    """Convert byte triples of an encoding to triples of numbers of letters."""
    first, second, third = (alphabet.model_numbers[keys >> shift & 0xFF].astype(np.int64) for shift in (16, 8, 0))
    return (first << 2 * alphabet.bits) | (second << alphabet.bits) | third


def _is_counted(alphabet: Alphabet) -> Flags:
    """Tell which triples of numbers count: two letters side by side or, where letters have two bytes, three."""
    numbers = np.arange(1 << alphabet.bits)
    is_letter = (numbers > 0) & (numbers <= (26 if alphabet is _LATIN else 48))
    is_other = (numbers == 0) & (alphabet is _LATIN)
    first, second, third = is_letter[:, None, None], is_letter[:, None], is_letter
    either = (first & (third | is_other)) | (is_other[:, None, None] & third)
    return np.asarray(second & either, np.bool_).ravel()


_BEYOND_ASCII, _WITHIN = 27, 28  # the first byte of a letter beyond ASCII, and other bytes of any character


def _latin() -> Alphabet:
    """Number the letters of ASCII from 1 to 26, in both cases; others of Latin script are 27, by their first byte."""
    numbers = bytearray(256)
    for letter in string.ascii_letters:
        numbers[ord(letter)] = ord(letter.lower()) - ord("a") + 1
    model_numbers = np.frombuffer(bytes(numbers), np.uint8)
    numbers[0xC3:0xCA] = bytes([_BEYOND_ASCII]) * 7
    numbers[0x80:0xC0] = bytes([_WITHIN]) * 64
    return Alphabet(bytes(numbers), 5, 1, ASCII, model_numbers)


def _cyrillic() -> Alphabet:
    """Number letters from 1 to 48, by the second of their bytes.

    Capitals from А to П share it with letters that few languages have, but capitals are rare.
    """
    numbers = bytearray(256)
    numbers[0x80:0xC0] = bytes([*range(17, 33), *range(33, 49), *range(17, 33), *range(1, 17)])
    model_numbers = np.zeros(256, np.uint8)
    for code in range(128, 256):
        first, *rest = bytes([code]).decode("windows-1251", "replace").encode()
        model_numbers[code] = numbers[rest[0]] if first in range(0xD0, 0xD3) else 0
    return Alphabet(bytes(numbers), 6, 2, "windows-1251", model_numbers)


_LATIN, _CYRILLIC = _latin(), _cyrillic()
