"""Isotonic smoothing of scores on a tree: no node has a lower score than its parent. For `chakrabarti`.

Of all scores with this property, those are found that differ least from the given ones in the sum of the absolute
differences. The cost of a subtree, as a function of the score of its root, is convex and made of straight pieces. It is
kept as a heap of the places where its slope grows. Heaps of children are poured into the largest of them, so the time
is O(n log² n).
"""

from __future__ import annotations

from heapq import heapify, heappush, heappushpop

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints

_Heap = list[float]
"""Places at which a slope grows by 1; where it grows by 2, the place is there twice."""


def smooth(scores: Floats, parents: Ints) -> Floats:
    """Smooth the scores of the nodes of a tree, each of which stands behind its parent; node 0 is the root.

    What a parent asks of the cost of a child is the least cost with a score of its own or more, so only the places
    where the slope is above zero count. The root of score 0.8 has two children with 0.2 and 0.6. Their slopes begin at
    0.2 and 0.6. Its own slope is -1 up to 0.8 and 1 from there: it grows by 2 at 0.8. The slope of all is -1 at first,
    and no longer below zero from 0.2 on. So the root gets 0.2, and its children keep 0.2 and 0.6. All costs are 0.6.
    """
    given, above = scores.tolist(), parents.tolist()
    heaps: list[_Heap] = [[] for _ in given]
    best = [0.0] * len(given)
    for node in range(len(given) - 1, -1, -1):
        heap = heaps[node]
        heappush(heap, given[node])
        best[node] = heappushpop(heap, given[node])  # where the slope, which begins at -1, is no longer below zero
        if node:
            heaps[above[node]] = _merged(heaps[above[node]], heap)
        heaps[node] = []
    for node in range(1, len(best)):
        best[node] = max(best[node], best[above[node]])
    return np.array(best)


def _merged(one: _Heap, other: _Heap) -> _Heap:
    """Pour the smaller heap into the larger one; two of about the same size are made one at once."""
    if len(one) < len(other):
        one, other = other, one
    if 4 * len(other) > len(one):
        one += other
        heapify(one)
    else:
        for item in other:
            heappush(one, item)
    return one
