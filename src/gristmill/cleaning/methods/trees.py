"""Boosted trees whose nodes on one level all ask the same question, so that a page goes through all trees at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_PART = 1024


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees of one depth: which columns they compare with which borders, and what their leaves add to the logarithm of the odds."""

    columns: npt.NDArray[np.intp]
    borders: npt.NDArray[np.float32]
    leaves: npt.NDArray[np.float32]
    """A row a tree; the answers to its questions are the bits of the leaf's place, the first the lowest."""
    start: float
    """What is added to all."""

    def odds(self, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """The logarithm of the odds for each row; many rows in parts, so that memory is bounded and caches are of use."""
        if len(rows) > _PART:
            return np.concatenate([self.odds(rows[at : at + _PART]) for at in range(0, len(rows), _PART)])
        trees, leaves = self.leaves.shape
        asked = np.take(
            np.ascontiguousarray(rows.T), self.columns, axis=0
        )  # a line a question, which is several times faster than a column
        answers = (asked > self.borders[:, None]).view(np.uint8).reshape(trees, -1, len(rows))
        places = answers[:, 0].copy()
        for level in range(1, answers.shape[1]):
            places |= answers[:, level] << level
        found = np.take(self.leaves.ravel(), places + np.arange(0, trees * leaves, leaves)[:, None])
        odds: npt.NDArray[np.float64] = found.sum(axis=0, dtype=np.float64) + self.start
        return odds

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """What is stored, under names that begin with this one."""
        columns, leaves = self.columns.astype(np.uint8), self.leaves.astype(np.float16)
        return {
            f"{name}_columns": columns,
            f"{name}_borders": self.borders,
            f"{name}_leaves": leaves,
            f"{name}_start": np.array(self.start),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Trees:
        """What was stored."""
        columns, borders, leaves, start = (
            arrays[f"{name}_{part}"] for part in ("columns", "borders", "leaves", "start")
        )
        return cls(columns.astype(np.intp), borders, leaves.astype(np.float32), float(start))


def probability(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """From the logarithm of odds to a probability."""
    chance: npt.NDArray[np.float64] = 1 / (1 + np.exp(-odds.clip(-30, 30)))
    return chance
