"""Do many small things that wait for files, such as opening each of 100,000 on a network, so that the waits overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_THREADS = 16
_FEW = 256
"""Things that are not worth starting threads for."""

T = TypeVar("T")
R = TypeVar("R")


def in_threads(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Call a function with each item, and return what it returns, in the order of the items; raises what it raises.

    The first call ends before others begin: so what the function computes once for all is computed once. Items are
    taken some at a time, since a thread that is told of each by itself would do little else.
    """
    if len(items) <= _FEW:
        return [function(item) for item in items]
    first = function(items[0])
    with ThreadPoolExecutor(_THREADS) as threads:
        made = threads.map(lambda part: [function(item) for item in part], _parts(items[1:]))
        return [first, *(result for part in made for result in part)]


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Cut items into parts, so many that no thread has nothing to do at the end."""
    size = max(1, len(items) // (_THREADS * 8))
    return (items[start : start + size] for start in range(0, len(items), size))
