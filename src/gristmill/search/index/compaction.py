"""Which neighbouring segments are merged, so that an index that grows has few of them and no token is written often.

Segments are in tiers by size, each tier ten times the one below. When ten neighbours are in one tier they are merged
into a segment of the tier above: so a token is rewritten once for each tier, and there are at most some ten segments in
each. This is the `LogMergePolicy` of Lucene, which merges neighbours only: documents stay in the order of the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

MERGE_FACTOR = 10
"""Neighbours of one tier that are merged into one segment."""
MAX_SEGMENT_TOKENS = 1 << 31
"""Tokens of a merged segment, at most."""
_MIN_TIER_TOKENS = 10_000
"""Size of the lowest tier: all smaller segments are in it."""
_TIER_SPAN = 0.75
"""How far below the largest segment of a tier the smallest may be: powers of the merge factor."""


def none_merged(sizes: Sequence[int]) -> list[range]:
    """Merge no segments, if nobody may wait for it: each is a range by itself."""
    return [range(number, number + 1) for number in range(len(sizes))]


def tiers_merged(sizes: Sequence[int]) -> list[range]:
    """Choose which segments, of so many tokens each, are merged when tiers are full; the others stay by themselves.

    Twelve segments of 1,000 tokens give `range(0, 10)`, `range(10, 11)` and `range(11, 12)`.
    """
    groups = none_merged(sizes)
    sizes = list(sizes)
    while found := _next_merge(sizes):
        first, last = found.start, found.stop
        groups[first:last] = [range(groups[first].start, groups[last - 1].stop)]
        sizes[first:last] = [sum(sizes[first:last])]
    return groups


def all_merged(sizes: Sequence[int]) -> list[range]:
    """Merge all segments into one, or as many as are needed to hold them."""
    groups: list[range] = []
    tokens = 0
    for number, size in enumerate(sizes):
        if groups and tokens + size <= MAX_SEGMENT_TOKENS:
            groups[-1] = range(groups[-1].start, number + 1)
            tokens += size
        else:
            groups.append(range(number, number + 1))
            tokens = size
    return groups


def _next_merge(sizes: Sequence[int]) -> range | None:
    """Find the first neighbours of one tier that are enough to be merged."""
    tiers = [math.log(max(size, _MIN_TIER_TOKENS), MERGE_FACTOR) for size in sizes]
    start = 0
    while start < len(sizes):
        bottom = max(tiers[start:]) - _TIER_SPAN
        end = max(number for number in range(start, len(sizes)) if tiers[number] >= bottom) + 1
        for first in range(start, end - MERGE_FACTOR + 1):
            if sum(sizes[first : first + MERGE_FACTOR]) <= MAX_SEGMENT_TOKENS:
                return range(first, first + MERGE_FACTOR)
        start = end
    return None
