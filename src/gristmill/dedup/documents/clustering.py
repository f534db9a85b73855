"""Clusters of documents: all that are alike by way of others (transitive closure)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.dedup.documents.sketches import Pairs


def clusters(count: int, pairs: Pairs) -> Ints:
    """The head of each document's cluster, which is the first of its documents in source order; a document alone is its own.

    In each round every head hangs itself below the lowest one that it is paired with, and chains are then made short.
    """
    heads = np.arange(count)
    first, second = pairs.first, pairs.second
    while len(first):
        np.minimum.at(heads, np.maximum(first, second), np.minimum(first, second))
        while not np.array_equal(heads, above := heads[heads]):
            heads = above
        first, second = heads[first], heads[second]
        apart = first != second
        first, second = first[apart], second[apart]
    return heads


def best_scores(count: int, pairs: Pairs) -> npt.NDArray[np.float64]:
    """How alike each document is to the one that it is most like; 0 if it is alone."""
    best = np.zeros(count)
    np.maximum.at(best, pairs.first, pairs.scores)
    np.maximum.at(best, pairs.second, pairs.scores)
    return best
