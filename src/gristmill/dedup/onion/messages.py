"""Messages from buckets to shards, about some places in each.

A bucket has n-grams of all shards, and writes one file of messages, in which they are in the order of the shards:

    message_places   4 90 7 7 12      with other arrays beside it, that say something of each place
    message_offsets  0 2 2 5          so 4 and 90 are for shard 0, none for shard 1, and 7, 7 and 12 for shard 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.positions import Words

_PIECE_PLACES = 1 << 19  # of which the messages are read together


def shard_order(blocks: Words, starts: Starts) -> tuple[Ints, Ints]:
    """The order that brings what stands in these blocks together by shard, and where each shard then begins."""
    shards = len(starts.blocks) - 1
    of_block = np.searchsorted(starts.blocks[1:-1].astype(np.uint32), blocks, side="right")
    numbers = of_block.astype(np.uint16 if shards <= 1 << 16 else np.uint32)
    offsets = starts_of(np.bincount(numbers, minlength=shards))
    return (np.argsort(numbers, kind="stable") if shards > 1 else np.arange(len(blocks))), offsets


def read_messages(plan: Plan, path: Callable[[int], Path], shard: int, *names: str) -> Iterator[tuple[Array, ...]]:
    """Read the messages of all buckets to a shard: its part of the arrays of these names, in pieces of some size."""
    for bucket in range(plan.buckets):
        arrays = load_arrays(path(bucket))
        start, end = arrays["message_offsets"][shard : shard + 2].tolist()
        for at in range(start, end, _PIECE_PLACES):
            yield tuple(arrays[name][at : min(at + _PIECE_PLACES, end)] for name in names)
