"""Measure how well clusters and scored pairs agree with true clusters: pairwise F, B-cubed, AU-ROC.

The measures are those of CEDAR (section 6.1, in: Can we beat Google? 2008); B-cubed is that of Bagga and Baldwin
(1998). Pairs that no method names are not gone through: they are counted by the sizes of clusters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints

Labels = npt.NDArray[Any]
"""The cluster of each document, in the order of the documents: numbers or names."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision, recall, and their harmonic mean.

    Precision is 1 if nothing was claimed, and recall is 1 if there was nothing to find.
    """

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """Pairs of documents, by number, with a score from 0 to 1. A pair that is not among them has the score 0."""

    first: Ints
    second: Ints
    scores: npt.NDArray[np.float64]

    @classmethod
    def of(cls, first: npt.ArrayLike, second: npt.ArrayLike, scores: npt.ArrayLike) -> ScoredPairs:
        """Normalise pairs: each once, the earlier document first, with its best score; none with itself or score 0."""
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        given = np.asarray(scores, np.float64)
        low, high = np.minimum(one, other), np.maximum(one, other)
        order = np.lexsort((-given, high, low))
        low, high, given = low[order], high[order], given[order]
        keep = (low != high) & (given > 0)
        keep[1:] &= (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        return cls(low[keep], high[keep], given[keep])

    def above(self, threshold: float) -> ScoredPairs:
        """The pairs with a score above a threshold."""
        keep = self.scores > threshold
        return ScoredPairs(self.first[keep], self.second[keep], self.scores[keep])


def pairwise(found: Labels, true: Labels) -> Agreement:
    """Pairwise agreement: of the pairs in one cluster the share that belongs together, and of those the share found."""
    correct = _pairs(_Overlap.of(found, true).sizes)
    return Agreement(_share(correct, _pairs(_sizes(found))), _share(correct, _pairs(_sizes(true))))


def b_cubed(found: Labels, true: Labels) -> Agreement:
    """B-cubed agreement, a mean over documents: how much of a document's found cluster is true, and the reverse."""
    if not len(found):
        return Agreement(1.0, 1.0)
    overlap = _Overlap.of(found, true)
    squares = overlap.sizes.astype(np.float64) ** 2
    precision = float((squares / _sizes(found)[overlap.found]).sum()) / len(found)
    return Agreement(precision, float((squares / _sizes(true)[overlap.true]).sum()) / len(found))


def au_roc(parts: Iterable[ScoredPairs], true: Labels) -> float | None:
    """The probability that a true pair has a higher score than another pair, ties counting half; None if undefined.

    Each pair with a score is in one of the parts; these may be many, as only counts of pairs are kept of each.
    """
    labels = np.unique(np.asarray(true), return_inverse=True)[1]
    found = [np.empty((3, 0)), *(_levels(part, labels) for part in parts)]
    scores, right, wrong = np.concatenate(found, axis=1)
    return _area(scores, right, wrong, _pairs(_sizes(true)), len(true))


def _levels(pairs: ScoredPairs, labels: Ints) -> npt.NDArray[np.float64]:
    """The different scores of pairs, and how many true pairs and others have each."""
    scores, at = np.unique(pairs.scores, return_inverse=True)
    is_true = labels[pairs.first] == labels[pairs.second]
    right = np.bincount(at[is_true], minlength=len(scores))
    return np.stack([scores, right, np.bincount(at, minlength=len(scores)) - right])


def linked_au_roc(pairs: ScoredPairs, true: Labels) -> float | None:
    """AU-ROC where pairs link documents into clusters by transitive closure.

    The score of any two documents is the highest threshold at which they are in one cluster. A method that only names
    for every copy what is kept says nothing of two copies; with closure it does. If it scores pairs, see `au_roc`.
    """
    trees = _Trees(true)
    order = np.argsort(-pairs.scores, kind="stable")
    links = zip(pairs.first[order].tolist(), pairs.second[order].tolist(), pairs.scores[order].tolist(), strict=True)
    levels = [(score, *trees.merge(one, other)) for one, other, score in links]
    scores, right, wrong = np.array(levels, np.float64).reshape(-1, 3).T
    return _area(scores, right, wrong, _pairs(_sizes(true)), len(true))


class _Trees:
    """A union-find structure that counts true pairs; the smaller cluster moves, so a document moves log2(n) times."""

    def __init__(self, true: Labels) -> None:
        self._root = list(range(len(true)))
        self._members = [[place] for place in self._root]
        self._counts = [{label: 1} for label in np.asarray(true).tolist()]

    def merge(self, one: int, other: int) -> tuple[int, int]:
        """Merge the clusters of two documents, and count the true and the other pairs that are newly in one cluster."""
        into, out = self._root[one], self._root[other]
        if into == out:
            return 0, 0
        if len(self._members[into]) < len(self._members[out]):
            into, out = out, into
        larger, smaller = self._counts[into], self._counts[out]
        right = sum(count * larger.get(label, 0) for label, count in smaller.items())
        wrong = len(self._members[into]) * len(self._members[out]) - right
        for label, count in smaller.items():
            larger[label] = larger.get(label, 0) + count
        for place in self._members[out]:
            self._root[place] = into
        self._members[into] += self._members[out]
        self._members[out], self._counts[out] = [], {}
        return right, wrong


def _area(
    scores: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    wrong: npt.NDArray[np.float64],
    true_pairs: int,
    count: int,
) -> float | None:
    """The area under the ROC curve, given the numbers of true and other pairs at each score; the rest have score 0."""
    other_pairs = count * (count - 1) // 2 - true_pairs
    if not true_pairs or not other_pairs:
        return None
    levels, at = np.unique(np.append(scores, 0.0), return_inverse=True)
    right_at = np.bincount(at, np.append(right, true_pairs - right.sum()), len(levels))
    wrong_at = np.bincount(at, np.append(wrong, other_pairs - wrong.sum()), len(levels))
    wrong_below = np.cumsum(wrong_at) - wrong_at
    return float((right_at / true_pairs * (wrong_below + wrong_at / 2) / other_pairs).sum())


@dataclass(frozen=True, slots=True)
class _Overlap:
    """The sizes of the overlaps of found and true clusters; clusters by their number among the sorted labels.

    Both numbers of an overlap are packed into one cell, found * width + true, to be counted: found = [0, 0, 1] and
    true = [0, 1, 1] have the width 2 and the cells [0, 1, 3], each once, which are unpacked to found [0, 0, 1] and
    true [0, 1, 1].
    """

    found: Ints
    true: Ints
    sizes: Ints

    @classmethod
    def of(cls, found: Labels, true: Labels) -> _Overlap:
        found_at = np.unique(np.asarray(found), return_inverse=True)[1]
        true_at = np.unique(np.asarray(true), return_inverse=True)[1]
        width = int(true_at.max(initial=0)) + 1
        cells, sizes = np.unique(found_at.astype(np.int64) * width + true_at, return_counts=True)
        return cls(cells // width, cells % width, sizes)


def _sizes(labels: Labels) -> Ints:
    return np.unique(np.asarray(labels), return_counts=True)[1].astype(np.int64)


def _pairs(sizes: Ints) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
