"""Count pairs of words that stand in sentences which translate each other: the counts that a dictionary is learned from.

    beads        words 3 5 | 2 9 and words 3 | 9 7
    pairs        (3, 2) 1, (3, 9) 2, (3, 7) 1, (5, 2) 1, (5, 9) 1

The table is a hash table with open addressing that grows up to a number of pairs; then pairs with the lowest counts are
dropped until half of the room is free. What is dropped depends only on what was counted, and in which order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_View = npt.NDArray[Any]

SMALLEST = 1 << 12
"""Places of a table at first."""
FREE = -1
FULL = 1 << 16
"""What one pair in a bead counts, where it is not shared with others."""
WORD_BITS = 31
PAIR_BITS = (1 << 63) - 1
SPREADING = 0x9E3779B97F4A7C1  # of the golden ratio, which has no pattern in its bits


class PairTable:
    """Pairs of numbers of words, and how often each was counted."""

    def __init__(self, most_pairs: int) -> None:
        """Make an empty table for at most that many pairs."""
        if not 1 <= most_pairs <= 1 << 40:
            raise ValueError("a table has room for a pair or more")
        self.most_pairs = most_pairs
        self.used = 0
        self.dropped = 0
        self.keys = np.full(SMALLEST, FREE, np.int64)
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

    def add_links(
        self,
        source_words: _View,
        source_starts: _View,
        target_words: _View,
        target_starts: _View,
        most_words: int,
        known: PairTable,
    ) -> None:
        """Count pairs of words of the same bead by their share in what is known of all pairs of either of them.

        It is a step of expectation maximisation: what a pair is worth in `known`, by its share among the pairs of its
        source word in this bead, times its share among those of its target word. `FULL` is a whole pair.
        """
        if source_starts.shape[0] != target_starts.shape[0] or source_starts.shape[0] < 1:
            raise ValueError("beads have two sides")
        made, also = np.zeros(most_words + 1, np.int64), np.zeros(most_words + 1, np.int64)
        source_sums, target_sums = made, also
        table = np.zeros((most_words + 1, most_words + 1), np.int64)
        values = table
        for bead in range(source_starts.shape[0] - 1):
            first, target_first = source_starts[bead], target_starts[bead]
            count = min(source_starts[bead + 1] - first, most_words)
            others = min(target_starts[bead + 1] - target_first, most_words)
            for at in range(others):
                target_sums[at] = 0
            for place in range(count):
                source_sums[place] = 0
                word = source_words[first + place]
                for at in range(others):
                    value = known.count_of(word << WORD_BITS | target_words[target_first + at])
                    values[place, at] = value
                    source_sums[place] += value
                    target_sums[at] += value
            for place in range(count):
                word = source_words[first + place]
                for at in range(others):
                    value = values[place, at]
                    if value > 0:
                        share = value * FULL // source_sums[place] * (value * FULL // target_sums[at]) // FULL
                        if share > 0:
                            self.add(word << WORD_BITS | target_words[target_first + at], share)
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
        if self.keys[place] == FREE:
            self.keys[place] = key
            self.used += 1
        self.counts[place] += count
        return 0

    def count_of(self, key: int) -> int:
        """The count of a pair, 0 if there is none."""
        return self.counts[self.place_of(key)]

    def place_of(self, key: int) -> int:
        """Find the place of a pair, or the free one where it would be."""
        mask = self.keys.shape[0] - 1
        mixed = key ^ (key >> 29)
        mixed = (mixed * SPREADING) & PAIR_BITS
        place = (mixed >> 20) & mask
        while self.keys[place] != FREE and self.keys[place] != key:
            place = (place + 1) & mask
        return place

    def make_room(self) -> int:
        """Double the table, or drop the pairs with the lowest counts if there are too many."""
        keys, counts = self.pairs()
        size = self.keys.shape[0]
        if self.used > self.most_pairs:
            kept = np.sort(np.argsort(-counts, kind="stable")[: self.most_pairs // 2])
            self.dropped += len(keys) - len(kept)
            keys, counts = keys[kept], counts[kept]
        else:
            size *= 2
        self.keys = np.full(size, FREE, np.int64)
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
        taken = np.flatnonzero(keys != FREE)
        order = taken[np.argsort(keys[taken])]
        return keys[order], counts[order]
