"""Messages from buckets to bundles, about some places in each.

A bucket has n-grams of all bundles, and writes one file of messages, in which they are in the order of the bundles:

    message_places   4 90 7 7 12      with other arrays beside it, that say something of each place
    message_offsets  0 2 2 5          so 4 and 90 are for bundle 0, none for bundle 1, and 7, 7 and 12 for bundle 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import ArrayFile
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.positions import Words

_PIECE_PLACES = 1 << 19  # of which the messages are read together


def bundle_order(blocks: Words, starts: Starts) -> tuple[Ints, Ints]:
    """The order that brings what stands in these blocks together by bundle, and where each bundle then begins."""
    bundles = len(starts.blocks) - 1
    of_block = np.searchsorted(starts.blocks[1:-1].astype(np.uint32), blocks, side="right")
    numbers = of_block.astype(np.uint16 if bundles <= 1 << 16 else np.uint32)
    offsets = starts_of(np.bincount(numbers, minlength=bundles))
    return (np.argsort(numbers, kind="stable") if bundles > 1 else np.arange(len(blocks))), offsets


def read_messages(plan: Plan, path: Callable[[int], Path], bundle: int, *names: str) -> Iterator[tuple[Array, ...]]:
    """Read the messages of all buckets to a bundle: its share of the arrays of these names, in pieces."""
    for bucket in range(plan.buckets):
        with ArrayFile(path(bucket)) as file:
            start, end = file.read("message_offsets", bundle, bundle + 2).tolist()
            for at in range(start, end, _PIECE_PLACES):
                yield tuple(file.read(name, at, min(at + _PIECE_PLACES, end)) for name in names)
