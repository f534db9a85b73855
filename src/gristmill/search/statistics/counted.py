"""Frequencies of all values among the chosen tokens: what word lists, keywords and comparisons are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.tally import tally
from gristmill.search.statistics.values import Keys, Values


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

    def filtered(
        self, *, matching: str | None = None, min_frequency: int = 1, without: list[str] | None = None
    ) -> Counted:
        """Keep the values that a regular expression matches, that are frequent enough, and that are not excluded."""
        found = self.where(self.counts >= min_frequency)
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
    return Counted(values, choice.size, *tally(_keys(values, choice), values.space))


def _keys(values: Values, choice: Choice) -> Iterator[Keys]:
    for start, stop, mask in choice.blocks():
        keys = values.keys(slice(start, stop))
        yield keys if mask is None else keys[mask]
