"""Compaction of the n-gram index: small segments are merged, so that a look-up has to ask few of them.

The last segments are merged as long as the one before them is less than twice as large as they are together. So each
segment is at least twice as large as the next one, there are no more of them than the logarithm of the corpus's size,
and an n-gram is written again as many times at most:

    sizes 100 1      the next addition of 1 makes  100 1 1  ->  100 2
    sizes 100 2      the next one                  100 2 1
    sizes 100 2 1    and the next                  100 2 1 1  ->  100 4

Memory: 60 bytes for each n-gram of a bucket.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.index import Segment
from gristmill.dedup.onion.step import Step, mark_done

_MIN_RATIO = 2  # of the sizes of a segment and of the next one


def first_to_merge(segments: Sequence[Segment]) -> int:
    """The place of the first of the segments at the end that are to be merged; that of the last one if none are."""
    first = len(segments) - 1
    size = max(segments[first].estimate, 1)
    while first > 0 and segments[first - 1].estimate < _MIN_RATIO * size:
        first -= 1
        size += segments[first].estimate
    return first


def merged(segments: Sequence[Segment], bits: int) -> Segment:
    """The segment that several in a row are merged into."""
    shards = tuple(shard for segment in segments for shard in segment.shards)
    counts: Counter[str] = Counter()
    for segment in segments:
        counts.update(segment.counts)
    return replace(
        segments[0],
        folder=segments[0].folder.with_name(Segment.name_of(shards)),
        bits=bits,
        shards=shards,
        rows=(segments[0].rows[0], *(row for segment in segments for row in segment.rows[1:])),
        blocks=sum(segment.blocks for segment in segments),
        estimate=sum(segment.estimate for segment in segments),
        counts=dict(counts),
    )


@dataclass(frozen=True, kw_only=True)
class MergeBucket(Step):
    """The n-grams of a bucket of several segments; of one that is in two of them where it stands in the first.

    Those of documents that later versions replaced are left out.
    """

    segments: tuple[Segment, ...]
    made: Segment

    what: ClassVar[str] = "merged index of bucket"

    def work(self) -> None:
        """Write it."""
        parts = [_range_of(segment, self.number, self.made.bits) for segment in self.segments]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        order = np.argsort(arrays["hashes"], kind="stable")  # which finds the sorted stretches and merges them
        hashes = arrays["hashes"][order]
        first = order[np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)]]
        kept = {name: values[first] for name, values in arrays.items()}
        save_arrays(self.made.bucket(self.number), kept, durable=True)
        mark_done(self.plan.merged(self.number))


def _range_of(segment: Segment, bucket: int, bits: int) -> dict[str, Array]:
    """The n-grams of a segment whose hashes begin with the bits of a bucket; these are no fewer than its own bits."""
    arrays = load_arrays(segment.bucket(bucket >> (bits - segment.bits)))
    low, high = bucket << (64 - bits), ((bucket + 1) << (64 - bits)) - 1
    start = np.searchsorted(arrays["hashes"], np.uint64(low))
    end = np.searchsorted(arrays["hashes"], np.uint64(high), side="right")
    found = {name: values[start:end] for name, values in arrays.items()}
    if not len(segment.gone_blocks):
        return found
    stays = ~np.isin(found["blocks"], segment.gone_blocks)
    return {name: values[stays] for name, values in found.items()}


def merge_documents(segments: Sequence[Segment], made: Segment) -> None:
    """Complete a segment that others were merged into, of which all buckets are written."""
    documents = [load_arrays(segment.folder / "documents") for segment in segments]
    stays = [~np.isin(part["rows"], segment.gone) for part, segment in zip(documents, segments, strict=True)]
    digests, rows = (
        np.concatenate([part[name][some] for part, some in zip(documents, stays, strict=True)])
        for name in ("digests", "rows")
    )
    order = np.argsort(digests[:, 0], kind="stable")
    save_arrays(made.folder / "documents", {"digests": digests[order], "rows": rows[order]}, durable=True)
    blocks = [segment.load_blocks() for segment in segments]
    joined = {name: np.concatenate([part[name] for part in blocks]) for name in ("rows", "numbers")}
    save_arrays(made.folder / "blocks", joined, durable=True)
