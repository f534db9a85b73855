"""The interface of tasks and engines: what a task is, what becomes of it, and what an engine must do."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from gristmill.errors import GristmillError

Report = Callable[[int], None]
"""A function that a task calls with the amount of work just done, for the progress bar."""


class Job(Protocol):
    """A picklable piece of work."""

    def run(self, report: Report) -> Any:
        """Do the work. Whatever is returned must be picklable and small."""


class Task(Job, Protocol):
    """A job for an engine; `name` is used in messages, `cost` is its amount of work, in any unit."""

    @property
    def name(self) -> str:
        """How messages refer to the task."""

    @property
    def cost(self) -> int:
        """How much work it is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended: its result, or the error in words."""

    task: Task
    result: Any = None
    error: str = ""
    traceback: str = ""
    """Where the error was raised, for the log."""
    exception: Exception | None = None
    """What was raised, if that was in this process."""
    died: bool = False
    """Whether the error is that its process ended: then it may succeed if it is run again."""
    seconds: float = 0.0


def in_words(error: Exception) -> str:
    """Put an error into words: its message, and its class if it is not meant for users."""
    return str(error) if isinstance(error, GristmillError | OSError) else f"{type(error).__name__}: {error}"


def trace_of(error: Exception) -> str:
    """Write the traceback of an error as text."""
    return "".join(traceback.format_exception(error)).rstrip()


def silent(amount: int) -> None:
    """Ignore how far a task is: a `Report`."""
    del amount


class Engine(Protocol):
    """Runs tasks somewhere. A task that fails does not stop the others."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes as they end, in any order."""


class ClusterEngine(ABC):
    """An engine whose workers are on other machines: it does what worker processes would do on this one.

    Unless it `takes_small_work`, this process does that itself, as it does without a cluster. Workers and the
    connection to the cluster stay while it is entered, which can be done more than once.
    """

    @property
    @abstractmethod
    def takes_small_work(self) -> bool:
        """Whether it is to be given work, too, that this process could do faster by itself."""

    @property
    @abstractmethod
    def memory(self) -> int:
        """Bytes that each task may use; 0 if that is not bounded."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at a time, if nobody else uses the cluster; it is asked for that."""

    @abstractmethod
    def at_most(self, workers: int) -> ClusterEngine:
        """Make an engine with fewer workers at a time, which uses those of this one."""

    @abstractmethod
    def seeing(self, file: Path) -> AbstractContextManager[None]:
        """Let only nodes work meanwhile that see this file: what they write is seen here then."""

    @abstractmethod
    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes as they end, in any order."""

    @abstractmethod
    def __enter__(self) -> Self:
        """Keep workers from now on."""

    @abstractmethod
    def __exit__(self, *exception: object) -> None:
        """End the workers, if nobody else keeps them."""
