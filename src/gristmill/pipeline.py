"""The whole way: from sources to a corpus.

One task a shard reads, decodes, cleans and filters, and writes the shard's documents; then de-duplication looks at all shards together.
What a task has finished is not done again, so a build that was killed goes on where it was.

Pages are cleaned as they are read, in constant memory. A cleaning method that compares the pages of a site gets those of a host within
a shard together: they are put aside on disk first, and so are the documents, which are written in the order of the archive.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from gristmill import dedup
from gristmill.archive import Skip, Source, find_sources, read
from gristmill.clean import METHODS
from gristmill.clean.site import clean_site, site_of
from gristmill.config import Config
from gristmill.corpus import Corpus, Manifest
from gristmill.document import Document, Page, document_id
from gristmill.engine import Engine, LocalEngine, Report, run_all, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.filter import chain_of, explicit, files_of
from gristmill.language import Models, check_languages, forget_models
from gristmill.shards import DOCUMENTS, SKIPPED, BatchWriter, document_writer, exclusive
from gristmill.spool import Spool

_SHARD_BYTES = 64_000_000  # single pages are put together into shards of about this size
_SHARD_FILES = 10_000
_REPORT_BYTES = 1_000_000
_SITE_BYTES = 32_000_000  # bodies of pages that a site method compares at once; in memory, on ordinary pages, about three times as much
_SKIPPED_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field(name, pa.int64() if name == "offset" else pa.string(), nullable=False)
        for name in ("reason", "source", "offset", "url", "detail")
    ],
)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a build reports to: `start` with the amount of work in bytes, then `advance`."""

    start: Report
    advance: Report


def build(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int = dedup.MEMORY,
    progress: Progress | None = None,
) -> Corpus:
    """Build a corpus from archives and pages into the folder `output`, or finish one that was begun there.

    The result does not depend on `workers`, nor on `memory`, which bounds what de-duplication uses. Raises `GristmillError` if a shard
    failed; the others are kept, and the same call goes on.
    """
    config = config or Config()
    METHODS[config.clean.method]  # a wrong name is an error before anything is written
    forget_models()  # these, and files that filters need, may have changed since an earlier build
    models = Models.load(config.language.models, config.language.identifier)
    models.check()
    check_languages(config.filter.languages, models)
    config = dataclasses.replace(config, filter=explicit(config.filter), language=config.language.with_whole_path())
    chain_of.cache_clear()
    dedup.parse(config.dedup.method)
    folder = Path(output)
    named = [sources] if isinstance(sources, str | os.PathLike) else sources
    groups = plan_shards(find_sources(named, leave_out=folder))
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give a folder with -o")
    shards = [folder / "shards" / f"{number:05d}" for number in range(len(groups))]
    job = _dedup_job(folder, shards, config, workers, engine, memory, silent)
    dedup.parse(config.dedup.method).check(job)
    with exclusive(folder):
        manifest = Manifest.begin(folder, groups, config, _fingerprints(config))
        tasks = [ShardTask(str(shard), tuple(group), config) for shard, group in zip(shards, groups, strict=True)]
        todo = [task for task in tasks if not (Path(task.folder) / DOCUMENTS).exists()]
        _run_all(todo, engine or LocalEngine(workers), progress or Progress(silent, silent))
        if todo or not manifest.finished:
            manifest.finish(shards, _deduplicate(config, job))
    return Corpus(folder)


def _fingerprints(config: Config) -> dict[str, str]:
    """What the files that settings name hold: if one changes between two runs of a build, its shards would not be of one kind."""
    places = [*files_of(config.filter), *filter(None, [config.language.models])]
    files = [file for place in map(Path, places) for file in (sorted(place.rglob("*")) if place.is_dir() else [place]) if file.is_file()]
    return {str(file): _digest(file) for file in files}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


def deduplicate(
    corpus: str | os.PathLike[str],
    method: str | None = None,
    against: Sequence[str | os.PathLike[str]] = (),
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int = dedup.MEMORY,
    report: Report | None = None,
) -> Corpus:
    """De-duplicate an existing corpus anew, by a method with its parameters (`onion:n=7`), against its own text and that of others.

    If no method is given, it is the one as before. What was interrupted is finished by the same call.
    """
    folder = Path(corpus)
    manifest = Manifest.read(folder)
    others = tuple(os.fspath(other) for other in against)
    config = Config.from_table(manifest.table["settings"]).replace(dedup_method=method, dedup_against=others)
    shards = [folder / "shards" / shard["name"] for shard in manifest.table["shards"]]
    unfinished = [shard.name for shard in shards if not (shard / DOCUMENTS).exists()]
    if unfinished:
        raise GristmillError(
            f"the corpus in {folder} is not complete ({len(unfinished)} shards are missing): finish it with `gristmill build`"
        )
    job = _dedup_job(folder, shards, config, workers, engine, memory, report)
    with exclusive(folder):
        dedup.parse(config.dedup.method).check(job)
        manifest.reopen(config)
        manifest.finish(shards, _deduplicate(config, job))
    return Corpus(folder)


def _dedup_job(
    folder: Path, shards: Sequence[Path], config: Config, workers: int | None, engine: Engine | None, memory: int, report: Report | None
) -> dedup.Job:
    against = tuple(map(Path, config.dedup.against))
    for other in against:
        if other.resolve() == folder.resolve():
            raise UsageError(f"{folder} can't be compared with itself: it is de-duplicated within itself anyway")
    workers = workers or os.cpu_count() or 1
    return dedup.Job(tuple(shards), folder / "dedup", workers, engine, memory, against, folder / dedup.INDEX, report or silent)


def _deduplicate(config: Config, job: dedup.Job) -> dict[str, int]:
    job.retire_index()
    return dedup.parse(config.dedup.method).run(job)


