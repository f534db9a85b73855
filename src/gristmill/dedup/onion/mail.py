"""What buckets tell the shards: about some places in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion.buckets import Words
from gristmill.dedup.onion.plan import Plan, Starts

_PIECE = 1 << 19


def shard_order(blocks: Words, starts: Starts) -> tuple[Ints, Ints]:
    """The order that brings what stands in these blocks together by shard, and where each shard then begins."""
    shards = len(starts.blocks) - 1
    of_block = np.searchsorted(starts.blocks[1:-1].astype(np.uint32), blocks, side="right")
    numbers = of_block.astype(np.uint16 if shards <= 1 << 16 else np.uint32)
    offsets = starts_of(np.bincount(numbers, minlength=shards))
    return (np.argsort(numbers, kind="stable") if shards > 1 else np.arange(len(blocks))), offsets


def read_mail(plan: Plan, path: Callable[[int], Path], shard: int, *names: str) -> Iterator[tuple[Array, ...]]:
    """What each bucket says to a shard: its part of the arrays of these names, in pieces of some size."""
    for bucket in range(plan.buckets):
        arrays = load_arrays(path(bucket))
        start, end = arrays["mail_offsets"][shard : shard + 2].tolist()
        for at in range(start, end, _PIECE):
            yield tuple(arrays[name][at : min(at + _PIECE, end)] for name in names)
