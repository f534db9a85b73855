"""The task of building one shard: its pages are read, decoded, cleaned and filtered, and become documents.

Pages are cleaned as they are read, in constant memory. A cleaning method that compares the pages of a site gets those
of a host within a shard together: they are put aside on disk first, and so are the documents, which are written in the
order of the archive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any

import pyarrow as pa

from gristmill.archive import Skip, Source, read
from gristmill.cleaning import METHODS
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.site import clean_together, site_of
from gristmill.config import Config
from gristmill.corpus.listing import write_listing
from gristmill.document import Document, Page, document_id
from gristmill.engine import Report, silent
from gristmill.filter import chain_of
from gristmill.pipeline.failures import Failures
from gristmill.shards import SKIPPED_SCHEMA, BatchWriter, Shard, document_writer
from gristmill.spool import Spool

_REPORT_BYTES = 1_000_000  # are read before progress is reported again
# Bodies of pages that a site method compares at once; in memory, on ordinary pages, about three times as much.
_MAX_SITE_BYTES = 32_000_000


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
                counts["records"] += 1
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
        if METHODS[self.config.clean.method].score_site:
            return _by_site(self, report, failures)
        return (
            item if isinstance(item, Skip) else process_safely([item], self.config, failures)[0]
            for item in self.read(report)
        )

    def read(self, report: Report) -> Iterator[Page | Skip]:
        """Yield the pages of all sources, and the records that are none."""
        return chain.from_iterable(_reported(source, self.config, report) for source in self.sources)


def _count_blocks(document: Document, counts: Counter[str]) -> None:
    """Count the blocks that cleaning kept, and how many of them each filter for blocks dropped."""
    dropped = document.as_columns().dropped.counts()
    for name, count in dropped.items():
        counts[f"dropped_blocks.{name}"] += count
    counts["text_blocks"] += document.text_blocks + sum(dropped.values())


def _reported(source: Source, config: Config, report: Report) -> Iterator[Page | Skip]:
    """Yield what is read from a source, and report from time to time how many bytes were read."""
    reported = source.start
    for item in read(source, chain_of(config.filter).limit):
        place = min(item.offset, source.size)  # in a compressed file of lines it is one in what is unpacked
        if place > reported + _REPORT_BYTES:
            report(place - reported)
            reported = place
        yield item
    report(source.size - reported)


def _skipped_batch(skipped: list[Skip]) -> pa.RecordBatch:
    columns = [pa.array([getattr(skip, item.name) for skip in skipped], item.type) for item in SKIPPED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SKIPPED_SCHEMA)


def _nothing(skip: Skip) -> int:
    del skip
    return 0


def process(page: Page, config: Config) -> Document:
    """Turn one page into its document, with the reason if a filter drops it."""
    return process_site([page], config)[0]


def process_site(pages: Sequence[Page], config: Config) -> list[Document]:
    """Turn the pages of one site into documents; they are compared with each other if the cleaning method does that."""
    filters = chain_of(config.filter)
    faults = [filters.fault_of_page(page) for page in pages]
    sound = [page for page, fault in zip(pages, faults, strict=True) if not fault]
    languages = Languages.of_config(config)
    cleaned = iter(clean_together(sound, languages, config.clean))
    documents = []
    for page, fault in zip(pages, faults, strict=True):
        document = Document.of(page) if fault else next(cleaned)
        if fault:
            document.dropped, document.detail = fault
        else:
            filters.apply(document, languages)
        documents.append(document)
    return documents


def process_safely(pages: Sequence[Page], config: Config, failures: Failures) -> list[Document]:
    """Turn the pages of one site into documents, where an exception in a page costs only that page.

    If pages fail together, each is tried alone.
    """
    try:
        return process_site(pages, config)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, the other pages have nothing to do with it)
        if len(pages) > 1:
            return [document for page in pages for document in process_safely([page], config, failures)]
        return [failures.document(pages[0], error)]


def _by_site(task: ShardTask, report: Report, failures: Failures) -> Iterator[Document | Skip]:
    """Turn all pages of a shard into documents, site by site.

    Yields first the records that are skipped, then the documents in the order of the pages.
    """
    with Spool[Page](task.shard.folder) as pages, Spool[Document](task.shard.folder) as documents:
        sites: dict[str, list[tuple[int, int]]] = {}
        for item in task.read(silent):
            if isinstance(item, Skip):
                yield item
            else:
                sites.setdefault(site_of(item.url), []).append((len(pages), len(item.body)))
                pages.append(item)
        if not len(pages):
            report(task.cost)
        places = [0] * len(pages)
        for part in chain.from_iterable(map(_parts, sites.values())):
            done = len(documents)
            site = [pages[number] for number in part]
            for number, document in zip(part, process_safely(site, task.config, failures), strict=True):
                places[number] = len(documents)
                documents.append(document)
            report(task.cost * len(documents) // len(pages) - task.cost * done // len(pages))
        yield from map(documents.__getitem__, places)


def _parts(site: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Divide the pages of a site, given by number and size, into parts of about equal size that fit into memory.

    Pages of 10, 30 and 20 bytes, if 40 fit: the total, with one more, is 61, so there are 2 parts. Before the pages are
    0, 10 and 40 bytes, so they go into the parts 0 * 2 // 61 = 0, 10 * 2 // 61 = 0 and 40 * 2 // 61 = 1.
    """
    total = sum(size for _, size in site) + 1
    count = -(-total // _MAX_SITE_BYTES)
    parts: list[list[int]] = [[] for _ in range(count)]
    before = 0
    for number, size in site:
        parts[before * count // total].append(number)
        before += size
    return filter(None, parts)
