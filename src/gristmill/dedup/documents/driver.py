"""Run a method that compares whole documents over the shards of a corpus: sketches shard by shard, then all together.

Of each cluster the first document in source order is kept. Memory: the sketches, 8 bytes a feature, and what matching
needs.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.copies import write_copies
from gristmill.dedup.documents.clustering import best_scores, clusters
from gristmill.dedup.documents.sketches import Pairs, Sketches, join
from gristmill.dedup.exact import read_catalogue
from gristmill.dedup.job import Job
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.tokens import Tokens, tokenise_joined, without_stop_words
from gristmill.engine import Report
from gristmill.shards import DOCUMENTS


class Sketcher(Protocol):
    """What the driver needs to know of a method."""

    @property
    def min_block(self) -> int:
        """Blocks with fewer tokens are left out."""

    @property
    def punctuation(self) -> bool:
        """Whether punctuation marks are tokens."""

    @property
    def stop_words(self) -> bool:
        """Whether stop words are."""

    def sketch(self, tokens: Tokens) -> Sketches:
        """The sketches of documents."""

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs that are alike."""


@dataclass(frozen=True, slots=True)
class SketchShard:
    """The sketches of a shard's documents."""

    method: Sketcher
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
        made = [(text.rows, self.method.sketch(self._tokens(text))) for text in read_kept(self.shard)]
        sketches = join([sketch for _, sketch in made])
        arrays = {"features": sketches.features, "starts": sketches.starts, "sizes": sketches.sizes}
        save_arrays(self.path, arrays | {"rows": np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in made)])})
        report(self.cost)

    def _tokens(self, text: KeptText) -> Tokens:
        """The tokens of each document, without those of blocks that are too short."""
        blocks = tokenise_joined(text.text, text.lengths, punctuation=self.method.punctuation)
        if self.method.min_block:
            blocks = blocks.only(np.repeat(blocks.counts >= self.method.min_block, blocks.counts))
        documents = Tokens(blocks.hashes, blocks.starts[text.starts])
        return documents if self.method.stop_words else without_stop_words(documents, text.langs)


def compare_documents(method: Sketcher, job: Job) -> dict[str, int]:
    """Find near-duplicates among all documents and write them down."""
    paths = [job.work / "sketches" / f"{number:05d}" for number in range(len(job.shards))]
    shutil.rmtree(job.work, ignore_errors=True)  # what is left there may be of another method
    job.run([SketchShard(method, shard, path) for shard, path in zip(job.shards, paths, strict=True)])
    catalogue = read_catalogue(job.shards)
    found = [load_arrays(path) for path in paths]
    starts = catalogue.starts[:-1]
    rows = np.concatenate(
        [np.empty(0, np.int64), *(part["rows"] + start for part, start in zip(found, starts, strict=True))]
    )
    pairs = method.match(join([Sketches(part["features"], part["starts"], part["sizes"]) for part in found]))
    first, scores = np.arange(catalogue.starts[-1]), np.zeros(catalogue.starts[-1])
    first[rows] = rows[clusters(len(rows), pairs)]
    scores[rows] = best_scores(len(rows), pairs)
    write_copies(job, catalogue.starts, first, scores)
    shutil.rmtree(job.work, ignore_errors=True)
    return {"pairs": len(pairs.first)}
