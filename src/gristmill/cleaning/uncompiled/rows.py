"""Table rows: which blocks are cells of the same row, so that they can be shown on one line. Used by `segmentation`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.uncompiled.tree import among
from gristmill.kernel.elements import CODES

_TR = CODES["tr"]
_IS_CELL = among(frozenset({"td", "th"}))


def rows_of_blocks(codes: Ints, parents: Ints, first: Ints, end: Ints) -> Iterator[tuple[int, int]]:
    """Yield the blocks that are cells of data rows, each with the number of its row on the page, from 1.

    Elements are given by their codes and parents, and by the first block in each and the first behind it. A data row
    has two cells or more, with no more than one block in each. Other rows serve the layout of the page, and are left
    out.
    """
    rows = np.flatnonzero(codes == _TR)
    if not len(rows):
        return
    cells = np.flatnonzero(_IS_CELL[codes] & (codes[parents] == _TR))
    held, row = end[cells] - first[cells], parents[cells]
    is_data = np.bincount(row, minlength=len(codes)) > 1
    is_data[row[held > 1]] = False
    # Backwards, so that of nested cells with the same block the outer one comes last, and its row is what stays.
    filled = np.flatnonzero((held == 1) & is_data[row])[::-1]
    yield from zip(first[cells[filled]].tolist(), (rows.searchsorted(row[filled]) + 1).tolist(), strict=True)
