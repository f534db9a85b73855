"""The tasks after shingling: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gristmill.dedup.onion.plan import Bundle, Plan
from gristmill.engine import Report


def mark_done(path: Path) -> None:
    """Note down that a task is done whose result is not put aside but in its place."""
    path.parent.mkdir(exist_ok=True)
    path.touch()


@dataclass(frozen=True)
class Step(ABC):
    """The work of a round on one bucket or one range of something, which is given by its number."""

    plan: Plan
    number: int
    cost: int
    round_number: int = 0
    """The round of owners and verdicts, from 1; 0 for what is done before and after these rounds."""

    what: ClassVar[str]
    """How messages call it."""

    @property
    def name(self) -> str:
        """What it is, and of which bucket or bundle."""
        return f"{self.what} {self.unit}" + (f" in round {self.round_number}" if self.round_number else "")

    @property
    def unit(self) -> str:
        """How messages call the bucket."""
        return f"{self.number:05d}"

    def run(self, report: Report) -> None:
        """Do the work."""
        self.work()
        report(self.cost)

    @abstractmethod
    def work(self) -> None:
        """What is to be done."""


@dataclass(frozen=True, kw_only=True)
class BundleStep(Step):
    """The work of a round on one bundle, whose number is its own."""

    bundle: Bundle

    @property
    def unit(self) -> str:
        """How messages call the bundle."""
        return self.bundle.name


class WholeStep(Step):
    """What is small enough to be done for all of the corpus by one task, which goes through files piece by piece."""

    @property
    def unit(self) -> str:
        """How messages call the whole."""
        return "the corpus"
