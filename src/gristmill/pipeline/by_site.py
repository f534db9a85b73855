"""The rounds of a build with a method that compares the pages of a site: it sees those of all archives together.

    grouping    a task a shard     its pages are read and put aside, with the site of each
    comparing   a task a bucket    a bucket is of some sites; the pages of each are taken from all shards and cleaned
    building    a task a shard     the documents are taken from all buckets, in the order of the shard's pages

(Baisa, Web Content Cleaning (2009), section 2.1, re-sorts the archives by site first; `gristmill sort-archives` does
that. Here shards stay what they are, so that documents know their archives, whatever the method.)

In memory are the pages of one site, and some bytes for every page of a bucket. A site whose pages have more than
`MAX_SITE_BYTES` is compared in parts of about equal size, in the order of its pages. The result does not depend on the
number of buckets or of workers. What is put aside is compressed, and removed when all shards are built.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from pathlib import Path

import numpy as np
import xxhash

from gristmill.archive import Skip, Source
from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.site import site_of
from gristmill.config import Config
from gristmill.corpus.faults import FAILED
from gristmill.document import Document
from gristmill.engine import Report
from gristmill.pipeline.failures import Failures
from gristmill.pipeline.put_aside import (
    RecordFiles,
    RecordsWriter,
    arrays_file,
    documents_bytes,
    documents_of,
    page_bytes,
    page_of,
    skip_bytes,
    skip_of,
)
from gristmill.pipeline.reading import process_safely, read_all
from gristmill.shards import Shard
from gristmill.spool import Spool

FOLDER = "by-site"
"""The folder of a corpus for what is put aside."""
MAX_SITE_BYTES = 32_000_000
"""Bodies of pages that are compared at once.

