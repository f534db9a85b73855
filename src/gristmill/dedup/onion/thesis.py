"""What the thesis (Pomikálek 2011, 3.5.2) takes from jusText: classes of blocks, and which are good in context."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.methods.justext import BAD, GOOD, NEAR_GOOD, SHORT, Thresholds, are_good_in_context

Classes = npt.NDArray[np.int8]

_LIMITS = Thresholds()
_BY_LABEL = {"good": GOOD, "near-good, good": NEAR_GOOD, "short, good": SHORT}


def classes_of(words: Ints, labels: list[str]) -> Classes:
    """The classes of kept blocks in jusText: those that it gave itself, by its labels, or else by length.

    Where there is no list of stop words, jusText goes by length too.
    """
    by_length = np.where(words < _LIMITS.length_low, SHORT, np.where(words > _LIMITS.length_high, GOOD, NEAR_GOOD))
    return np.array([_BY_LABEL.get(label, own) for label, own in zip(labels, by_length.tolist(), strict=True)], np.int8)


def is_compared(classes: Classes) -> npt.NDArray[np.bool_]:
    """Whether blocks are compared by their n-grams: those are that are good or near-good."""
    compared: npt.NDArray[np.bool_] = classes != SHORT
    return compared


def stubs_by_context(duplicate: npt.NDArray[np.bool_], classes: Classes, numbers: Ints, first_blocks: Ints) -> Ints:
    """The blocks that Algorithm 2.3 does not find good, duplicates left out, in documents with duplicates.

    `numbers` tells which block of its document each block is: where some are missing, cleaning dropped them, and they
    count as bad.
    """
    document = np.repeat(np.arange(len(first_blocks) - 1), np.diff(first_blocks))
    hit = np.bincount(document[duplicate], minlength=len(first_blocks) - 1) > 0
    chosen = np.flatnonzero(hit[document])
    gap = np.ones(len(chosen), np.int64)  # a bad block before each that does not follow on the one before it
    gap[1:] = (np.diff(document[chosen]) != 0) | (np.diff(numbers[chosen]) != 1)
    places = np.arange(len(chosen)) + np.cumsum(gap)
    padded = np.full(len(chosen) + int(gap.sum()) + 1, BAD, np.int8)
    padded[places] = np.where(duplicate[chosen], BAD, classes[chosen])
    good = are_good_in_context(padded)[places].astype(np.bool_)
    stubs: Ints = chosen[~good & ~duplicate[chosen]]
    return stubs
