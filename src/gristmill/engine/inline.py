"""The engine that runs tasks in this very process: for work that takes less time than starting workers would."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from gristmill.engine.task import Outcome, Report, Task, in_words, trace_of


class InlineEngine:
    """Runs tasks where it is called, one after the other."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes in the order of the tasks."""
        for task in tasks:
            yield self._run(task, report)

    def _run(self, task: Task, report: Report) -> Outcome:
        begun = time.monotonic()
        try:
            return Outcome(task, task.run(report), seconds=time.monotonic() - begun)
        except Exception as error:  # noqa: BLE001 (as in a worker, it must fail this task only)
            return Outcome(task, error=in_words(error), traceback=trace_of(error), exception=error)
