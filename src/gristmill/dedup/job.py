"""What a de-duplication method is given to do its work with."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

from gristmill.engine import Engine, InlineEngine, LocalEngine, Report, Task, run_all, silent
from gristmill.errors import GristmillError, UsageError

MEMORY = 1_000_000_000
INDEX = "ngrams"
"""The folder of a corpus in which the index of its n-grams is."""
INDEX_CARD = "ngrams.json"
"""The file of an index that comes last: where it is, the index is whole."""
_LITTLE = 30_000_000  # work that is done sooner than workers are started, in the unit of tasks' costs (about a byte)


@dataclass(frozen=True)
class Job:
    """The shards to de-duplicate, in source order, and the means."""

    shards: tuple[Path, ...]
    work: Path
    """A folder for what tasks put aside. What a killed run left there is used again."""
    workers: int = 1
    engine: Engine | None = None
    """Runs all tasks; if there is none, this process does what is little, and workers the rest, which stay within `with job:`."""
    memory: int = MEMORY
    """Bytes that all workers together may use for n-grams."""
    against: tuple[Path, ...] = ()
    """Corpora whose text counts as there already."""
    index: Path | None = None
    """Where to store the n-grams of the text that is kept, so that other corpora can be de-duplicated against it."""
    report: Report = field(default=silent)
    settled: tuple[Path, ...] = ()
    """Shards of the same corpus that come before and were judged already: they are compared with and never changed."""

    @cached_property
    def _local(self) -> LocalEngine:
        return LocalEngine(self.workers)

    def __enter__(self) -> Self:
        self._local.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._local.__exit__(*exception)

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

    def run(self, tasks: Sequence[Task]) -> None:
        """Run tasks that do not depend on each other; raises if one failed."""
        engine = self.engine
        if engine is None:
            little = self.workers == 1 or sum(task.cost for task in tasks) < _LITTLE
            engine = InlineEngine() if little else self._local
        failures = run_all(engine, tasks, self.report)
        if failures:
            raise GristmillError(
                f"de-duplication failed:{''.join(failures)}\nWhat is done is kept; the same command goes on from there."
            )
