"""ARF, average reduced frequency (Savický and Hlaváčová 2002): a frequency for which crowds count little.

Of N tokens, a word that occurs f times would occur every v = N / f tokens if it were spread evenly. With d the
distances between neighbouring occurrences, the last and the first among them as if the corpus were a circle,

    ARF = (min(d1, v) + min(d2, v) + ... + min(df, v)) / v

It is f if all distances are equal, and near 1 if all occurrences stand together. A word at the places 0, 1 and 6 of 12
tokens has v = 4 and the distances 1, 5 and 6: ARF = (1 + 4 + 4) / 4 = 2.25.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.measures import Scores
from gristmill.search.statistics.tally import first_of_each


class ReducedFrequencies:
    """Adds up the distances of many words, block after block of a corpus."""

    def __init__(self, counts: Ids, size: int) -> None:
        """Begin with the frequency of each word in so many tokens."""
        self._mean: Scores = size / np.maximum(counts, 1)
        self._size = size
        self._sums = np.zeros(len(counts))
        self._firsts, self._lasts = np.full(len(counts), -1), np.full(len(counts), -1)

    def add(self, words: Ids, places: Ids) -> None:
        """Take the occurrences of a block: the number of each word, ascending, and its places, ascending for each.

        words [0, 0, 2], places [4, 9, 7], where word 0 was at 1 before and word 2 nowhere: the first of each are those
        numbered 0 and 2; the distances are 4 - 1 = 3, 9 - 4 = 5, and none for word 2.
        """
        if not len(words):
            return
        starts = first_of_each(words)
        found, ends = words[starts], np.append(starts[1:], len(words)) - 1
        new = self._lasts[found] < 0
        self._firsts[found[new]] = places[starts[new]]
        distances = np.diff(places, prepend=0)
        distances[starts] = np.where(new, 0, places[starts] - self._lasts[found])
        self._sums[found] += np.add.reduceat(np.minimum(distances, self._mean[words]), starts)
        self._lasts[found] = places[ends]

    def result(self) -> Scores:
        """ARF of each word; 0 of one that does not occur."""
        around = self._firsts + self._size - self._lasts
        sums = self._sums + np.where(self._lasts < 0, 0, np.minimum(around, self._mean))
        return sums / self._mean if self._size else sums


def reduced_frequency(places: Ids, size: int) -> float:
    """ARF of one word by its places among so many tokens, in any order."""
    sums = ReducedFrequencies(np.array([len(places)]), size)
    sums.add(np.zeros(len(places), np.int64), np.sort(places))
    return float(sums.result()[0])
