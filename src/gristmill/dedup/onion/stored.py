"""What an earlier run has decided, read from `duplicates.parquet`: an index can be made of it without judging anew."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.storing import save_arrays
from gristmill.dedup.onion.plan import Outline
from gristmill.dedup.onion.step import BundleStep
from gristmill.dedup.onion.verdicts import IS_DUPLICATE
from gristmill.dedup.result import UNIQUE, VERDICTS
from gristmill.errors import GristmillError
from gristmill.kept import replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")


def read_copied(shard: Shard, rows: int) -> Flags:
    """Tell of each document of a shard, which has so many, whether it is an exact copy of another one."""
    copied: Flags = pc.not_equal(read_columns(shard.duplicates, ["copy_of"])["copy_of"], "").to_numpy()
    _check(shard, len(copied), rows)
    return copied


class ReadStates(BundleStep):
    """The state of all blocks of a bundle that took part: which are kept.

    Memory: 20 bytes for each block of the bundle.
    """

    what: ClassVar[str] = "stored verdicts on"

    def work(self) -> None:
        """Read them, shard by shard."""
        plan = self.plan
        outline = Outline.read(plan.outline(self.number))
        states = [np.empty(0, np.uint8)]
        for shard, (start, end) in zip(self.bundle.shards, pairwise(self.bundle.rows), strict=True):
            edges = np.searchsorted(outline.rows, (start - self.bundle.rows[0], end - self.bundle.rows[0]))
            rows = outline.rows[slice(*edges.tolist())] - (start - self.bundle.rows[0])
            gone = _gone(shard, rows if plan.settings.whole_documents else None)
            first, last = outline.first_blocks[edges].tolist()
            _check(shard, len(gone), last - first)
            states.append(np.where(gone, IS_DUPLICATE, np.uint8(0)))
        save_arrays(plan.judged(0, self.number), {"states": np.concatenate(states)})


def _gone(shard: Shard, documents: Ints | None) -> Flags:
    """Whether each block that took part is dropped; or, if rows of documents are given, each of these documents."""
    table = read_columns(shard.duplicates, ["copy_of", "blocks.list.element.verdict"])
    lists = table["blocks"].combine_chunks()
    verdicts = lists.values.field("verdict")
    document = np.repeat(np.arange(table.num_rows), np.diff(lists.offsets.to_numpy()))
    took_part = pc.not_equal(verdicts, "").to_numpy(zero_copy_only=False)
    took_part &= pc.equal(table["copy_of"], "").to_numpy()[document]
    replaced = replaced_flags(shard)
    if replaced is not None:
        took_part &= ~replaced[document]
    gone: Flags = pc.not_equal(verdicts, VERDICTS[UNIQUE]).to_numpy(zero_copy_only=False)[took_part]
    if documents is None:
        return gone
    dropped = np.zeros(table.num_rows, np.bool_)
    dropped[document[took_part][gone]] = True
    return dropped[documents]


def _check(shard: Shard, found: int, expected: int) -> None:
    if found != expected:
        corpus = shard.folder.parents[1]
        raise GristmillError(
            f"{shard.duplicates} does not fit the documents beside it: run `gristmill dedup {corpus}` first"
        )
