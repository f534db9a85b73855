"""The main region of a page: the column that its items are in (BOEMIE, section 3.1).

In the paper it is "the wider column whose length occupies a significant percentage of the total page length", mostly a
`<td>`; where that fails, "the DOM tree node having the greatest text length". Widths are those of VIPS, after
rendering. Nothing is rendered here, so the width is not asked for: a `<td>` is the main column if it has a significant
share of the text, which we take to be `COLUMN_SHARE`. The node with the greatest text is always the body. We take the
innermost container that still has nearly all of the text (`REST_SHARE`). Linked text does not count, as leaves of
linked text alone are omitted anyway, and so menus do not count.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.segmented import Segmented
from gristmill.kernel.elements import CODES

COLUMN_SHARE = 0.4
REST_SHARE = 0.9
_COLUMN = CODES["td"]
_CONTAINERS = [CODES[name] for name in ("div", "section", "article", "main", "td", "form", "center") if name in CODES]


def main_region(segmented: Segmented, weights: Ints) -> tuple[int, int]:
    """Return the first block of the main region and the one behind it, given how much text each block counts for.

    `<td>Menu<td><p>a long text` with the weights 0 and 100: the second cell has all of it, so the region is 1 to 2.
    """
    elements, before = segmented.elements, starts_of(weights)
    sizes = before[elements.end] - before[elements.first]
    total = int(before[-1])
    if not total:
        return 0, len(weights)
    columns = np.flatnonzero((elements.codes == _COLUMN) & (sizes >= COLUMN_SHARE * total))
    if len(columns):
        inner = columns[~_holds_another(columns, elements.first, elements.end)]
        chosen = int(inner[np.argmax(sizes[inner])])
    else:
        large = (sizes >= REST_SHARE * total) & np.isin(elements.codes, _CONTAINERS)
        chosen = int(np.flatnonzero(large)[-1]) if large.any() else 0  # each holds the next, as none is beside it
    return int(elements.first[chosen]), int(elements.end[chosen])


def _holds_another(columns: Ints, first: Ints, end: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which of some elements, in the order of the page, hold the next: inner tables of a layout."""
    holds = np.zeros(len(columns), np.bool_)
    following, own = columns[1:], columns[:-1]
    holds[:-1] = (first[following] >= first[own]) & (end[following] <= end[own])
    return holds
