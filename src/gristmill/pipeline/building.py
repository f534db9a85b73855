"""Build a corpus: a task for each shard reads, decodes, cleans and filters; then all are de-duplicated together."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from gristmill import dedup
from gristmill.annotation.parsing.choice import with_whole_file, without_default
from gristmill.annotation.tagger import with_whole_paths
from gristmill.archive import Source, find_sources
from gristmill.archive.allowed import allow_stores
from gristmill.archive.kind import ARCHIVES
from gristmill.arguments import as_path, as_paths, check_type
from gristmill.cleaning.cleaner import text_roles
from gristmill.cleaning.items.splitting import forget_weights, of_config
from gristmill.cleaning.methods.chosen import forget_own_models, method_of
from gristmill.config import AnnotateConfig, Config, identifier_and_version
from gristmill.corpus import CorpusReader, Manifest
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.corpus.mirror import Mirror
from gristmill.corpus.named import admit, check_for_workers, trust_settings, with_plugins
from gristmill.engine import Engine, InlineEngine, Task, engine_of
from gristmill.errors import UsageError
from gristmill.filter import chain_of, explicit, files_of
from gristmill.language import Models, check_languages, forget_models
from gristmill.lazy import get_ready_meanwhile
from gristmill.parts import Part
from gristmill.pipeline.by_site import FOLDER as BY_SITE
from gristmill.pipeline.by_site import (
    CompareTask,
    GroupTask,
    bucket_count,
    documents_file,
    is_grouped,
    pages_file,
    remove_put_aside,
)
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.deduplicating import Deduplicating, dedup_job, report_on
from gristmill.pipeline.dividing import PartDone, check_all_done, forget_parts, planning
from gristmill.pipeline.pushing import ThenUpload, checkpoint, open_mirror, publish
from gristmill.pipeline.put_aside import arrays_file
from gristmill.pipeline.replacing import Replacing
from gristmill.pipeline.shard import ShardTask
from gristmill.plugins import code_files
from gristmill.progress import Progress
from gristmill.shards import DOCUMENTS, SKIPPED, Shard
from gristmill.stages import CURRENT, Round, Runner, State, TaskStage, present, running

# Single pages are put together into shards of about this size.
_log = logging.getLogger(__name__)
_SHARD_BYTES = 64_000_000
_SHARD_FILES = 10_000


@dataclass(frozen=True)
class Building(TaskStage):
    """Reads, decodes, cleans and filters the sources of each shard."""

    folder: Path
    shards: Sequence[str]
    """The names of all shards of the corpus."""
    sources: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    """What shards are made of, by name."""
    config: Config = field(default_factory=Config)
    mirror: Mirror | None = None
    """Where finished shards go."""

    name = "build"
    doing = "building"
    writes = (f"shards/*/{DOCUMENTS}", f"shards/*/{SKIPPED}")

    @property
    def command(self) -> str:
        """The command that was interrupted: only the user knows its sources."""
        return f"gristmill build SOURCE... -o {self.folder}, or gristmill add {self.folder} SOURCE..., as before"

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return self.shards

    def state(self, unit: str) -> State:
        """Tell whether the documents of a shard are there: they come last into place."""
        return present(Shard.of(self.folder, unit).documents)

    @property
    def not_built(self) -> list[int]:
        """The shards that are not built, by their numbers among these."""
        return [number for number, unit in enumerate(self.shards) if self.state(unit) != CURRENT]

    def task(self, unit: str) -> Task:
        """Make the task that turns the sources of a shard into documents."""
        shard, sources = Shard.of(self.folder, unit), tuple(self.sources[unit])
        by_site = (self._numbers[unit], self._buckets) if self.is_by_site else ()
        task = ShardTask(shard, sources, self.config, *by_site)
        return task if self.mirror is None else ThenUpload.of(task, self.folder, self.mirror, unit)

    @property
    def is_by_site(self) -> bool:
        """Whether the cleaning method compares the pages of a site."""
        return method_of(self.config.clean).score_site is not None

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {unit: number for number, unit in enumerate(self.shards)}

    @functools.cached_property
    def _buckets(self) -> int:
        return bucket_count([self.sources[unit] for unit in self.shards])

    @property
    def not_begun(self) -> list[int]:
        """The shards that a part has still to do: those that are not built, or by site, whose pages are not put aside.

        Numbers are among these shards.
        """
        if not self.is_by_site:
            return self.not_built
        return [number for number in self.not_built if not is_grouped(self.folder, self.shards[number])]

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Build shards; if pages are compared by site, those of all shards are put aside and compared first.

        A part puts only its own pages aside: they can be compared when all parts have done so, which is when they are
        merged.
        """
        if self.is_by_site:
            runner.run(_round("grouping by site", "shard", self._group_tasks(), self._pages_of))
            if runner.part:
                return []
            runner.run(
                _round("comparing sites", "bucket", self._compare_tasks(), self._documents_of, self.check_workers)
            )
        return super().work(todo, runner)

    def _group_tasks(self) -> list[Task]:
        return [GroupTask(self.folder, unit, tuple(self.sources[unit]), self.config) for unit in self.shards]

    def _compare_tasks(self) -> list[Task]:
        buckets, shards = self._buckets, tuple(self.shards)
        cost = sum(source.size - source.start for unit in shards for source in self.sources[unit]) // buckets
        return [CompareTask(self.folder, shards, number, buckets, self.config, cost) for number in range(buckets)]

    def _pages_of(self, number: int) -> Path:
        return arrays_file(pages_file(self.folder, self.shards[number]))

    def _documents_of(self, bucket: int) -> Path:
        return arrays_file(documents_file(self.folder, bucket))

    def check_workers(self) -> None:
        """Raise if the method or a filter is known to this process alone."""
        check_for_workers(self.config, "clean", "filter")

    def finish(self, results: Sequence[Any]) -> bool:
        """Remove what was put aside, and tell whether there was anything to do."""
        if (self.folder / BY_SITE).exists() and not self.not_built:
            remove_put_aside(self.folder)
        return bool(results)


