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

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.storing import Stream, load_arrays, save_arrays
from gristmill.dedup.onion.index import Segment
from gristmill.dedup.onion.same_texts import ranges
from gristmill.dedup.onion.step import Step, WholeStep, mark_done

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
class FindGone(WholeStep):
    """The documents and blocks of segments that later versions replaced since: they are not merged."""

    segments: tuple[Segment, ...]

    what: ClassVar[str] = "replaced documents of"

    def work(self) -> None:
        """Find those of each segment."""
        rows = {f"rows {number}": segment.gone for number, segment in enumerate(self.segments)}
        blocks = {f"blocks {number}": segment.gone_blocks for number, segment in enumerate(self.segments)}
        save_arrays(self.plan.gone, rows | blocks)


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
        gone = load_arrays(self.plan.gone)
        parts = [
            _range_of(segment, self.number, self.made.bits, gone[f"blocks {number}"])
            for number, segment in enumerate(self.segments)
        ]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        order = np.argsort(arrays["hashes"], kind="stable")  # which finds the sorted stretches and merges them
        hashes = arrays["hashes"][order]
        first = order[np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)]]
        kept = {name: values[first] for name, values in arrays.items()}
        save_arrays(self.made.bucket(self.number), kept, durable=True)
        mark_done(self.plan.merged(self.number))


def _range_of(segment: Segment, bucket: int, bits: int, gone: Ints) -> dict[str, Array]:
    """The n-grams of a segment whose hashes begin with the bits of a bucket; these are no fewer than its own bits."""
    arrays = load_arrays(segment.bucket(bucket >> (bits - segment.bits)))
    low, high = bucket << (64 - bits), ((bucket + 1) << (64 - bits)) - 1
    start = np.searchsorted(arrays["hashes"], np.uint64(low))
    end = np.searchsorted(arrays["hashes"], np.uint64(high), side="right")
    found = {name: values[start:end] for name, values in arrays.items()}
    if not len(gone):
        return found
    stays = ~np.isin(found["blocks"], gone)
    return {name: values[stays] for name, values in found.items()}


@dataclass(frozen=True, kw_only=True)
class MergeDocuments(WholeStep):
    """Complete a segment that others were merged into, of which all buckets are written.

    Documents are merged range by range of their digests, so memory does not grow with them.
    """

    segments: tuple[Segment, ...]
    made: Segment

    what: ClassVar[str] = "merged index of documents of"

    def work(self) -> None:
        """Write its documents and its blocks."""
        count = sum(len(part["rows"]) for part in self._in_order())
        documents = {
            "digests": Stream(np.dtype(np.uint64), count, (part["digests"] for part in self._in_order()), columns=2),
            "rows": Stream(np.dtype(np.int64), count, (part["rows"] for part in self._in_order())),
        }
        save_arrays(self.made.folder / "documents", documents, durable=True)
        blocks = [segment.load_blocks() for segment in self.segments]
        length = sum(len(part["rows"]) for part in blocks)
        joined = {
            "rows": Stream(np.dtype(np.int64), length, (part["rows"] for part in blocks)),
            "numbers": Stream(np.dtype(np.int32), length, (part["numbers"] for part in blocks)),
        }
        save_arrays(self.made.folder / "blocks", joined, durable=True)
        mark_done(self.plan.merged_documents)

    def _in_order(self) -> Iterator[dict[str, Array]]:
        """The documents of all segments that no later version replaced, range by range."""
        documents = [load_arrays(segment.folder / "documents") for segment in self.segments]
        gone = load_arrays(self.plan.gone)
        bits = ranges(sum(len(part["rows"]) for part in documents))
        for number in range(1 << bits):
            low, high = number << (64 - bits), ((number + 1) << (64 - bits)) - 1
            found: dict[str, list[Array]] = {"digests": [], "rows": []}
            for place, part in enumerate(documents):
                # Not np.searchsorted: it would copy the column.
                start = bisect_left(part["digests"][:, 0], np.uint64(low))
                end = bisect_right(part["digests"][:, 0], np.uint64(high))
                stays = ~np.isin(part["rows"][start:end], gone[f"rows {place}"])
                for name, values in found.items():
                    values.append(part[name][start:end][stays])
            made = {name: np.concatenate(values) for name, values in found.items()}
            order = np.argsort(made["digests"][:, 0], kind="stable")
            yield {name: values[order] for name, values in made.items()}
