"""Pugh and Henzinger's lists (US patent 6,658,423; Pomikálek 2011, section 3.2.3).

The words of a document go into lists by their hashes, in the order of the text, and each list becomes a number.
Documents that differ in a few words differ in the lists of these words only.

By themselves lists take no account of length: k changed words count the same in long documents and in short ones. The
authors suggest hash functions that put fewer words of a longer document into a list. How many fewer is left open; here
the probability is halved each time that the length is twice as much (`adapt`), so documents of nearly the same length
have the same lists, unless that lies between them where it is halved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.documents.digest import digests
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.registry import part


@part("de-duplication method", "pugh")
@dataclass(frozen=True, kw_only=True)
class Pugh(FeatureMethod):
    """Lists of words; a pair's score is the share of its lists that are the same."""

    lists: int = 10
    """How many lists there are."""
    p: float = 0.0
    """Put a word into each list with this probability; 0 puts it into exactly one."""
    adapt: int = 0
    """Halve p for documents of twice this many tokens, again for four times as many, and so on; 0 for the same p."""
    equal: int = 1
    """Least number of lists that a pair has in common."""
    least: int = 3
    """Lists with fewer words are left out: those of function words alone are the same in many documents."""

    may_be_zero: ClassVar[frozenset[str]] = FeatureMethod.may_be_zero | {"adapt"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adapt and not self.p:
            raise UsageError("p must be above 0, as adapt makes it smaller for long documents")
        if self.equal > self.lists:
            raise UsageError(f"equal must be at most lists ({self.lists}), not {self.equal}")

    def sketch(self, tokens: Tokens) -> Sketches:
        """A number for each list that is long enough, 8 bytes each."""
        numbers = np.empty((len(tokens.counts), self.lists), np.uint64)
        full = np.empty(numbers.shape, np.bool_)
        for number, flags in enumerate(self._lists(tokens)):
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

    def _lists(self, tokens: Tokens) -> Iterator[Flags]:
        """Which tokens go into each list."""
        if not self.p:
            of_token = tokens.hashes % np.uint64(self.lists)
            yield from (of_token == number for number in range(self.lists))
            return
        limits = np.repeat(self.probabilities(tokens.counts), tokens.counts) * 2.0**53
        for number in range(self.lists):
            random = mix(tokens.hashes + np.uint64(number + 1)) >> np.uint64(11)  # 53 bits, which a float holds
            yield random < limits

    def probabilities(self, counts: Ints) -> Scores:
        """The probability with which a list takes a word of a document with so many.

        With p = 0.2 and adapt = 100: 0.2 up to 199 words, 0.1 from 200, 0.05 from 400, 0.025 from 800.
        """
        if not self.adapt:
            return np.full(len(counts), self.p)
        halvings = np.floor(np.log2(np.maximum(counts / self.adapt, 1)))
        return np.asarray(self.p * 0.5**halvings)


def acceptance(n: int, p: float, k: int) -> float:
    """The probability that two documents which differ in k words have one of n lists in common.

    Each list takes a word with probability p.
    """
    return 1 - (1 - (1 - p) ** k) ** n
