"""Which hits have something in their context: the filters of a concordance."""

from __future__ import annotations

import re

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index

_TOKENS = re.compile(r"([0-9]{1,6})(?:,([0-9]{1,6}))?")


def has_in_context(spans: Occurrences, others: Hits, window: int | str = 5) -> Mask:
    """Which spans have one of the others beside them as a whole, before or after, within the window."""
    first, last = _bounds(spans, window)
    if not len(others):
        return np.zeros(len(spans), np.bool_)
    ends = np.append(np.minimum.accumulate(others.ends[::-1])[::-1], np.iinfo(np.int64).max)
    before = ends[np.searchsorted(others.starts, first)] <= spans.starts
    after = ends[np.searchsorted(others.starts, spans.ends)] <= last
    found: Mask = before | after
    return found


def first_in(spans: Occurrences, structure: str) -> Mask:
    """Which spans are the first that begin in their structure: in their document, say."""
    numbers = spans.documents if structure == "doc" else spans.index.structure(structure).number_at(spans.starts)
    found: Mask = np.diff(numbers, prepend=-1) != 0
    return found


def _bounds(spans: Occurrences, window: int | str) -> tuple[Ids, Ids]:
    """From where to where each span's context goes: so many tokens, or so many to the left and the right, or its sentence."""
    if str(window) in spans.index.structures:
        structure = spans.index.structures[str(window)]
        first = structure.starts[structure.number_at(spans.starts)].astype(np.int64)
        return first, structure.ends[structure.number_at(spans.ends - 1)].astype(np.int64)
    left, right = window_tokens(window, spans.index)
    return np.maximum(spans.starts - left, spans.first), np.minimum(spans.ends + right, spans.last)


def window_tokens(window: int | str, index: Index) -> tuple[int, int]:
    """How many tokens to the left and to the right a window has: `5` on both sides, or `3,0`."""
    found = _TOKENS.fullmatch(str(window))
    if not found:
        names = ", ".join(index.structures)
        raise UsageError(
            f"{window!r} is no window: give a number of tokens (5), left and right (3,0), or a structure ({names})"
        )
    return int(found[1]), int(found[1] if found[2] is None else found[2])
