# cython: boundscheck=False
"""Find the heaviest chain of points: one that goes up in both places, as anchors of two texts must.

    points (0, 0), (1, 5), (2, 1), (3, 2) of weight 1      the chain (0, 0), (2, 1), (3, 2)

A tree of prefix maxima (Fenwick 1994) finds for each point the heaviest chain that ends before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_View = npt.NDArray[Any]


def find_chain(rows: _View, columns: _View, weights: _View, width: int) -> _View:
    """Return the numbers of the points of the heaviest chain, in order.

    Points come in the order of their rows, those of a row from the last column to the first; columns are below `width`.
    Of chains that are as heavy, the one whose points come first is taken.
    """
    check_points(rows, columns, weights, width)
    points = rows.shape[0]
    heaviest, ending = np.zeros(width + 1, np.int64), np.full(width + 1, -1, np.int64)
    best, best_point = heaviest, ending
    earlier = np.full(points + 1, -1, np.int64)
    before = earlier
    last = -1
    last_weight = 0
    for point in range(points):
        column = columns[point]
        weight = 0
        at = column  # columns before this one, counted from 1
        while at > 0:
            if best[at] > weight:
                weight = best[at]
                before[point] = best_point[at]
            at -= at & -at
        weight += weights[point]
        at = column + 1
        while at <= width:
            if weight > best[at]:
                best[at] = weight
                best_point[at] = point
            at += at & -at
        if weight > last_weight:
            last_weight = weight
            last = point
    chain = []
    while last >= 0:
        chain.append(last)
        last = before[last]
    return np.array(chain[::-1], np.int64)


def check_points(rows: _View, columns: _View, weights: _View, width: int) -> int:
    """Raise if points are not in order, or outside of the table."""
    points = rows.shape[0]
    if columns.shape[0] != points or weights.shape[0] != points or width < 1:
        raise ValueError("each point has a row, a column and a weight")
    for point in range(points):
        if columns[point] < 0 or columns[point] >= width:
            raise ValueError("a point is outside of the table")
    for point in range(1, points):
        if rows[point] < rows[point - 1]:
            raise ValueError("points are not in order")
        if rows[point] == rows[point - 1] and columns[point] >= columns[point - 1]:
            raise ValueError("points are not in order")
    return 0
