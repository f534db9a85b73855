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
from gristmill.stages import CURRENT, MISSING, Runner, ShardTask, State, TaskStage, running, stale

_HEAD_BYTES = 1000
"""The beginning of a report, where it says of which state of the corpus it is."""


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
    runner.run(Counting(Manifest.read(folder)))
    corpus, path = CorpusReader(folder), folder / NAME
    if not path.is_file() or not is_report_of(_head(path), CorpusFigures(corpus).state):
        write_atomically(path, make_report(corpus))


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES).decode("utf-8", "replace")


def count_figures(
    folder: Path,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
) -> None:
    """Store the figures of a corpus that was made before there were any; where nothing can be written, do nothing."""
    stage = Counting(Manifest.read(folder))
    if os.access(folder, os.W_OK) and any(stage.state(unit) != CURRENT for unit in stage.units()):
        with running(folder, workers, engine, progress) as runner:
            runner.run(stage)
