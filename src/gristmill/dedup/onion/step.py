"""The tasks after shingling: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gristmill.dedup.onion.plan import Plan
from gristmill.engine import Report


def mark_done(path: Path) -> None:
    """Note down that a task is done whose result is not put aside but in its place."""
    path.parent.mkdir(exist_ok=True)
    path.touch()


@dataclass(frozen=True)
class Step(ABC):
    """The work of a round on one bucket or one shard, which is given by its number."""

    plan: Plan
    number: int
    cost: int
    round_number: int = 0
    """The round of owners and verdicts, from 1; 0 for what is done before and after these rounds."""

    what: ClassVar[str]
    """How messages call it."""
    is_of_shard: ClassVar[bool] = False
    """Whether the number is that of a shard of the run, which has a name of its own, and not of a bucket."""

    @property
    def name(self) -> str:
        """What it is, and of which bucket or shard."""
        unit = self.plan.shards[self.number].name if self.is_of_shard else f"{self.number:05d}"
        return f"{self.what} {unit}" + (f" in round {self.round_number}" if self.round_number else "")

    def run(self, report: Report) -> None:
        """Do the work."""
        self.work()
        report(self.cost)

    @abstractmethod
    def work(self) -> None:
        """What is to be done."""
