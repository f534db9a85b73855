"""Which blocks are cells of one row of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.elements import CODES
from gristmill.cleaning.tree import among

_TR = CODES["tr"]
_IS_CELL = among(frozenset({"td", "th"}))


def rows_of_blocks(codes: Ints, parents: Ints, first: Ints, end: Ints) -> Iterator[tuple[int, int]]:
    """The blocks that are cells of a row of data, and the number of each one's row among all rows of the page, from 1.

    Elements are given by their codes and parents, and by the first block in each and the first behind it. Rows of data
    have two cells or more with no more than one block in each. Others are there for the layout of the page, and don't
    count.
    """
    rows = np.flatnonzero(codes == _TR)
    if not len(rows):
        return
    cells = np.flatnonzero(_IS_CELL[codes] & (codes[parents] == _TR))
    held, row = end[cells] - first[cells], parents[cells]
    is_data = np.bincount(row, minlength=len(codes)) > 1
    is_data[row[held > 1]] = False
    filled = np.flatnonzero((held == 1) & is_data[row])[
        ::-1
    ]  # of cells that stand in each other the outer comes last, and counts
    yield from zip(first[cells[filled]].tolist(), (rows.searchsorted(row[filled]) + 1).tolist(), strict=True)
