"""What a stage is: units of work, each of which has a result that is current, missing or stale, and a task that makes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gristmill.engine import Task

if TYPE_CHECKING:
    from gristmill.stages.runner import Runner


@dataclass(frozen=True, slots=True)
class State:
    """Whether the result of a unit of work is of its inputs as they are now, and if not, why."""

    name: Literal["current", "missing", "stale"]
    why: str = ""


CURRENT = State("current")
MISSING = State("missing")


def stale(why: str) -> State:
    """The state of a result that is there, but of something else than what is asked for now."""
    return State("stale", why)


def present(path: Path) -> State:
    """The state of a result that is current where its file is: files get their names when they are complete."""
    return CURRENT if path.exists() else MISSING


class Stage(ABC):
    """A part of the work on a corpus, cut into units that do not depend on each other.

    A stage written anew says which units there are, in which state each is and by which task its result is made. The
    `Runner` does the rest. A task puts its result in place by one rename, at its end: so what was killed is done again,
    and what is there is not.
    """

    name: ClassVar[str]
    """How `gristmill status` calls it."""
    doing: ClassVar[str]
    """How progress, log and messages call it while it runs."""
    unit: ClassVar[str] = "shard"
    """What a unit is. Empty if the stage is one piece of work, whose errors are raised as they are."""
    reads: ClassVar[tuple[str, ...]] = ()
    """The files of a corpus that it depends on, as patterns."""
    writes: ClassVar[tuple[str, ...]] = ()
    """The files of a corpus that it makes, as patterns."""
    small_work: ClassVar[int] = 0
    """Work that takes less time than starting workers, in the unit of its tasks' costs; 0 if workers do it in any case."""
    max_workers: int | None = None
    """How many may work at the same time, if there is a bound but that of the runner."""

    @property
    def command(self) -> str:
        """The command that does what is not current; empty if there is none of its own."""
        return ""

    @abstractmethod
    def units(self) -> Sequence[str]:
        """The names of all units, in their order."""

    @abstractmethod
    def state(self, unit: str) -> State:
        """Tell whether the result of a unit is current, without reading whole files."""

    def task(self, unit: str) -> Task:
        """Make the task of a unit; stages that override `work` need none."""
        raise NotImplementedError(f"{self.doing} has no task for {unit}")

    def check_workers(self) -> None:  # noqa: B027 (most stages have nothing to check)
        """Raise if worker processes could not do the tasks, as they lack something that this process has."""

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Do the units that are not current, and return the results of their tasks."""
        return runner.run_tasks(self, [self.task(unit) for unit in todo])

    def finish(self, results: Sequence[Any]) -> Any:
        """Add up what the tasks returned, when all units are current; there are no results of units that were before."""
        del results
