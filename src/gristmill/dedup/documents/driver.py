"""Run a method that compares whole documents over the shards of a corpus: sketches shard by shard, then all together.

Of each cluster the first document in source order is kept. Memory: the sketches, 8 bytes a feature, and what matching needs.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gristmill.arrays import load_arrays, save_arrays
from gristmill.dedup.copies import write_copies
from gristmill.dedup.documents.clusters import clusters
from gristmill.dedup.documents.method import DocumentMethod, Pairs, Sketches
from gristmill.dedup.exact import read_catalogue
from gristmill.dedup.job import Job
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.result import Shares
from gristmill.dedup.tokens import Tokens, tokenise
from gristmill.engine import Report
from gristmill.errors import UsageError
from gristmill.shards import DOCUMENTS


@dataclass(frozen=True, slots=True)
class SketchShard:
    """The sketches of a shard's documents."""

    method: DocumentMethod
    shard: Path
    path: Path

    @property
    def name(self) -> str:
        """The shard."""
        return f"sketches of shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return (self.shard / DOCUMENTS).stat().st_size

    def run(self, report: Report) -> None:
        """Write them."""
        made = [(text.rows, self.method.sketch(_tokens(text, self.method.min_block))) for text in read_kept(self.shard)]
        sketches = _joined([sketch for _, sketch in made])
        arrays = {"features": sketches.features, "starts": sketches.starts, "sizes": sketches.sizes}
        save_arrays(self.path, arrays | {"rows": np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in made)])})
        report(self.cost)


def compare_documents(method: DocumentMethod, job: Job) -> dict[str, int]:
    """Find near-duplicates among all documents and write them down."""
    if job.against:
        raise UsageError("only the method onion can compare with other corpora")
    paths = [job.work / f"sketches-{os.getpid()}" / f"{number:05d}" for number in range(len(job.shards))]
    try:
        job.run([SketchShard(method, shard, path) for shard, path in zip(job.shards, paths, strict=True)])
        catalogue = read_catalogue(job.shards)
        found = [load_arrays(path) for path in paths]
        rows = np.concatenate(
            [np.empty(0, np.int64), *(part["rows"] + start for part, start in zip(found, catalogue.starts, strict=False))]
        )
        pairs = method.match(_joined([Sketches(part["features"], part["starts"], part["sizes"]) for part in found]))
        heads = clusters(len(rows), pairs)
        first = np.arange(catalogue.starts[-1])
        first[rows] = rows[heads]
        scores = np.zeros(catalogue.starts[-1])
        scores[rows] = _best(len(rows), pairs)
        write_copies(job, catalogue.starts, first, scores)
    finally:
        shutil.rmtree(job.work, ignore_errors=True)
    return {"pairs": len(pairs.first)}


def _tokens(text: KeptText, min_block: int) -> Tokens:
    """The tokens of each document, without those of blocks that are too short."""
    blocks = tokenise(text.texts)
    if min_block:
        blocks = blocks.only(np.repeat(blocks.counts >= min_block, blocks.counts))
    return Tokens(blocks.hashes, blocks.starts[text.starts])


def _joined(parts: list[Sketches]) -> Sketches:
    features = np.concatenate([np.empty(0, np.uint64), *(part.features for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(np.diff(part.starts) for part in parts)])
    sizes = np.concatenate([np.empty(0, np.int64), *(part.sizes for part in parts)])
    return Sketches(features, np.append(np.int64(0), np.cumsum(counts)), sizes)


def _best(count: int, pairs: Pairs) -> Shares:
    """The highest score that each document has with another."""
    best = np.zeros(count)
    np.maximum.at(best, pairs.first, pairs.scores)
    np.maximum.at(best, pairs.second, pairs.scores)
    return best