def _round(
    doing: str, unit: str, tasks: Sequence[Task], result: Callable[[int], Path], check: Callable[[], None] | None = None
) -> Round:
    """Make a round of the building of a corpus by site."""
    made = Round(doing, tasks, result, unit=unit, small_work=0, check=check)
    made.name = doing.partition(" ")[0]
    return made


def build_corpus(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None,
    *,
    workers: int | None,
    engine: Engine | str | None,
    memory: int | str | None,
    progress: bool | Progress,
    trust: bool,
    mirror: str | None = None,
    part: Part | None = None,
    merge: bool = False,
) -> Corpus | PartDone:
    """Build a corpus, as `starting.build` and `starting.build_part` say."""
    check_type(config, Config, "config", "a gristmill.Config")
    config, folder, engine = config or Config(), as_path(output, "output"), engine_of(engine)
    if trust:
        trust_settings(config, remember=True)  # for good: the corpus is the user's own
    check_links(folder)
    admit(config, "plugins", "annotate")
    config = checked(config)
    given = find_sources(listed(sources), leave_out=folder)
    allow_stores(given)
    groups = plan_shards(given)
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give a folder with -o")
    if not isinstance(engine, InlineEngine):
        check_for_workers(config, "clean", "filter")
    shards = [Shard.of(folder, f"{number:05d}") for number in range(len(groups))]
    copy = open_mirror(mirror) if mirror is not None else None
    job = dedup_job(folder, shards, config, workers, memory)
    dedup.parse(config.dedup.method).check(job)
    if merge and not (folder / MANIFEST).exists():
        raise UsageError(f"there is nothing to merge in {folder}: build its parts first, the first with --part 1/N")
    with running(folder, workers, engine, progress, part) as runner:
        manifest, named = _begin(folder, groups, config, part)
        stage = Building(folder, list(named), named, config, copy)
        if merge:
            check_all_done(folder, stage.not_begun, len(named), "built")
        get_ready_meanwhile("pyarrow.compute", "gristmill.dedup.tokens:get_ready")  # for what comes after
        if copy:
            copy.check_same(manifest.entries, f"the one in {folder}")
        built = runner.run(stage)
        if part:
            return PartDone(part, len(part.of(list(named))), len(named))
        if copy and built:
            copy = checkpoint(folder, copy, runner)
        runner.run(Replacing(manifest, runner=runner))
        runner.run(Deduplicating(manifest, config, workers, memory, anew=built))
        report_on(folder, runner)
        forget_parts(folder, part)
        if copy:
            publish(folder, copy, runner)
    return Corpus(folder)


