"""The semantic blocks of `genieknows`: a page divided as VIPS does, from the top down.

Baisa (2009), 1.2: a block is a group of content that is semantically related and a unit of the layout, found by the DOM
tree and visual features; Pomikálek (2011), 2.6.5: by VIPS (Cai et al. 2003), of which he has three rules (2.4.1). An
element is divided into its children if it takes more than a share of the page, if it has an `<hr>` in it, or if it has
more than one background colour. Any other is a block, and so is text that stands in a divided element itself. The share
is ours; so is that other separators are not looked for. Without a browser all colours are the same.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.ancestors import outermost
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.segmented import Segmented
from gristmill.kernel.elements import CODES


def semantic_blocks(page: Segmented, boxes: Boxes, max_area: float) -> Ints:
    """Return the first block of each semantic block, each of which is a run of blocks.

    The area of an element is that of the blocks in it. `<div><p>a<p>b</div><p>c` has blocks of three areas, say 1, 1
    and 8: with `max_area` 0.2 the `div` is one semantic block and the last `p` is divided, so the result is [0, 2].
    """
    elements = page.elements
    areas = np.concatenate(([0.0], np.cumsum(boxes.width * boxes.height)))
    is_small = areas[elements.end] - areas[elements.first] <= max_area * areas[-1]
    is_coherent = is_small & ~_has_rule(page) & _has_one_colour(page, boxes)
    units = outermost(is_coherent, elements.parents)[page.holders]
    units = np.where(units >= 0, units, len(elements.codes) + np.arange(len(page)))
    first: Ints = np.flatnonzero(units != np.append(-1, units[:-1]))
    return first


def _has_rule(page: Segmented) -> Flags:
    """Tell which elements have an `<hr>` in them, between their start tag and their end."""
    before = np.concatenate(([0], np.cumsum(page.tags == CODES["hr"])))
    elements = page.elements
    found: Flags = before[np.minimum(elements.closed, len(page.tags))] > before[elements.opened + 1]
    return found


def _has_one_colour(page: Segmented, boxes: Boxes) -> Flags:
    """Tell which elements have the same background behind all their blocks.

    With the backgrounds [1, 1, 2] there is a change at block 2, and the sums of changes are [0, 0, 1]: an element of
    the blocks 0 and 1 has none behind its first block, one of all three has.
    """
    changes = np.cumsum(np.append(False, boxes.background[1:] != boxes.background[:-1]))
    first, last = page.elements.first, page.elements.end - 1
    top = max(0, len(changes) - 1)
    same: Flags = (last <= first) | (changes[np.clip(last, 0, top)] == changes[np.clip(first, 0, top)])
    return same
