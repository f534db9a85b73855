"""Count what a report of a corpus needs, shard by shard, and write the report into its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gristmill.corpus import CorpusReader
from gristmill.engine import Engine, Report
from gristmill.html.report import NAME, make_report
from gristmill.progress import Progress
from gristmill.report.figures import count_shard
from gristmill.report.storing import NAME as FIGURES
from gristmill.report.storing import fingerprint, is_stored, save_figures
from gristmill.shards import DOCUMENTS, DUPLICATES, REPLACED, Shard, write_atomically
from gristmill.stages import CURRENT, MISSING, Runner, State, TaskStage, running


@dataclass(frozen=True, slots=True)
class CountTask:
    """Counts a shard."""

    shard: Shard
    replaced: tuple[int, ...]
    """The rows of documents that later versions replace."""

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to look at."""
        return self.shard.documents.stat().st_size

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

    def __init__(self, corpus: CorpusReader) -> None:
        """Take a corpus."""
        self._corpus = corpus

    @cached_property
    def _tasks(self) -> dict[str, CountTask]:
        return {
            shard.name: CountTask(shard, tuple(sorted(self._corpus.replaced(shard)))) for shard in self._corpus.shards
        }

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return list(self._tasks)

    def state(self, unit: str) -> State:
        """Tell whether the figures of a shard are there, counted of what it holds now."""
        task = self._tasks[unit]
        return CURRENT if is_stored(task.shard, fingerprint(task.shard, task.replaced)) else MISSING

    def task(self, unit: str) -> CountTask:
        """Look up the task of a shard."""
        return self._tasks[unit]

    def finish(self, results: Sequence[Any]) -> bool:
        """Tell whether anything had to be counted."""
        return bool(results)


def write_report(corpus: CorpusReader, runner: Runner) -> None:
    """Bring the report in the folder of a corpus up to date, as the end of a command that changes the corpus."""
    counted = runner.run(Counting(corpus))
    path = corpus.folder / NAME
    if counted or not path.exists():
        write_atomically(path, make_report(corpus))


def count_figures(
    corpus: CorpusReader,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
) -> None:
    """Store the figures of a corpus that was made before there were any; where nothing can be written, do nothing."""
    stage = Counting(corpus)
    if os.access(corpus.folder, os.W_OK) and any(stage.state(unit) != CURRENT for unit in stage.units()):
        with running(corpus.folder, workers, engine, progress) as runner:
            runner.run(stage)
