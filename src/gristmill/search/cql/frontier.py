"""Frontiers: how far the matching of a query has come to one side.

Matching begins at spans of its rarest part, the origins. A frontier holds, for each origin, the edges that matching has
reached from it; pairs of both are compared as single numbers. No pair goes beyond the document of
its origin: that is its limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.hits import Edges, check_size, distinct, packed, unpacked

UNSET = -1
"""The place of a labelled token that a match does not have."""
_NO_MARKS: Mapping[str, Edges] = MappingProxyType({})


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
    limits: Edges
    """For each origin the edge beyond which matching does not go: where its document ends (or begins, to the left)."""
    marks: Mapping[str, Edges] = field(default_factory=lambda: _NO_MARKS)
    """For each label the position of its token, pair by pair, if labels are looked for; `UNSET` where it has none."""

    @classmethod
    def begin(cls, edges: Edges, limits: Edges) -> Frontier:
        """Begin a frontier with an origin for each edge."""
        return cls(np.arange(len(edges)), edges, single=True, limits=limits)

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def room(self) -> Edges:
        """How many tokens there are from each edge to the limit; negative to the left."""
        return self.limits[self.origins] - self.edges

    def where(self, mask: Mask, shift: int = 0) -> Frontier:
        """Keep the pairs where a mask is true, with their edges shifted."""
        kept = np.flatnonzero(mask)
        if len(kept) == len(mask):
            return replace(self, edges=self.edges + shift) if shift else self
        edges = self.edges.take(kept)
        return Frontier(
            self.origins.take(kept),
            edges + shift if shift else edges,
            self.single,
            self.limits,
            {label: places.take(kept) for label, places in self.marks.items()},
        )

    def joined(self, first: Edges, counts: Edges, edges: Edges) -> Frontier:
        """Extend each pair to `counts` of the edges, from the number `first` on.

        origins [4, 6], first [0, 1], counts [2, 1], edges [20, 30, 40]
        Pair 0 goes on to the edges number 0 and 1, pair 1 to the edge number 1.
        The new pairs are (4, 20), (4, 30), (6, 30).
        """
        total = int(counts.sum())
        check_size(total)
        if int(counts.max(initial=0)) <= 1:
            kept = np.flatnonzero(counts)
            one = replace(self.where(counts > 0), edges=edges[first[kept]].astype(np.int64, copy=False))
            return one if self.single else union([one])
        found = Frontier(
            np.repeat(self.origins, counts),
            edges[concatenated_ranges(first, counts)].astype(np.int64, copy=False),
            single=False,
            limits=self.limits,
            marks={label: np.repeat(places, counts) for label, places in self.marks.items()},
        )
        return found if self.single else union([found])

    def marked(self, label: str, places: Edges) -> Frontier:
        """Say where the token with a label is, pair by pair."""
        return replace(self, marks={**self.marks, label: places})

    def restarted(self) -> Frontier:
        """Make a frontier that begins where this one has come to: each pair is an origin of its own."""
        return Frontier(
            np.arange(len(self)), self.edges, single=True, limits=self.limits[self.origins], marks=self.marks
        )

    def resumed(self, further: Frontier) -> Frontier:
        """Give the pairs that `restarted` led to the origins that they had before."""
        found = replace(further, origins=self.origins[further.origins], limits=self.limits, single=False)
        return replace(found, single=True) if self.single and further.single else union([found])


def union(frontiers: Sequence[Frontier]) -> Frontier:
    """Pairs of several frontiers, which have the same origins, each once."""
    check_size(sum(map(len, frontiers)))
    if len(frontiers) > 1:
        frontiers = [frontier for frontier in frontiers if len(frontier)] or frontiers[:1]
    all_pairs = together(frontiers)
    if all_pairs.marks:
        _, first = np.unique(_keys([all_pairs])[0], return_index=True)
        mask = np.zeros(len(all_pairs), np.bool_)
        mask[first] = True
        return replace(all_pairs.where(mask), single=False)
    keys, bits = packed(all_pairs.origins, all_pairs.edges)
    if np.all(keys[1:] > keys[:-1]):
        return replace(all_pairs, single=False)
    origins, edges = unpacked(distinct(keys), bits)
    return Frontier(origins, edges, single=False, limits=all_pairs.limits)


def together(frontiers: Sequence[Frontier]) -> Frontier:
    """Pairs of several frontiers that have none in common."""
    if len(frontiers) == 1:
        return frontiers[0]
    origins, edges = (
        np.concatenate([getattr(frontier, name) for frontier in frontiers]) for name in ("origins", "edges")
    )
    labels = dict.fromkeys(label for frontier in frontiers for label in frontier.marks)
    marks = {label: np.concatenate([_places(frontier, label) for frontier in frontiers]) for label in labels}
    return Frontier(origins, edges, single=False, limits=frontiers[0].limits, marks=marks)


def beyond(frontier: Frontier, seen: Frontier) -> Frontier:
    """Pairs of a frontier that are not among those seen, which are sorted, as `union` leaves them."""
    if not len(seen) or not len(frontier):
        return frontier
    if frontier.marks or seen.marks:
        keys, known = _keys([frontier, seen])
        return frontier.where(~np.isin(keys, known))
    bits = int(max(frontier.edges.max(initial=0), seen.edges.max(initial=0))).bit_length()
    known, _ = packed(seen.origins, seen.edges, bits)
    keys, _ = packed(frontier.origins, frontier.edges, bits)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return frontier.where(known[places] != keys)


def _places(frontier: Frontier, label: str) -> Edges:
    """Where the token with a label is; a frontier that has not come to it has it nowhere."""
    found = frontier.marks.get(label)
    return np.full(len(frontier), UNSET) if found is None else found


def _keys(frontiers: Sequence[Frontier]) -> list[Edges]:
    """Number pairs with their marks, so that equal ones of all frontiers have equal numbers.

    Origin, edge and marks don't fit into one number together, so pairs are ranked after each: (3, 42) and (3, 7) have
    the ranks 1 and 0, with a mark at 5 and a width of 100 they become 106 and 6, and so on.
    """
    whole = together(frontiers)
    keys, _ = packed(whole.origins, whole.edges)
    for places in whole.marks.values():
        keys = np.unique(keys, return_inverse=True)[1] * (int(places.max(initial=0)) + 2) + places + 1
    ends = np.cumsum([len(frontier) for frontier in frontiers])[:-1]
    return np.split(keys, ends)
