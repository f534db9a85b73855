"""Tasks in this very process, one after the other: for little work, to which starting workers would add more than it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.engine.task import Outcome, Report, Task
from gristmill.errors import GristmillError


class InlineEngine:
    """Runs tasks where it is called."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """The outcomes in the order of the tasks."""
        for task in tasks:
            yield self._run(task, report)

    def _run(self, task: Task, report: Report) -> Outcome:
        try:
            return Outcome(task, task.run(report))
        except (GristmillError, OSError) as error:
            return Outcome(task, error=str(error))
        except Exception as error:  # noqa: BLE001 (as in a worker, it must fail this task only)
            return Outcome(task, error=f"{type(error).__name__}: {error}")
