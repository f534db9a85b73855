"""Detect the encoding of bytes, together with their language, by the frequencies of byte triples.

It is the last resort for pages that declare no believable encoding. The frequencies of the text's triples are
multiplied with those of each model and added up, as chared does (PRESEMT D3.1.3, section 4). Two things differ, so that
models of different languages can be compared and short texts identified: the models hold logarithms, so that the
product is the likelihood of the text; and a triple that a model does not have is as likely as it is in that encoding in
any language (`chance.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.decoding import labels
from gristmill.decoding.chance import Chance
from gristmill.decoding.model import ASCII, Model, shipped
from gristmill.decoding.triples import Keys, near, triples
from gristmill.decoding.usual import rarity

_MAX_NON_ASCII_BYTES = 800  # that are looked at
_MAX_ASCII_TRIPLES = 600  # around them
_MODEL_WEIGHT = 0.9  # of a language's model in the probability of a triple; the rest is that of any language
_FALLBACK = "windows-1252"
_ASCII_BYTES = bytes(range(128))
_LIKE_FALLBACK = {"ISO-8859-15", "ISO-8859-10", "ISO-8859-14"}  # windows-1252 but for a few characters
_COVERED_BY = {"GBK": "gb18030", "ISO-8859-8-I": "ISO-8859-8"}
# All figures below are in units of log likelihood.
# How much better another encoding must fit than a declared one to contradict it: in total, and for each triple.
_MIN_CONTRADICTION, _MIN_CONTRADICTION_PER_TRIPLE = 100.0, 1.0
_MIN_DISTINCT_BYTES = 4  # different bytes beyond ASCII that it takes to contradict a declaration
_ASCII_WEIGHT = 0.6  # of the triples of ASCII around the others
# How much better than windows-1252 another encoding must fit. In total: the more, the rarer it is. For each triple:
# texts in languages that no model knows fit another encoding by chance by up to 3, those of known languages fit their
# own by 6 and more.
_RARITY_PENALTY = 6.0  # for each degree of rarity
_MIN_LEAD_PER_TRIPLE, _MIN_LEAD_PER_TRIPLE_OF_LIKE = 3.0, 0.03
_SINGLE_BYTE_FACTOR = 1.5  # for both if all bytes beyond ASCII are the same: it may be a sign
_REPETITION_POWER = 0.75
_UNDECODABLE_PENALTY = 24.0  # for each byte that can't be decoded
_LANGUAGE_NAMES = {"no": ("nb", "nn", "no")}  # languages whose models have other names


class Judgement(NamedTuple):
    """The most likely encoding and language of some bytes, and how well each encoding fits."""

    encoding: str
    lang: str
    fits: dict[str, float]
    """The log likelihood per triple in each encoding, with the language that fits best."""
    triples: int
    """The number of triples with a byte beyond ASCII."""
    distinct: int
    """The number of different bytes beyond ASCII."""

    def contradicts(self, encoding: str) -> bool:
        """Whether the bytes speak clearly against a declared encoding."""
        known = self.fits.get(_COVERED_BY.get(encoding, encoding))
        if known is None:
            return False
        better = self.fits[self.encoding] - known
        return (
            self.distinct >= _MIN_DISTINCT_BYTES
            and better > _MIN_CONTRADICTION_PER_TRIPLE
            and better * self.triples > _MIN_CONTRADICTION
        )


class Detector:
    """Models of languages in their encodings, indexed by triple to be compared with bytes.

    The index is a ragged array: `_keys` has all triples in order, and the entries of the triple with the number `n` are
    `_starts[n]` to `_starts[n + 1]` of `_members` (the model's number) and `_gains` (by how much the model expects the
    triple more than chance does). If models 0 and 2 have the triple K, and model 1 has L > K:

        _keys = [K, L], _starts = [0, 2, 3], _members = [0, 2, 1], _gains = [0.7, 1.1, 0.4]
    """

    def __init__(self, model: Model) -> None:
        self._pairs = model.pairs
        self._asked = "", np.zeros(len(model.pairs), np.bool_)
        self.encodings = sorted({encoding for _, encoding in model.pairs} - {ASCII})
        place = {encoding: number for number, encoding in enumerate([*self.encodings, ASCII])}
        self._encoding_of = np.array([place[encoding] for _, encoding in model.pairs])
        self._ascii_of = _ascii_pairs(model.pairs)
        self._distance = np.array([_distance(encoding) for encoding in [*self.encodings, ASCII]])[self._encoding_of]
        self._rarity = np.array([rarity(encoding) for encoding in [*self.encodings, ASCII]])[self._encoding_of]
        pair_of = np.repeat(np.arange(len(model.pairs)), np.diff(model.starts))
        self._chance = Chance([*self.encodings, ASCII], model, self._encoding_of[pair_of])
        by_chance = np.exp(self._chance.of_triples(model.keys, self._encoding_of[pair_of]))
        gains = np.log1p(_MODEL_WEIGHT / (1 - _MODEL_WEIGHT) * model.frequencies / by_chance).astype(np.float32)
        order = np.argsort(model.keys, kind="stable")
        ordered = model.keys[order]
        is_new = np.ones(len(order), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
        starts = np.flatnonzero(is_new)
        self._keys, self._starts = ordered[starts], np.append(starts, len(order))
        self._members, self._gains = pair_of[order].astype(np.int32), gains[order]

    def judge(self, data: bytes, lang: str | None = None) -> Judgement:
        """Find the most likely encoding of bytes that are neither ASCII nor UTF-8, with the language that fits best."""
        sample = _sample(data)
        found, around = triples(sample)
        if not found.size:
            return Judgement(_FALLBACK, "", {}, 0, 0)
        distinct = len(set(sample.translate(None, _ASCII_BYTES)))
        doubt = _SINGLE_BYTE_FACTOR if distinct == 1 else 1
        scores = self._scores(found, around[:_MAX_ASCII_TRIPLES], _RARITY_PENALTY * doubt) - np.where(
            self._are_of(lang), 0, self._distance * doubt
        )
        best = self._best_that_decodes(sample, scores)
        fits = np.full(len(self.encodings) + 1, -np.inf)
        np.maximum.at(fits, self._encoding_of, scores)
        found_lang, encoding = self._pairs[best]
        return Judgement(
            encoding, found_lang, dict(zip(self.encodings, fits[:-1].tolist(), strict=True)), found.size, distinct
        )

    def _are_of(self, lang: str | None) -> npt.NDArray[np.bool_]:
        """Mark the models of a language that the text is known to be in: these need not lead over windows-1252."""
        if not lang:
            return np.zeros(len(self._pairs), np.bool_)
        asked = self._asked
        if lang != asked[0]:  # mostly it is that of the page before
            names = _LANGUAGE_NAMES.get(lang, (lang,))
            self._asked = asked = lang, np.array([name.partition("-")[0] in names for name, _ in self._pairs])
        return asked[1]

    def _best_that_decodes(self, sample: bytes, scores: npt.NDArray[np.float64]) -> int:
        """Find the best model; in encodings of several bytes a character, what can't be decoded counts against it."""
        looked_at = set()
        while True:
            best = int(scores.argmax())
            number = int(self._encoding_of[best])
            if number in looked_at or not labels.is_wide(self.encodings[number]):
                return best
            looked_at.add(number)
            wrong = labels.decode(self.encodings[number], sample).count("\ufffd")
            scores[self._encoding_of == number] -= _UNDECODABLE_PENALTY * wrong / len(sample)

    def _scores(self, found: Keys, around: Keys, rare: float) -> npt.NDArray[np.float64]:
        """The log likelihood per triple under each model."""
        keys, counts = np.unique(found, return_counts=True)
        weights = _weights(counts)
        scores = self._chance.of_text(keys, weights)[self._encoding_of] + self._gain(keys, weights)
        total = weights.sum()
        keys, counts = np.unique(around, return_counts=True)
        scores += _ASCII_WEIGHT * self._gain(keys, _weights(counts))[self._ascii_of]
        scores[self._encoding_of == len(self.encodings)] = -np.inf
        return np.asarray((scores - rare * self._rarity) / total)

    def _gain(self, keys: npt.NDArray[np.uint32], weights: Matrix) -> npt.NDArray[np.float64]:
        """By how much each model expects the triples more than chance does, as a log likelihood.

        The entries of the known triples are gathered from the ragged array: for the triples with the numbers 0 and 1 of
        the class's example, `lengths` is [2, 1] and `entries` becomes [0, 1, 2].
        """
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        at, weights = at[known], weights[known]
        lengths = self._starts[at + 1] - self._starts[at]
        entries = concatenated_ranges(self._starts[at], lengths)
        return np.asarray(
            np.bincount(self._members[entries], self._gains[entries] * np.repeat(weights, lengths), len(self._pairs)),
            np.float64,
        )


