"""The run of neighbouring blocks with the largest total: what methods have in common that take one stretch of a page for its text."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.methods.registry import Scores

_JUST_OUTSIDE = np.nextafter(0.5, 1.0)


def score_best_run(values: Floats, gaps: Floats, edges: Flags | None = None) -> Scores:
    """Score blocks by the best run: the one whose `values`, less the `gaps` between its blocks, add up to most.

    `gaps[k]` lies before block k, and counts only if the block before it is in the run too. Runs begin and end at
    `edges`, if they are given. A block inside the best run has half the share of that run's total that is left without
    it: 0 if it is all there is, near 0.5 if it hardly matters. A block outside comes down from 1 by half the share that
    the best run through it has: near 0.5 if to take it in would cost little. If no run is above zero, all is
    boilerplate; of equal runs it is the one that ends first, at its longest.
    """
    if not len(values):
        return Scores(np.zeros(0), [])
    ends = np.cumsum(values - gaps)  # the total of a run is ends[last] - starts[first]
    starts = ends - values
    if edges is not None:
        ends, starts = np.where(edges, ends, -np.inf), np.where(edges, starts, np.inf)
    best_start = np.minimum.accumulate(starts)  # from the left up to here
    best_end = np.maximum.accumulate(ends[::-1])[::-1]  # from here to the right
    last = int(np.argmax(ends - best_start))
    total = ends[last] - best_start[last]
    if total <= 0:
        return Scores(np.ones(len(values)), ["boilerplate"] * len(values))
    first = int(np.argmin(starts[: last + 1]))
    with_block = np.maximum(best_end - best_start, 0)
    to_the_left = np.maximum.accumulate(ends - best_start)
    to_the_right = np.maximum.accumulate((best_end - starts)[::-1])[::-1]
    without_block = np.maximum(np.append(0, to_the_left[:-1]), np.append(to_the_right[1:], 0))
    scores = np.maximum(1 - with_block / total / 2, _JUST_OUTSIDE)
    scores[first : last + 1] = np.maximum(without_block[first : last + 1], 0) / total / 2
    return Scores(
        scores, ["boilerplate"] * first + ["text"] * (last + 1 - first) + ["boilerplate"] * (len(values) - last - 1)
    )
