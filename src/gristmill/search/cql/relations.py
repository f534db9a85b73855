"""Spans within others, spans that contain others, spans near others, and the text between spans."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.hits import Edges, Hits, distinct


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


def structures_with(structure: Bounds, chosen: Mask | None, others: Hits) -> Hits:
    """Find the structures that have one of the others in them, without looking at all structures."""
    if not len(others):
        return Hits.none()
    numbers = structure.numbers(others.starts)
    inside = structure.bounds[numbers + 1] >= others.ends
    numbers = distinct(numbers[inside if chosen is None else inside & chosen[numbers]])
    return Hits(structure.bounds[numbers].astype(np.int64), structure.bounds[numbers + 1].astype(np.int64))


def is_near(hits: Hits, others: Hits, first: int, last: int, stream: Stream) -> Mask:
    """Whether one of the others begins from `first` to `last` tokens after the start of each hit, in its document."""
    low, high = window_of(hits.starts, first, last, stream)
    return np.searchsorted(others.starts, high) > np.searchsorted(others.starts, low)


def window_of(starts: Edges, first: int, last: int, stream: Stream) -> tuple[Edges, Edges]:
    """From where to before where the tokens are that come `first` to `last` after each start, in its document.

    With a document from 0 to 10, the tokens from -3 to 3 around 2 are those from 0 to before 6.
    """
    begin, end = stream.documents_of(starts)
    low = np.maximum(starts + first, begin)
    return low, np.maximum(np.minimum(starts + last + 1, end), low)


def is_in_same_structure(hits: Hits, others: Hits, structure: Bounds) -> Mask:
    """Whether one of the others begins in the structure that each hit begins in."""
    numbers = structure.numbers(hits.starts)
    bounds = structure.bounds
    first = np.searchsorted(others.starts, bounds[numbers].astype(np.int64))
    return np.searchsorted(others.starts, bounds[numbers + 1].astype(np.int64)) > first


def gaps_between(hits: Hits, stream: Stream) -> Hits:
    """Find the longest stretches of documents that no hit covers.

    A document from 0 to 10, hits (2, 4), (3, 5) and (5, 7): together they cover 2 to 7.
    Gaps begin where the document begins and where what is covered ends: 0, 7; they end at 2, 10.
    """
    inner = stream.within(stream.documents.bounds).astype(np.int64)
    begins = inner[inner < stream.last]
    ends = np.append(begins[1:], stream.last)[: len(begins)]
    starts, stops = hits.starts, hits.ends
    if len(hits):
        reach = np.maximum.accumulate(stops)
        new = np.flatnonzero(np.append(True, starts[1:] >= reach[:-1]))
        starts, stops = starts[new], np.maximum.reduceat(stops, new)
    low, high = np.sort(np.concatenate([begins, stops])), np.sort(np.concatenate([ends, starts]))
    filled = np.flatnonzero(high > low)
    return Hits(low[filled], high[filled])
