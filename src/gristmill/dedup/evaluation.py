"""How good a de-duplication method is on documents whose true clusters are known."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array
from gristmill.dedup.documents.clustering import clusters
from gristmill.dedup.documents.driver import sketch_shards
from gristmill.dedup.documents.method import DocumentMethod
from gristmill.dedup.documents.sketches import Pairs
from gristmill.dedup.job import Job
from gristmill.dedup.registry import parse, run
from gristmill.document import document_id
from gristmill.evaluation.clusters import Agreement, Labels, ScoredPairs, au_roc, b_cubed, linked_au_roc, pairwise
from gristmill.shards import Shard, read_batches, read_columns

THRESHOLD = 0.5
"""Documents belong together if they are alike by more than this."""

_NO_PAIRS: Array = np.empty((3, 0))


@dataclass(frozen=True, slots=True)
class Quality:
    """What a method found of the true clusters, and what it cost."""

    method: str
    pairs: Agreement
    b_cubed: Agreement
    au_roc: float | None
    """The area under the ROC curve; None if all documents are of one cluster, or all of different ones.

    It is that of the scores which the method gives to all pairs of documents, as CEDAR's (6.1.1), found or not. A
    method that gives none (`exact`, `onion`) is judged by what it found and by transitive closure.
    """
    documents: int
    left: int
    """Documents of which some text is left."""
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """The figures for programs."""
        agreements = {
            name: {"precision": found.precision, "recall": found.recall, "f1": found.f1}
            for name, found in (("pairwise", self.pairs), ("b_cubed", self.b_cubed))
        }
        costs = {
            "au_roc": self.au_roc,
            "documents": self.documents,
            "documents_left": self.left,
            "seconds": self.seconds,
        }
        return {"method": self.method, **agreements, **costs}


def measure(spec: str, shards: Sequence[Shard], true: Labels, work: Path, threshold: float = THRESHOLD) -> Quality:
    """Run a method on shards and compare what it wrote with the true clusters of documents, given in their order."""
    for shard in shards:
        shard.duplicates.unlink(missing_ok=True)
    start = time.perf_counter()
    run(spec, shards, work)
    seconds = time.perf_counter() - start
    alike = read_alike(shards)
    found = alike.clusters(len(true), threshold)
    scored = _all_scores(spec, shards, work)
    area = linked_au_roc(alike.pairs, true) if scored is None else au_roc(scored, true)
    return Quality(spec, pairwise(found, true), b_cubed(found, true), area, len(true), documents_left(shards), seconds)


def _all_scores(spec: str, shards: Sequence[Shard], work: Path) -> Iterator[ScoredPairs] | None:
    """How alike any two documents are, some pairs at a time; nothing if the method does not say."""
    method = parse(spec)
    if not isinstance(method, DocumentMethod):
        return None
    sketches, rows = sketch_shards(method, Job(tuple(shards), work))
    scored = method.all_scores(sketches)
    return None if scored is None else (ScoredPairs(rows[p.first], rows[p.second], p.scores) for p in scored)


@dataclass(frozen=True, slots=True)
class Alike:
    """Which documents are alike by `duplicates.parquet`, documents being numbered through all shards."""

    whole: ScoredPairs
    """A document that is a copy as a whole, and what it is a copy of; its share is the score."""
    in_part: ScoredPairs
    """Any other document, and each that its blocks name; the score is the share of its words that are there."""

    @property
    def pairs(self) -> ScoredPairs:
        """All pairs."""
        both = (self.whole, self.in_part)
        return ScoredPairs.of(
            *(np.concatenate(columns) for columns in zip(*((p.first, p.second, p.scores) for p in both), strict=True))
        )

    def clusters(self, count: int, threshold: float = THRESHOLD) -> Labels:
        """Clusters of so many documents: those that belong together by way of others do so, too (transitive closure).

        What a method calls a copy as a whole is one, whatever the method's score means; else the score must be above
        the threshold.
        """
        linked = Alike(self.whole, self.in_part.above(threshold)).pairs
        return clusters(count, Pairs(linked.first, linked.second, linked.scores))


def read_alike(shards: Sequence[Shard]) -> Alike:
    """What the shards of a corpus say."""
    tables = [(shard, read_columns(shard.duplicates, ["share", "copy_of", "blocks"])) for shard in shards]
    ids = pa.array(
        [document_id(shard.name, row) for shard, table in tables for row in range(table.num_rows)], pa.string()
    )
    whole, in_part, start = [_NO_PAIRS], [_NO_PAIRS], 0
    for shard, table in tables:
        copies = _places(table["copy_of"], ids)
        of_documents = (np.arange(start, start + table.num_rows), copies, table["share"].to_numpy())
        of_blocks = _alike_in_part(shard, table, ids, start)
        is_copy = (table["copy_of"].to_numpy() != "")[of_blocks[0] - start]
        whole.append(np.array(of_documents)[:, copies >= 0])
        in_part.append(np.array(of_blocks)[:, (of_blocks[1] >= 0) & ~is_copy])
        start += table.num_rows
    return Alike(ScoredPairs.of(*np.concatenate(whole, axis=1)), ScoredPairs.of(*np.concatenate(in_part, axis=1)))


def documents_left(shards: Sequence[Shard]) -> int:
    """How many documents have text left."""
    return sum(
        int(np.count_nonzero(read_columns(shard.duplicates, ["text_blocks"])["text_blocks"].to_numpy()))
        for shard in shards
    )


def blocks_left(shard: Shard) -> Iterator[npt.NDArray[np.bool_]]:
    """For each document of a shard, of each of its blocks whether it is left."""
    for batch in read_batches(shard.duplicates, ["blocks.list.element.verdict"]):
        lists = batch.column("blocks")
        left = pc.equal(lists.flatten().field("verdict"), "unique").to_numpy(zero_copy_only=False)
        yield from np.split(left, np.cumsum(pc.list_value_length(lists).to_numpy()))[:-1]


def _alike_in_part(shard: Shard, table: pa.Table, ids: pa.Array, start: int) -> tuple[Array, Array, Array]:
    """Documents, those that their blocks name (-1 is none), and which share of a document's words stands there."""
    lists = table["blocks"].combine_chunks()
    blocks = lists.flatten()
    of_row = np.repeat(np.arange(len(lists)), pc.list_value_length(lists).to_numpy())
    words = np.where(pc.equal(blocks.field("verdict"), "").to_numpy(zero_copy_only=False), 0, _block_words(shard))
    named = _places(blocks.field("copy_of"), ids) + 1
    cells, at = np.unique(of_row * np.int64(len(ids) + 1) + named, return_inverse=True)
    rows, named = np.divmod(cells, len(ids) + 1)
    repeated = np.bincount(at, words * blocks.field("share").to_numpy(), len(cells))
    return rows + start, named - 1, repeated / np.maximum(np.bincount(of_row, words, len(lists)), 1)[rows]


def _block_words(shard: Shard) -> npt.NDArray[np.int32]:
    """The words of all blocks of a shard."""
    batches = read_batches(shard.documents, ["blocks.list.element.words"])
    return np.concatenate(
        [np.empty(0, np.int32), *(batch.column("blocks").flatten().field("words").to_numpy() for batch in batches)]
    )


def _places(names: pa.Array | pa.ChunkedArray, ids: pa.Array) -> npt.NDArray[np.int64]:
    """Where each of the named documents stands; -1 for none, and for those of other corpora."""
    return np.asarray(pc.fill_null(pc.index_in(names, ids), -1).to_numpy(), np.int64)
