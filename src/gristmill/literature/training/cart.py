"""Grow a decision tree of several classes by Gini impurity (Breiman et al., CART, 1984), on histograms; for `hofmann`.

Columns are divided into bins of about equally many rows. A node is split after the bin of the column that makes its two
parts purest, as long as both have enough rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints, Matrix

LEAF = -1


@dataclass(frozen=True, slots=True)
class Settings:
    """How far a tree grows."""

    depth: int = 8
    min_rows: int = 100
    """Of a leaf."""
    bins: int = 64


@dataclass(slots=True)
class Tree:
    """The nodes of a tree as columns; a leaf has no question (column -1)."""

    columns: list[int] = field(default_factory=list)
    borders: list[float] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    shares: list[Floats] = field(default_factory=list)
    """The share of each class among the rows of a node."""

    def add(self, counts: Floats) -> int:
        """Add a leaf with so many rows of each class, and return its number."""
        self.columns.append(LEAF)
        self.borders.append(0.0)
        self.below.append(0)
        self.above.append(0)
        self.shares.append((counts + 1) / (counts.sum() + len(counts)))
        return len(self.columns) - 1

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """Return the tree as arrays to store, under names that begin with `name`."""
        return {
            f"{name}_columns": np.array(self.columns, np.int16),
            f"{name}_borders": np.array(self.borders, np.float32),
            f"{name}_below": np.array(self.below, np.uint16),
            f"{name}_above": np.array(self.above, np.uint16),
            f"{name}_shares": np.array(self.shares, np.float32),
        }


def grow(rows: Matrix, labels: Ints, weights: Floats, classes: int, settings: Settings) -> Tree:
    """Grow a tree, level by level; the weights of the rows should be 1 on average."""
    borders = [_borders(column, settings.bins) for column in rows.T]
    bins = np.stack([np.searchsorted(border, column) for border, column in zip(borders, rows.T, strict=True)])
    tree = Tree()
    root = tree.add(_counts(labels, weights, classes))
    level = [(root, np.arange(len(rows)))]
    for _ in range(settings.depth):
        below: list[tuple[int, Ints]] = []
        for node, own in level:
            found = _best_split(bins[:, own], labels[own], weights[own], classes, settings)
            if found is None:
                continue
            column, cut = found
            yes = bins[column, own] > cut
            parts = [own[~yes], own[yes]]
            numbers = [tree.add(_counts(labels[part], weights[part], classes)) for part in parts]
            tree.columns[node], tree.borders[node] = column, float(borders[column][cut])
            tree.below[node], tree.above[node] = numbers
            below += zip(numbers, parts, strict=True)
        level = below
    return tree


def _borders(column: npt.NDArray[np.float32], bins: int) -> npt.NDArray[np.float32]:
    """Return the values between the bins of a column."""
    return np.unique(np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1], method="lower").astype(np.float32))


def _best_split(bins: Ints, labels: Ints, weights: Floats, classes: int, settings: Settings) -> tuple[int, int] | None:
    """Return the column and the bin behind which the impurity of both parts together is least; None if none helps.

    The Gini impurity of n rows with n_c of class c is n - sum(n_c^2) / n, so the best split has the largest sum of
    sum(n_c^2) / n over both parts. Of the classes [3, 1] it is 10/4 before, and 9/3 + 1/1 after a perfect split.
    """
    if len(labels) < 2 * settings.min_rows:
        return None
    total = _counts(labels, weights, classes)
    best, found = (total**2).sum() / total.sum() * (1 + 1e-6), None
    for column, places in enumerate(bins):
        size = int(places.max()) + 1
        sums = _counts(places * classes + labels, weights, size * classes).reshape(size, classes)
        number = np.cumsum(np.bincount(places, minlength=size))[:-1]
        left: Floats = np.cumsum(sums, 0)[:-1]
        right = total - left
        enough = (number >= settings.min_rows) & (len(labels) - number >= settings.min_rows)
        purity = np.where(enough, _purity(left) + _purity(right), 0.0)
        if len(purity) and purity.max() > best:
            best, found = purity.max(), (column, int(purity.argmax()))
    return found


def _counts(places: Ints, weights: Floats, size: int) -> Floats:
    """Add up the weights at each place."""
    return np.bincount(places, weights, size).astype(np.float64)


def _purity(counts: Floats) -> Floats:
    purity: Floats = (counts**2).sum(1) / np.maximum(counts.sum(1), 1e-9)
    return purity
