"""Fill the rows of `mill` that are about roles: what the role of a block, and those of others, say of it.

A page whose blocks have the roles title, byline, text, text, comment has, among others, these rows:

    role.text               0     0     1     1     0
    place.since_title       0     1     2     3     4
    place.after_comment    -4    -3    -2    -1     0
    roles_before.text       0     0     0     0.33  0.5

Uncompiled, this is what runs, too: pages have some hundreds of blocks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix
from gristmill.kernel.mill_columns import (
    BYLINE,
    COMMENT,
    NEAR_ROLES,
    PAGE_SHARES,
    PHRASES_BEFORE,
    PHRASES_BEHIND,
    PHRASES_MEAN,
    PLACE_AFTER_COMMENT,
    PLACE_AFTER_FIRST_TITLE,
    PLACE_AFTER_LAST_TITLE,
    PLACE_SINCE_BYLINE,
    PLACE_SINCE_TITLE,
    PLACE_TO_BYLINE,
    ROLE_FLAGS,
    ROLE_NUMBER,
    ROLES_BEFORE,
    ROLES_BEHIND,
    SHARED_ROLES,
    TITLE,
)

FAR = 200
"""Blocks: what is farther away counts as so far."""
NEAR_BLOCKS = 5
"""Before a block, and behind it, whose roles count."""
NEAR_PHRASES = 4
"""Before a block, and behind it, whose phrases count."""
SHARED = np.array(SHARED_ROLES, np.int32)
NEAR = np.array(NEAR_ROLES, np.int32)
SHARED_NUMBER = len(SHARED_ROLES)
NEAR_NUMBER = len(NEAR_ROLES)


def describe_roles(table: Matrix, roles: npt.NDArray[np.int32], words: npt.NDArray[np.int32]) -> None:
    """Fill all rows of the table that are about roles, given the role and the words of each block."""
    flag(table, roles)
    share(table, roles, words)
    place(table, roles)
    for item in range(NEAR_NUMBER):
        mean_around(table, ROLE_FLAGS + NEAR[item], NEAR_BLOCKS, ROLES_BEFORE + item, ROLES_BEHIND + item)


def describe_phrases_around(table: Matrix) -> None:
    """Fill the rows of what is known of the phrases of the blocks around, when those of each block are known."""
    mean_around(table, PHRASES_MEAN, NEAR_PHRASES, PHRASES_BEFORE, PHRASES_BEHIND)


def flag(table: Matrix, roles: npt.NDArray[np.int32]) -> None:
    """Tell for each role whether a block has it."""
    for at in range(roles.shape[0]):
        for role in range(ROLE_NUMBER):
            table[ROLE_FLAGS + role, at] = roles[at] == role


def share(table: Matrix, roles: npt.NDArray[np.int32], words: npt.NDArray[np.int32]) -> None:
    """Tell what share of the words of the page has each of some roles, for all blocks alike."""
    counts = np.zeros(ROLE_NUMBER + 1, np.int64)
    total = 0
    for at in range(roles.shape[0]):
        number = max(words[at], 1)
        counts[roles[at]] += number
        total += number
    for item in range(SHARED_NUMBER):
        part = 1.0 * counts[SHARED[item]] / total if total else 0.0
        for at in range(roles.shape[0]):
            table[PAGE_SHARES + item, at] = part


def place(table: Matrix, roles: npt.NDArray[np.int32]) -> None:
    """Count the blocks from titles, bylines and comments to each block."""
    size = roles.shape[0]
    first_title = last_title = first_comment = -1
    for at in range(size):
        if roles[at] == TITLE:
            first_title = at if first_title < 0 else first_title
            last_title = at
        elif roles[at] == COMMENT and first_comment < 0:
            first_comment = at
    title = byline = -FAR
    for at in range(size):
        title = at if roles[at] == TITLE else title
        byline = at if roles[at] == BYLINE else byline
        table[PLACE_AFTER_FIRST_TITLE, at] = max(min(at - first_title, FAR), -FAR) if first_title >= 0 else -FAR
        table[PLACE_AFTER_LAST_TITLE, at] = max(min(at - last_title, FAR), -FAR) if last_title >= 0 else -FAR
        table[PLACE_AFTER_COMMENT, at] = max(min(at - first_comment, FAR), -FAR) if first_comment >= 0 else -FAR
        table[PLACE_SINCE_TITLE, at] = min(at - title, FAR)
        table[PLACE_SINCE_BYLINE, at] = min(at - byline, FAR)
    byline = size + FAR
    for step in range(size):
        at = size - 1 - step
        byline = at if roles[at] == BYLINE else byline
        table[PLACE_TO_BYLINE, at] = min(byline - at, FAR)


def mean_around(table: Matrix, row: int, reach: int, before: int, behind: int) -> None:
    """Fill two rows with the means of a row over some blocks before each block, and behind it."""
    size = table.shape[1]
    sums = np.zeros(size + 1, np.float64)
    for at in range(size):
        sums[at + 1] = sums[at] + table[row, at]
    for at in range(size):
        first, end = max(at - reach, 0), min(at + 1 + reach, size)
        table[before, at] = (sums[at] - sums[first]) / (at - first) if at > first else 0.0
        table[behind, at] = (sums[end] - sums[at + 1]) / (end - at - 1) if end > at + 1 else 0.0
