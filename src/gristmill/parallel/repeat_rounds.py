"""The rounds that count how often the sentences of a bead stood beside each other before, in the whole corpus.

Hashes of beads are divided into parts, each of which is sorted by a task of its own; so no task sees all beads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.engine import Report
from gristmill.parallel.plan import BucketTask, Plan
from gristmill.parallel.records import BEADS_SCHEMA, beads_of
from gristmill.parallel.repeats import earlier
from gristmill.shards import Shard, ShardWriter, open_parquet


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