def _begin(
    folder: Path, groups: Sequence[Sequence[Source]], config: Config, part: Part | None
) -> tuple[Manifest, dict[str, Sequence[Source]]]:
    """Write down what is going to be built, or check that it is what was begun; gives the sources of each shard."""
    with planning(folder, part):
        manifest = Manifest.begin(folder, groups, config, fingerprints(config))
        found = manifest.resume(groups)
        if part and manifest.finished and not all(shard.is_built for shard in manifest.shards):
            manifest.reopen(config)  # what is built anew is to be de-duplicated anew
    return manifest, {shard.name: group for shard, group in zip(manifest.shards, found, strict=True)}


def listed(sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Sequence[str | os.PathLike[str]]:
    """Return sources as a list, also if only one is given; raises if one is a corpus."""
    given = as_paths(sources, "sources")
    if any(isinstance(source, Corpus | CorpusReader) for source in given):
        raise UsageError("a corpus is no source: give the archives and pages that it was built from, or export it")
    return given


def checked(config: Config) -> Config:
    """Complete settings and check all names in them, so that a wrong one is an error before anything is written."""
    config = with_plugins(config)
    admit(config, "plugins", "clean", "filter", "language", "dedup")
    forget_own_models()
    forget_weights()
    method_of(config.clean)
    if config.clean.items:
        of_config(config.clean)  # raises if there is no such way, or no such model
    text_roles(config.clean, "")  # raises if no role is left
    forget_models()  # these, and files that filters need, may have changed since an earlier build
    models = Models.load(config.language.models, config.language.identifier)
    models.check()
    check_languages(config.filter.languages, models)
    _log.info("languages are identified by %s", identifier_and_version(config.language.identifier))
    chain_of.cache_clear()
    dedup.parse(config.dedup.method)
    clean, language = config.clean.with_whole_path(), config.language.with_whole_path()
    parsers = tuple(map(with_whole_file, without_default(config.annotate.parsers)))
    annotate = AnnotateConfig(with_whole_paths(config.annotate.taggers), parsers)
    return dataclasses.replace(
        config, clean=clean, filter=explicit(config.filter), language=language, annotate=annotate
    )


def fingerprints(config: Config) -> dict[str, str]:
    """Hash what the files hold that settings name.

    If one changes between two runs of a build, its shards would not be of one kind.
    """
    places = [*files_of(config.filter), *config.clean.files(), *filter(None, [config.language.models])]
    files = [
        file
        for place in map(Path, places)
        for file in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if file.is_file()
    ]
    return {
        str(file): _digest(file) for file in (*files, *chain.from_iterable(map(code_files, config.plugins.modules)))
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


def plan_shards(sources: Sequence[Source]) -> list[list[Source]]:
    """Divide sources into shards, in their order: each archive is one, and single pages are put together."""
    shards: list[list[Source]] = []
    pages: list[Source] = []
    size = 0
    for source in sources:
        if source.kind in ARCHIVES:
            shards += [[*pages], [source]] if pages else [[source]]
            pages, size = [], 0
            continue
        pages.append(source)
        size += source.size
        if len(pages) >= _SHARD_FILES or size >= _SHARD_BYTES:
            shards.append(pages)
            pages, size = [], 0
    return [*shards, pages] if pages else shards
