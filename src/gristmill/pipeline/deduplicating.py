"""De-duplicate a corpus, as the last part of its build or anew, by one of the methods in `gristmill.dedup`."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gristmill import dedup
from gristmill.arguments import as_bytes, as_paths, as_workers
from gristmill.config import Config
from gristmill.consent import Named, allow
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.corpus.named import admit, check_for_workers, trust_corpus, with_plugins
from gristmill.corpus.tally import Tally, tally
from gristmill.dedup.job import DOING
from gristmill.engine import Engine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.replacing import Replacing
from gristmill.progress import Progress
from gristmill.shards import DOCUMENTS, DUPLICATES, REPLACED, Shard
from gristmill.stages import CURRENT, MISSING, Runner, Stage, State, over_shards, running, stale


def deduplicate(
    corpus: str | os.PathLike[str],
    method: str | None = None,
    against: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> Corpus:
    """De-duplicate an existing corpus anew, against its own text and that of others.

    `method` is one with its parameters (`onion:n=7`), or else the one as before. What was interrupted is finished by
    the same call. `memory`, such as `4GB`, is what all workers together may use: 1 GB by default, or as much for each
    on a cluster. `engine` is an engine or the name of one. `progress` shows a sign of life; how long it will take is
    not known before.
    """
    folder = folder_of(corpus)
    Manifest.read(folder)  # raises if there is no corpus, before anything is made
    if trust:
        trust_corpus(folder, remember=False)
    check_links(folder)
    others = tuple(str(Path(other).absolute()) for other in as_paths(against, "against"))
    allow(Named.at("file", other) for other in others)
    with running(folder, workers, engine, progress) as runner:
        _deduplicate(folder, method, others, workers, memory, runner)
    return Corpus(folder)


def _deduplicate(
    folder: Path,
    method: str | None,
    others: tuple[str, ...],
    workers: int | None,
    memory: int | str | None,
    runner: Runner,
) -> None:
    manifest = Manifest.read(folder)
    config = with_plugins(manifest.config.replace(dedup_method=method, dedup_against=others))
    admit(config, "dedup")
    shards = manifest.shards
    unfinished = [shard.name for shard in shards if not shard.is_built]
    if unfinished:
        raise GristmillError(
            f"the corpus in {folder} is not complete ({len(unfinished)} shards are missing): "
            "finish it with the same `gristmill build`, or `gristmill add`, as before"
        )
    stage = Deduplicating(manifest, config, workers, memory, anew=True)
    stage.check()
    runner.run(Replacing(manifest, manifest.adding or 0, runner))
    manifest.reopen(config)
    runner.run(stage)
    report_on(folder, runner)


def report_on(folder: Path, runner: Runner) -> None:
    """Write the report of a corpus that has changed."""
    from gristmill.pipeline.reporting import write_report  # noqa: PLC0415 (tasks of a build need not wait for it)

    write_report(folder, runner)


def dedup_job(
    folder: Path,
    shards: Sequence[Shard],
    config: Config,
    workers: int | None,
    memory: int | str | None,
    settled: Sequence[Shard] = (),
) -> dedup.Job:
    """Make what de-duplication of shards is given to work with; settled shards are compared with and never changed."""
    against = tuple(map(Path, config.dedup.against))
    for other in against:
        if other.resolve() == folder.resolve():
            raise UsageError(f"{folder} can't be compared with itself: it is de-duplicated within itself anyway")
    return dedup.Job(
        tuple(shards),
        folder / dedup.WORK,
        as_workers(workers),
        memory=dedup.MEMORY if memory is None else as_bytes(memory, "memory"),
        against=against,
        index=folder / dedup.INDEX,
        settled=tuple(settled),
    )


def with_means(job: dedup.Job, runner: Runner, memory: int | str | None) -> dedup.Job:
    """Give de-duplication the workers of a runner, and the memory that they have together unless it was set."""
    given = None if memory is None else as_bytes(memory, "memory")
    return dataclasses.replace(
        job, runner=runner, workers=runner.workers, memory=runner.memory(given, default=dedup.MEMORY)
    )


class Deduplicating(Stage):
    """Marks what is repeated in the shards of a corpus, by a method that looks at all of them, and adds up counts."""

    name = "dedup"
    doing = DOING
    reads = (f"shards/*/{DOCUMENTS}", f"shards/*/{REPLACED}")
    writes = (f"shards/*/{DUPLICATES}", f"{dedup.INDEX}/*", MANIFEST)

    def __init__(
        self,
        manifest: Manifest,
        config: Config,
        workers: int | None = None,
        memory: int | str | None = None,
        *,
        anew: bool = False,
        settled: int = 0,
    ) -> None:
        """Take the shards of a corpus, of which the first `settled` stay as they are.

        `anew` says that results of the others that are there don't count.
        """
        self._manifest, self._config, self._anew = manifest, config, anew
        self._settled, self._new = manifest.shards[:settled], manifest.shards[settled:]
        self._settled_names = {shard.name for shard in self._settled}
        self._workers, self._memory = workers, memory
        self._runner: Runner | None = None

    @property
    def command(self) -> str:
        """The command that de-duplicates, if it is not the end of another one."""
        if self._manifest.finished or not all(shard.is_built for shard in self._manifest.shards):
            return ""  # that is left to the build or addition that is to be finished first
        if self._manifest.adding is not None:  # to judge everything anew could drop what is kept
            return f"gristmill add {self._manifest.folder} SOURCE..., with the same sources as before"
        return f"gristmill dedup {self._manifest.folder}, or the command that was interrupted"

    def check(self) -> None:
        """Raise if the method can't do it, before anything is changed."""
        dedup.parse(self._config.dedup.method).check(self._job())

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return [shard.name for shard in self._manifest.shards]

    def state(self, unit: str) -> State:
        """Tell whether a shard is settled, or its result is there and the run that made it came to its end."""
        if unit in self._settled_names:
            return CURRENT
        if not Shard.of(self._manifest.folder, unit).duplicates.exists():
            return MISSING
        if self._anew:
            return stale("it is to be de-duplicated anew")
        return CURRENT if self._manifest.finished else stale("de-duplication was interrupted")

    def check_workers(self) -> None:
        """Raise if the method is known to this process alone."""
        check_for_workers(self._config, "dedup")

    def work(self, todo: Sequence[str], runner: Runner) -> list[dict[str, int]]:
        """De-duplicate, in the rounds of the method."""
        del todo
        self._runner = runner
        job = dataclasses.replace(with_means(self._job(), runner, self._memory), check_workers=self.check_workers)
        if not self._settled:
            job.retire_index()
        with runner.together(self.doing):
            found = dedup.parse(self._config.dedup.method).run(job)
        shutil.rmtree(job.work, ignore_errors=True)  # what a killed run of another method has put aside
        return [found]

    def finish(self, results: Sequence[Any]) -> None:
        """Add up the counts of all shards, if they have changed or were never added up."""
        if results or not self._manifest.finished:
            total = Tally()
            for part in over_shards(self._runner, "counting", self._manifest.shards, tally):
                total.add(part)
            self._manifest.finish(total, results[0] if results else {})

    def _job(self) -> dedup.Job:
        manifest = self._manifest
        return dedup_job(manifest.folder, self._new, self._config, self._workers, self._memory, self._settled)
