"""Write a segment of the n-gram index: the n-grams of the text that a run keeps, its documents and its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Hashes, Ints
from gristmill.arrays.storing import Stream, load_arrays, save_arrays
from gristmill.dedup.onion.buckets import Bucket, over_span, sort
from gristmill.dedup.onion.index import Segment
from gristmill.dedup.onion.plan import Outline, Plan, Starts
from gristmill.dedup.onion.step import Step, WholeStep, mark_done
from gristmill.errors import GristmillError

_MAX_BLOCKS = 1 << 32


@dataclass(frozen=True, kw_only=True)
class StoreBucket(Step):
    """The n-grams of a bucket of a segment whose blocks are all kept, and the short blocks that are: each once.

    A run has as many buckets as fit into memory, a segment always as many as its size asks for: never more. So the
    n-grams of a bucket here are those of one or several in a row of the run, and they are in order.
    """

    segment: Segment

    what: ClassVar[str] = "index of bucket"

    def work(self) -> None:
        """Write where each stands first."""
        plan = self.plan
        states, starts = load_arrays(plan.final)["states"], Starts.read(plan.starts)
        ratio = plan.buckets // self.segment.buckets
        parts = [
            _kept(plan, bucket, states, starts) for bucket in range(self.number * ratio, (self.number + 1) * ratio)
        ]
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        arrays["blocks"] += np.uint32(self.segment.first_block)
        save_arrays(self.segment.bucket(self.number), arrays, durable=True)
        mark_done(plan.stored(self.number))


def _kept(plan: Plan, number: int, states: Array, starts: Starts) -> dict[str, Array]:
    """The n-grams and short blocks of one bucket of a run: of each the first that is kept, in the order of hashes."""
    bucket = Bucket.read(plan, number)
    positions = bucket.positions(starts)
    kept = over_span(positions.blocks, positions.spans, states) == 0
    short_hashes, short_blocks = _short_blocks(plan, number, starts)
    short_kept = states[short_blocks] == 0
    short_blocks = short_blocks[short_kept].astype(np.uint32)
    hashes = np.concatenate([bucket.hashes[kept], short_hashes[short_kept]])
    found = sort(hashes, plan.bits)
    first = found.order[np.append(True, ~found.equal)[: len(hashes)]]
    return {
        "hashes": hashes[first],
        "blocks": np.concatenate([positions.blocks[kept], short_blocks])[first],
        "spans": np.concatenate([positions.spans[kept], np.zeros(len(short_blocks), np.uint8)])[first],
    }


def _short_blocks(plan: Plan, bucket: int, starts: Starts) -> tuple[Hashes, Ints]:
    """The short blocks of all bundles whose hashes belong into a bucket, in the order of the corpus."""
    hashes, blocks = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    low, high = bucket << (64 - plan.bits), (bucket + 1) << (64 - plan.bits)
    for bundle in range(plan.bundles):
        outline = Outline.read(plan.outline(bundle))
        start = np.searchsorted(outline.short_hashes, np.uint64(low))
        end = np.searchsorted(outline.short_hashes, np.uint64(high - 1), side="right")
        hashes.append(outline.short_hashes[start:end])
        blocks.append(outline.short_blocks[start:end] + starts.blocks[bundle])
    return np.concatenate(hashes), np.concatenate(blocks)


@dataclass(frozen=True, kw_only=True)
class StoreDocuments(WholeStep):
    """Complete a segment, of which all buckets are written: its documents, by their digests, and its blocks."""

    segment: Segment

    what: ClassVar[str] = "index of documents of"

    def work(self) -> None:
        """Write them, range by range and bundle by bundle."""
        plan, segment = self.plan, self.segment
        if segment.first_block + segment.blocks > _MAX_BLOCKS:
            raise GristmillError(f"an n-gram index can't have more than {_MAX_BLOCKS:,} blocks: begin another corpus")
        ranges = [plan.copies(number) for number in range(1 << plan.digest_bits)]
        count = sum(len(load_arrays(path)["rows"]) for path in ranges)
        rows = (load_arrays(path)["rows"] + segment.rows[0] for path in ranges)
        documents = {
            "digests": Stream(np.dtype(np.uint64), count, (load_arrays(path)["digests"] for path in ranges), columns=2),
            "rows": Stream(np.dtype(np.int64), count, rows),
        }
        save_arrays(segment.folder / "documents", documents, durable=True)
        blocks, edges = load_arrays(plan.blocks), pairwise(Starts.read(plan.starts).blocks.tolist())
        of_blocks = (blocks["rows"][start:end] + segment.rows[0] for start, end in edges)
        rows_of_blocks = Stream(np.dtype(np.int64), len(blocks["rows"]), of_blocks)
        save_arrays(segment.folder / "blocks", {"rows": rows_of_blocks, "numbers": blocks["numbers"]}, durable=True)
        mark_done(plan.stored_documents)
