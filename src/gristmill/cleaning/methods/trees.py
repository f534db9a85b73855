"""Boosted oblivious decision trees: all nodes on one level of a tree ask the same question. Used by `mill`.

So the answers of a tree are the bits of a number, that of the leaf, and all blocks go through all trees at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill import kernel

_MAX_BLOCKS_AT_ONCE = 1024  # so that memory is bounded and caches are of use


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees of the same depth.

    A tree with the columns [4, 7] and the borders [0.5, 2.0] asks whether feature 4 is above 0.5, and feature 7 above
    2.0. A block for which only the second is true goes to leaf 0b10, the third of four.
    """

    columns: npt.NDArray[np.int32]
    """The features that the questions are about, those of the first tree first."""
    borders: npt.NDArray[np.float32]
    """What these features are compared with."""
    leaves: npt.NDArray[np.float32]
    """What the leaves add to the log-odds, a row a tree; the first answer is the lowest bit of a leaf's place."""
    start: float
    """What is added to the log-odds of every block."""

    def odds(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the log-odds for each column of a table that has a row for each feature."""
        if kernel.COMPILED:
            return kernel.odds(table, self.columns, self.borders, self.leaves, self.start)
        return self.odds_by_arrays(table)

    def odds_by_arrays(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Do the same by operations on arrays."""
        number = table.shape[1]
        if number > _MAX_BLOCKS_AT_ONCE:
            parts = range(0, number, _MAX_BLOCKS_AT_ONCE)
            return np.concatenate([self.odds_by_arrays(table[:, at : at + _MAX_BLOCKS_AT_ONCE]) for at in parts])
        trees, leaves = self.leaves.shape
        answers = (table[self.columns] > self.borders[:, None]).view(np.uint8).reshape(trees, -1, number)
        places = answers[:, 0].copy()
        for level in range(1, answers.shape[1]):
            places |= answers[:, level] << level
        found = np.take(self.leaves.ravel(), places + np.arange(0, trees * leaves, leaves)[:, None])
        odds: npt.NDArray[np.float64] = found.sum(axis=0, dtype=np.float64) + self.start
        return odds

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """Return the trees as arrays to store, under names that begin with `name`."""
        columns, leaves = self.columns.astype(np.uint16), self.leaves.astype(np.float16)
        return {
            f"{name}_columns": columns,
            f"{name}_borders": self.borders,
            f"{name}_leaves": leaves,
            f"{name}_start": np.array(self.start),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Trees:
        """Make trees of arrays that were stored under names that begin with `name`."""
        columns, borders, leaves, start = (
            arrays[f"{name}_{part}"] for part in ("columns", "borders", "leaves", "start")
        )
        return cls(columns.astype(np.int32), borders, leaves.astype(np.float32), float(start))


def probability(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Convert log-odds to probabilities."""
    chance: npt.NDArray[np.float64] = 1 / (1 + np.exp(-odds.clip(-30, 30)))
    return chance
