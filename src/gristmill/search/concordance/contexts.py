"""Filters of a concordance: which hits have something in their context, and which come first."""

from __future__ import annotations

import re

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index

WINDOW_TOKENS = 5
"""Tokens on each side of a hit that are near it, if nothing else is said."""
_WINDOW = re.compile(r"([0-9]{1,6})(?:,([0-9]{1,6}))?")
"""A window in tokens: a number for both sides, or one for each."""


def has_in_context(spans: Occurrences, others: Hits, window: int | str = WINDOW_TOKENS) -> Mask:
    """Whether each span has one of the others wholly beside it, before or after, within the window.

    others (2, 3), (4, 9), (6, 7): the nearest ends from each on are [3, 7, 7], and none after these
    The span (8, 9) with a window from 3 to 12: the first other from 3 on is (4, 9), the nearest end from it on is 7,
    which is not after 8: so there is one before the span. From 9 on there is none, so none comes after it.
    """
    first, last = _bounds(spans, window)
    if not len(others):
        return np.zeros(len(spans), np.bool_)
    ends = np.append(np.minimum.accumulate(others.ends[::-1])[::-1], np.iinfo(np.int64).max)
    before = ends[np.searchsorted(others.starts, first)] <= spans.starts
    after = ends[np.searchsorted(others.starts, spans.ends)] <= last
    found: Mask = before | after
    return found


def first_in(spans: Occurrences, structure: str) -> Mask:
    """Whether each span is the first that begins in its structure, such as its document."""
    numbers = spans.documents if structure == "doc" else spans.index.structure(structure).number_at(spans.starts)
    found: Mask = np.diff(numbers, prepend=-1) != 0
    return found


def _bounds(spans: Occurrences, window: int | str) -> tuple[Ids, Ids]:
    """Bounds of each span's context: some tokens to the left and the right within the document, or its sentence."""
    if str(window) in spans.index.structures:
        structure = spans.index.structures[str(window)]
        first = structure.starts[structure.number_at(spans.starts)].astype(np.int64)
        return first, structure.ends[structure.number_at(spans.ends - 1)].astype(np.int64)
    left, right = window_tokens(window, spans.index)
    return np.maximum(spans.starts - left, spans.first), np.minimum(spans.ends + right, spans.last)


def window_tokens(window: int | str, index: Index) -> tuple[int, int]:
    """Tokens to the left and to the right that a window has: `5` on both sides, or `3,0`."""
    found = _WINDOW.fullmatch(str(window))
    if not found:
        names = ", ".join(index.structures)
        raise UsageError(
            f"{window!r} is no window: give a number of tokens (5), left and right (3,0), or a structure ({names})"
        )
    return int(found[1]), int(found[1] if found[2] is None else found[2])
