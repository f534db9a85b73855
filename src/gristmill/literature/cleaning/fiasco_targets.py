"""The target nodes of `fiasco`: the elements that a page is cut into.

Baisa (2009), 1.2: a node is a target node if at least 10% of its text stands in text nodes among its immediate
children. Bauer et al. (2007), abstract: target nodes are disjoint subtrees, so inside a target node there are no
others: the outermost ones count.

Before that, line breaks are made paragraphs (Baisa: `<br>` into `<p>`). A `<br>` inside a `p` ends it, as `<p>` does,
and begins another beside it; elsewhere the new paragraph is a child of the element around it, and goes on up to the
next `<br>` or block element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.ancestors import are_blocks, depths, nearest, outermost
from gristmill.cleaning.segmented import Elements, Segmented
from gristmill.kernel.elements import CODES

MIN_SHARE = 0.1
"""The share of its text that a target node has in its own text nodes."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The target nodes of a page that has text nodes as blocks; each has a run of them.

    `<div>one <b>two</b></div>three<br>four` has three: the `div` (blocks 0 and 1), the body (2) and a paragraph (3).
    """

    first: Ints
    """The first text node of each."""
    end: Ints
    """The first text node behind each."""
    elements: Ints
    """The element that it is, or in which it was made of a `<br>`."""
    is_made: Flags
    """Whether it is a paragraph that was made of a `<br>`."""
    is_target: Flags
    """False for text that is in no target node: its run is between two of them."""


def find_targets(page: Segmented, lengths: Ints, min_share: float = MIN_SHARE) -> Targets:
    """Find the outermost target nodes, and the text between them; `lengths` are those of the text nodes."""
    elements, holders, number = page.elements, page.holders, len(page.elements.codes)
    is_block = are_blocks(elements.codes)
    containers = nearest(is_block, elements.parents)[holders]
    breaks = page.tags_between("br") > 0
    begins = breaks | (containers != np.append(-1, containers[:-1]))
    lines = np.cumsum(begins) - 1
    is_made = breaks[begins][lines]
    is_target = _are_targets(elements, holders, lengths, is_made, min_share)
    tops = outermost(is_target, elements.parents)
    inside = outermost(is_target & ~is_block, np.where(is_block, np.arange(number), elements.parents))
    level = depths(elements.parents)[holders]
    outer = np.lexsort((level, lines))[np.flatnonzero(begins)]  # a text node of each line that is in no deeper element
    own = np.bincount(lines, np.where(level == level[outer][lines], lengths, 0))
    line_is_target = own >= min_share * np.bincount(lines, lengths)
    in_p = elements.codes[containers] == CODES["p"]
    around = np.where(in_p, elements.parents[containers], holders[outer][lines])
    in_line = np.where(line_is_target[lines], number + lines, inside[holders])
    found = np.where(is_made, np.where(tops[around] >= 0, tops[around], in_line), tops[holders])
    first = np.flatnonzero(found != np.append(-2, found[:-1]))
    chosen = found[first]
    return Targets(
        first,
        np.append(first[1:], len(found)),
        np.where(chosen >= number, containers[first], np.where(chosen < 0, holders[first], chosen)),
        chosen >= number,
        chosen >= 0,
    )


def _are_targets(elements: Elements, holders: Ints, lengths: Ints, is_made: Flags, min_share: float) -> Flags:
    """Tell which elements have enough of their text in text nodes of their own; a `p` ends at its first `<br>`."""
    kept = np.where(is_made, 0, lengths)
    own = np.bincount(holders, kept, len(elements.codes))
    whole = _sums(elements, lengths)
    total = np.where(elements.codes == CODES["p"], _sums(elements, kept), whole)
    enough: Flags = (own > 0) & (own >= min_share * total)
    return enough


def _sums(elements: Elements, values: Ints) -> Ints:
    """Sum up the values of the text nodes in each element."""
    sums = np.concatenate(([0], np.cumsum(values)))
    found: Ints = sums[elements.end] - sums[elements.first]
    return found
