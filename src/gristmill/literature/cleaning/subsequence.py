"""The run of blocks with the largest total, for methods that take one such run for the text of a page.

These are `bte`, `htmlcleaner` and `maxsub`.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.methods.registry import Scores

_JUST_OUTSIDE = np.nextafter(0.5, 1.0)


def score_best_run(values: Floats, gaps: Floats, edges: Flags | None = None) -> Scores:
    """Score blocks by the best run: the one whose `values`, less the `gaps` between its blocks, have the largest sum.

    `gaps[k]` lies before block k, and counts only if the block before it is in the run too. Runs begin and end at
    `edges`, if these are given. The total of any run is a difference of prefix sums: with values [1, 5, 2] and gaps
    [0, 3, 1], `ends` is [1, 3, 4] and `starts` is [0, -2, 2], and the blocks 1 and 2 have 4 - (-2) = 5 - 1 + 2.

    A block inside the best run scores half of T / total, where T is the largest total of a run without the block: 0 if
    there is none, near 0.5 if the block hardly matters. A block outside scores 1 less half of T / total, where T is the
    largest total of a run with the block: near 0.5 if including it would cost little. If no run is above zero, all is
    boilerplate. Of equal runs the best is the one that ends first, and of these the longest.
    """
    if not len(values):
        return Scores(np.zeros(0), [])
    ends = np.cumsum(values - gaps)
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


def by_block(values: Floats, blocks: Ints, lengths: Ints) -> Scores:
    """Score each block by the mean of its parts in the run, or out of it: of those that are longer together.

    If the sentences of a block have 30, 20 and 40 characters and the scores 0.1, 0.2 and 0.9, the first two are in the
    run and have 50 of 90. The block is kept with (30 * 0.1 + 20 * 0.2) / 50 = 0.14.
    """
    inside = values <= 0.5
    in_run = np.bincount(blocks, lengths * inside)
    is_text = 2 * in_run >= np.bincount(blocks, lengths)
    weights = lengths * (inside == is_text[blocks])
    means = np.bincount(blocks, weights * values) / np.bincount(blocks, weights)
    scores = np.where(is_text, np.minimum(means, 0.5), np.maximum(means, _JUST_OUTSIDE))  # whatever rounding does
    return Scores(scores, np.where(is_text, "text", "boilerplate").tolist())
