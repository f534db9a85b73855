"""Measure how much longer four times the work takes: about four times as long, or sixteen times if it is quadratic."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time

import pytest

Make = Callable[[int], Callable[[], object]]
"""Prepares work of some size."""

MOST = 9.0
"""How much longer it may take."""
REPEATS = 3
"""How often work is measured that seems to take long enough."""
TRIES = 6
"""How often both sizes are measured before growth counts as too fast."""


def check_growth(make: Make, size: int, largest: int, least: float) -> None:
    """Fail if work takes too long when it is four times as large.

    The size grows until the work takes at least some seconds, so that it can be measured, or until the size is not
    below the largest: what is quick even then is taken to last half of the least. A machine that is busy makes work
    slower, never quicker, so the shortest times count: one slow run does not end the growing of the size, and all
    is measured again before anything fails.
    """
    small = make(size)
    while (short := _shortest(small, least)) < least and size < largest:
        size *= 4
        small = make(size)
    large = make(4 * size)
    long = float("inf")
    for _ in range(TRIES):
        if short < least or long < float("inf"):  # measured once yet, when it may have had to import something
            short = min(short, seconds(small))
        long = min(long, seconds(large))
        if long < MOST * max(short, least / 2):
            return
    pytest.fail(f"{short:.4f} s, and {long:.4f} s for four times as much: {long / short:.1f} times as long")


def _shortest(work: Callable[[], object], least: float) -> float:
    """The shortest time of some runs, up to the first that shows that the work takes less than the least."""
    short = float("inf")
    for _ in range(REPEATS):
        short = min(short, seconds(work))
        if short < least:
            break
    return short


def seconds(work: Callable[[], object]) -> float:
    """CPU time of this process, without garbage collection, which would go through all objects left by other tests."""
    gc.disable()
    try:
        begun = process_time()
        work()
        return max(process_time() - begun, 1e-6)
    finally:
        gc.enable()
