"""Exact copies: documents whose clean text is the same to the letter. The first in source order is kept.

Memory: 24 bytes a document (its digest, and where it stands), and what sorting these needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.dedup.registry import DUPLICATES_SCHEMA, METHODS
from gristmill.document import document_id
from gristmill.shards import DOCUMENTS, DUPLICATES, ShardWriter, read_columns


@METHODS.register("exact")
def exact(shards: Sequence[Path]) -> int:
    """Mark every kept document whose text an earlier kept document has."""
    digests, kept, starts = _read(shards)
    first = first_copies(digests, kept)
    ids = _Ids(shards, starts)
    for number, shard in enumerate(shards):
        rows = range(starts[number], starts[number + 1])
        copies = [ids[first[row]] if first[row] != row else "" for row in rows]
        table = pa.table([pa.array([float(bool(copy)) for copy in copies], pa.float64()), pa.array(copies, pa.string())], DUPLICATES_SCHEMA)
        with ShardWriter(shard / DUPLICATES, DUPLICATES_SCHEMA) as writer:
            writer.write(table)
            writer.finish({"duplicates": sum(map(bool, copies))})
    return int(np.count_nonzero(first != np.arange(len(first))))


def first_copies(digests: npt.NDArray[np.uint64], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """For each row the first kept row with the same digest (two numbers a row); a row that is not kept is its own."""
    first = np.arange(len(digests), dtype=np.int64)
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort((digests[rows, 1], digests[rows, 0]))]  # stable: equal digests stay in source order
    starts_group = np.ones(len(rows), np.bool_)
    starts_group[1:] = (digests[rows[1:]] != digests[rows[:-1]]).any(axis=1)
    first[rows] = rows[np.flatnonzero(starts_group)[np.cumsum(starts_group) - 1]]
    return first


def _read(shards: Sequence[Path]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_], list[int]]:
    """Digest of every document, whether it is kept, and the row at which each shard begins."""
    digests, kept, starts = [np.empty((0, 2), np.uint64)], [np.empty(0, np.bool_)], [0]
    for shard in shards:
        table = read_columns(shard / DOCUMENTS, ["digest", "dropped"])
        digests.append(np.frombuffer(b"".join(table["digest"].to_pylist()), np.uint64).reshape(-1, 2))
        kept.append(np.array([not reason for reason in table["dropped"].to_pylist()], np.bool_))
        starts.append(starts[-1] + table.num_rows)
    return np.concatenate(digests), np.concatenate(kept), starts


class _Ids:
    """Document ids by row of the whole corpus."""

    def __init__(self, shards: Sequence[Path], starts: list[int]) -> None:
        self._names = [shard.name for shard in shards]
        self._starts = np.array(starts)

    def __getitem__(self, row: int) -> str:
        shard = int(np.searchsorted(self._starts, row, side="right")) - 1
        return document_id(self._names[shard], int(row - self._starts[shard]))
