"""The task of building one shard: its pages are read, decoded, cleaned and filtered, and become documents.

Pages are cleaned as they are read, in constant memory. With a cleaning method that compares the pages of a site they
are cleaned before, with those of all other shards (`by_site`), and here the documents are put in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from gristmill.archive import Skip, Source
from gristmill.cleaning.items.documents import NUMBER
from gristmill.config import Config
from gristmill.corpus.listing import write_listing
from gristmill.document import Document, Page, document_id
from gristmill.engine import Report
from gristmill.pipeline.by_site import put_back
from gristmill.pipeline.failures import Failures
from gristmill.pipeline.reading import process, process_safely, read_all
from gristmill.shards import SKIPPED_SCHEMA, BatchWriter, Shard, document_writer


def get_ready() -> None:
    """Import, load and make all that the first page of a build would have to wait for; a worker does it early."""
    import_module("gristmill.archive.records")
    process(Page("", "<title>Mühle</title><p>The mill stands by the river.".encode()), Config())


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Turns the sources of one shard into documents: everything from reading to filtering."""

    shard: Shard
    sources: tuple[Source, ...]
    config: Config
    number: int = 0
    """Its number among the shards that are built together."""
    buckets: int = 0
    """How many files of documents there are, if pages were compared by site; 0 if they are cleaned one by one."""

    @property
    def name(self) -> str:
        """The shard and what is in it."""
        more = f" and {len(self.sources) - 1} more" if len(self.sources) > 1 else ""
        return f"shard {self.shard.name} ({self.sources[0].name}{more})"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return sum(source.size - source.start for source in self.sources)

    def run(self, report: Report) -> dict[str, Any]:
        """Write the shard's documents and what was skipped; the counts are stored with the documents."""
        counts: Counter[str] = Counter()
        failures = Failures()
        write_listing(self.shard, self.sources)
        self.shard.replaced.unlink(missing_ok=True)  # of documents that were here before
        # The documents come last into place: where they are, the shard is complete.
        with (
            document_writer(self.shard) as documents,
            BatchWriter(self.shard.skipped, SKIPPED_SCHEMA, _skipped_batch, _nothing) as skipped,
        ):
            for item in self.documents(report, failures):
                is_item = isinstance(item, Document) and NUMBER in item.attributes
                counts["items" if is_item else "records"] += 1
                if isinstance(item, Skip):
                    counts[f"skipped.{item.reason}"] += 1
                    if item.reason != "other":
                        skipped.write(item)
                else:
                    item.id = document_id(self.shard.name, counts["pages"])
                    documents.write(item)
                    counts["pages"] += 1
                    counts[f"dropped.{item.dropped}" if item.dropped else "passed"] += 1
                    _count_blocks(item, counts)
                    for name in item.attributes:
                        counts[f"attributes.{name}"] += 1
            skipped.finish({})
            failures.write(self.shard)
            documents.finish({"counts": dict(counts)})
        return dict(counts)

    def documents(self, report: Report, failures: Failures) -> Iterator[Document | Skip]:
        """Yield what becomes of all pages, in their order, and the records that are skipped."""
        if self.buckets:
            yield from put_back(self.shard, self.number, self.buckets, failures)
            report(self.cost)
            return
        for item in read_all(self.sources, self.config, report):
            yield from [item] if isinstance(item, Skip) else process_safely([item], self.config, failures)[0]


def _count_blocks(document: Document, counts: Counter[str]) -> None:
    """Count the blocks that cleaning kept, and how many of them each filter for blocks dropped."""
    dropped = document.as_columns().dropped.counts()
    for name, count in dropped.items():
        counts[f"dropped_blocks.{name}"] += count
    counts["text_blocks"] += document.text_blocks + sum(dropped.values())


def _skipped_batch(skipped: list[Skip]) -> pa.RecordBatch:
    columns = [pa.array([getattr(skip, item.name) for skip in skipped], item.type) for item in SKIPPED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SKIPPED_SCHEMA)


def _nothing(skip: Skip) -> int:
    del skip
    return 0
