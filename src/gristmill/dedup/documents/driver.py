"""Run a method that compares whole documents over the shards of a corpus: sketches shard by shard, then all together.

Of each cluster the first document in source order is kept. Settled documents stay as they are: what is like one of them
is a copy of it, or of what it is a copy of. Few sketches are matched here, many by the tasks in `rounds.py`: then this
process needs some numbers for each document that is like another one, and nothing for the others.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeGuard

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Array, Flags, Ints
from gristmill.arrays.ragged import chunks, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.copies import write_marked
from gristmill.dedup.documents.copied_pages import LeftOut, left_out
from gristmill.dedup.documents.matching import found_by_tasks
from gristmill.dedup.documents.plan import Divisible, Plan
from gristmill.dedup.documents.reducing import merged, reduced
from gristmill.dedup.documents.rounds import put_together
from gristmill.dedup.documents.settled import read_heads
from gristmill.dedup.documents.sketches import Pairs, Sketches, join
from gristmill.dedup.documents.units import Choosing, units_of
from gristmill.dedup.job import Job
from gristmill.dedup.reading import read_kept
from gristmill.dedup.tokens import Tokens
from gristmill.engine import Report
from gristmill.shards import Shard, row_count
from gristmill.threads import in_threads

_MAX_FEATURES = 1 << 22
"""Features that are matched together, at most."""
_FEATURE_BYTES = 64
"""What matching takes for each feature."""


class Sketcher(Choosing, Protocol):
    """What the driver needs to know of a method."""

    @property
    def perfect(self) -> bool:
        """Whether all pages with exact copies are dropped first."""

    def prepared(self, job: Job, work: Path) -> Sketcher:
        """What sketches the documents, when it is known what is needed of the whole collection."""

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
    settled: bool = False
    """Whether its documents are judged already."""

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
        made = [
            (text.rows, self.method.sketch(units_of(self.method, text))) for text in read_kept(self.shard, self.skip)
        ]
        sketches = join([sketch for _, sketch in made])
        rows = np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in made)])
        size = np.array([row_count(self.shard.documents), len(rows), len(sketches.features)])
        arrays = {"features": sketches.features, "starts": sketches.starts, "sizes": sketches.sizes, "rows": rows}
        save_arrays(self.path, arrays | {"size": size, **(read_heads(self.shard, rows) if self.settled else {})})
        report(self.cost)


def compare_documents(method: Sketcher, job: Job) -> dict[str, int]:
    """Find near-duplicates among all documents and write them down for those that are not settled.

    Settled shards are sketched again, but not judged again. What a killed run has put aside is used again.
    """
    work = job.work / f"documents-{_fingerprint(method, job)}"
    for left in job.work.glob("*"):  # of another method, or of other documents
        if left != work:
            shutil.rmtree(left, ignore_errors=True)
    out = left_out(job, perfect=method.perfect)
    files = _sketch(method, job, work, out)
    rows, documents, features = np.array(in_threads(_size_of, files), np.int64).reshape(-1, 3).T
    starts = starts_of(rows)
    numbers = np.array([int(shard.name) for shard in job.settled], np.int64)
    save_arrays(work / "settled", {"numbers": numbers, "starts": starts[: len(numbers)]})
    count, settled = len(job.settled), int(documents[: len(job.settled)].sum())
    most = max(1, min(_MAX_FEATURES, job.memory // job.workers // _FEATURE_BYTES))
    if features.sum() <= most or not _is_divisible(method):
        stored = put_together(files, starts[:-1].tolist(), work / "settled")
        pairs = method.match(Sketches(stored["features"], stored["starts"], stored["sizes"]))
        found = [reduced(pairs, stored["heads"], 0, settled)]
        copies, pair_count = merged(found, stored["rows"].__getitem__, int(starts[count]))
    else:
        spans = list(chunks(features, most))
        bounds = starts_of(documents)[[0, *(span.stop for span in spans)]]
        plan = Plan(work, tuple(bounds.tolist()), len(spans), settled)
        parts = [(files[span], tuple(starts[:-1][span].tolist())) for span in spans]
        found = found_by_tasks(method, job, plan, parts, int(features.sum()) * 8)
        copies, pair_count = merged(found, plan.rows, int(starts[count]))
    marked = (copies.heads != copies.rows) & (copies.rows >= starts[count])
    found_rows = np.concatenate([copies.rows[marked], out.rows])
    heads, scores = (
        np.append(copies.heads[marked], out.copies),
        np.append(copies.scores[marked], np.ones(len(out.rows))),
    )
    order = np.argsort(found_rows, kind="stable")
    write_marked(job, starts.tolist(), found_rows[order], heads[order], scores[order])
    return {"pairs": pair_count}


def sketch_shards(method: Sketcher, job: Job) -> tuple[Sketches, Ints]:
    """The sketches of all documents that take part, and their rows in the corpus; nothing is compared."""
    files = _sketch(method, job, job.work, left_out(job, perfect=method.perfect))
    rows = np.array(in_threads(_size_of, files), np.int64).reshape(-1, 3)[:, 0]
    save_arrays(job.work / "settled", {"numbers": rows[:0], "starts": rows[:0]})
    stored = put_together(files, starts_of(rows)[:-1].tolist(), job.work / "settled")
    sketches = Sketches(*(np.array(stored[name]) for name in ("features", "starts", "sizes")))
    shutil.rmtree(job.work, ignore_errors=True)
    return sketches, stored["rows"]


def _sketch(method: Sketcher, job: Job, work: Path, out: LeftOut) -> tuple[Path, ...]:
    """Sketch all documents that are not sketched yet, without some, and give the file of each shard."""
    method = method.prepared(job, work)
    shards = (*job.settled, *job.shards)
    files = tuple(work / "sketches" / f"{number:05d}" for number in range(len(shards)))
    tasks = [
        SketchShard(method, shard, file, out.flags.get(shard), number < len(job.settled))
        for number, (shard, file) in enumerate(zip(shards, files, strict=True))
    ]
    job.run(tasks, files.__getitem__)
    return files


def _size_of(file: Path) -> Array:
    """How many rows a shard has, how many of its documents are sketched, and how many features these have."""
    return load_arrays(file)["size"]


def _is_divisible(method: Sketcher) -> TypeGuard[Divisible]:
    """Tell whether tasks can match its sketches; those of a plugin may not say how."""
    return hasattr(method, "judge")


def _fingerprint(method: Sketcher, job: Job) -> str:
    """Hash what the sketches depend on, as far as it is seen without reading files."""
    made = xxhash.xxh3_64(repr(method).encode())
    settled = [file for shard in job.settled for file in (shard.documents, shard.replaced, shard.duplicates)]
    new = [file for shard in job.shards for file in (shard.documents, shard.replaced)]
    for stamp in in_threads(_stamp, [*settled, *new]):
        made.update(stamp)
    return made.hexdigest()


def _stamp(file: Path) -> bytes:
    try:
        found = file.stat()
    except FileNotFoundError:
        return f"{file.parent.name}/{file.name}".encode()
    return f"{file.parent.name}/{file.name} {found.st_size} {found.st_mtime_ns}".encode()
