"""The round that outlines the documents of a shard, and divides the outlines by the sites that they are of."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from gristmill.engine import Report
from gristmill.parallel.buckets import bucket_of, write_buckets
from gristmill.parallel.outline import OUTLINE_SCHEMA, Outline, read_outlines, to_arrow
from gristmill.parallel.plan import Plan
from gristmill.shards import read_columns
from gristmill.stages import ShardTask


@dataclass(frozen=True, slots=True)
class OutlineShard(ShardTask):
    """Outlines the documents of a shard that are in one of the two languages and not wholly copies of others."""

    plan: Plan

    @property
    def result(self) -> Path:
        """The file of outlines."""
        return self.plan.path("outlines", self.shard.name)

    def run(self, report: Report) -> None:
        """Write the outlines of each bucket, in the order of the shard."""
        left = read_columns(self.shard.duplicates, ["text_blocks"])["text_blocks"].to_pylist()
        found: dict[int, list[Outline]] = defaultdict(list)
        for outline in read_outlines(self.shard, self.plan.languages):
            if left[int(outline.id.rpartition("-")[2])]:
                found[bucket_of(outline.site, self.plan.buckets)].append(outline)
        tables = {bucket: pa.Table.from_batches([to_arrow(some)]) for bucket, some in found.items()}
        write_buckets(self.result, OUTLINE_SCHEMA, tables)
        report(self.cost)