def _run_all(tasks: Sequence[ShardTask], engine: Engine, progress: Progress) -> None:
    progress.start(sum(task.cost for task in tasks))
    failures = run_all(engine, tasks, progress.advance)
    if failures:
        raise GristmillError(
            f"{len(failures)} of {len(tasks)} shards failed:{''.join(failures)}\n"
            "The others are done; run the same command again to try only these."
        )


def plan_shards(sources: Sequence[Source]) -> list[list[Source]]:
    """One shard an archive; single pages together by size, in their order."""
    shards: list[list[Source]] = []
    pages: list[Source] = []
    size = 0
    for source in sources:
        if source.kind != "page":
            shards += [[*pages], [source]] if pages else [[source]]  # the order of the sources is the order of the corpus
            pages, size = [], 0
            continue
        pages.append(source)
        size += source.size
        if len(pages) >= _SHARD_FILES or size >= _SHARD_BYTES:
            shards.append(pages)
            pages, size = [], 0
    return [*shards, pages] if pages else shards


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Everything up to `filter` for the sources of one shard."""

    folder: str
    sources: tuple[Source, ...]
    config: Config

    @property
    def name(self) -> str:
        """The shard and what is in it."""
        more = f" and {len(self.sources) - 1} more" if len(self.sources) > 1 else ""
        return f"shard {Path(self.folder).name} ({self.sources[0].name}{more})"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return sum(source.size for source in self.sources)

    def run(self, report: Report) -> dict[str, Any]:
        """Write the shard's documents and what was skipped; the counts are stored with the documents."""
        folder = Path(self.folder)
        counts: Counter[str] = Counter()
        # The documents come last into place: where they are, the shard is complete.
        with document_writer(folder) as documents, BatchWriter(folder / SKIPPED, _SKIPPED_SCHEMA, _skipped_batch, _nothing) as skipped:
            for item in self.documents(report):
                counts["records"] += 1
                if isinstance(item, Skip):
                    counts[f"skipped.{item.reason}"] += 1
                    if item.reason != "other":
                        skipped.write(item)
                else:
                    item.id = document_id(folder.name, counts["pages"])
                    documents.write(item)
                    counts["pages"] += 1
                    counts[f"dropped.{item.dropped}" if item.dropped else "passed"] += 1
                    counts.update(_block_counts(item))
            skipped.finish({})
            documents.finish({"counts": dict(counts)})
        return dict(counts)

    def documents(self, report: Report) -> Iterator[Document | Skip]:
        """What becomes of all pages, in their order, and what is skipped."""
        if METHODS[self.config.clean.method].score_site:
            return _by_site(self, report)
        return (item if isinstance(item, Skip) else process(item, self.config) for item in self.read(report))

    def read(self, report: Report) -> Iterator[Page | Skip]:
        """What is read from all sources."""
        return chain.from_iterable(_reported(source, self.config, report) for source in self.sources)


def _block_counts(document: Document) -> Counter[str]:
    """How many blocks cleaning kept, and how many of them each filter for blocks dropped."""
    counts = Counter([f"dropped_blocks.{block.dropped}" for block in document.blocks if block.dropped])
    counts["text_blocks"] = document.text_blocks + counts.total()
    return counts


def _reported(source: Source, config: Config, report: Report) -> Iterator[Page | Skip]:
    """What is read from a source, with a report of the bytes behind it from time to time."""
    reported = 0
    for item in read(source, chain_of(config.filter).limit):
        if item.offset > reported + _REPORT_BYTES:
            report(item.offset - reported)
            reported = item.offset
        yield item
    report(source.size - reported)


def _skipped_batch(skipped: list[Skip]) -> pa.RecordBatch:
    columns = [pa.array([getattr(skip, item.name) for skip in skipped], item.type) for item in _SKIPPED_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=_SKIPPED_SCHEMA)


def _nothing(skip: Skip) -> int:
    del skip
    return 0


def process(page: Page, config: Config) -> Document:
    """What becomes of one page: its document, with the reason if a filter drops it."""
    return process_site([page], config)[0]


def process_site(pages: Sequence[Page], config: Config) -> list[Document]:
    """What becomes of pages of one site, compared with each other if the cleaning method does that."""
    filters = chain_of(config.filter)
    faults = [filters.fault_of_page(page) for page in pages]
    sound = [page for page, fault in zip(pages, faults, strict=True) if not fault]
    models = Models.load(config.language.models, config.language.identifier)
    cleaned = iter(clean_site(sound, config.clean.lang or None, config.clean.method, config.clean.max_boilerplate, models))
    documents = []
    for page, fault in zip(pages, faults, strict=True):
        document = Document.of(page) if fault else next(cleaned)
        if fault:
            document.dropped, document.detail = fault
        else:
            filters.settle(document, None if config.clean.lang else models)
        documents.append(document)
    return documents


def _by_site(task: ShardTask, report: Report) -> Iterator[Document | Skip]:
    """The same for all pages of a shard, site by site: first what is skipped, then the documents in the order of the pages."""
    folder = Path(task.folder)
    with Spool[Page](folder) as pages, Spool[Document](folder) as documents:
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
            for number, document in zip(part, process_site([pages[number] for number in part], task.config), strict=True):
                places[number] = len(documents)
                documents.append(document)
            report(task.cost * len(documents) // len(pages) - task.cost * done // len(pages))
        yield from map(documents.__getitem__, places)


def _parts(site: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """The pages of a site, given by number and size, in parts of about the same size that fit into memory."""
    total = sum(size for _, size in site) + 1
    count = -(-total // _SITE_BYTES)
    parts: list[list[int]] = [[] for _ in range(count)]
    before = 0
    for number, size in site:
        parts[before * count // total].append(number)
        before += size
    return filter(None, parts)
