"""Write down the result of a method that looks at whole documents: which is a copy of which."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.job import Job
from gristmill.dedup.reading import read_kept
from gristmill.dedup.result import DUPLICATE, NOBODY, UNIQUE, Ids, Judged, Shares, write_result
from gristmill.document import document_id
from gristmill.engine import Report
from gristmill.kept import replaced_by
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")

_MARKED = "marked"
"""The file, among what is put aside, of what tasks are to mark."""


def write_copies(
    job: Job, starts: Sequence[int], first: Ints, scores: Shares | None = None, *, keep_first: bool = True
) -> None:
    """Mark every document that is not the `first` of its kind, all rows of the corpus being numbered.

    `scores` say how alike it is; without them, copies are the same to the letter. Which block is a copy of which is not
    told. `starts` are the rows at which shards begin, settled ones too, of which nothing is written.
    """
    copies = copied(first, keep_first=keep_first)
    rows = np.flatnonzero(copies != NOBODY)
    write_marked(job, starts, rows, copies[rows], np.ones(len(rows)) if scores is None else scores[rows])


def copied(first: Ints, *, keep_first: bool) -> Ints:
    """For each document the one that it is a copy of, given the first of its kind; `NOBODY` if it stays.

    If not even the first is kept, it is a copy of the second. First 0 1 0 0  ->  -1 -1 0 0, or 2 -1 0 0.
    """
    copies = np.where(first == np.arange(len(first)), NOBODY, first)
    if not keep_first:
        later = np.flatnonzero(copies != NOBODY)
        several, second = np.unique(first[later], return_index=True)
        copies[several] = later[second]
    return copies


def write_marked(job: Job, starts: Sequence[int], rows: Ints, copies: Ints, scores: Shares) -> None:
    """Mark some documents as copies of others, all rows of the corpus being numbered; the rest are unique.

    Each shard is written by a task, which finds there what is to be marked.
    """
    job.remove_index()  # it holds n-grams of what another method kept
    names = [shard.name for shard in (*job.settled, *job.shards)]
    marked = job.work / _MARKED
    save_arrays(
        marked,
        {
            "rows": rows,
            "copies": copies,
            "scores": scores,
            "starts": np.array(starts, np.int64),
            "names": np.frombuffer(json.dumps(names).encode(), np.uint8),
        },
    )
    job.run([WriteCopies(shard, number, marked) for number, shard in enumerate(job.shards, len(job.settled))])
    shutil.rmtree(job.work, ignore_errors=True)  # nothing comes after that


@dataclass(frozen=True, slots=True)
class WriteCopies:
    """Writes the result of a shard."""

    shard: Shard
    number: int
    """Which shard of the corpus it is."""
    marked: Path
    """The file of what is to be marked."""

    @property
    def name(self) -> str:
        """The shard."""
        return f"copies of shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read, of which there are few: hardly more than the lengths of blocks count."""
        return self.shard.documents.stat().st_size // 8

    def run(self, report: Report) -> None:
        """Mark the documents of the shard, and their blocks, as what they are."""
        arrays = load_arrays(self.marked)
        names, starts = json.loads(arrays["names"].tobytes()), arrays["starts"]
        start, end = starts[self.number : self.number + 2].tolist()
        mine = slice(*np.searchsorted(arrays["rows"], [start, end]).tolist())
        copies, shares = np.full(end - start, NOBODY), np.zeros(end - start)
        copies[arrays["rows"][mine] - start] = arrays["copies"][mine]
        shares[arrays["rows"][mine] - start] = arrays["scores"][mine]
        blocks, *sizes = _kept_blocks(self.shard)
        of_block = copies[blocks]
        judged = Judged(
            shares,
            copies,
            shares[blocks],
            np.where(of_block == NOBODY, UNIQUE, DUPLICATE).astype(np.uint8),
            of_block,
            np.full(len(blocks), NOBODY),
            *sizes,
        )
        write_result(self.shard, judged, Ids(names, starts.tolist()))
        report(self.cost)


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
