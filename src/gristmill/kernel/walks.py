# cython: boundscheck=False
"""Walk a finite automaton over tokens from each of them on, and write the spans that it accepts: see `search.cql`.

Each token comes as a code of one byte, and the automaton as a table with 256 columns: the next state for each state and
code, or -1. States are numbered by the place where their row begins, and those that accept come last.

    table, for the codes 0 and 1 of other tokens and of "a"      row 0: -1 256    row 256, which accepts: -1 256
    codes 0 1 1, one document                                    spans (1, 2), (1, 3), (2, 3)

As all codes are below 256 and `check_walk` has seen the table, nothing is read outside of it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

COLUMNS = 256
"""Codes that there can be."""
MAX_WALK = 100
"""Tokens of the longest walk; where one could go on, its start is set aside."""


def find_walks(
    codes: npt.NDArray[np.uint8],
    base: int,
    first: int,
    last: int,
    bounds: npt.NDArray[np.int64],
    table: npt.NDArray[np.int32],
    accepting: int,
    starts: npt.NDArray[np.uint32],
    ends: npt.NDArray[np.uint32],
    written: int,
    aside: npt.NDArray[np.int64],
    put_aside: int,
) -> tuple[int, int, int, int]:
    """Walk from each token from `first` to before `last`, and write spans behind the first `written` ones.

    The first code is that of the token `base`; there are codes for `MAX_WALK` tokens from `last` on, or up to the end
    of the document. `bounds` says where documents begin, from the one with the token `first`, and where the last one
    ends. States from `accepting` on accept. Starts of longer walks come `aside`, behind the first `put_aside`, without
    spans. Returns the token to go on with, which is not `last` if there is no more room; how many spans there are then,
    how many starts aside, and how many tokens were gone over.
    """
    check_walk(codes, base, first, last, bounds, table)
    room = min(starts.shape[0], ends.shape[0]) - MAX_WALK - 1
    aside_room = aside.shape[0]
    if written < 0 or put_aside < 0:
        raise ValueError("there can't be less than no spans")
    number = 0
    walked = 0
    for start in range(first, last):
        state = table[codes[start - base]]
        if state < 0:
            continue
        if written > room or put_aside >= aside_room:
            return start, written, put_aside, walked
        while bounds[number + 1] <= start:
            number += 1
        limit = min(bounds[number + 1], start + MAX_WALK + 1)
        before = written
        at = start + 1
        starts[written] = start
        ends[written] = at
        written += state >= accepting  # without a branch: processors can't foresee it
        while at < limit:
            state = table[state + codes[at - base]]
            if state < 0:
                break
            at += 1
            starts[written] = start
            ends[written] = at
            written += state >= accepting
        walked += at - start
        if at - start > MAX_WALK:
            written = before
            aside[put_aside] = start
            put_aside += 1
    return last, written, put_aside, walked


def check_walk(
    codes: npt.NDArray[np.uint8],
    base: int,
    first: int,
    last: int,
    bounds: npt.NDArray[np.int64],
    table: npt.NDArray[np.int32],
) -> int:
    """Raise if the automaton leads out of its table, or a walk out of the codes or documents."""
    size = table.shape[0]
    if size < COLUMNS or size % COLUMNS:
        raise ValueError("a table has 256 columns")
    for at in range(size):
        if table[at] < -1 or table[at] >= size or (table[at] >= 0 and table[at] % COLUMNS):
            raise ValueError("a state is not in the table")
    if first < base or base < 0 or last > 0xFFFFFFFF - MAX_WALK:
        raise ValueError("tokens are not among those that have codes")
    if first >= last:
        return 0
    end = bounds.shape[0] - 1
    if end < 1 or bounds[0] > first or bounds[end] < last:
        raise ValueError("tokens are not in the documents")
    number = 0
    while bounds[number + 1] < last:  # all that are looked at
        number += 1
    if min(bounds[number + 1], last + MAX_WALK) - base > codes.shape[0]:
        raise ValueError("tokens are not among those that have codes")
    return 0
