# cython: boundscheck=False
"""Add up the derivatives of rows by leaf and bin, to find the questions of a tree: see `evaluation.training.boosting`.

Three rows with the derivatives [1, 5], [2, 6] and [3, 7] are in the leaves 0, 1, 0. A column in which they have the
bins 2, 0, 2 gives, for two leaves and three bins,

    leaf 0    [0, 0]  [0, 0]  [4, 12]
    leaf 1    [2, 6]  [0, 0]  [0, 0]

The inner loop runs over rows and must not be slowed by checks of each access; `check` makes sure beforehand that none
is out of bounds. All columns get the same rows before the next rows come, so that these stay in the cache.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROWS_AT_ONCE = 8192
"""So many that their derivatives stay in the cache of the processor."""
COLUMNS_AT_ONCE = 3
"""If most rows are in one bin, each sum has to wait for the one before: the processor works on others meanwhile."""
MAX_BINS = 256
"""The leaf and the bin of a row are bytes each."""


def add_derivatives(
    table: npt.NDArray[np.uint8],
    places: npt.NDArray[np.uint8],
    derivatives: npt.NDArray[np.float64],
    leaves: int,
    bins: int,
) -> npt.NDArray[np.float64]:
    """Return the sums for each column, leaf and bin.

    The table has a line for each column, with the bins of all rows; `places` are the leaves of the rows, and
    `derivatives` has two numbers for each of them. Each sum is made in the order of the rows.
    """
    check(table, places, derivatives, leaves, bins)
    result = np.zeros((table.shape[0], leaves * bins * 2), np.float64)
    sums = result
    first_bins = np.zeros(ROWS_AT_ONCE, np.int32)
    for first in range(0, table.shape[1], ROWS_AT_ONCE):
        number = min(ROWS_AT_ONCE, table.shape[1] - first)
        for at in range(number):
            first_bins[at] = places[first + at]  # as an int, which a byte times the bins must be
            first_bins[at] *= bins
        for column in range(0, table.shape[0] - table.shape[0] % COLUMNS_AT_ONCE, COLUMNS_AT_ONCE):
            add_three(table, derivatives, first_bins, sums, column, first, number)
        for column in range(table.shape[0] - table.shape[0] % COLUMNS_AT_ONCE, table.shape[0]):
            add(table, derivatives, first_bins, sums, column, first, number)
    return result.reshape(table.shape[0], leaves, bins, 2)


def check(
    table: npt.NDArray[np.uint8],
    places: npt.NDArray[np.uint8],
    derivatives: npt.NDArray[np.float64],
    leaves: int,
    bins: int,
) -> int:
    """Raise if the arrays don't fit together, or a row is in a leaf or bin that there is not."""
    if not (0 < leaves <= MAX_BINS and 0 < bins <= MAX_BINS):
        raise ValueError("there are 1 to 256 leaves and bins")
    if places.shape[0] != table.shape[1] or derivatives.shape[0] != table.shape[1] or derivatives.shape[1] != 2:
        raise ValueError("the arrays have different numbers of rows")
    largest = 0
    for row in range(table.shape[1]):
        largest = max(largest, places[row])
    if largest >= leaves:
        raise ValueError("a row is in a leaf that there is not")
    largest = 0
    for column in range(table.shape[0]):
        for row in range(table.shape[1]):
            largest = max(largest, table[column, row])
    if largest >= bins:
        raise ValueError("a row is in a bin that there is not")
    return 0


def add(
    table: npt.NDArray[np.uint8],
    derivatives: npt.NDArray[np.float64],
    first_bins: npt.NDArray[np.int32],
    sums: npt.NDArray[np.float64],
    column: int,
    first: int,
    number: int,
) -> None:
    """Add the derivatives of some rows to the sums of a column."""
    for at in range(number):
        key = (first_bins[at] + table[column, first + at]) * 2
        sums[column, key] += derivatives[first + at, 0]
        sums[column, key + 1] += derivatives[first + at, 1]


def add_three(
    table: npt.NDArray[np.uint8],
    derivatives: npt.NDArray[np.float64],
    first_bins: npt.NDArray[np.int32],
    sums: npt.NDArray[np.float64],
    column: int,
    first: int,
    number: int,
) -> None:
    """Do the same for three columns."""
    for at in range(number):
        slope, curve = derivatives[first + at, 0], derivatives[first + at, 1]
        key = (first_bins[at] + table[column, first + at]) * 2
        second = (first_bins[at] + table[column + 1, first + at]) * 2
        third = (first_bins[at] + table[column + 2, first + at]) * 2
        sums[column, key] += slope
        sums[column, key + 1] += curve
        sums[column + 1, second] += slope
        sums[column + 1, second + 1] += curve
        sums[column + 2, third] += slope
        sums[column + 2, third + 1] += curve
