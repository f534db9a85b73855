"""The method `gale-church`: by length alone, as in Gale and Church (1993), "A Program for Aligning Sentences".

It is the base line. A bead costs the negative logarithm of how frequent its
kind is, and of the probability that lengths differ as much, by the normal distribution.
"""

from __future__ import annotations

import math

import numpy as np

from gristmill.alignment import bands
from gristmill.alignment.evidence import UNIT
from gristmill.alignment.texts import Beads, Sentences
from gristmill.arrays.dtypes import Ints, Matrix
from gristmill.arrays.ragged import starts_of
from gristmill.kernel import Texts, find_beads

CHARACTERS_PER_CHARACTER = 1.0
"""Characters of the target for each of the source: c in the paper."""
VARIANCE = 6.8
"""The variance of that, s squared."""
KINDS = np.array([[1, 1], [2, 1], [1, 2], [2, 2]], np.int32)
SHARES = (0.89, 0.089 / 2, 0.089 / 2, 0.011)
"""How frequent kinds of beads are in the paper's texts; those of two kinds that mirror each other have a half each."""
GAP_SHARE = 0.0099 / 2
_STEPS = 8  # of the table of costs, see `costs`
_MAX_DELTA_SQUARED = 200
_LONGEST = 1 << 20


def align_by_length(source: Sentences, target: Sentences) -> Beads:
    """Align two texts by the lengths of their sentences in characters."""
    size = len(source), len(target)
    texts = _texts(source, target)
    band = bands.whole(*size) if bands.is_small(*size) else bands.band_of(np.zeros((0, 2), np.int64), *size)
    kind_costs = np.array([_cost(share) for share in SHARES], np.int32)
    gap = _cost(GAP_SHARE)

    def find(band: bands.Band) -> tuple[Ints, Ints]:
        sources, targets = find_beads(texts, band.lows, band.highs, KINDS, kind_costs, gap, gap, True, 0, 0, 0, 0, 0)
        return starts_of(sources), starts_of(targets)

    path = bands.search(find, band, size[1])
    return Beads.of_counts(np.diff(path[0]), np.diff(path[1]), _scores(source, target, path))


def costs() -> Ints:
    """Make the table of costs, by 16 times the squared difference of two lengths, divided by their sum."""
    squares = np.arange(int(_MAX_DELTA_SQUARED * _STEPS * VARIANCE) + 1) / (_STEPS * VARIANCE)
    tails = [math.erfc(math.sqrt(square / 2)) for square in squares.tolist()]  # 2 (1 - Phi(delta))
    return np.array([round(-math.log(max(tail, 1e-40)) * UNIT) for tail in tails], np.int32)


def _texts(source: Sentences, target: Sentences) -> Texts:
    """Give two texts the form in which they are searched, without their words."""
    sides = []
    for text, ratio in ((source, CHARACTERS_PER_CHARACTER), (target, 1.0)):
        lengths = np.clip(np.round(text.characters * ratio), 0, _LONGEST).astype(np.int64)
        sides.append((np.zeros(len(text) + 1, np.int64), starts_of(lengths), np.zeros(len(text), np.uint8)))
    (zeros, source_lengths, source_kinds), (others, target_lengths, target_kinds) = sides
    words, none = np.zeros(0, np.int32), np.zeros(1, np.int32)
    return Texts(
        *(words, zeros, words, others),
        *(np.zeros(1, np.int64), words, words, words, words),
        *(zeros, others, none, source_lengths, target_lengths, costs()),
        *(zeros, others, source_kinds, target_kinds),
    )


def _cost(share: float) -> int:
    return round(-math.log(share) * UNIT)


def _scores(source: Sentences, target: Sentences, path: tuple[Ints, Ints]) -> Matrix:
    """The probability that lengths differ as much as they do, or more; 0 for sentences without a translation."""
    lengths = [np.diff(starts_of(text.characters)[bounds]) for text, bounds in zip((source, target), path, strict=True)]
    apart = lengths[0] * CHARACTERS_PER_CHARACTER - lengths[1]
    mean = np.maximum((lengths[0] + lengths[1] / CHARACTERS_PER_CHARACTER) / 2, 1)
    both = (np.diff(path[0]) > 0) & (np.diff(path[1]) > 0)
    squares = np.where(both, apart**2 / (VARIANCE * mean), np.inf)
    return np.array([math.erfc(math.sqrt(square / 2)) for square in squares.tolist()], np.float32)
