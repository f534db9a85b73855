"""How far the matching of a query has come: from each place where it was begun, the edges that it has reached on one side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.hits import Edges, check_size, distinct


@dataclass(frozen=True, slots=True)
class Frontier:
    """Pairs of an origin (the number of the span where matching was begun) and an edge that was reached from it; all are distinct."""

    origins: Edges
    edges: Edges
    single: bool
    """Whether it is known that no origin has two edges, and that origins ascend."""

    @classmethod
    def begin(cls, edges: Edges) -> Frontier:
        """An origin for each edge."""
        return cls(np.arange(len(edges)), edges, single=True)

    def __len__(self) -> int:
        return len(self.edges)

    def where(self, mask: Mask, shift: int = 0) -> Frontier:
        """The pairs where a mask is true, with their edges shifted."""
        kept = np.flatnonzero(mask)
        edges = self.edges.take(kept)
        return Frontier(self.origins.take(kept), edges + shift if shift else edges, self.single)

    def joined(self, first: Edges, counts: Edges, edges: Edges) -> Frontier:
        """Each pair goes on to `counts` of the edges, from the number `first` on."""
        check_size(int(counts.sum()))
        single = self.single and int(counts.max(initial=0)) <= 1
        found = Frontier(np.repeat(self.origins, counts), edges[concatenated_ranges(first, counts)], single)
        return found if single else union([found])


def union(frontiers: Sequence[Frontier]) -> Frontier:
    """The pairs of several frontiers, each once."""
    check_size(sum(map(len, frontiers)))
    edges = np.concatenate([frontier.edges for frontier in frontiers])
    width = int(edges.max()) + 1 if len(edges) else 1
    keys = distinct(np.concatenate([frontier.origins for frontier in frontiers]) * width + edges)
    origins, edges = np.divmod(keys, width)
    return Frontier(origins, edges, single=False)


def together(frontiers: Sequence[Frontier]) -> Frontier:
    """The pairs of several frontiers that have none in common."""
    if len(frontiers) == 1:
        return frontiers[0]
    origins, edges = (
        np.concatenate([getattr(frontier, name) for frontier in frontiers]) for name in ("origins", "edges")
    )
    return Frontier(origins, edges, single=False)


def beyond(frontier: Frontier, seen: Frontier) -> Frontier:
    """The pairs of a frontier that have not been seen; those that have are sorted, as `union` leaves them."""
    width = int(max(frontier.edges.max(initial=0), seen.edges.max(initial=0))) + 1
    known = seen.origins * width + seen.edges
    keys = frontier.origins * width + frontier.edges
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return frontier.where(known[places] != keys) if len(known) else frontier
