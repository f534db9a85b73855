"""Clusters of documents: all that are alike by way of others (transitive closure)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.dedup.documents.sketches import Pairs


def clusters(count: int, pairs: Pairs, settled: Ints | None = None) -> Ints:
    """The head of each document's cluster, which is the first of its documents in source order; one alone is its own.

    The first documents may be settled: `settled` has the head of each, which stays. What is like several of them
    belongs to the first of their heads, and does not join these:

        settled heads 0 1 1, pairs (0, 3) (2, 3) (3, 4)  ->  0 1 1 0 0

    In each round every head hangs itself below the lowest one that it is paired with, and chains are then made short.
    """
    heads = np.arange(count)
    fixed = 0 if settled is None else len(settled)
    among_new = np.minimum(pairs.first, pairs.second) >= fixed
    first, second = pairs.first[among_new], pairs.second[among_new]
    while len(first):
        np.minimum.at(heads, np.maximum(first, second), np.minimum(first, second))
        while not np.array_equal(heads, above := heads[heads]):
            heads = above
        first, second = heads[first], heads[second]
        apart = first != second
        first, second = first[apart], second[apart]
    if settled is None or not fixed:
        return heads
    early, late = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    across = (early < fixed) & (late >= fixed)
    lowest = np.arange(count)
    np.minimum.at(lowest, heads[late[across]], settled[early[across]])
    return np.append(settled, lowest[heads][fixed:])


def best_scores(count: int, pairs: Pairs) -> npt.NDArray[np.float64]:
    """How alike each document is to the one that it is most like; 0 if it is alone."""
    best = np.zeros(count)
    np.maximum.at(best, pairs.first, pairs.scores)
    np.maximum.at(best, pairs.second, pairs.scores)
    return best
