"""What the lengths of sentences tell of an alignment.

Lengths are in characters, or in what takes as much room: a character of Chinese or Japanese says about as much as three
letters. Of a sentence and its translation, the one is about as long as the other, give or take (Gale and Church 1993).
"""

from __future__ import annotations

import functools
import itertools

import numpy as np

from gristmill.alignment.texts import Sentences
from gristmill.arrays.dtypes import Floats, Ints

WIDE_LENGTH = 3.0
"""Letters that a character of a script without spaces, or of Hangul, says as much as."""
VARIANCE = 7.0
"""The variance of the length of a translation, for each character: 6.8 in Gale and Church (1993)."""
_SAMPLE_WORDS = 2000
_WIDE = ((0x1100, 0x11FF), (0x2E80, 0x9FFF), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
STEPS = 8
"""Steps of the table of costs: a difference that is expected (delta is 1) is this many times the variance."""
MAX_DELTA_SQUARED = 400


def lengths_of(text: Sentences) -> Floats:
    """The lengths of sentences in letters; a sentence without characters is counted by its tokens."""
    step = max(1, len(text.words) // _SAMPLE_WORDS)
    sample = "".join(word[:64] for word in itertools.islice(text.words, 0, None, step))
    codes = np.frombuffer(sample.encode("utf-32-le", "surrogatepass"), np.uint32)
    wide = np.zeros(len(codes), np.bool_)
    for first, last in _WIDE:
        wide |= (codes >= first) & (codes <= last)
    share = float(np.mean(wide)) if len(codes) else 0.0
    scale = 1.0 + (WIDE_LENGTH - 1.0) * round(share, 1)
    return np.maximum(text.characters, 0) * scale


@functools.lru_cache(256)
def costs_of_lengths(variance: float, unit: int) -> Ints:
    """Make the table of costs, by 16 times the squared difference of two lengths, divided by their sum.

    Delta squared is the difference squared, divided by the variance times the mean length. It is Student's t
    distribution with 4 degrees of freedom, as translations that are free are more frequent than a normal one has them.
    """
    squares = np.arange(int(MAX_DELTA_SQUARED * STEPS * variance) + 1) / (STEPS * variance)
    return np.round(2.5 * np.log1p(squares / 4) * unit).astype(np.int32)


def squared_deltas(source: Floats, target: Floats, path: tuple[Ints, Ints], variance: float) -> Floats:
    """How far the lengths of both sides of each bead are apart: delta squared, see `costs_of_lengths`."""
    sources = np.diff(np.append(0.0, np.cumsum(source))[path[0]])
    targets = np.diff(np.append(0.0, np.cumsum(target))[path[1]])
    return 2 * (sources - targets) ** 2 / (variance * (sources + targets + 1))
