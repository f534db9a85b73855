"""The one runner of stages: which engine does the work, and what is shown, logged, tried again and said of failures."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Self

from gristmill.arguments import as_workers
from gristmill.engine import (
    ClusterEngine,
    Engine,
    InlineEngine,
    LocalEngine,
    Outcome,
    Report,
    Task,
    engine_of,
    silent,
)
from gristmill.errors import GristmillError
from gristmill.leases import check_fence, lock_path
from gristmill.parts import Part
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
        engine: Engine | str | None = None,
        progress: Progress = hidden,
        corpus: Path | None = None,
    ) -> None:
        """Take an engine for all work; without one, this process does small work and `workers` processes the rest.

        A cluster takes the place of these processes. An engine can be given by its name, as in `engine_of`. `corpus` is
        the folder of the corpus whose stages these are: the times that they take are written down.
        """
        chosen = engine_of(engine)
        processes = as_workers(workers)
        self._cluster: ClusterEngine | None = None
        if isinstance(chosen, ClusterEngine):
            self._cluster = chosen if workers is None else chosen.at_most(processes)
        self._engine = None if self._cluster else chosen
        self._local = LocalEngine(processes)
        self._entered = ExitStack()
        self._progress = progress
        self._corpus = corpus
        self._shared: Advance | None = None
        self.part: Part | None = None
        """The part of the units of each stage that is to be done, if other commands do the others."""

    @property
    def has_engine(self) -> bool:
        """Whether all work is for one engine, which may have many workers."""
        return self._engine is not None

    def __enter__(self) -> Self:
        self._entered.enter_context(self._cluster or self._local)
        return self

    def __exit__(self, *exception: object) -> None:
        self._entered.close()

    @property
    def workers(self) -> int:
        """How many workers there are: processes, or what has room on the cluster, which is asked for it."""
        return self._cluster.workers if self._cluster else self._local.workers

    def memory(self, given: int | None, default: int) -> int:
        """Tell how much memory all workers together may use, if so much was `given`, or none was.

        The default is for one machine: on a cluster each worker has as much, or the most part of what the cluster gives
        it, which is to hold its interpreter, too.
        """
        if given is not None or not self._cluster:
            return default if given is None else given
        return (self._cluster.memory * 3 // 4 or default) * self._cluster.workers

    def run(self, stage: Stage) -> Any:
        """Do what is not current of a stage, and return what it adds up; raises if a task failed, after all are run."""
        if self._corpus:
            check_fence(self._corpus)  # a stage may begin by removing what is of no use any more
        units = self.part.of(stage.units()) if self.part else stage.units()
        states = stage.states(units, self)
        todo = [unit for unit, state in zip(units, states, strict=True) if state.name != "current"]
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
                workers = 0 if self.has_engine else self.workers
                note_time(self._corpus, stage.name, seconds, len(todo), len(units), workers)
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
        if stage.small_work == sys.maxsize:
            return InlineEngine()
        if self._engine:
            return self._engine
        if self._cluster:
            if cost < stage.small_work and not self._cluster.takes_small_work:
                return InlineEngine()
            return self._cluster.at_most(stage.max_workers) if stage.max_workers else self._cluster
        workers = min(self._local.workers, stage.max_workers or self._local.workers)
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
    folder: Path,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    part: Part | None = None,
) -> Iterator[Runner]:
    """Keep other commands out of the folder of a corpus, and give a runner for the work on it, or on a part of it."""
    chosen = engine_of(engine)
    seen = chosen.seeing(lock_path(folder, part).absolute()) if isinstance(chosen, ClusterEngine) else nullcontext()
    with shown(progress) as told, exclusive(folder, part), Runner(workers, chosen, told, folder) as runner, seen:
        runner.part = part
        yield runner


def run_round(
    doing: str, unit: str, tasks: Sequence[Task], engine: Engine | None = None, report: Report = silent
) -> list[Any]:
    """Run tasks for a stage that has its engine and its progress already; raises if one failed.

    Returns what they return, in the order in which they ended.
    """
    found: list[Any] = Runner(1 if engine is None else None, engine, lambda _, __: report).run(
        Round(doing, tasks, unit=unit)
    )
    return found
