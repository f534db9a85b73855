"""Frontiers: how far the matching of a query has come to one side.

Matching begins at spans of its rarest part, the origins. A frontier holds, for each origin, the edges that matching has
reached from it; pairs of both are compared as single numbers, packed by `_packed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.hits import Edges, check_size, distinct


@dataclass(frozen=True, slots=True)
class Frontier:
    """Distinct pairs of an origin (the number of a span where matching began) and an edge reached from it.

    Origins [0, 0, 2] and edges [5, 7, 9] say: from span 0 matching came to 5 and to 7, from span 1 nowhere, from span 2
    to 9.
    """

    origins: Edges
    edges: Edges
    single: bool
    """Whether it is known that no origin has two edges, and that origins ascend."""

    @classmethod
    def begin(cls, edges: Edges) -> Frontier:
        """Begin a frontier with an origin for each edge."""
        return cls(np.arange(len(edges)), edges, single=True)

    def __len__(self) -> int:
        return len(self.edges)

    def where(self, mask: Mask, shift: int = 0) -> Frontier:
        """Keep the pairs where a mask is true, with their edges shifted."""
        kept = np.flatnonzero(mask)
        edges = self.edges.take(kept)
        return Frontier(self.origins.take(kept), edges + shift if shift else edges, self.single)

    def joined(self, first: Edges, counts: Edges, edges: Edges) -> Frontier:
        """Extend each pair to `counts` of the edges, from the number `first` on.

        origins [4, 6], first [0, 1], counts [2, 1], edges [20, 30, 40]
        Pair 0 goes on to the edges number 0 and 1, pair 1 to the edge number 1.
        The new pairs are (4, 20), (4, 30), (6, 30).
        """
        check_size(int(counts.sum()))
        single = self.single and int(counts.max(initial=0)) <= 1
        found = Frontier(np.repeat(self.origins, counts), edges[concatenated_ranges(first, counts)], single)
        return found if single else union([found])


def union(frontiers: Sequence[Frontier]) -> Frontier:
    """Pairs of several frontiers, each once."""
    check_size(sum(map(len, frontiers)))
    edges = np.concatenate([frontier.edges for frontier in frontiers])
    width = int(edges.max()) + 1 if len(edges) else 1
    origins = np.concatenate([frontier.origins for frontier in frontiers])
    origins, edges = _unpacked(distinct(_packed(origins, edges, width)), width)
    return Frontier(origins, edges, single=False)


def together(frontiers: Sequence[Frontier]) -> Frontier:
    """Pairs of several frontiers that have none in common."""
    if len(frontiers) == 1:
        return frontiers[0]
    origins, edges = (
        np.concatenate([getattr(frontier, name) for frontier in frontiers]) for name in ("origins", "edges")
    )
    return Frontier(origins, edges, single=False)


def beyond(frontier: Frontier, seen: Frontier) -> Frontier:
    """Pairs of a frontier that are not among those seen, which are sorted, as `union` leaves them."""
    width = int(max(frontier.edges.max(initial=0), seen.edges.max(initial=0))) + 1
    known = _packed(seen.origins, seen.edges, width)
    keys = _packed(frontier.origins, frontier.edges, width)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return frontier.where(known[places] != keys) if len(known) else frontier


def _packed(origins: Edges, edges: Edges, width: int) -> Edges:
    """Pack each pair of an origin and an edge below `width` into one number, in the order of the pairs.

    With a width of 100, the pair (3, 42) is 342: it comes after (3, 7), which is 307, and before (4, 0), which is 400.
    """
    return origins * width + edges


def _unpacked(keys: Edges, width: int) -> tuple[Edges, Edges]:
    """Unpack numbers into origins and edges."""
    return np.divmod(keys, width)
