"""Run many jobs at a time, and take their results in the order of the jobs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(jobs: Iterable[Coroutine[Any, Any, T]], at_a_time: int) -> AsyncGenerator[T, None]:
    """Yield the results of jobs, so many of which run at a time; jobs are taken one by one, when there is room."""
    running: deque[asyncio.Task[T]] = deque()
    try:
        for job in jobs:
            running.append(asyncio.ensure_future(job))
            if len(running) >= at_a_time:
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
