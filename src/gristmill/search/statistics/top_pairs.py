"""The most frequent bigrams, without counting the others.

A pair is at most as frequent as the rarer of its values. So if the pairs of all values that occur 700 times or more are
counted, all that occur 700 times or more are among them; and if these are as many as are asked for, no other matters.
There are few such values: their pairs have a table of counters, a row for each first value and a column for each
second one.

    the 90   of 60   cat 9   rare 2     values from 9 on: pairs that occur 9 times or more are all in a table of 3 by 3
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.search.index.structure import Structure
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.pairs import blocks_within
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Keys, Values

_MAX_VALUES = 4000
"""Values in a table at most: 32 MB. More would take as long as to count all pairs."""
_VALUES, _VALUES_FOR_EACH = 200, 3
"""Values in the first table, and how many more for each pair that is asked for: in English text that is enough."""
_WRAPS_AT = 1 << 16


@dataclass(frozen=True, slots=True)
class TopPairs:
    """The most frequent pairs in the order of their keys, two columns, and their frequencies."""

    keys: npt.NDArray[np.int64]
    counts: Ids


def top_pairs(
    values: Values, choice: Choice, within: Structure, *, punctuation: bool, min_frequency: int, limit: int
) -> TopPairs | None:
    """Count at least the `limit` most frequent pairs of values side by side in a structure.

    All that are as frequent as the last of them are among these. None if a table would be too large for that.
    """
    found = counted(values, choice)
    words = found if punctuation else found.words()
    chosen = words.filtered(min_frequency=min_frequency)
    size = _VALUES + _VALUES_FOR_EACH * limit
    least = max(min_frequency, 1)
    if len(chosen.counts) > size:
        if size > _MAX_VALUES:
            return None
        least = int(np.partition(chosen.counts, -size)[-size]) + 1  # with those as frequent there may be too many
    for _ in range(2):
        some = chosen.where(chosen.counts >= least)
        if len(some.keys) > _MAX_VALUES:
            return None
        ranked = some.keys[best(some.counts)]  # what is frequent stands together, in the processor's cache
        counters, wrapped = _tabulated(values, choice, within, ranked)
        pairs = pairs_of(ranked, counters, wrapped, least)
        if len(pairs.counts) >= limit or least <= max(min_frequency, 1):
            return pairs
        if len(counters) < limit:
            return None
        least = max(int(np.partition(counters, -limit)[-limit]), min_frequency, 1)  # so many there are from here on
    return None


def _tabulated(
    values: Values, choice: Choice, within: Structure, ranked: Keys
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]:
    """Frequencies of all pairs of these values, row by row, and the places where 65,536 is to be added, each time.

    The last row and the last column are of all other values, and have zeros.
    """
    from gristmill.kernel import tabulate_pairs  # noqa: PLC0415 (to load it takes as long as a small search)

    width = len(ranked) + 1
    codes = np.full(values.space, len(ranked), np.uint16)
    codes[ranked] = np.arange(len(ranked))
    counters = np.zeros(width * width, np.uint16)
    wrapped = np.empty(choice.index.size // _WRAPS_AT + 1, np.int64)
    written = 0
    for keys, starts, ends in blocks_within(values, choice, within):
        written += tabulate_pairs(keys, starts, ends, codes, width, counters, wrapped[written:])
    table = counters.reshape(width, width)
    table[-1], table[:, -1] = 0, 0
    places = wrapped[:written]
    return counters, places[(places // width < width - 1) & (places % width < width - 1)]


def pairs_of(ranked: Keys, counters: npt.NDArray[np.uint16], wrapped: npt.NDArray[np.int64], least: int) -> TopPairs:
    """Pairs of a table that occur at least so many times, in the order of their keys."""
    often, times = np.unique(wrapped, return_counts=True)
    places = np.union1d(np.flatnonzero(counters >= least), often)
    counts = counters[places].astype(np.int64)
    counts[np.searchsorted(places, often)] += times * _WRAPS_AT
    places, counts = places[counts >= least], counts[counts >= least]
    first, second = np.divmod(places, len(ranked) + 1)
    keys = np.column_stack([ranked[first], ranked[second]]).astype(np.int64)
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    return TopPairs(keys[order], counts[order])
