"""The measurement of growth: it must see quadratic growth, and no other, whatever other tests have left in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from growth import check_growth


def _counting(steps: Callable[[int], int]) -> Callable[[int], Callable[[], object]]:
    return lambda size: lambda: sum(1 for _ in range(steps(size)))


def _making_objects(size: int) -> Callable[[], object]:
    return lambda: [[number] for number in range(size)]


@pytest.mark.parametrize("size", [20, 300])
def test_growth_with_the_square_is_seen(size: int) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"1\d\.\d times as long"):
        check_growth(_counting(lambda length: length * length), size, 300, 0.005)


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_growth_with_the_size_is_allowed(size: int) -> None:
    check_growth(_counting(lambda length: length), size, 100_000, 0.005)


def test_what_others_left_in_memory_does_not_count() -> None:
    left = [[number] for number in range(1_000_000)]
    for _ in range(5):
        check_growth(_making_objects, 30_000, 100_000, 0.005)
    assert len(left) == 1_000_000
