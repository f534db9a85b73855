"""Ask oblivious trees with several numbers in each leaf about one page: see `cleaning.page_kind`.

Two trees of depth 1 that ask about the features 4 and 7 have four leaves, a row each with a number for each kind. A
page that answers no and yes gets the sums of rows 0 and 3, which are the log-odds of the kinds.
"""

from __future__ import annotations

from math import exp

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix

_Int32 = npt.NDArray[np.int32]


def tell_kinds(values: Matrix, columns: _Int32, borders: Matrix, leaves: Matrix, start: Matrix) -> Matrix:
    """Return the probability of each kind: a row of columns and borders is a tree."""
    kinds = start.shape[0]
    found = np.zeros(kinds, np.float32)
    chances = found
    summed = np.zeros(kinds, np.float64)
    odds = summed
    trees, depth = columns.shape[0], columns.shape[1]
    if (
        borders.shape[0] != trees
        or borders.shape[1] != depth
        or leaves.shape[0] != trees << depth
        or leaves.shape[1] != kinds
    ):
        raise ValueError("the trees have another number of leaves than of questions")
    for tree in range(trees):
        leaf = tree << depth
        for level in range(depth):
            leaf += (values[columns[tree, level]] > borders[tree, level]) << level
        for kind in range(kinds):
            odds[kind] += leaves[leaf, kind]
    highest = whole = 0.0
    for kind in range(kinds):
        odds[kind] += start[kind]
        highest = max(highest, odds[kind]) if kind else odds[kind]
    for kind in range(kinds):
        odds[kind] = exp(odds[kind] - highest)
        whole += odds[kind]
    for kind in range(kinds):
        chances[kind] = odds[kind] / whole
    return found
