"""Write a segment of the n-gram index: the n-grams of the text that a run keeps, its documents and its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Hashes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.exact import Catalogue
from gristmill.dedup.onion.buckets import Bucket, over_span, sort
from gristmill.dedup.onion.index import Segment
from gristmill.dedup.onion.plan import Outline, Plan, Starts
from gristmill.dedup.onion.step import Step, mark_done
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
    """The short blocks of all shards whose hashes belong into a bucket, in the order of the corpus."""
    hashes, blocks = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    low, high = bucket << (64 - plan.bits), (bucket + 1) << (64 - plan.bits)
    for shard in range(len(plan.shards)):
        outline = Outline.read(plan.outline(shard))
        start = np.searchsorted(outline.short_hashes, np.uint64(low))
        end = np.searchsorted(outline.short_hashes, np.uint64(high - 1), side="right")
        hashes.append(outline.short_hashes[start:end])
        blocks.append(outline.short_blocks[start:end] + starts.blocks[shard])
    return np.concatenate(hashes), np.concatenate(blocks)


def store_documents(plan: Plan, segment: Segment, catalogue: Catalogue) -> None:
    """Complete a segment, of which all buckets are written: its documents, by their digests, and its blocks."""
    if segment.first_block + segment.blocks > _MAX_BLOCKS:
        raise GristmillError(f"an n-gram index can't have more than {_MAX_BLOCKS:,} blocks: begin another corpus")
    rows = np.flatnonzero(catalogue.kept & (load_arrays(plan.copies)["first"] == np.arange(len(catalogue.kept))))
    digests = catalogue.digests[rows]
    order = np.argsort(digests[:, 0], kind="stable")
    documents = {"digests": digests[order], "rows": rows[order] + segment.rows[0]}
    save_arrays(segment.folder / "documents", documents, durable=True)
    blocks = load_arrays(plan.blocks)
    arrays = {"rows": blocks["rows"] + segment.rows[0], "numbers": blocks["numbers"]}
    save_arrays(segment.folder / "blocks", arrays, durable=True)
