"""Spans within others, and spans that contain others."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds
from gristmill.search.hits import Hits


def lies_within(hits: Hits, others: Hits) -> Mask:
    """Whether each hit lies in one of the others.

    others (0, 9), (2, 4), (12, 15): their furthest ends so far are [9, 9, 15]
    The hit (3, 6) begins after the first two; those reach up to 9, so it lies within (0, 9).
    The hit (5, 10) begins after the first two, too, but none of them reaches 10.
    """
    if not len(others):
        return np.zeros(len(hits), np.bool_)
    reach = np.maximum.accumulate(others.ends)  # how far those go that begin here or before
    before = np.searchsorted(others.starts, hits.starts, side="right") - 1
    return (before >= 0) & (reach[np.maximum(before, 0)] >= hits.ends)


def contains(hits: Hits, others: Hits) -> Mask:
    """Whether each hit has one of the others in it.

    others (0, 9), (2, 4), (12, 15): the nearest ends from each on are [4, 4, 15]
    The hit (1, 5) is followed by (2, 4) and (12, 15), of which one ends at 4, so it contains it.
    The hit (3, 8) is followed by (12, 15) only, which ends beyond it.
    """
    if not len(others):
        return np.zeros(len(hits), np.bool_)
    nearest = np.minimum.accumulate(others.ends[::-1])[::-1]  # where the first of those ends that begin here or later
    after = np.searchsorted(others.starts, hits.starts)
    return (after < len(others)) & (nearest[np.minimum(after, len(others) - 1)] <= hits.ends)


def lies_within_structure(hits: Hits, structure: Bounds, chosen: Mask | None) -> Mask:
    """Whether each hit lies in one structure, among those that are chosen; structures cover the stream."""
    length = int(hits.ends[0] - hits.starts[0]) if len(hits) else 0
    if chosen is None and length > 1 and np.all(hits.ends - hits.starts == length):
        return ~structure.between(hits.starts + 1, length - 1)
    numbers = structure.numbers(hits.starts)
    if hits.single:
        return np.ones(len(hits), np.bool_) if chosen is None else chosen[numbers]
    found: Mask = structure.bounds[numbers + 1] >= hits.ends
    return found if chosen is None else found & chosen[numbers]
