"""Which of all matches count, as CQP's matching strategies have it.

Of the matches of `"a"+ "b"?` in the text `a a b`, from token 0 or 1 on:

    all             a, a a, a a b (from 0); a, a b (from 1)
    traditional     the shortest from each start                    a, a
    standard        of these, the longest for each end              a, a
    shortest        of these, those that contain no other           a, a
    longest         those that no other match contains              a a b
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.hits import Hits

ALL = "all"
STRATEGIES = (ALL, "traditional", "standard", "shortest", "longest")


def chosen_by(strategy: str, hits: Hits) -> Hits:
    """Take the hits that a strategy chooses."""
    if strategy == ALL or hits.single or not len(hits):
        return hits
    if strategy == "longest":
        return hits[np.flatnonzero(_in_no_other(hits))]
    first = np.ones(len(hits), np.bool_)
    np.not_equal(hits.starts[1:], hits.starts[:-1], out=first[1:])
    shortest = hits[np.flatnonzero(first)]
    if strategy == "traditional":
        return shortest
    if strategy == "standard":
        return shortest[np.sort(np.unique(shortest.ends, return_index=True)[1])]
    return shortest[np.flatnonzero(_has_no_other(shortest))]


def _in_no_other(hits: Hits) -> Mask:
    """Whether no other hit contains each hit.

    hits (0, 2), (0, 3), (1, 3), (2, 5): those before the last reach up to 3, so (2, 5) is in none of them; (1, 3) is in
    (0, 3); (0, 2) begins where (0, 3) does.
    """
    reach = np.maximum.accumulate(hits.ends)
    alone = np.ones(len(hits), np.bool_)
    alone[1:] = hits.ends[1:] > reach[:-1]
    alone[:-1] &= hits.starts[1:] != hits.starts[:-1]
    return alone


def _has_no_other(hits: Hits) -> Mask:
    """Whether each hit contains no other one; no two begin at the same place.

    hits (0, 3), (1, 3), (2, 5): the nearest ends of those behind them are 3 and 5, so (0, 3) has another in it.
    """
    nearest = np.minimum.accumulate(hits.ends[::-1])[::-1]
    alone = np.ones(len(hits), np.bool_)
    alone[:-1] = hits.ends[:-1] < nearest[1:]
    return alone
