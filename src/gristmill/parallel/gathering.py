"""The round that gathers the pages of pairs: each shard of a corpus gives its own, divided by the buckets of sites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from gristmill.annotation.table import TOKENS_SCHEMA
from gristmill.document import DOCUMENT_SCHEMA
from gristmill.engine import Report
from gristmill.parallel.buckets import write_buckets
from gristmill.parallel.plan import Plan
from gristmill.parallel.records import SIDES
from gristmill.shards import read_batches, read_columns
from gristmill.stages import ShardTask

_OF_TOKENS = "tokens."
"""What the names of columns of tokens begin with, beside those of documents."""
PAGES_SCHEMA: pa.Schema = pa.schema(
    [*DOCUMENT_SCHEMA, *(field.with_name(f"{_OF_TOKENS}{field.name}") for field in TOKENS_SCHEMA)]
)
"""A document and its tokens in one row."""


def tokens_in(pages: pa.Table) -> pa.Table:
    """Take the tokens out of a table of pages."""
    names = [f"{_OF_TOKENS}{name}" for name in TOKENS_SCHEMA.names]
    return pages.select(names).rename_columns(TOKENS_SCHEMA.names)


def documents_in(pages: pa.Table) -> pa.Table:
    """Take the documents out of a table of pages."""
    return pages.select(DOCUMENT_SCHEMA.names)


@dataclass(frozen=True, slots=True)
class GatherPages(ShardTask):
    """Reads the documents and tokens of a shard that are in a pair of pages, and puts them into buckets."""

    plan: Plan
    pairs: str
    """The round that found the pairs."""
    kind: str
    """The name of this round."""

    @property
    def result(self) -> Path:
        """The file that is written."""
        return self.plan.path(self.kind, self.shard.name)

    def run(self, report: Report) -> None:
        """Write the pages of each bucket, in the order of the shard."""
        bucket_of = dict(self._wanted())
        found: dict[int, list[pa.Table]] = defaultdict(list)
        row = 0
        tokens = read_batches(self.shard.tokens)
        for batch in read_batches(self.shard.documents) if bucket_of else ():
            own = next(tokens)
            rows = np.array([number for number in range(batch.num_rows) if row + number in bucket_of], np.int64)
            if len(rows):
                page = _pages(batch.take(pa.array(rows)), own.take(pa.array(rows)))
                buckets = np.array([bucket_of[row + number] for number in rows.tolist()])
                for bucket in np.unique(buckets).tolist():
                    found[bucket].append(page.take(pa.array(np.flatnonzero(buckets == bucket))))
            row += batch.num_rows
        write_buckets(self.result, PAGES_SCHEMA, {bucket: pa.concat_tables(tables) for bucket, tables in found.items()})
        report(self.cost)

    def _wanted(self) -> Iterator[tuple[int, int]]:
        """Yield the rows of this shard that are in pairs, with the bucket of each."""
        for bucket, path in enumerate(self.plan.of_buckets(self.pairs)):
            table = read_columns(path, [*(f"{side}_id" for side in SIDES), "dropped"])
            kept = table.filter(pa.array([not dropped for dropped in table["dropped"].to_pylist()], pa.bool_()))
            for side in SIDES:
                for name in kept[f"{side}_id"].to_pylist():
                    shard, _, row = name.rpartition("-")
                    if shard == self.shard.name:
                        yield int(row), bucket


def _pages(documents: pa.RecordBatch, tokens: pa.RecordBatch) -> pa.Table:
    """Put documents and their tokens side by side."""
    return pa.Table.from_arrays([*documents.columns, *tokens.columns], schema=PAGES_SCHEMA)
