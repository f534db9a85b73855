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

    @property
    def name(self) -> str:
        """What it is, and of which bucket or shard."""
        return f"{self.what} {self.number:05d}" + (f" in round {self.round_number}" if self.round_number else "")

    def run(self, report: Report) -> None:
        """Do the work."""
        self.work()
        report(self.cost)

    @abstractmethod
    def work(self) -> None:
        """What is to be done."""
