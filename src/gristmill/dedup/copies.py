"""Write down the result of a method that looks at whole documents: which is a copy of which."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.dedup.job import Job
from gristmill.dedup.reading import read_kept
from gristmill.dedup.result import DUPLICATE, NOBODY, UNIQUE, Ids, Judged, Shares, write_result
from gristmill.document import document_id
from gristmill.kept import replaced_by
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")


def write_copies(
    job: Job, starts: Sequence[int], first: Ints, scores: Shares | None = None, *, keep_first: bool = True
) -> None:
    """Mark every document that is not the `first` of its kind, all rows of the corpus being numbered.

    `scores` say how alike it is; without them, copies are the same to the letter. Which block is a copy of which is not
    told. `starts` are the rows at which shards begin, settled ones too, of which nothing is written.
    """
    job.remove_index()  # it holds n-grams of what another method kept
    copies = np.where(first == np.arange(len(first)), NOBODY, first)
    if not keep_first:
        copied, second = np.unique(first[copies != NOBODY], return_index=True)
        copies[copied] = np.flatnonzero(copies != NOBODY)[second]
    shares = (copies != NOBODY).astype(np.float64) if scores is None else np.where(copies == NOBODY, 0.0, scores)
    ids = Ids([shard.name for shard in (*job.settled, *job.shards)], starts)
    for shard, (start, end) in zip(job.shards, pairwise(starts[len(job.settled) :]), strict=True):
        blocks, *sizes = _kept_blocks(shard)
        of_block = copies[start:end][blocks]
        judged = Judged(
            shares[start:end],
            copies[start:end],
            shares[start:end][blocks],
            np.where(of_block == NOBODY, UNIQUE, DUPLICATE).astype(np.uint8),
            of_block,
            np.full(len(blocks), NOBODY),
            *sizes,
        )
        write_result(shard, judged, ids)


def not_shown(settled: Sequence[Shard]) -> dict[Shard, Flags]:
    """Tell of documents of settled shards whether later versions replace them, or those that they are copies of.

    To be a copy of such a document is no reason to be dropped. Nothing if there are none.
    """
    rows = {shard: replaced_by(shard) for shard in settled}
    gone = pa.array([document_id(shard.name, row) for shard in settled for row in rows[shard]], pa.string())
    if not len(gone):
        return {}
    found = {}
    for shard in settled:
        copies = read_columns(shard.duplicates, ["copy_of"])["copy_of"]
        found[shard] = pc.is_in(copies, gone).to_numpy().copy()
        found[shard][list(rows[shard])] = True
    return found


def _kept_blocks(shard: Shard) -> list[Ints]:
    """Of each block that is kept the row of its document, and its words, characters and bytes."""
    columns: list[list[Ints]] = [[np.empty(0, np.int64)] for _ in range(4)]
    for text in read_kept(shard):
        found = (np.repeat(text.rows, np.diff(text.starts)), text.words, text.lengths, text.sizes)
        for column, values in zip(columns, found, strict=True):
            column.append(values)
    return list(map(np.concatenate, columns))
