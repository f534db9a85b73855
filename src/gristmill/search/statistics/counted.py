"""Frequencies of all values among the chosen tokens: what word lists, keywords and comparisons are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.tally import MAX_COUNTERS, tally
from gristmill.search.statistics.values import Keys, Values

_MIN_TOKENS_FOR_KERNEL = 200_000
"""Fewer tokens are counted without the kernel: they take no longer than it takes to load that."""
_MAX_TOKENS_FOR_KERNEL = 1 << 31
"""So many tokens and more are counted without it: its counters have 32 bits."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Values that occur, by ascending keys, and the frequency of each in `size` tokens."""

    values: Values
    size: int
    keys: Keys
    counts: Ids

    def where(self, chosen: npt.NDArray[np.bool_] | Ids) -> Counted:
        """Keep some of the values."""
        return Counted(self.values, self.size, self.keys[chosen], self.counts[chosen])

    def at(self, keys: Keys) -> Ids:
        """Give the frequencies of some keys, in any order; 0 for those that do not occur."""
        places = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        return np.where(self.keys[places] == keys, self.counts[places], 0)

    def filtered(
        self, *, matching: str | None = None, min_frequency: int = 1, without: list[str] | None = None
    ) -> Counted:
        """Keep the values that a regular expression matches, that are frequent enough, and that are not excluded."""
        found = self if min_frequency <= 1 else self.where(self.counts >= min_frequency)
        if matching is not None:
            found = found.where(self.values.first_matches(found.keys, matching))
        if without:
            found = found.where(~self.values.first_is_in(found.keys, without))
        return found

    def words(self) -> Counted:
        """Keep what is no punctuation."""
        return self.where(self.values.are_words(self.keys))


def counted(values: Values, choice: Choice) -> Counted:
    """Count the values of the chosen tokens."""
    counts = values.counts() if choice.everything else None
    if counts is not None:
        keys = np.flatnonzero(counts)
        return Counted(values, choice.size, keys, counts[keys])
    if choice.by_ranges and values.space <= MAX_COUNTERS:
        counts = _count_in_ranges(values, choice)
        keys = np.flatnonzero(counts)
        return Counted(values, choice.size, keys, counts[keys])
    return Counted(values, choice.size, *tally(_keys(values, choice), values.space))


def counts_in_both(values: Values, one: Choice, two: Choice) -> tuple[Ids, Ids] | None:
    """Count each key in two subcorpora that are all of the corpus together; None if they are not, or keys are too many.

    Only the smaller one is read: what occurs 5 times in the corpus, and 2 times in some of its documents, occurs 3
    times in the others.
    """
    counts = values.counts() if values.space <= MAX_COUNTERS and one.is_rest_of(two) else None
    if counts is None:
        return None
    some = _count_in_ranges(values, one if one.size <= two.size else two)
    return (some, counts - some) if one.size <= two.size else (counts - some, some)


def _count_in_ranges(values: Values, choice: Choice) -> Ids:
    """Frequency of each key in the documents of a subcorpus, which are read in a row without a mask."""
    count = _loops() if _MIN_TOKENS_FOR_KERNEL <= choice.size < _MAX_TOKENS_FOR_KERNEL else None
    if count is None:
        found = np.zeros(values.space, np.int64)
        for start, stop, starts, ends in choice.ranges():
            keys = values.keys(slice(start, stop))[concatenated_ranges(starts - start, ends - starts)]
            found += np.bincount(keys, minlength=values.space)
        return found
    counts = np.zeros(values.space, np.int32)  # which fit into the cache better
    for start, stop, starts, ends in choice.ranges():
        count(np.ascontiguousarray(values.keys(slice(start, stop)), np.int32), starts - start, ends - start, counts)
    return counts.astype(np.int64)


def _loops() -> Callable[..., None] | None:
    """Give the kernel's way to count, if it is compiled."""
    from gristmill.kernel import COMPILED, count_between  # noqa: PLC0415 (to load it takes as long as a small search)

    return count_between if COMPILED else None


def _keys(values: Values, choice: Choice) -> Iterator[Keys]:
    for start, stop, mask in choice.blocks():
        keys = values.keys(slice(start, stop))
        yield keys if mask is None else keys[mask]