def _weights(counts: npt.NDArray[np.int64]) -> Matrix:
    """Weigh triples by a power of their counts: what is repeated, as menus are, counts less each time."""
    return np.asarray(counts**_REPETITION_POWER, np.float32)


def _ascii_pairs(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.int64]:
    """For each pair the number of the one with the ASCII triples of its language, or else of English."""
    place = {lang: number for number, (lang, encoding) in enumerate(pairs) if encoding == ASCII}
    return np.array([place.get(lang, place.get("en", 0)) for lang, _ in pairs])


@functools.cache
def default_detector() -> Detector:
    """The detector with the shipped models, made when a page first needs it."""
    return Detector(shipped())


def _sample(data: bytes) -> bytes:
    """The first bytes beyond ASCII, each with a few bytes around it: the rest of a page says little."""
    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(codes > 127)
    if len(places) > _MAX_NON_ASCII_BYTES:
        codes = codes[: places[_MAX_NON_ASCII_BYTES]]
    return codes[near(codes > 127)].tobytes()


def _distance(encoding: str) -> float:
    """By how much an encoding must fit better than windows-1252, in log likelihood per triple."""
    if encoding == _FALLBACK:
        return 0
    return _MIN_LEAD_PER_TRIPLE_OF_LIKE if encoding in _LIKE_FALLBACK else _MIN_LEAD_PER_TRIPLE
