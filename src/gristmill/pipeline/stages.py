"""How stages that come after de-duplication say how far they are, and what they do about failures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gristmill.corpus import Corpus
from gristmill.engine import Engine, InlineEngine, LocalEngine, Report, Task, run_all, silent
from gristmill.errors import GristmillError
from gristmill.progress import bars
from gristmill.shards import DOCUMENTS

_LITTLE = 2_000_000  # bytes of documents

Stages = Callable[[str, int], Report]
"""Called when a stage begins, with its name and its amount of work; gives back what the stage reports to."""


def unseen(name: str, amount: int) -> Report:
    """`Stages` for those who don't want to know."""
    del name, amount
    return silent


@contextmanager
def shown(progress: bool, stages: Stages) -> Iterator[Stages]:
    """What is told how far stages are: progress bars if one wants to see them, or else `stages`."""
    if not progress:
        yield stages
        return
    with bars() as begin:
        yield begin


def engine_for(corpus: Corpus, workers: int | None) -> Engine:
    """Worker processes, or this one if they would take longer to start than the work takes."""
    size = sum((shard / DOCUMENTS).stat().st_size for shard in corpus.shards)
    return InlineEngine() if workers == 1 or size < _LITTLE else LocalEngine(workers)


def check_writable(folder: Path) -> None:
    """Raise if nothing can be made in a corpus, before anything is begun."""
    if not os.access(folder, os.W_OK):
        raise GristmillError(
            f"can't write to {folder}, where tokens and index have to be made before it can be searched"
        )


def run_stage(name: str, tasks: Sequence[Task], engine: Engine, stages: Stages) -> None:
    """Run the tasks of a stage, one a shard; raises if one failed."""
    if not tasks:
        return
    failures = run_all(engine, tasks, stages(name, sum(task.cost for task in tasks)))
    if failures:
        raise GristmillError(
            f"{name}: {len(failures)} of {len(tasks)} shards failed:{''.join(failures)}\n"
            "The others are done; run the same command again to try only these."
        )
