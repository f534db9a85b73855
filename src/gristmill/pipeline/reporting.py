"""Count what a report of a corpus needs, shard by shard, and write the report into its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gristmill.corpus import CorpusReader, Manifest
from gristmill.engine import Engine, Report
from gristmill.html.report import NAME, is_report_of, make_report
from gristmill.kept import replaced_by
from gristmill.progress import Progress
from gristmill.report.figures import count_shard
from gristmill.report.storing import NAME as FIGURES
from gristmill.report.storing import fingerprint, is_stored, save_figures
from gristmill.report.totals import CorpusFigures
from gristmill.shards import DOCUMENTS, DUPLICATES, REPLACED, write_atomically
from gristmill.stages import CURRENT, MISSING, Round, Runner, ShardTask, State, TaskStage, running, stale

_HEAD_BYTES = 1000
"""The beginning of a report, where it says of which state of the corpus it is."""
_SMALL_WORK_SHARDS = 1000
"""Shards whose figures are added up in less time than a worker takes to start."""


@dataclass(frozen=True, slots=True)
class CountTask(ShardTask):
    """Counts a shard."""

    replaced: tuple[int, ...]
    """The rows of documents that later versions replace."""

    def run(self, report: Report) -> None:
        """Count and store the figures."""
        made_of = fingerprint(self.shard, self.replaced)
        save_figures(self.shard, count_shard(self.shard, self.replaced), made_of)
        report(self.cost)


class Counting(TaskStage):
    """Counts the shards whose figures are not there, or are of other documents and duplicates."""

    name = "report"
    doing = "counting"
    reads = (f"shards/*/{DOCUMENTS}", f"shards/*/{DUPLICATES}", f"shards/*/{REPLACED}")
    writes = (f"shards/*/{FIGURES}",)
    small_work = 100_000_000

    def __init__(self, manifest: Manifest) -> None:
        """Take a corpus."""
        self._manifest = manifest
        self._shards = {shard.name: shard for shard in manifest.shards}

    @property
    def command(self) -> str:
        """The command that counts, if the corpus is complete; else the end of the one that completes it does."""
        return f"gristmill report {self._manifest.folder}" if self._manifest.finished else ""

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return list(self._shards)

    def state(self, unit: str) -> State:
        """Tell whether the figures of a shard are there, counted of what it holds now."""
        shard = self._shards[unit]
        if not (shard.folder / FIGURES).exists() or not shard.is_built or not shard.duplicates.exists():
            return MISSING
        made_of = fingerprint(shard, replaced_by(shard))
        return CURRENT if is_stored(shard, made_of) else stale("documents or duplicates have changed")

    def task(self, unit: str) -> CountTask:
        """Make the task that counts a shard."""
        shard = self._shards[unit]
        return CountTask(shard, tuple(sorted(replaced_by(shard))))


def write_report(folder: Path, runner: Runner) -> None:
    """Bring the report in the folder of a corpus up to date, as the end of a command that changes the corpus."""
    manifest = Manifest.read(folder)
    runner.run(Counting(manifest))
    tasks = [ReportTask(folder, len(manifest.entries))]
    runner.run_tasks(Round("reporting", tasks, unit="report", small_work=_SMALL_WORK_SHARDS), tasks)


@dataclass(frozen=True, slots=True)
class ReportTask:
    """Adds up the figures of all shards, and writes the report: a task, as that takes a while if there are many."""

    folder: Path
    cost: int
    """The number of shards."""

    @property
    def name(self) -> str:
        """The corpus."""
        return str(self.folder)

    def run(self, report: Report) -> None:
        """Write the report, if the one that is there is of another state."""
        corpus, path = CorpusReader(self.folder), self.folder / NAME
        if not path.is_file() or not is_report_of(_head(path), CorpusFigures(corpus).state):
            write_atomically(path, make_report(corpus))
        report(self.cost)


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES).decode("utf-8", "replace")


def count_figures(
    folder: Path,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
) -> None:
    """Store the figures that a corpus lacks, as after a kill; where nothing can be written, do nothing."""
    stage = Counting(Manifest.read(folder))
    if os.access(folder, os.W_OK) and any(state != CURRENT for state in stage.states(stage.units())):
        with running(folder, workers, engine, progress) as runner:
            runner.run(stage)
