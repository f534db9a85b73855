"""What is to be known of pairs, which is less than the pairs themselves: parts of clusters, and the best scores.

A task that finds pairs keeps for each document one pair that connects it with its cluster, as far as the task knows,
and how alike it is to the one that it is most like. So the driver gets a few numbers for each document that is in a
pair, however many pairs there are.

Where one document of each pair is dropped, and nothing is made of the pairs, it is the same: for each document that is
dropped the first one of those for which it is.
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
    """The document that is kept of the cluster of each."""
    scores: npt.NDArray[np.float64]


def reduced(pairs: Pairs, heads: Ints, begin: int, settled: int) -> dict[str, Array]:
    """Keep of pairs of documents what clusters and scores depend on; `first` of each pair is before `second`.

    Documents before `settled` are settled; `heads` has, for those from `begin` on, the rows of what they are copies of.
    """
    if pairs.first_goes is not None:
        return _reduced_to_losers(pairs, pairs.first_goes, heads, begin, settled)
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


def _reduced_to_losers(
    pairs: Pairs, first_goes: npt.NDArray[np.bool_], heads: Ints, begin: int, settled: int
) -> dict[str, Array]:
    """Keep for each document that is dropped the first one for which it is, and its best score in such a pair.

    With the pairs 0-2, 1-2 and 2-3, of which the second goes, these are 0 for 2, and 2 for 3. What is settled stays.
    """
    losers, winners = np.where(first_goes, pairs.first, pairs.second), np.where(first_goes, pairs.second, pairs.first)
    open_ones = losers >= settled
    new, across = open_ones & (winners >= settled), open_ones & (winners < settled)
    lower, upper = _least(losers[new], winners[new])
    late, lowest = _least(losers[across], heads[winners[across] - begin])
    documents, worst = _least(losers[open_ones], -pairs.scores[open_ones])
    return {
        "winners": upper,
        "losers": lower,
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
    """Make clusters of what several tasks have kept, or find for which document each is dropped; and count all pairs.

    `rows_of` gives the rows of documents in the corpus, of which so many, the first ones, are settled.
    """
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    clustered = "upper" in columns
    above, below = ("upper", "lower") if clustered else ("winners", "losers")
    upper, lower, late, documents = (rows_of(columns[name]) for name in (above, below, "late", "documents"))
    lowest = columns["lowest"]
    scored, worst = _least(documents, -columns["scores"])
    nodes = np.union1d(scored, lowest) if clustered else np.unique(np.concatenate([scored, lowest, upper]))
    scores = np.zeros(len(nodes))
    scores[np.searchsorted(nodes, scored)] = -worst
    first = np.searchsorted(nodes, np.concatenate([upper, lowest]))
    second = np.searchsorted(nodes, np.concatenate([lower, late]))
    if clustered:
        fixed = int(np.searchsorted(nodes, settled_rows))
        heads = clusters(len(nodes), Pairs(first, second, np.zeros(len(first))), np.arange(fixed))
    else:
        heads = _kept(len(nodes), first, second)
    return Copies(nodes, nodes[heads], scores), int(columns["pairs"].sum())


def _kept(count: int, winners: Ints, losers: Ints) -> Ints:
    """For each document one that is kept: itself, or what is found by going from a loser to its first winner.

    The winners of 1 are 0 and 3, that of 2 is 1, that of 3 is 4  ->  0 0 0 4 4. Nobody loses in a circle.
    """
    heads = np.arange(count)
    lost, won = _least(losers, winners)
    heads[lost] = won
    while not np.array_equal(heads, above := heads[heads]):
        heads = above
    return heads
