"""Count pairs of words that stand in sentences which translate each other: a dictionary is learned from these counts.

    beads        words 3 5 | 2 9 and words 3 | 9 7
    pairs        (3, 2) 1, (3, 9) 2, (3, 7) 1, (5, 2) 1, (5, 9) 1

The table is a hash table with open addressing that grows up to a number of pairs; then pairs with the lowest counts are
dropped, so that at least half of the room is free. What is dropped depends only on what was counted, and in which
order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_View = npt.NDArray[Any]

SMALLEST = 4096
"""Places of a table at first."""
WORD_BITS = 31
WORD_MASK = 2147483647
SPREADING = 1640531527  # of the golden ratio, which has no pattern in its bits
ALSO_SPREADING = 668265263


class PairTable:
    """Pairs of numbers of words, and how often each was counted."""

    def __init__(self, most_pairs: int) -> None:
        """Make an empty table for at most that many pairs."""
        if not 1 <= most_pairs <= 1 << 40:
            raise ValueError("a table has room for a pair or more")
        self.most_pairs = most_pairs
        self.used = 0
        self.dropped = 0
        self.keys = np.full(SMALLEST, -1, np.int64)
        self.counts = np.zeros(SMALLEST, np.int64)

    def add_beads(
        self,
        source_words: _View,
        source_starts: _View,
        target_words: _View,
        target_starts: _View,
        most_words: int,
    ) -> None:
        """Count all pairs of words of the same bead; words of a bead are different ones, and the first ones count."""
        if source_starts.shape[0] != target_starts.shape[0] or source_starts.shape[0] < 1:
            raise ValueError("beads have two sides")
        for bead in range(source_starts.shape[0] - 1):
            last = min(source_starts[bead + 1], source_starts[bead] + most_words)
            target_last = min(target_starts[bead + 1], target_starts[bead] + most_words)
            for place in range(source_starts[bead], last):
                word = source_words[place]
                for other in range(target_starts[bead], target_last):
                    self.add(word << WORD_BITS | target_words[other], 1)
            if self.used * 2 >= self.keys.shape[0]:
                self.make_room()

    def add_pairs(self, keys: _View, counts: _View) -> None:
        """Add pairs with their counts."""
        if keys.shape[0] != counts.shape[0]:
            raise ValueError("each pair has a count")
        for place in range(keys.shape[0]):
            self.add(keys[place], counts[place])
            if self.used * 2 >= self.keys.shape[0]:
                self.make_room()

    def add(self, key: int, count: int) -> int:
        """Add to the count of a pair. There must be a free place."""
        if self.used * 4 >= self.keys.shape[0] * 3:
            self.make_room()
        place = self.place_of(key)
        if self.keys[place] < 0:
            self.keys[place] = key
            self.used += 1
        self.counts[place] += count
        return 0

    def place_of(self, key: int) -> int:
        """Find the place of a pair, or the free one where it would be."""
        mask = self.keys.shape[0] - 1
        mixed = (key >> WORD_BITS) * SPREADING + (key & WORD_MASK) * ALSO_SPREADING
        place = (mixed ^ (mixed >> 29)) & mask
        while self.keys[place] >= 0 and self.keys[place] != key:
            place = (place + 1) & mask
        return place

    def make_room(self) -> int:
        """Double the table, or drop the pairs with the lowest counts if there are too many."""
        old, old_counts = np.asarray(self.keys), np.asarray(self.counts)
        taken = np.flatnonzero(old >= 0)
        keys, counts = old[taken], old_counts[taken]
        size = self.keys.shape[0]
        if self.used > self.most_pairs:
            fewest = np.partition(counts, len(counts) - self.most_pairs // 2)[len(counts) - self.most_pairs // 2]
            kept = np.flatnonzero(counts > fewest)
            self.dropped += len(keys) - len(kept)
            keys, counts = keys[kept], counts[kept]
        else:
            size *= 2
        self.keys = np.full(size, -1, np.int64)
        self.counts = np.zeros(size, np.int64)
        self.used = 0
        self.put(keys, counts)
        return 0

    def put(self, keys: _View, counts: _View) -> int:
        """Put pairs into an empty table that has room for them."""
        for place in range(keys.shape[0]):
            at = self.place_of(keys[place])
            self.keys[at] = keys[place]
            self.counts[at] = counts[place]
            self.used += 1
        return 0

    def pairs(self) -> tuple[_View, _View]:
        """All pairs in order, and their counts; a pair is the number of the first word, shifted, and the second."""
        keys, counts = np.asarray(self.keys), np.asarray(self.counts)
        taken = np.flatnonzero(keys >= 0)
        order = taken[np.argsort(keys[taken])]
        return keys[order], counts[order]


def count_together(
    source_words: _View,
    source_starts: _View,
    target_words: _View,
    target_starts: _View,
    sources: int,
    targets: int,
    most_words: int,
    least: int,
) -> tuple[_View, _View]:
    """Count in how many beads pairs of words are together, and return those that are so in `least` or more.

    It is for one text: words are numbers below `sources` and `targets`, and the counts of one word of the source are
    made at a time, so that they stay in the cache. Pairs come in order; see `PairTable.pairs`.
    """
    if target_starts.shape[0] != source_starts.shape[0] or source_starts.shape[0] < 1 or min(sources, targets) < 0:
        raise ValueError("beads have two sides")
    firsts, holders = np.zeros(sources + 2, np.int64), np.zeros(source_words.shape[0] + 1, np.int32)
    find_holders(source_words, source_starts, sources, most_words, firsts, holders)
    counts, touched = np.zeros(targets + 1, np.int32), np.zeros(targets + 1, np.int32)
    keys_of_words, counts_of_words = [], []
    for word in range(sources):
        beads = holders[firsts[word] : firsts[word + 1]]
        kept = count_partners(beads, target_words, target_starts, most_words, least, counts, touched)
        if kept:
            found = np.sort(touched[:kept])
            keys_of_words.append((word << WORD_BITS) + found.astype(np.int64))
            counts_of_words.append(counts[found].astype(np.int64))
            counts[found] = 0
    if not keys_of_words:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate(keys_of_words), np.concatenate(counts_of_words)


def find_holders(words: _View, starts: _View, size: int, most_words: int, firsts: _View, holders: _View) -> int:
    """Write for each word the beads that have it, in order; those of a word are from `firsts[word]` on."""
    for bead in range(starts.shape[0] - 1):
        for place in range(starts[bead], min(starts[bead + 1], starts[bead] + most_words)):
            firsts[words[place] + 2] += 1
    for word in range(size):
        firsts[word + 2] += firsts[word + 1]
    for bead in range(starts.shape[0] - 1):
        for place in range(starts[bead], min(starts[bead + 1], starts[bead] + most_words)):
            holders[firsts[words[place] + 1]] = bead
            firsts[words[place] + 1] += 1
    return 0


def count_partners(
    beads: _View, words: _View, starts: _View, most_words: int, least: int, counts: _View, touched: _View
) -> int:
    """Count the words of some beads; return how many are in `least` or more, which come first in `touched`.

    Counts of others are 0 again.
    """
    seen = 0
    for holder in range(beads.shape[0]):
        bead = beads[holder]
        for place in range(starts[bead], min(starts[bead + 1], starts[bead] + most_words)):
            word = words[place]
            if counts[word] == 0:
                touched[seen] = word
                seen += 1
            counts[word] += 1
    kept = 0
    for at in range(seen):
        if counts[touched[at]] >= least:
            touched[kept] = touched[at]
            kept += 1
        else:
            counts[touched[at]] = 0
    return kept
