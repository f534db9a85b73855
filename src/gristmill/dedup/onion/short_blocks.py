"""Blocks that are too short to have an n-gram of their own: headlines, names, prices. They are compared as wholes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.dedup.tokens import Tokens, hash_texts

MAX_RUN_TIMES_N = 3
"""Short blocks in a row that have more tokens together than so many times n are a list, verse or dialogue."""

_SHORT, _LONG, _DUPLICATE, _EDGE = range(4)


def hash_short(blocks: Tokens, n: int) -> tuple[Ints, Hashes]:
    """Which blocks have some tokens, but less than n, and a number for the text of each."""
    counts = blocks.counts
    short = np.flatnonzero((counts > 0) & (counts < n))
    return short, hash_texts(blocks)[short]


def between_duplicates(duplicate: npt.NDArray[np.bool_], tokens: Ints, first_blocks: Ints, n: int) -> Ints:
    """The short blocks that stand between duplicates of other documents, or between one and an edge of the document.

    With D a duplicate, L a longer block and s short ones, these are marked:

        edge s s D s L s s D edge
             ^ ^
    """
    documents = len(first_blocks) - 1
    places = np.arange(len(tokens)) + np.repeat(
        np.arange(1, documents + 1), np.diff(first_blocks)
    )  # an edge stands before each document
    kinds = np.full(len(tokens) + documents + 1, _EDGE, np.int8)
    kinds[places] = np.where(duplicate, _DUPLICATE, np.where(tokens < n, _SHORT, _LONG))
    sums = np.zeros(len(kinds) + 1, np.int64)
    sums[places + 1] = tokens
    np.cumsum(sums, out=sums)
    is_short = kinds == _SHORT
    begins = np.flatnonzero(is_short[1:] & ~is_short[:-1]) + 1
    ends = np.flatnonzero(is_short[:-1] & ~is_short[1:]) + 1
    left, right = kinds[begins - 1], kinds[ends]
    chosen = (
        (left != _LONG)
        & (right != _LONG)
        & ((left == _DUPLICATE) | (right == _DUPLICATE))
        & (sums[ends] - sums[begins] <= MAX_RUN_TIMES_N * n)
    )
    flags = np.zeros(len(kinds) + 1, np.int8)
    flags[begins[chosen]], flags[ends[chosen]] = 1, -1
    marked: Ints = np.flatnonzero(np.cumsum(flags)[places] > 0)
    return marked
