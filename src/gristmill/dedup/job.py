"""What a de-duplication method is given to do its work with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from gristmill.engine import Engine, Task
from gristmill.errors import UsageError
from gristmill.shards import Shard
from gristmill.stages import Round, Runner

MEMORY = 1_000_000_000
WORK = "dedup"
"""The folder of a corpus in which de-duplication puts aside what its rounds need of each other."""
INDEX = "ngrams"
"""The folder of a corpus in which the index of its n-grams is."""
INDEX_CARD = "ngrams.json"
"""The file of an index that comes last: where it is, the index is whole."""
DOING = "de-duplicating"
"""How messages call the work of a method."""
_SMALL_WORK_BYTES = 30_000_000  # about: tasks say what they cost in this unit


def _no_check() -> None:
    """Check nothing: the method is one that all processes know."""


@dataclass(frozen=True)
class Job:
    """The shards to de-duplicate, in source order, and the means."""

    shards: tuple[Shard, ...]
    work: Path
    """A folder for what tasks put aside. What a killed run left there is used again."""
    workers: int = 1
    engine: Engine | None = None
    """Runs all tasks; if there is none, this process does small work and worker processes the rest."""
    memory: int = MEMORY
    """Bytes that all workers together may use for n-grams."""
    against: tuple[Path, ...] = ()
    """Corpora whose text counts as there already."""
    index: Path | None = None
    """Where to store the n-grams of the text that is kept, for what is added later and for other corpora."""
    runner: Runner | None = None
    """Runs all rounds; if there is none, one of `workers` or the `engine`, whose processes stay within `with job:`."""
    settled: tuple[Shard, ...] = ()
    """Shards of the same corpus that come before and were judged already: they are compared with and never changed."""
    check_workers: Callable[[], None] = _no_check
    """Called before worker processes are given tasks; raises if they don't know the method."""

    @cached_property
    def _runner(self) -> Runner:
        return self.runner or Runner(self.workers, self.engine)

    def at_most(self, workers: int) -> Job:
        """Make a job with fewer workers at a time, which uses the processes of this one."""
        return replace(self, workers=min(workers, self.workers), runner=self._runner)

    def __enter__(self) -> Self:
        if self.runner is None:
            self._runner.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.runner is None:
            self._runner.__exit__(*exception)

    def retire_index(self) -> None:
        """Let the index not be taken for one of the corpus any more."""
        if self.index:
            (self.index / INDEX_CARD).unlink(missing_ok=True)

    def remove_index(self) -> None:
        """Take away the index, or what is there of it."""
        self.retire_index()
        if self.index:
            shutil.rmtree(self.index, ignore_errors=True)

    def refuse_others(self, method: str) -> None:
        """Raise if there are other corpora to compare with, which only one method can do."""
        if self.against:
            raise UsageError(f"{method} can't compare with other corpora; the method onion can")

    def run(self, tasks: Sequence[Task], result: Callable[[int], Path] | None = None) -> list[Any]:
        """Run a round: tasks that do not depend on each other; raises if one failed. Returns what they return.

        `result` gives the file that is there when the task of a number is done; without it, all are run.
        """
        found: list[Any] = self._runner.run(
            Round(
                DOING,
                tasks,
                result,
                small_work=_SMALL_WORK_BYTES,
                max_workers=self.workers,
                check=self.check_workers,
            )
        )
        return found
