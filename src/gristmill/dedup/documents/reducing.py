"""What clusters need of pairs, which is less than the pairs themselves: parts of clusters, and the best scores.

A task that finds pairs keeps for each document one pair that connects it with its cluster, as far as the task knows,
and how alike it is to the one that it is most like. So the driver gets a few numbers for each document that is in a
pair, however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import is_new
from gristmill.dedup.documents.clustering import clusters
from gristmill.dedup.documents.sketches import Pairs


@dataclass(frozen=True, slots=True)
class Copies:
    """The documents that are copies of others, or that others are copies of, by their rows in the corpus."""

    rows: Ints
    heads: Ints
    """The first document of the cluster of each."""
    scores: npt.NDArray[np.float64]


def reduced(pairs: Pairs, heads: Ints, begin: int, settled: int) -> dict[str, Array]:
    """Keep of pairs of documents what clusters and scores depend on; `first` of each pair is before `second`.

    Documents before `settled` are settled; `heads` has, for those from `begin` on, the rows of what they are copies of.
    """
    new = pairs.first >= settled
    nodes = np.unique(np.concatenate([pairs.first[new], pairs.second[new]]))
    own = Pairs(np.searchsorted(nodes, pairs.first[new]), np.searchsorted(nodes, pairs.second[new]), pairs.scores[new])
    above = nodes[clusters(len(nodes), own)]
    joined = above != nodes
    across = (pairs.first < settled) & (pairs.second >= settled)
    late, lowest = _least(pairs.second[across], heads[pairs.first[across] - begin])
    both = np.concatenate([pairs.first, pairs.second])
    documents, worst = _least(both, -np.concatenate([pairs.scores, pairs.scores]))
    return {
        "upper": above[joined],
        "lower": nodes[joined],
        "late": late,
        "lowest": lowest,
        "documents": documents,
        "scores": -worst,
        "pairs": np.array([len(pairs.first)]),
    }


def _least(keys: Ints, values: npt.NDArray[Any]) -> tuple[Ints, npt.NDArray[Any]]:
    """The least value of each key."""
    order = np.lexsort((values, keys))
    first = is_new(keys[order])
    return keys[order][first], values[order][first]


def merged(parts: Sequence[dict[str, Array]], rows_of: Callable[[Ints], Ints], settled_rows: int) -> tuple[Copies, int]:
    """Make clusters of what several tasks have kept, and count all pairs.

    `rows_of` gives the rows of documents in the corpus, of which so many, the first ones, are settled.
    """
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    upper, lower, late, documents = (rows_of(columns[name]) for name in ("upper", "lower", "late", "documents"))
    lowest = columns["lowest"]
    scored, worst = _least(documents, -columns["scores"])
    nodes = np.union1d(scored, lowest)
    scores = np.zeros(len(nodes))
    scores[np.searchsorted(nodes, scored)] = -worst
    first = np.searchsorted(nodes, np.concatenate([upper, lowest]))
    second = np.searchsorted(nodes, np.concatenate([lower, late]))
    fixed = int(np.searchsorted(nodes, settled_rows))
    pairs = Pairs(first, second, np.zeros(len(first)))
    return Copies(nodes, nodes[clusters(len(nodes), pairs, np.arange(fixed))], scores), int(columns["pairs"].sum())
