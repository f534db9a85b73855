"""Stubs: short pieces that are left between duplicates, from which nobody can tell what they were about (thesis, 3.5.2).

jusText's Algorithm 2.3 runs again, with duplicates as bad blocks. A document in which nothing is repeated is left alone. So are verse,
dialogue and lists: short blocks that follow on each other count as good ones if together they are as long as a good one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.clean.methods.justext import BAD, GOOD, NEAR_GOOD, SHORT, Thresholds, settle
from gristmill.dedup.tokens import Ints

_LIMITS = Thresholds()
_LEFT = ("unique", "")  # verdicts; blocks that cleaning did not keep have none


def find_stubs(duplicate: npt.NDArray[np.bool_], words: Ints, starts: Ints) -> Ints:
    """The blocks that are stubs. `starts` says where each document begins among the blocks, and at the end how many there are."""
    if not duplicate.any():
        return np.empty(0, np.int64)
    counts = np.diff(starts)
    of_block = np.repeat(np.arange(len(counts)), counts)
    hit = np.bincount(of_block[duplicate], minlength=len(counts)) > 0
    chosen = np.flatnonzero(hit[of_block])
    documents = of_block[chosen]
    # A bad block before each document but the first stands for its edges.
    gaps = np.cumsum(np.append(False, documents[1:] != documents[:-1]))
    places = np.arange(len(chosen)) + gaps
    classes = np.full(places[-1] + 1, BAD, np.int8)
    classes[places] = _classes(words[chosen], duplicate[chosen])
    lengths = np.zeros(len(classes), np.int64)
    lengths[places] = words[chosen]
    _join_short(classes, lengths)
    good = settle(classes)[places].astype(np.bool_)
    stubs: Ints = chosen[~good & ~duplicate[chosen]]
    return stubs


def _classes(words: Ints, duplicate: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    by_length = np.where(words < _LIMITS.length_low, SHORT, np.where(words > _LIMITS.length_high, GOOD, NEAR_GOOD))
    return np.where(duplicate, BAD, by_length).astype(np.int8)


def _join_short(classes: npt.NDArray[np.int8], words: Ints) -> None:
    """Make good blocks of neighbours that are long enough only together."""
    undecided = (classes == SHORT) | (classes == NEAR_GOOD)
    runs = np.flatnonzero(np.diff(undecided, prepend=False)).tolist() + [len(classes)] * (len(classes) > 0 and bool(undecided[-1]))
    edges = np.array(runs, np.int64).reshape(-1, 2)
    sums = np.append(np.int64(0), np.cumsum(words))
    long = edges[sums[edges[:, 1]] - sums[edges[:, 0]] > _LIMITS.length_high]
    flags = np.zeros(len(classes) + 1, np.int64)
    flags[long[:, 0]], flags[long[:, 1]] = 1, -1
    classes[np.cumsum(flags[:-1]) > 0] = GOOD


def without_repeats(
    judged: pa.StructArray, words: Ints, starts: Ints, documents: pa.StringArray, max_duplicate: float | None = None
) -> npt.NDArray[np.bool_]:
    """Which blocks are left, of documents that begin at `starts` among them: as was decided, or by another threshold.

    Blocks of which nothing is known, since cleaning did not keep them then, count as unique. There are no stubs between blocks that
    repeat others of the same document, which is given by its id.
    """
    left: npt.NDArray[np.bool_]
    if max_duplicate is None:
        left = pc.is_in(judged.field("verdict"), pa.array(_LEFT)).to_numpy(zero_copy_only=False)
        return left
    duplicate = judged.field("share").to_numpy() > max_duplicate
    owners = documents.take(pa.array(np.repeat(np.arange(len(documents)), np.diff(starts))))
    elsewhere = pc.not_equal(judged.field("copy_of"), owners).to_numpy(zero_copy_only=False)
    left = ~duplicate
    left[find_stubs(duplicate & elsewhere, words, starts)] = False
    return left
