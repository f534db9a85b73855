"""The one runner of stages: which engine does the work, and what is shown, logged, tried again and said of failures."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from gristmill.arguments import as_workers
from gristmill.engine import Engine, InlineEngine, LocalEngine, Outcome, Report, Task, silent
from gristmill.errors import GristmillError
from gristmill.progress import Advance, Progress, hidden, shown
from gristmill.shards import exclusive
from gristmill.stages.stage import Round, Stage
from gristmill.stages.times import note_time

_log = logging.getLogger(__name__)


class Runner:
    """Runs stages, one after the other; within `with Runner(...) as runner` worker processes stay for the next one."""

    def __init__(
        self,
        workers: int | None = None,
        engine: Engine | None = None,
        progress: Progress = hidden,
        corpus: Path | None = None,
    ) -> None:
        """Take an engine for all work; without one, this process does small work and `workers` processes the rest.

        `corpus` is the folder of the corpus whose stages these are: the times that they take are written down.
        """
        self.workers = as_workers(workers)
        self._engine = engine
        self._local = LocalEngine(self.workers)
        self._progress = progress
        self._corpus = corpus
        self._shared: Advance | None = None

    def __enter__(self) -> Self:
        self._local.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._local.__exit__(*exception)

    def run(self, stage: Stage) -> Any:
        """Do what is not current of a stage, and return what it adds up; raises if a task failed, after all are run."""
        units = stage.units()
        todo = [unit for unit in units if stage.state(unit).name != "current"]
        results: list[Any] = []
        if todo:
            level = logging.DEBUG if self._shared else logging.INFO
            what = f"{len(todo)} of {len(units)} {stage.unit}s" if stage.unit else "all of it"
            _log.log(level, "%s: %s to be done", stage.doing, what)
            begun = time.monotonic()
            results = stage.work(todo, self)
            seconds = time.monotonic() - begun
            _log.log(level, "%s: done in %.1f s", stage.doing, seconds)
            if self._corpus and not self._shared:
                note_time(self._corpus, stage.name, seconds, len(todo), len(units))
        return stage.finish(results)

    @contextmanager
    def together(self, doing: str) -> Iterator[None]:
        """Show all work that is done meanwhile as one, of unknown amount."""
        self._shared = self._progress(doing, None)
        try:
            yield
        finally:
            self._shared = None

    def run_tasks(self, stage: Stage, tasks: Sequence[Task]) -> list[Any]:
        """Run tasks of a stage, and return their results in the order in which they ended."""
        cost = sum(task.cost for task in tasks)
        engine = self.engine_for(stage, cost)
        if not isinstance(engine, InlineEngine):
            stage.check_workers()
        outcomes = self._outcomes(engine, tasks, self.begin(stage, cost))
        results, failures = [], []
        for outcome in outcomes:
            if not outcome.error:
                _log.debug("%s: %s: done in %.2f s", stage.doing, outcome.task.name, outcome.seconds)
                results.append(outcome.result)
                continue
            _log_failure(stage, outcome)
            if not stage.unit and outcome.exception:
                raise outcome.exception
            failures.append(f"\n  {outcome.task.name}: {outcome.error}")
        if failures:
            raise GristmillError(
                f"{stage.doing}: {len(failures)} of {len(tasks)} {stage.unit}s failed:{''.join(sorted(failures))}\n"
                "The others are done; run the same command again to try only these."
            )
        return results

    def begin(self, stage: Stage, cost: int) -> Advance:
        """Show that so much work of a stage begins, and give what is to be told of what is done of it."""
        return self._shared or self._progress(stage.doing, cost)

    def engine_for(self, stage: Stage, cost: int) -> Engine:
        """Choose the engine for so much work of a stage."""
        if self._engine:
            return self._engine
        workers = min(self.workers, stage.max_workers or self.workers)
        if stage.small_work and (workers == 1 or cost < stage.small_work):
            return InlineEngine()
        return self._local.at_most(workers)

    def _outcomes(self, engine: Engine, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Yield the outcomes of tasks; those whose worker died are run once more, one by one, with all memory each."""
        died: list[Task] = []
        for outcome in engine.run(tasks, report):
            if outcome.died:
                _log.warning("%s: %s; it is tried again", outcome.task.name, outcome.error)
                died.append(outcome.task)
            else:
                yield outcome
        for task in died:
            yield from engine.run([task], silent)


def _log_failure(stage: Stage, outcome: Outcome) -> None:
    """Log an error with the traceback of the process in which it happened."""
    record = _log.makeRecord(
        _log.name, logging.ERROR, __file__, 0, "%s: %s: %s", (stage.doing, outcome.task.name, outcome.error), None
    )
    record.exc_text = outcome.traceback or None
    if _log.isEnabledFor(logging.ERROR):
        _log.handle(record)


@contextmanager
def running(
    folder: Path, workers: int | None = None, engine: Engine | None = None, progress: bool | Progress = False
) -> Iterator[Runner]:
    """Keep other commands out of the folder of a corpus, and give a runner for the work on it."""
    with shown(progress) as told, exclusive(folder), Runner(workers, engine, told, folder) as runner:
        yield runner


def run_round(
    doing: str, unit: str, tasks: Sequence[Task], engine: Engine | None = None, report: Report = silent
) -> None:
    """Run tasks for a stage that has its engine and its progress already; raises if one failed."""
    Runner(1, engine, lambda _, __: report).run(Round(doing, tasks, unit=unit))
