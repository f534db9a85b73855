"""Repeated sentence pairs: how many equal ones came before each, in the whole parallel corpus.

Two pairs are equal if both sides are, but for case and spaces. Hashes of beads are divided into parts, each of which is
sorted by a task of its own; so no task sees all beads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import xxhash

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.ragged import is_new
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.engine import Report
from gristmill.parallel.judging import as_strings
from gristmill.parallel.plan import BucketTask, Plan
from gristmill.parallel.records import BEADS_SCHEMA, beads_of
from gristmill.shards import Shard, ShardWriter, open_parquet

_BETWEEN = "\x1f"
"""Stands between the two sides."""


def pair_hashes(source: pa.Array | Sequence[str], target: pa.Array | Sequence[str]) -> Hashes:
    """Hash sentence pairs without regard to case and spaces: equal pairs have equal hashes."""
    ours, theirs = as_strings(source).to_pylist(), as_strings(target).to_pylist()
    digest = xxhash.xxh3_64_intdigest
    hashes = (
        digest(f"{' '.join(one.lower().split())}{_BETWEEN}{' '.join(other.lower().split())}".encode())
        for one, other in zip(ours, theirs, strict=True)
    )
    return np.fromiter(hashes, np.uint64, len(ours))


def earlier(hashes: Hashes) -> Ints:
    """Count for each hash how often it came before: `[5, 7, 5, 5]` gives `[0, 0, 1, 2]`."""
    order = np.argsort(hashes, kind="stable")
    begins = np.flatnonzero(is_new(hashes[order]))
    sizes = np.diff(np.append(begins, len(hashes)))
    counts = np.empty(len(hashes), np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(begins, sizes)
    return counts


@dataclass(frozen=True, slots=True)
class CountRepeats:
    """Counts, for a part of all hashes, how often each came before; there are as many parts as buckets."""

    plan: Plan
    part: int
    used: tuple[int, ...]
    """The buckets that have pairs."""

    @property
    def name(self) -> str:
        """The part."""
        return f"part {self.part}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return sum(self.plan.path("hashes", bucket).stat().st_size for bucket in self.used)

    @property
    def result(self) -> Path:
        """The file of counts."""
        return self.plan.path("repeats", self.part)

    def run(self, report: Report) -> None:
        """Write the counts of the beads of each bucket that are of this part, one bucket after the other."""
        hashes = [load_arrays(self.plan.path("hashes", bucket))["hashes"] for bucket in self.used]
        own = [found[found % np.uint64(self.plan.buckets) == self.part] for found in hashes]
        bounds = np.cumsum([0, *map(len, own)])
        save_arrays(
            self.result,
            {"repeats": earlier(np.concatenate([np.empty(0, np.uint64), *own])), "bounds": bounds},
        )
        report(self.cost)


@dataclass(frozen=True, slots=True)
class WriteBeads(BucketTask):
    """Writes the beads of a shard, with how often each came before."""

    number: int
    """The number of the shard, and of its bucket among those that have pairs."""

    @property
    def result(self) -> Path:
        """The file of beads."""
        return beads_of(Shard.of(self.plan.folder, f"{self.number:05d}"))

    def run(self, report: Report) -> None:
        """Put the counts of all parts together, and write the beads."""
        parts = load_arrays(self.plan.path("hashes", self.bucket))["hashes"] % np.uint64(self.plan.buckets)
        repeats = np.zeros(len(parts), np.int32)
        for part in range(self.plan.buckets):
            found = load_arrays(self.plan.path("repeats", part))
            start, end = found["bounds"][self.number : self.number + 2].tolist()
            repeats[parts == part] = found["repeats"][start:end]
        with open_parquet(self.plan.path("aligned", self.bucket)) as file:
            beads = file.read()
        place = BEADS_SCHEMA.get_field_index("repeats")
        with ShardWriter(self.result, BEADS_SCHEMA) as writer:
            writer.write(beads.set_column(place, BEADS_SCHEMA.field("repeats"), pa.array(repeats)))
            writer.finish({"beads": beads.num_rows})
        report(self.cost)
