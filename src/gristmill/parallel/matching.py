"""Matching: of candidates with scores, choose pairs so that no page is in two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints


def match(source: Ints, target: Ints, scores: Floats, least: float) -> Ints:
    """Choose pairs greedily, the highest score first, with ties in the order of the pages; return their numbers.

    Greedy matching has at least half of the best sum of scores, and takes n log n time; `benchmarks/page_pairs.py`
    compares the two. Scores are compared to six digits, so that sums in another order give the same pairs.
    """
    order = np.lexsort((target, source, -np.round(scores, 6)))
    taken: tuple[set[int], set[int]] = (set(), set())
    chosen = []
    columns: Sequence[list[int]] = (order.tolist(), source[order].tolist(), target[order].tolist())
    for number, ours, theirs in zip(*columns, strict=True):
        if scores[number] < least:
            break
        if ours not in taken[0] and theirs not in taken[1]:
            taken[0].add(ours)
            taken[1].add(theirs)
            chosen.append(number)
    return np.array(sorted(chosen), np.int64)
