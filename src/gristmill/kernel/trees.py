# cython: boundscheck=False
"""Ask the questions of boosted oblivious trees about all blocks of a page: see `cleaning.methods.trees`.

A tree with the columns [4, 7] and the borders [0.5, 2.0] asks whether row 4 of the table is above 0.5, and row 7 above
2.0. Two blocks with the values 0.9 and 0.1 in row 4, and 1.0 and 3.0 in row 7, go to

    leaf 0b01, whose value is added to the log-odds of the first block
    leaf 0b10, whose value is added to those of the second

The inner loops run over blocks, so that compilers make them work on several at once. They cannot if each access is
checked; `check` makes sure beforehand that none is out of bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix

MAX_DEPTH = 8
"""The answers of a tree are the bits of a byte."""
BLOCKS_AT_ONCE = 1024
"""So many that the answers stay in the cache of the processor."""


def odds(
    table: Matrix,
    columns: npt.NDArray[np.int32],
    borders: npt.NDArray[np.float32],
    leaves: npt.NDArray[np.float32],
    start: float,
) -> npt.NDArray[np.float64]:
    """Return the log-odds of each column of the table: `start`, and a leaf of each tree."""
    trees, size, depth = leaves.shape[0], table.shape[1], check(table, columns, borders, leaves)
    found = np.zeros(size, np.float64)
    places = np.zeros(BLOCKS_AT_ONCE, np.uint8)
    for first in range(0, size, BLOCKS_AT_ONCE):
        number = min(BLOCKS_AT_ONCE, size - first)
        for tree in range(trees):
            clear(places, number)
            for level in range(depth):
                ask(table, columns[tree * depth + level], borders[tree * depth + level], first, number, level, places)
            add(leaves, tree, first, number, places, found)
    for at in range(size):
        found[at] += start
    return np.asarray(found)


def check(
    table: Matrix,
    columns: npt.NDArray[np.int32],
    borders: npt.NDArray[np.float32],
    leaves: npt.NDArray[np.float32],
) -> int:
    """Return the depth of the trees; if they don't fit together, or ask about rows that are not there, raise."""
    depth = 0
    while depth < MAX_DEPTH and 1 << depth < leaves.shape[1]:
        depth += 1
    if 1 << depth != leaves.shape[1] or columns.shape[0] != depth * leaves.shape[0]:
        raise ValueError("the trees have another number of leaves than of questions")
    if borders.shape[0] != columns.shape[0]:
        raise ValueError("the trees have another number of borders than of questions")
    for at in range(columns.shape[0]):
        if columns[at] < 0 or columns[at] >= table.shape[0]:
            raise ValueError("the trees ask about a row that the table does not have")
    return depth


def clear(places: npt.NDArray[np.uint8], number: int) -> None:
    """Begin at leaf 0."""
    for at in range(number):
        places[at] = 0


def ask(
    table: Matrix, row: int, border: float, first: int, number: int, level: int, places: npt.NDArray[np.uint8]
) -> None:
    """Ask one question about some blocks, and set a bit of their places where the answer is yes."""
    for at in range(number):
        places[at] |= (table[row, first + at] > border) << level


def add(
    leaves: npt.NDArray[np.float32],
    tree: int,
    first: int,
    number: int,
    places: npt.NDArray[np.uint8],
    found: npt.NDArray[np.float64],
) -> None:
    """Add the leaves of a tree to the log-odds."""
    for at in range(number):
        found[first + at] += leaves[tree, places[at]]
