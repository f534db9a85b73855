"""Kept text, defined once: the blocks of a document that cleaning and filters keep, for objects and for columns.

A block is kept if its boilerplate score is at most the threshold, its role is one of those that are text, no filter
dropped it or its document, and no later version of the document replaces that one (`replaced.parquet`). De-duplication
comes later: which of the kept blocks are left is in `duplicates.parquet`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.columns import Coded, are_chosen
from gristmill.document import Document
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, open_parquet, read_columns

pc = LazyModule("pyarrow.compute")

OUTLINE = (
    "dropped",
    "max_boilerplate",
    "roles",
    *(f"blocks.list.element.{name}" for name in ("score", "dropped", "role")),
)
"""The columns of documents that tell which blocks are kept."""
# Typed, since to find the type of a Python value takes Arrow a third of a millisecond.
_NOT_DROPPED = pa.scalar("", pa.string())


def replaced_by(shard: Shard) -> dict[int, str]:
    """Say which documents of a shard are replaced: the row of each, and the id of the version that replaces it."""
    if not shard.replaced.exists():
        return {}
    table = read_columns(shard.replaced, ["row", "by"])
    return dict(zip(table["row"].to_pylist(), table["by"].to_pylist(), strict=True))


def replaced_flags(shard: Shard) -> Flags | None:
    """Tell of each document of a shard whether it is replaced; None if none is."""
    rows = replaced_by(shard)
    if not rows:
        return None
    with open_parquet(shard.documents) as file:
        flags = np.zeros(file.metadata.num_rows, np.bool_)
    flags[list(rows)] = True
    return flags


def kept_flags(document: Document) -> Flags:
    """Tell of each block of a document whether it is kept."""
    flags = np.zeros(document.block_count, np.bool_)
    if not document.dropped:
        flags[document.kept_columns()[1]] = True
    return flags


@dataclass(frozen=True, slots=True)
class BlockColumns:
    """The blocks of all documents of a batch, as columns, and which of them are kept."""

    wanted: Flags
    """For each document whether the filters kept it."""
    offsets: Ints
    """Where each document begins among the blocks, and at the end where the last one ends."""
    kept: Ints
    """The numbers of the blocks that are kept."""
    fields: pa.StructArray
    """All fields of each block that were read, as an array of structs."""

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return int(self.offsets[-1])


def block_columns(batch: pa.RecordBatch, skip: Flags | None = None) -> BlockColumns:
    """Find the kept blocks of a batch of documents; documents to be skipped are taken for dropped ones.

    Two documents, the second dropped, with a threshold of 0.5:

        blocks   score 0.1, 0.9, 0.2 | 0.3
        offsets  0, 3, 4
        kept     0, 2
    """
    wanted = pc.equal(batch.column("dropped"), _NOT_DROPPED).to_numpy(zero_copy_only=False).copy()
    if skip is not None:
        wanted &= ~skip
    lists = batch.column("blocks")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets -= offsets[0]
    counts = np.diff(offsets)
    thresholds = np.repeat(batch.column("max_boilerplate").to_numpy(), counts)
    is_kept = (values.field("score").to_numpy() <= thresholds) & np.repeat(wanted, counts)
    is_kept &= pc.equal(values.field("dropped"), _NOT_DROPPED).to_numpy(zero_copy_only=False)
    is_kept &= _have_role(batch.column("roles"), counts, values.field("role"))
    return BlockColumns(wanted, offsets, np.flatnonzero(is_kept), values)


def _have_role(roles: pa.StringArray, counts: Ints, role: pa.StringArray) -> Flags | np.bool_:
    """Tell of each block whether its role is among those of its document; documents have `counts` blocks each."""
    chosen = Coded.of_arrow(roles)
    if not any(chosen.values):
        return np.True_
    found = Coded.of_arrow(role)
    values = tuple(found.values)
    flags: Flags = np.stack([are_chosen(values, names) for names in chosen.values])[
        np.repeat(chosen.codes, counts), found.codes
    ]
    return flags
