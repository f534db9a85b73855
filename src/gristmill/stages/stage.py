"""What a stage is: units of work, each with a result that is current, missing or stale, and how results are made.

Stages are declared as subclasses of `TaskStage`, if each unit is done by a task of its own, or else of `Stage`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gristmill.engine import Task
from gristmill.shards import Shard
from gristmill.threads import in_threads

if TYPE_CHECKING:
    from gristmill.stages.runner import Runner


@dataclass(frozen=True, slots=True)
class State:
    """Whether the result of a unit of work is of its inputs as they are now, and if not, why."""

    name: Literal["current", "missing", "stale", "outdated"]
    """`outdated` is of the inputs as they are now, but another version of the program or its models would do it now."""
    why: str = ""


CURRENT = State("current")
MISSING = State("missing")


def stale(why: str) -> State:
    """Make the state of a result that is there, but of something else than what is asked for now."""
    return State("stale", why)


def outdated(why: str) -> State:
    """Make the state of a result that can be used as it is, but would be another one if it was made now."""
    return State("outdated", why)


def present(path: Path) -> State:
    """Tell the state of a result that is current where its file is: files get their names when they are complete."""
    return CURRENT if path.exists() else MISSING


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A task that reads the documents of one shard; a subclass says, in `run`, what it does with them."""

    shard: Shard

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return self.shard.documents.stat().st_size


class Stage(ABC):
    """A part of the work on a corpus, cut into units that do not depend on each other.

    A stage says which units there are, in which state each is, and how those that are not current are done. The
    `Runner` does the rest. A result is put in place by one rename, at its end: so what was killed is done again, and
    what is there is not.
    """

    name: str
    """How `gristmill status` calls it."""
    doing: str
    """How progress, log and messages call it while it runs."""
    unit: str = "shard"
    """What a unit is. Empty if the stage is one piece of work, whose errors are raised as they are."""
    reads: tuple[str, ...] = ()
    """The files of a corpus that it depends on, as patterns."""
    writes: tuple[str, ...] = ()
    """The files of a corpus that it makes, as patterns."""
    small_work: int = 0
    """Work that takes less time than starting workers, in the unit of its tasks' costs; 0 if workers do it always.

    It is `sys.maxsize` if this process does it in any case.
    """
    max_workers: int | None = None
    """How many workers may work at the same time, if fewer than the runner has."""

    @property
    def command(self) -> str:
        """The command that does what is not current; empty if there is none of its own."""
        return ""

    @abstractmethod
    def units(self) -> Sequence[str]:
        """Name all units, in their order."""

    @abstractmethod
    def state(self, unit: str) -> State:
        """Tell whether the result of a unit is current, without reading whole files."""

    def states(self, units: Sequence[str], runner: Runner | None = None) -> list[State]:
        """Tell the states of many units: of a corpus on a network, files are looked at by several threads.

        A stage that has to read more than names and sizes may leave it to the `runner`.
        """
        del runner
        return in_threads(self.state, units)

    @abstractmethod
    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Do the units that are not current, and return the results."""

    def check_workers(self) -> None:  # noqa: B027 (most stages have nothing to check)
        """Raise if worker processes could not do the tasks, as they lack something that this process has."""

    def finish(self, results: Sequence[Any]) -> Any:
        """Add up what the work returned, when all units are current; units that were current before have no result."""
        del results


class TaskStage(Stage):
    """A stage that does each unit by one task, whatever becomes of the others."""

    @abstractmethod
    def task(self, unit: str) -> Task:
        """Make the task of a unit."""

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Run the tasks of the units that are not current, and return their results."""
        return runner.run_tasks(self, [self.task(unit) for unit in todo])


class Round(TaskStage):
    """Tasks that do not depend on each other, as one of the rounds in which another stage does its work."""

    name = "round"

    def __init__(
        self,
        doing: str,
        tasks: Sequence[Task],
        result: Callable[[int], Path] | None = None,
        *,
        unit: str = "task",
        small_work: int = 1,
        max_workers: int | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        """Take tasks; `result` gives the file that is there when the task of a number is done.

        Without `result` all are run. `check` raises if worker processes could not do them.
        """
        self.doing, self.unit, self.small_work, self.max_workers = doing, unit, small_work, max_workers
        self._tasks, self._result, self._check = tasks, result, check

    def units(self) -> Sequence[str]:
        """Name the tasks by their numbers."""
        return [str(number) for number in range(len(self._tasks))]

    def state(self, unit: str) -> State:
        """Tell whether the result of a task is there."""
        return present(self._result(int(unit))) if self._result else MISSING

    def task(self, unit: str) -> Task:
        """Look up the task with that number."""
        return self._tasks[int(unit)]

    def finish(self, results: Sequence[Any]) -> list[Any]:
        """Return the results of the tasks that were run, in the order in which they ended."""
        return list(results)

    def check_workers(self) -> None:
        """Raise if worker processes could not do the tasks."""
        if self._check:
            self._check()
