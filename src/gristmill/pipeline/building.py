"""Build a corpus: one task a shard reads, decodes, cleans and filters; then de-duplication looks at all shards together."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gristmill import dedup
from gristmill.annotation.tagger import with_whole_paths
from gristmill.archive import Source, find_sources
from gristmill.archive.kind import ARCHIVES
from gristmill.arguments import as_path, as_paths, check_type
from gristmill.cleaning import METHODS
from gristmill.config import Config
from gristmill.corpus import Corpus as StoredCorpus
from gristmill.corpus import Manifest
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import shard_folder
from gristmill.corpus.named import admit, trust_settings, with_plugins
from gristmill.engine import Engine, LocalEngine, Report, run_all, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.filter import chain_of, explicit, files_of
from gristmill.language import Models, check_languages, forget_models
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.deduplicating import dedup_job, run_dedup
from gristmill.pipeline.shard import ShardTask
from gristmill.plugins import python_files
from gristmill.progress import bars
from gristmill.shards import DOCUMENTS, exclusive

_SHARD_BYTES = 64_000_000  # single pages are put together into shards of about this size
_SHARD_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a build reports to: `start` with the amount of work in bytes, then `advance`."""

    start: Report
    advance: Report


NO_PROGRESS = Progress(silent, silent)


def build(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int | str = dedup.MEMORY,
    progress: bool | Progress = False,
    trust: bool = False,
) -> Corpus:
    """Build a corpus from archives and pages into the folder `output`, or finish one that was begun there.

    The result does not depend on `workers`, nor on `memory` (bytes, or `4GB`), which bounds what de-duplication uses.
    `progress` shows a bar. Settings that were read from a file need `trust` if they name plugins or files that the user
    has not allowed before. Raises `GristmillError` if a shard failed; the others are kept, and the same call goes on.
    """
    check_type(config, Config, "config", "a gristmill.Config")
    config, folder = config or Config(), as_path(output, "output")
    if trust:
        trust_settings(config, remember=True)  # for good: the corpus is the user's own
    check_links(folder)
    admit(config, "plugins", "annotate")
    config = checked(config)
    groups = plan_shards(find_sources(listed(sources), leave_out=folder))
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give a folder with -o")
    shards = [shard_folder(folder, f"{number:05d}") for number in range(len(groups))]
    job = dedup_job(folder, shards, config, workers, engine, memory, silent)
    dedup.parse(config.dedup.method).check(job)
    with shown_build(progress) as told, exclusive(folder):
        manifest = Manifest.begin(folder, groups, config, fingerprints(config))
        groups = manifest.resume(groups)
        shards = manifest.shards
        job = dataclasses.replace(job, shards=tuple(shards))
        tasks = [ShardTask(str(shard), tuple(group), config) for shard, group in zip(shards, groups, strict=True)]
        if run_shards(tasks, engine or LocalEngine(workers), told) or not manifest.finished:
            manifest.finish(shards, run_dedup(config, job))
    return Corpus(folder)


@contextmanager
def shown_build(progress: bool | Progress) -> Iterator[Progress]:
    """Where a build reports to: a progress bar if one wants to see it, or else what is given."""
    check_type(progress, (bool, Progress), "progress", "True or False")
    if progress is True:
        with bars("bytes") as begin:
            bar = begin("building", None)
            yield Progress(bar.set_total, bar)
    else:
        yield progress or NO_PROGRESS


def listed(sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Sequence[str | os.PathLike[str]]:
    """Sources as a list, if only one is given too."""
    given = as_paths(sources, "sources")
    if any(isinstance(source, StoredCorpus) for source in given):
        raise UsageError("a corpus is no source: give the archives and pages that it was built from, or export it")
    return given


def checked(config: Config) -> Config:
    """Settings with nothing left open, of which all names are known: a wrong one is an error before anything is written."""
    config = with_plugins(config)
    admit(config, "plugins", "filter", "language", "dedup")
    METHODS[config.clean.method]
    forget_models()  # these, and files that filters need, may have changed since an earlier build
    models = Models.load(config.language.models, config.language.identifier)
    models.check()
    check_languages(config.filter.languages, models)
    chain_of.cache_clear()
    dedup.parse(config.dedup.method)
    whole = dataclasses.replace(config, filter=explicit(config.filter), language=config.language.with_whole_path())
    return whole.replace(annotate_taggers=with_whole_paths(config.annotate.taggers))


def fingerprints(config: Config) -> dict[str, str]:
    """What the files that settings name hold: if one changes between two runs of a build, its shards would not be of one kind."""
    places = [*files_of(config.filter), *filter(None, [config.language.models])]
    files = [
        file
        for place in map(Path, places)
        for file in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if file.is_file()
    ]
    return {
        str(file): _digest(file) for file in (*files, *chain.from_iterable(map(python_files, config.plugins.modules)))
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


def run_shards(tasks: Sequence[ShardTask], engine: Engine, progress: Progress) -> bool:
    """Run the tasks whose shards are not there yet, and say whether there were any; raises if one failed."""
    todo = [task for task in tasks if not (Path(task.folder) / DOCUMENTS).exists()]
    progress.start(sum(task.cost for task in todo))
    failures = run_all(engine, todo, progress.advance)
    if failures:
        raise GristmillError(
            f"{len(failures)} of {len(todo)} shards failed:{''.join(failures)}\n"
            "The others are done; run the same command again to try only these."
        )
    return bool(todo)


def plan_shards(sources: Sequence[Source]) -> list[list[Source]]:
    """One shard an archive (or other file of many pages); single pages together by size, in their order."""
    shards: list[list[Source]] = []
    pages: list[Source] = []
    size = 0
    for source in sources:
        if source.kind in ARCHIVES:
            shards += (
                [[*pages], [source]] if pages else [[source]]
            )  # the order of the sources is the order of the corpus
            pages, size = [], 0
            continue
        pages.append(source)
        size += source.size
        if len(pages) >= _SHARD_FILES or size >= _SHARD_BYTES:
            shards.append(pages)
            pages, size = [], 0
    return [*shards, pages] if pages else shards
