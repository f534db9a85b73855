"""How stages that come after de-duplication say how far they are, and what they do about failures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gristmill.engine import Engine, Report, Task, run_all, silent
from gristmill.errors import GristmillError

Stages = Callable[[str, int], Report]
"""Called when a stage begins, with its name and its amount of work; gives back what the stage reports to."""


def unseen(name: str, amount: int) -> Report:
    """`Stages` for those who don't want to know."""
    del name, amount
    return silent


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
