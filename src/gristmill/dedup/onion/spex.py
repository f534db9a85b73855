"""SPEX: duplicate n-grams by way of duplicate words, pairs, triples...

(Bernstein and Zobel 2004; Pomikálek 2011, section 3.4.1.) An n-gram can only be a duplicate if both of its (n-1)-grams
are. So the corpus is read n times, and the i-th time those i-grams are left out of which one (i-1)-gram is unique. What
remains has to be held in memory: at 9 bytes an i-gram and 8 for each duplicate (i-1)-gram of the time before. The most
is held at trigrams, and that grows with the corpus: for a large one, use another finder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.dedup.onion.finders import Batches
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.errors import GristmillError
from gristmill.registry import part

BYTES_PER_SHINGLE = 9
"""The hash of an i-gram that was not pruned, and whether it came again."""
BYTES_PER_DUPLICATE = 8
"""The hash of a duplicate (i-1)-gram."""
_BYTES_PER_PENDING_HASH = 48  # for a hash that is yet to be counted, while that is done
_PENDING_MEMORY_DIVISOR = 4  # one part in so many of the memory is for these hashes
_MAX_PENDING_HASHES = 1 << 21
_PART_BITS = 6


@dataclass(frozen=True, slots=True)
class Iteration:
    """What happened to the n-grams of one length: a line of Table 3.1 of the thesis."""

    n: int
    unique: int
    """N_unq: n-grams that occur once."""
    pruned: int
    """N_prn: those of them that were left out because of what was known of the (n-1)-grams."""
    duplicate_types: int
    """T_dup: n-grams that occur more than once."""
    duplicates: int
    """N_dup: how often these occur, all together."""
    stored: int
    """M_n: hashes in memory, of n-grams and of duplicate (n-1)-grams."""


@part("finder of duplicate n-grams", "spex")
def find(batches: Batches, n: int, memory: int, work: Path) -> Hashes:
    """Duplicate n-grams by iterative pruning, all in memory; raises if that is not enough."""
    del work
    found = np.empty(0, np.uint64)
    for _, duplicates in _iterate(batches, n, memory):
        found = duplicates
    return found


def iterations(batches: Batches, n: int, memory: int) -> list[Iteration]:
    """What SPEX does on its way to n-grams: Table 3.1 for a corpus."""
    return [iteration for iteration, _ in _iterate(batches, n, memory)]


def _iterate(batches: Batches, n: int, memory: int) -> Iterator[tuple[Iteration, Hashes]]:
    """Read the corpus for every length up to n; the duplicates of each."""
    before = np.empty(0, np.uint64)
    for length in range(1, n + 1):
        count, total, kept = _Count(memory - BYTES_PER_DUPLICATE * len(before), length), 0, 0
        for tokens in batches():
            shingles, candidates = _candidates(tokens, length, before)
            total, kept = total + shingles, kept + len(candidates)
            count.add(candidates)
        count.count_pending()
        duplicates = count.take_duplicates()
        pruned = total - kept
        unique = pruned + count.size - len(duplicates)
        yield Iteration(length, unique, pruned, len(duplicates), total - unique, count.size + len(before)), duplicates
        before = duplicates


def _candidates(tokens: Tokens, n: int, before: Hashes) -> tuple[int, Hashes]:
    """How many n-grams there are, and the hashes of those of which both (n-1)-grams are duplicates."""
    shingles = shingle(tokens, n)
    if n == 1:
        return len(shingles.hashes), shingles.hashes
    shorter = shingle(tokens, n - 1)
    again = np.zeros(len(tokens.hashes) + 1, np.bool_)
    again[shorter.places] = _among(shorter.hashes, before)
    return len(shingles.hashes), shingles.hashes[again[shingles.places] & again[shingles.places + 1]]


def _among(hashes: Hashes, known: Hashes) -> Flags:
    """Which hashes are among the known ones, which are sorted."""
    found = np.zeros(len(hashes), np.bool_)
    if len(known):
        order = _rough_order(hashes)  # in which they are looked up several times faster
        hashes = hashes[order]
        found[order] = known.take(np.searchsorted(known, hashes), mode="clip") == hashes
    return found


def _rough_order(hashes: Hashes) -> Hashes:
    """The order of hashes by their first bits.

    One number is sorted for each, made of these bits and its number: that is faster than `argsort`. If there are four
    hashes, the last three bits are for the number. Of the first two:

        hashes  ...10110 ...00101  ->  keys ...10000 ...00001  ->  order 1, 0
    """
    width = np.uint64(len(hashes).bit_length())
    keys = hashes >> width << width
    keys |= np.arange(len(hashes), dtype=np.uint64)
    keys.sort()
    keys &= (np.uint64(1) << width) - np.uint64(1)
    return keys


class _Count:
    """Which hashes came once and which more than once.

    They are held sorted, in parts by their first bits, so that a part has to be copied and not all when there are new
    ones to sort in.
    """

    def __init__(self, memory: int, n: int) -> None:
        parts = 1 << _PART_BITS
        self._hashes = [np.empty(0, np.uint64)] * parts
        self._again = [np.empty(0, np.bool_)] * parts
        self._pending: list[Hashes] = []
        self._pending_size = 0
        self._n = n
        self._room = memory - memory // _PENDING_MEMORY_DIVISOR
        self._max_pending = min(memory // _PENDING_MEMORY_DIVISOR // _BYTES_PER_PENDING_HASH, _MAX_PENDING_HASHES)
        self.size = 0

    def add(self, hashes: Hashes) -> None:
        """Count these too."""
        self._pending.append(hashes)
        self._pending_size += len(hashes)
        if self._pending_size > self._max_pending:
            self.count_pending()

    def count_pending(self) -> None:
        """Sort in what is new."""
        hashes = np.sort(np.concatenate([*self._pending, np.empty(0, np.uint64)]))
        self._pending, self._pending_size = [], 0
        first = np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)]
        places = np.flatnonzero(first)
        again = np.diff(places, append=len(hashes)) > 1
        hashes = hashes[places]
        edges = np.arange(1, len(self._hashes), dtype=np.uint64) << np.uint64(64 - _PART_BITS)
        cuts = [0, *np.searchsorted(hashes, edges).tolist(), len(hashes)]
        for number, (start, end) in enumerate(pairwise(cuts)):
            if start < end:
                self._sort_in(number, hashes[start:end], again[start:end])

    def _sort_in(self, number: int, hashes: Hashes, again: Flags) -> None:
        known = self._hashes[number]
        places = np.searchsorted(known, hashes)
        if len(known):
            there = known.take(places, mode="clip") == hashes
            self._again[number][places[there]] = True
            places, hashes, again = places[~there], hashes[~there], again[~there]
        self.size += len(hashes)
        if BYTES_PER_SHINGLE * self.size > self._room:
            raise GristmillError(
                f"spex needs more memory than it was given: {self.size:,} or more {self._n}-grams have to be held, "
                f"at {BYTES_PER_SHINGLE} bytes each. Give it more, or use the finder `buckets`, which needs no more "
                "for a larger corpus"
            )
        self._hashes[number] = np.insert(known, places, hashes)
        self._again[number] = np.insert(self._again[number], places, again)

    def take_duplicates(self) -> Hashes:
        """Take out the hashes that came more than once, sorted.

        The others are forgotten on the way, so that not both are in memory.
        """
        found = np.empty(sum(np.count_nonzero(again) for again in self._again), np.uint64)
        end = 0
        for number, again in enumerate(self._again):
            hashes = self._hashes[number][again]
            found[end : end + len(hashes)] = hashes
            end += len(hashes)
            self._hashes[number] = np.empty(0, np.uint64)
        return found
