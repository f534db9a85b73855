"""Pugh and Henzinger's lists (US patent 6,658,423; Pomikálek 2011, section 3.2.3).

The words of a document go into lists by their hashes, in the order of the text, and each list becomes a number.
Documents that differ in a few words differ in the lists of these words only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.documents.digest import digests
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.registry import METHODS
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError


@METHODS.register("pugh")
@dataclass(frozen=True, kw_only=True)
class Pugh(FeatureMethod):
    """Lists of words; a pair's score is the share of its lists that are the same."""

    lists: int = 10
    """How many lists there are."""
    p: float = 0.0
    """Put a word into each list with this probability; 0 puts it into exactly one."""
    equal: int = 1
    """Least number of lists that a pair has in common."""
    least: int = 3
    """Lists with fewer words are left out: those of function words alone are the same in many documents."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.equal > self.lists:
            raise UsageError(f"equal must be at most lists ({self.lists}), not {self.equal}")

    def sketch(self, tokens: Tokens) -> Sketches:
        """A number for each list that is long enough, 8 bytes each."""
        numbers = np.empty((len(tokens.counts), self.lists), np.uint64)
        full = np.empty(numbers.shape, np.bool_)
        for number, flags in enumerate(self._lists(tokens.hashes)):
            members = tokens.only(flags)
            numbers[:, number] = mix(digests(members.hashes, members.starts) + np.uint64(number))
            full[:, number] = members.counts >= self.least
        starts = starts_of(full.sum(axis=1))
        return Sketches(numbers[full], starts, tokens.counts)

    def need(self, counts: Ints) -> Ints:
        """The same number, however many there are."""
        return np.full(len(counts), self.equal)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the lists of the document with more that are the same."""
        return np.asarray(shared / np.maximum(one, other))

    def _lists(self, hashes: Hashes) -> Iterator[Flags]:
        """Which tokens go into each list."""
        if not self.p:
            of_token = hashes % np.uint64(self.lists)
            yield from (of_token == number for number in range(self.lists))
        for number in range(self.lists if self.p else 0):
            random = mix(hashes + np.uint64(number + 1)) >> np.uint64(11)  # 53 bits, which a float holds
            yield random < self.p * 2.0**53


def acceptance(n: int, p: float, k: int) -> float:
    """The probability that two documents which differ in k words have one of n lists in common.

    Each list takes a word with probability p.
    """
    return 1 - (1 - (1 - p) ** k) ** n
