"""How a parallel corpus is made: by rounds of tasks, none of which sees all documents.

    shard    outlines    what pairing needs of each document in one of the two languages       by bucket of its site
    bucket   first       pairs of pages, by addresses, links and structure
    shard    texts       the tokens of these pages                                             by bucket
    bucket   counts      their sentences are aligned, and words counted that stand in the same beads
    one      dictionary  the word translations that follow from the counts
    bucket   second      pairs of pages again, now by their words, too
    shard    pages       documents and tokens of these pages                                   by bucket
    bucket   shards      shards of the parallel corpus: documents, tokens, pairs; their beads are put aside
    part     repeats     which beads repeat earlier ones, for a part of all hashes
    bucket   beads       beads, with how often each came before

Each task writes one file, which is there when it is whole; so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WORK = "work"
"""The folder of a parallel corpus in which rounds put files for each other."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the files of the rounds are, and how sites are divided."""

    corpus: Path
    """The corpus whose pages are paired."""
    folder: Path
    """The parallel corpus."""
    languages: tuple[str, str]
    shards: tuple[str, ...]
    """The names of the shards of the corpus."""
    buckets: int
    embedder: str = ""
    """What gives sentences as vectors, if they are aligned by these."""
    given: tuple[str, ...] = ()
    """Files of dictionaries that the user has."""
    annotated_by: Mapping[str, Any] = field(default_factory=dict)
    """The settings and versions by which the corpus was annotated."""
    min_score: float = 0.5
    """The least score of two pages that are a pair."""
    bytes: int = 0
    """The size of the corpus: what tasks cost is told by it."""

    def path(self, kind: str, name: str | int) -> Path:
        """Return the file that a task of a round writes; its name is that of a shard, or the number of a bucket."""
        return self.folder / WORK / kind / (f"{name:05d}" if isinstance(name, int) else name)

    def of_shards(self, kind: str) -> list[Path]:
        """List the files of a round with a task for each shard."""
        return [self.path(kind, shard) for shard in self.shards]

    def of_buckets(self, kind: str) -> list[Path]:
        """List the files of a round with a task for each bucket."""
        return [self.path(kind, bucket) for bucket in range(self.buckets)]

    def clear(self) -> None:
        """Remove what rounds have put aside."""
        shutil.rmtree(self.folder / WORK, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class BucketTask:
    """A task on the pairs of one bucket, which writes one file."""

    plan: Plan
    bucket: int

    @property
    def name(self) -> str:
        """The bucket."""
        return f"bucket {self.bucket}"

    @property
    def cost(self) -> int:
        """Bytes to read, about."""
        return self.plan.bytes // self.plan.buckets
