"""Ask each of many shards for a little, such as its counts: a span of shards is one task.

So the driver adds up a few hundred results, and does not open the files of 100,000 shards itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gristmill.engine import Report
from gristmill.shards import Shard
from gristmill.stages.runner import Runner
from gristmill.stages.stage import Round

_SPAN_SHARDS = 256
_SMALL_WORK_SHARDS = 1000
"""Shards that are asked in less time than it takes to start workers."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class SpanTask:
    """Asks the shards of a span."""

    number: int
    shards: tuple[Shard, ...]
    ask: Callable[[Sequence[Shard]], Any]
    """A function of a module, or a `partial` of one: workers get it by its name."""

    @property
    def name(self) -> str:
        """The first and the last shard."""
        return f"shards {self.shards[0].name} to {self.shards[-1].name}"

    @property
    def cost(self) -> int:
        """The number of shards."""
        return len(self.shards)

    def run(self, report: Report) -> tuple[int, Any]:
        """Return what was found, with the number of the span."""
        found = self.ask(self.shards)
        report(self.cost)
        return self.number, found


def over_shards(
    runner: Runner | None, doing: str, shards: Sequence[Shard], ask: Callable[[Sequence[Shard]], R]
) -> list[R]:
    """Call a function with shards, some at a time, and return what it returns, in the order of the shards.

    Few shards are asked by this process, and so are all if there is no runner.
    """
    if runner is None or len(shards) <= _SPAN_SHARDS:
        return [ask(shards)]
    starts = range(0, len(shards), _SPAN_SHARDS)
    tasks = [SpanTask(number, tuple(shards[start : start + _SPAN_SHARDS]), ask) for number, start in enumerate(starts)]
    found = runner.run_tasks(Round(doing, tasks, unit="span", small_work=_SMALL_WORK_SHARDS), tasks)
    return [result for _, result in sorted(found, key=lambda item: item[0])]
