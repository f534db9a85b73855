"""Frequencies of numbers among many, exactly and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.values import Keys

MAX_COUNTERS = 1 << 23
"""Counters that may be held at once, 64 MB; if there can be more different numbers, they are sorted."""
_MAX_SORTED_AT_ONCE = 1 << 22
"""Numbers that are gathered before they are sorted."""


def tally(blocks: Iterable[Keys], space: int) -> tuple[Keys, Ids]:
    """The different numbers, ascending, and the frequency of each; all are at least 0 and below `space`.

    Memory is 16 bytes for each different number, and some 200 MB at most for those that are looked at.
    """
    if space <= MAX_COUNTERS:
        counts = np.zeros(space, np.int64)
        for block in _gathered(blocks, max(space // 2, 1)):
            counts += np.bincount(block, minlength=space)
        keys = np.flatnonzero(counts)
        return keys, counts[keys]
    runs: list[tuple[Keys, Ids]] = []
    for block in _gathered(blocks, _MAX_SORTED_AT_ONCE):
        runs.append(distinct(np.sort(block)))
        while len(runs) > 1 and len(runs[-2][0]) < 2 * len(runs[-1][0]):  # each number is merged a few times only
            runs.append(_merged(runs.pop(), runs.pop()))
    while len(runs) > 1:
        runs.append(_merged(runs.pop(), runs.pop()))
    return runs[0] if runs else (np.empty(0, np.int64), np.empty(0, np.int64))


def distinct(numbers: Keys) -> tuple[Keys, Ids]:
    """The different ones of sorted numbers, and the frequency of each: [3, 3, 7] gives [3, 7] and [2, 1]."""
    firsts = first_of_each(numbers)
    return numbers[firsts], np.diff(firsts, append=len(numbers))


def first_of_each(numbers: Keys) -> Ids:
    """Places where a new number begins among sorted ones: [3, 3, 7] gives [0, 2]."""
    new = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return np.flatnonzero(new)


def _merged(one: tuple[Keys, Ids], two: tuple[Keys, Ids]) -> tuple[Keys, Ids]:
    """Merge two lists of numbers and frequencies; frequencies of equal numbers are added."""
    keys, counts = np.concatenate([one[0], two[0]]), np.concatenate([one[1], two[1]])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    firsts = first_of_each(keys)
    return keys[firsts], np.add.reduceat(counts, firsts) if len(firsts) else counts


def _gathered(blocks: Iterable[Keys], size: int) -> Iterator[Keys]:
    """Numbers gathered into blocks of at least `size`, except for the last."""
    waiting: list[Keys] = []
    total = 0
    for block in blocks:
        waiting.append(block)
        total += len(block)
        if total >= size:
            yield np.concatenate(waiting)
            waiting, total = [], 0
    if total:
        yield np.concatenate(waiting)
