"""The semantic blocks of `genieknows`: a page divided as VIPS does, from the top down.

Baisa (2009), 1.2: a block is a group of content that is semantically related and a unit of the layout, found by the DOM
tree and visual features; Pomikálek (2011), 2.6.5: by VIPS (Cai et al. 2003). Of its rules these are kept: an element
that takes more than a share of the page is divided into its children, a smaller one is a block, and so is text that
stands in a divided element itself. The share is ours; so is that separators are not looked for.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.ancestors import outermost
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.segmented import Segmented


def semantic_blocks(page: Segmented, boxes: Boxes, max_area: float) -> Ints:
    """Return the first block of each semantic block, each of which is a run of blocks.

    The area of an element is that of the blocks in it. `<div><p>a<p>b</div><p>c` has blocks of three areas, say 1, 1
    and 8: with `max_area` 0.2 the `div` is one semantic block and the last `p` is divided, so the result is [0, 2].
    """
    elements = page.elements
    areas = np.concatenate(([0.0], np.cumsum(boxes.width * boxes.height)))
    is_small = areas[elements.end] - areas[elements.first] <= max_area * areas[-1]
    units = outermost(is_small, elements.parents)[page.holders]
    units = np.where(units >= 0, units, len(elements.codes) + np.arange(len(page)))
    first: Ints = np.flatnonzero(units != np.append(-1, units[:-1]))
    return first
