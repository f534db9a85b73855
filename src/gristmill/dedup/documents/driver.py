"""Run a method that compares whole documents over the shards of a corpus: sketches shard by shard, then all together.

Of each cluster the first document in source order is kept. Settled documents stay as they are: what is like one of them
is a copy of it, or of what it is a copy of. Memory: the sketches, 8 bytes a feature, and what matching needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.copies import not_shown, write_copies
from gristmill.dedup.documents.clustering import best_scores, clusters
from gristmill.dedup.documents.sketches import Pairs, Sketches, join
from gristmill.dedup.exact import read_catalogue
from gristmill.dedup.job import Job
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.tokens import Tokens, tokenise_joined, without_stop_words
from gristmill.engine import Report
from gristmill.shards import Shard, read_columns


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
    shard: Shard
    path: Path
    skip: Flags | None = None
    """Documents that are left out, as they are not shown and no reason to drop others."""

    @property
    def name(self) -> str:
        """The shard."""
        return f"sketches of shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return self.shard.documents.stat().st_size

    def run(self, report: Report) -> None:
        """Write them."""
        made = [(text.rows, self.method.sketch(self._tokens(text))) for text in read_kept(self.shard, self.skip)]
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
    """Find near-duplicates among all documents and write them down for those that are not settled.

    Settled shards are sketched again, but not judged again.
    """
    shards = (*job.settled, *job.shards)
    paths = [job.work / "sketches" / f"{number:05d}" for number in range(len(shards))]
    shutil.rmtree(job.work, ignore_errors=True)  # what is left there may be of another method
    skip = not_shown(job.settled)
    job.run([SketchShard(method, shard, path, skip.get(shard)) for shard, path in zip(shards, paths, strict=True)])
    catalogue = read_catalogue(shards)
    found = [load_arrays(path) for path in paths]
    starts = catalogue.starts[:-1]
    rows = np.concatenate(
        [np.empty(0, np.int64), *(part["rows"] + start for part, start in zip(found, starts, strict=True))]
    )
    pairs = method.match(join([Sketches(part["features"], part["starts"], part["sizes"]) for part in found]))
    pairs = Pairs(rows[pairs.first], rows[pairs.second], pairs.scores)
    first = clusters(catalogue.starts[-1], pairs, _settled_heads(job.settled, starts))
    write_copies(job, catalogue.starts, first, best_scores(catalogue.starts[-1], pairs))
    shutil.rmtree(job.work, ignore_errors=True)
    return {"pairs": len(pairs.first)}


def _settled_heads(shards: Sequence[Shard], starts: Sequence[int]) -> Ints:
    """For each row of settled shards that of the document of which it is a copy; its own, if it is none."""
    heads = [np.empty(0, np.int64)]
    first_rows = {shard.name: start for shard, start in zip(shards, starts, strict=False)}
    for shard in shards:
        copies = read_columns(shard.duplicates, ["copy_of"])["copy_of"].to_pylist()
        own = np.arange(len(copies)) + first_rows[shard.name]
        for row, original in enumerate(copies):
            if original:
                name, _, number = original.partition("-")
                own[row] = first_rows[name] + int(number)
        heads.append(own)
    return np.concatenate(heads)
