"""The encoding of bytes about which nothing believable is known, told by their triples, jointly with the language.

The frequencies of the text's triples are multiplied with those of each model and added up, as chared does (PRESEMT
D3.1.3, section 4). Two things are changed, so that models of different languages can be compared, and short texts told.
The models hold logarithms, so that the product is the likelihood of the text; and a triple that a model does not have
is as likely as chance would have it in that encoding.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.decoding import labels
from gristmill.decoding.chance import Chance, Floats
from gristmill.decoding.model import ASCII, Model, shipped
from gristmill.decoding.triples import Keys, near, triples
from gristmill.decoding.usual import rarity

_ENOUGH = 800  # bytes beyond ASCII
_ENOUGH_AROUND = 600  # triples of ASCII around them
_KNOWN = 0.9  # share of the triples that a language's model should have
_FALLBACK = "windows-1252"
_ASCII_BYTES = bytes(range(128))
_SISTERS = {"ISO-8859-15", "ISO-8859-10", "ISO-8859-14"}  # the same as windows-1252 but for a few characters
_SAME = {"GBK": "gb18030", "ISO-8859-8-I": "ISO-8859-8"}
_CLEARLY, _CLEARLY_BY_TRIPLE = (
    100.0,
    1.0,
)  # how much better another encoding must fit than a declared one, on the whole and each triple
_ASCII_WEIGHT = 0.6  # of the triples of ASCII around the others
# How much better than windows-1252 another encoding must fit. On the whole: the more, the rarer it is. For each triple:
# texts in languages that no model knows fit another encoding by chance by up to 3, those of known languages fit their
# own by 6 and more.
_RARE = 6.0
_VARIED = 4  # different bytes beyond ASCII that it takes to contradict a declaration
_DOUBT = 1.5
_BY_TRIPLE, _BY_TRIPLE_OF_SISTERS = 3.0, 0.03
_REPEATED = 0.75  # power
_WRONG = 24.0  # what a character that can't be decoded costs
_SEVERAL = {"no": ("nb", "nn", "no")}  # languages that have more than one name


class Judgement(NamedTuple):
    """The most likely encoding and language, and how well each encoding fits, as the logarithm of the likelihood for each triple."""

    encoding: str
    lang: str
    fits: dict[str, float]
    triples: int
    distinct: int
    """How many different bytes beyond ASCII there are."""

    def contradicts(self, encoding: str) -> bool:
        """Whether the bytes speak clearly against an encoding that somebody has declared."""
        known = self.fits.get(_SAME.get(encoding, encoding))
        if known is None:
            return False
        better = self.fits[self.encoding] - known
        return self.distinct >= _VARIED and better > _CLEARLY_BY_TRIPLE and better * self.triples > _CLEARLY


class Detector:
    """Models made ready to be compared with bytes."""

    def __init__(self, model: Model) -> None:
        self._pairs = model.pairs
        self.encodings = sorted({encoding for _, encoding in model.pairs} - {ASCII})
        place = {encoding: number for number, encoding in enumerate([*self.encodings, ASCII])}
        self._encoding_of = np.array([place[encoding] for _, encoding in model.pairs])
        self._ascii_of = _ascii_pairs(model.pairs)
        self._distance = np.array([_distance(encoding) for encoding in [*self.encodings, ASCII]])[self._encoding_of]
        self._rarity = np.array([rarity(encoding) for encoding in [*self.encodings, ASCII]])[self._encoding_of]
        pair_of = np.repeat(np.arange(len(model.pairs)), np.diff(model.starts))
        self._chance = Chance([*self.encodings, ASCII], model, self._encoding_of[pair_of])
        by_chance = np.exp(self._chance.of_triples(model.keys, self._encoding_of[pair_of]))
        gains = np.log1p(_KNOWN / (1 - _KNOWN) * model.frequencies / by_chance).astype(np.float32)
        order = np.argsort(model.keys, kind="stable")
        self._keys, starts = np.unique(model.keys[order], return_index=True)
        self._starts = np.append(starts, len(order))
        self._members, self._gains = pair_of[order].astype(np.int32), gains[order]

    def judge(self, data: bytes, lang: str | None = None) -> Judgement:
        """The most likely encoding of bytes that are neither ASCII nor UTF-8, with the language that fits best."""
        sample = _sample(data)
        found, around = triples(sample)
        if not found.size:
            return Judgement(_FALLBACK, "", {}, 0, 0)
        distinct = len(set(sample.translate(None, _ASCII_BYTES)))
        doubt = _DOUBT if distinct == 1 else 1  # it may be a sign
        scores = self._scores(found, around[:_ENOUGH_AROUND], _RARE * doubt) - np.where(
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
        """Which models are of a language: nothing unknown has to be feared of these if it is known to be the text's."""
        if not lang:
            return np.zeros(len(self._pairs), np.bool_)
        names = _SEVERAL.get(lang, (lang,))
        return np.array([name.partition("-")[0] in names for name, _ in self._pairs])

    def _best_that_decodes(self, sample: bytes, scores: npt.NDArray[np.float64]) -> int:
        """The best model; where not every byte is a character, what can't be decoded counts against it."""
        looked_at = set()
        while True:
            best = int(scores.argmax())
            number = int(self._encoding_of[best])
            if number in looked_at or not labels.is_wide(self.encodings[number]):
                return best
            looked_at.add(number)
            wrong = labels.decode(self.encodings[number], sample).count("\ufffd")
            scores[self._encoding_of == number] -= _WRONG * wrong / len(sample)

    def _scores(self, found: Keys, around: Keys, rare: float) -> npt.NDArray[np.float64]:
        """The logarithm of the likelihood under each model, for each triple."""
        keys, counts = np.unique(found, return_counts=True)
        weights = _weights(counts)
        scores = self._chance.of_text(keys, weights)[self._encoding_of] + self._gain(keys, weights)
        total = weights.sum()
        keys, counts = np.unique(around, return_counts=True)
        scores += _ASCII_WEIGHT * self._gain(keys, _weights(counts))[self._ascii_of]
        scores[self._encoding_of == len(self.encodings)] = -np.inf
        return np.asarray((scores - rare * self._rarity) / total)

    def _gain(self, keys: npt.NDArray[np.uint32], weights: Floats) -> npt.NDArray[np.float64]:
        """By how much each model expects the triples more than by chance."""
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        at, weights = at[known], weights[known]
        lengths = self._starts[at + 1] - self._starts[at]
        total = int(lengths.sum())
        entries = np.repeat(self._starts[at] - np.cumsum(lengths) + lengths, lengths) + np.arange(total)
        return np.asarray(
            np.bincount(self._members[entries], self._gains[entries] * np.repeat(weights, lengths), len(self._pairs)),
            np.float64,
        )


def _weights(counts: npt.NDArray[np.int64]) -> Floats:
    """What is repeated, as menus are, counts less each time."""
    return np.asarray(counts**_REPEATED, np.float32)


def _ascii_pairs(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.int64]:
    """For each pair the one that knows the ASCII triples of its language, or of English: that is what a page has between other letters."""
    place = {lang: number for number, (lang, encoding) in enumerate(pairs) if encoding == ASCII}
    return np.array([place.get(lang, place.get("en", 0)) for lang, _ in pairs])


@functools.cache
def default_detector() -> Detector:
    """The shipped models, made ready when a page first needs them."""
    return Detector(shipped())


def _sample(data: bytes) -> bytes:
    """The bytes beyond ASCII, up to as many as are enough, each with a few bytes around it: the rest of a page says little."""
    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(codes > 127)
    if len(places) > _ENOUGH:
        codes = codes[: places[_ENOUGH]]
    return codes[near(codes > 127)].tobytes()


def _distance(encoding: str) -> float:
    """How much better for each triple an encoding must fit than windows-1252."""
    if encoding == _FALLBACK:
        return 0
    return _BY_TRIPLE_OF_SISTERS if encoding in _SISTERS else _BY_TRIPLE