In memory they take more, by the method: of pages that are nearly all text, 5 to 6 times as much with `site-diff`,
`site-dom` and `site-pagelets`, 24 times with `site-style-tree`, 40 times with `site-text` (benchmarks/sites.py).
"""
_BUCKET_BYTES = 32_000_000
"""Bytes of sources for which there is one more bucket."""
_MAX_BUCKETS = 4096
_BATCH_DOCUMENTS = 64
_BATCH_BYTES = 1_000_000

_Made = tuple[list[Document], str]
"""What becomes of a page: its document, or one for each of its items; and how the program failed, if it did."""


def bucket_count(sources: Sequence[Sequence[Source]]) -> int:
    """Tell into how many buckets the sites of these sources are divided."""
    size = sum(source.size - source.start for group in sources for source in group)
    return min(_MAX_BUCKETS, 1 + size // _BUCKET_BYTES)


def pages_file(folder: Path, shard: str) -> Path:
    """Name the file of the pages of a shard."""
    return folder / FOLDER / "pages" / f"{shard}.records"


def documents_file(folder: Path, bucket: int) -> Path:
    """Name the file of the documents of a bucket."""
    return folder / FOLDER / "documents" / f"{bucket:05d}.records"


def is_grouped(folder: Path, shard: str) -> bool:
    """Tell whether the pages of a shard are put aside."""
    return arrays_file(pages_file(folder, shard)).exists()


def remove_put_aside(folder: Path) -> None:
    """Remove what was put aside, when it is no longer needed."""
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / FOLDER)


@dataclass(frozen=True, slots=True)
class GroupTask:
    """Puts the pages of a shard aside, and what is skipped, in the order of the sources."""

    folder: Path
    shard: str
    sources: tuple[Source, ...]
    config: Config

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {self.shard}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return sum(source.size - source.start for source in self.sources)

    def run(self, report: Report) -> None:
        """Write the file of pages.

        Its arrays have a row for each page, sorted by the hash of the site: that hash, the number of the record, the
        number of the page in the shard, and its size.
        """
        rows: list[tuple[int, int, int, int]] = []
        skips: list[int] = []
        with RecordsWriter(pages_file(self.folder, self.shard)) as records:
            for item in read_all(self.sources, self.config, report):
                if isinstance(item, Skip):
                    skips.append(len(records))
                    records.append(skip_bytes(item))
                else:
                    rows.append((_key(site_of(item.url)), len(records), len(rows), len(item.body)))
                    records.append(page_bytes(item))
            keys = np.array([row[0] for row in rows], np.uint64)
            order = np.argsort(keys, kind="stable")
            others = np.array([row[1:] for row in rows], np.int64).reshape(-1, 3)[order]
            records.finish(keys=keys[order], pages=others, skips=np.array(skips, np.int64))


def _key(site: str) -> int:
    return xxhash.xxh3_64_intdigest(site.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class CompareTask:
    """Cleans the pages of the sites of a bucket, each site with its pages of all shards."""

    folder: Path
    shards: tuple[str, ...]
    bucket: int
    buckets: int
    config: Config
    cost: int

    @property
    def name(self) -> str:
        """The bucket."""
        return f"bucket {self.bucket + 1} of {self.buckets}"

    def run(self, report: Report) -> None:
        """Write the documents of the bucket, in the order of shards and pages."""
        path = documents_file(self.folder, self.bucket)
        path.parent.mkdir(parents=True, exist_ok=True)
        with RecordFiles() as files, Spool[_Made](path.parent) as spool:
            keys, pages = self._index(files)
            done, places = 0, np.zeros(len(keys), np.int64)
            for part in _parts_of_sites(keys, pages):
                for row, found in zip(part, self._documents(pages[part], files), strict=True):
                    places[row] = len(spool)
                    spool.append(found)
                done += len(part)
                report(self.cost * done // len(keys) - self.cost * (done - len(part)) // len(keys))
            if not len(keys):
                report(self.cost)
            self._write(path, pages, places, spool)

    def _index(self, files: RecordFiles) -> tuple[np.typing.NDArray[np.uint64], Ints]:
        """Find the pages of the bucket: the hash of their sites, and rows of shard, record, page and size.

        A bucket is a range of hashes, so its pages are a run in the index of each shard.
        """
        keys, rows = [np.zeros(0, np.uint64)], [np.zeros((0, 4), np.int64)]
        bounds = [(number << 64) // self.buckets for number in (self.bucket, self.bucket + 1)]
        for number, shard in enumerate(self.shards):
            arrays = files.arrays(pages_file(self.folder, shard))
            start = int(np.searchsorted(arrays["keys"], np.uint64(bounds[0])))
            end = int(np.searchsorted(arrays["keys"], np.uint64(bounds[1]))) if bounds[1] >> 64 == 0 else None
            keys.append(np.array(arrays["keys"][start:end]))
            found = arrays["pages"][start:end]
            rows.append(np.column_stack((np.full(len(found), number), found)).astype(np.int64))
        return np.concatenate(keys), np.concatenate(rows)

    def _documents(self, pages: Ints, files: RecordFiles) -> list[_Made]:
        """Clean pages of a site together; gives the documents of each, and where the program failed, if it did."""
        failures = Failures()
        site = [
            page_of(files.read(pages_file(self.folder, self.shards[shard]), record))
            for shard, record in pages[:, :2].tolist()
        ]
        documents = process_safely(site, self.config, failures)
        entries = iter(failures.entries)
        return [(of_page, next(entries, "") if of_page[0].dropped == FAILED else "") for of_page in documents]

    def _write(self, path: Path, pages: Ints, places: Ints, spool: Spool[_Made]) -> None:
        """Write documents in batches; the arrays say which shard a batch is of."""
        order = np.lexsort((pages[:, 2], pages[:, 0])).tolist()
        shards: list[int] = []
        with RecordsWriter(path) as records:
            at = 0
            while at < len(order):
                shard = int(pages[order[at], 0])
                batch: list[Document] = []
                facts: list[tuple[int, str]] = []
                size = 0
                while at < len(order) and pages[order[at], 0] == shard and len(batch) < _BATCH_DOCUMENTS:
                    documents, failure = spool[int(places[order[at]])]
                    batch.extend(documents)
                    facts.extend([(int(pages[order[at], 2]), failure)] * len(documents))
                    size += documents[0].size
                    at += 1
                    if size > _BATCH_BYTES:
                        break
                records.append(documents_bytes(batch, facts))
                shards.append(shard)
            records.finish(shards=np.array(shards, np.int64))


def _parts_of_sites(keys: np.typing.NDArray[np.uint64], pages: Ints) -> Iterator[list[int]]:
    """Yield the rows of pages that are compared with each other, site by site."""
    order = np.argsort(keys, kind="stable")
    bounds = np.flatnonzero(np.diff(keys[order])) + 1
    for rows in np.split(order, bounds) if len(order) else ():
        yield from parts([(row, int(size)) for row, size in zip(rows.tolist(), pages[rows, 3].tolist(), strict=True)])


def parts(site: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Divide the pages of a site, given by number and size, into parts of about equal size that fit into memory.

    Pages of 10, 30 and 20 bytes, if 40 fit: the total, with one more, is 61, so there are 2 parts. Before the pages are
    0, 10 and 40 bytes, so they go into the parts 0 * 2 // 61 = 0, 10 * 2 // 61 = 0 and 40 * 2 // 61 = 1.
    """
    total = sum(size for _, size in site) + 1
    count = -(-total // MAX_SITE_BYTES)
    found: list[list[int]] = [[] for _ in range(count)]
    before = 0
    for number, size in site:
        found[before * count // total].append(number)
        before += size
    return filter(None, found)


def put_back(shard: Shard, number: int, buckets: int, failures: Failures) -> Iterator[Document | Skip]:
    """Yield what becomes of the pages of a shard: first the records that are skipped, then the documents in order.

    `number` is that of the shard among those that were compared.
    """
    folder = shard.folder.parent.parent
    with RecordFiles() as files:
        pages = pages_file(folder, shard.name)
        for record in files.arrays(pages)["skips"].tolist():
            yield skip_of(files.read(pages, record))
        streams = [_of_bucket(documents_file(folder, bucket), number, files) for bucket in range(buckets)]
        for _, document, failure in merge(*streams, key=itemgetter(0)):
            if document.dropped == FAILED:
                failures.note(failure)
            yield document


def _of_bucket(path: Path, shard: int, files: RecordFiles) -> Iterator[tuple[int, Document, str]]:
    """Yield the documents of a shard that a bucket has: the number of the page, the document, and how it failed."""
    shards = files.arrays(path)["shards"]
    for record in range(*np.searchsorted(shards, (shard, shard + 1)).tolist()):
        documents, facts = documents_of(files.read(path, record))
        for document, (number, failure) in zip(documents, facts, strict=True):
            yield number, document, failure
