"""The measurement of growth: it must see quadratic growth, and no other, whatever the machine does besides.

Most tests bring their own clock: work moves it on by a millionth of a second a step, and a hiccup of the machine by as
much as the test says. So they give the same result on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat

import growth
import pytest
from growth import check_growth

Steps = Callable[[int], int]
STEP = 1e-6
LEAST = 0.005


class _Clock:
    """A clock that stands still but for the work that is measured with it."""

    def __init__(self, hiccups: Iterator[float]) -> None:
        self.now = 0.0
        self._hiccups = hiccups

    def work(self, steps: Steps) -> Callable[[int], Callable[[], object]]:
        return lambda size: lambda: self._pass(steps(size))

    def _pass(self, steps: int) -> None:
        self.now += steps * STEP + next(self._hiccups)


@pytest.fixture
def clock_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterator[float]], _Clock]:
    def make(hiccups: Iterator[float]) -> _Clock:
        clock = _Clock(hiccups)
        monkeypatch.setattr(growth, "process_time", lambda: clock.now)
        return clock

    return make


QUIET = (0.0,)
BUSY_AT_FIRST = (0.02, 0.01)
BUSY_LATER = (0.0, 0.0, 0.0, 0.03, 0.0, 0.5)


@pytest.mark.parametrize("hiccups", [QUIET, BUSY_AT_FIRST, BUSY_LATER])
@pytest.mark.parametrize("size", [20, 300])
def test_growth_with_the_square_is_seen(
    clock_with: Callable[[Iterator[float]], _Clock], size: int, hiccups: tuple[float, ...]
) -> None:
    work = clock_with(chain(hiccups, repeat(0.0))).work(lambda length: length * length)
    with pytest.raises(pytest.fail.Exception, match=r"16\.0 times as long"):
        check_growth(work, size, 300, LEAST)


@pytest.mark.parametrize("hiccups", [QUIET, BUSY_AT_FIRST, BUSY_LATER])
@pytest.mark.parametrize("size", [1_000, 100_000])
def test_growth_with_the_size_is_allowed(
    clock_with: Callable[[Iterator[float]], _Clock], size: int, hiccups: tuple[float, ...]
) -> None:
    check_growth(clock_with(chain(hiccups, repeat(0.0))).work(lambda length: length), size, 100_000, LEAST)


def test_what_others_left_in_memory_does_not_count() -> None:
    left = [[number] for number in range(1_000_000)]
    for _ in range(5):
        check_growth(lambda size: lambda: [[number] for number in range(size)], 30_000, 100_000, LEAST)
    assert len(left) == 1_000_000
