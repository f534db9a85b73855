"""The boxes of blocks, guessed from tags, lengths of texts and the order of the page, where no browser shows it.

The page is as wide as the window. Blocks stand below each other, but the cells of a row of a table stand beside each
other, and share its width by the square root of their text. Lists and quotations are indented. Fonts are those that
browsers use for headings and the like. What style sheets do is not known: columns that are made by them are below each
other here.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.ancestors import are_blocks, nearest
from gristmill.cleaning.rendering.boxes import PAGE_WIDTH, WHITE, Boxes
from gristmill.cleaning.segmented import Elements, Segmented
from gristmill.kernel.elements import CODES, HEADINGS, NAMES

_FONT_SIZE = 16.0
_LINE_HEIGHT = 1.2  # of the size of the font
_CHARACTER_WIDTH = 0.5  # of the size of the font
_INDENT = 40.0
_MIN_WIDTH = 40.0
_CELL_PADDING = 10.0  # what a cell has for its share beside its text
_SIZES = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67, "small": 0.83, "big": 1.2}
_OWN_SIZE = np.array([_SIZES.get(name, 0.0) for name in NAMES])
_IS_BOLD = np.array([name in HEADINGS | {"b", "strong", "th"} for name in NAMES])
_IS_INDENTED = np.array([name in {"ul", "ol", "menu", "dd", "blockquote", "dir"} for name in NAMES])
_IS_CELL = np.array([name in {"td", "th"} for name in NAMES])


def estimate(page: Segmented) -> Boxes:
    """Estimate the boxes of the blocks of a page."""
    if not len(page):
        none = np.zeros(0)
        return Boxes(none, none, none, none, none, none, none, none)
    elements, holders = page.elements, page.holders
    lengths = page.columns.folded.lengths()
    left, width = columns_of(elements, lengths)
    sized = _OWN_SIZE[elements.codes]
    size = _FONT_SIZE * np.where(sized > 0, sized, 1.0)[nearest(sized > 0, elements.parents)][holders]
    bold = _IS_BOLD[elements.codes]
    is_bold = bold[nearest(bold, elements.parents)][holders]
    space = np.maximum(_MIN_WIDTH, width[holders])
    lines = lengths * size * _CHARACTER_WIDTH / space
    containers = nearest(are_blocks(elements.codes), elements.parents)[holders]
    begins = (page.tags_between("br") > 0) | (containers != np.append(-1, containers[:-1]))
    height = np.where(begins, np.ceil(lines), np.floor(lines)) * size * _LINE_HEIGHT
    top = tops_of(elements, height)
    shown_height = np.maximum(height, size * _LINE_HEIGHT)
    shown_width = np.minimum(space, np.maximum(1.0, lengths * size * _CHARACTER_WIDTH))
    full = np.ones(len(page))
    weight, background = np.where(is_bold, 700.0, 400.0), np.full(len(page), WHITE)
    return Boxes(left[holders], top, shown_width, shown_height, size, weight, full, background)


def columns_of(elements: Elements, lengths: Ints) -> tuple[Floats, Floats]:
    """Return where each element begins from the left, and how wide it is.

    Each is a share of the element around it and an indent: `left = outer left + start * outer width + indent`, and
    `width = share * outer width - indent`. By pointer doubling, `start`, `share`, `indent` and `taken` become those
    within the element 2, 4, 8... levels above, in the end within the page. Two cells with as much text have the starts
    0 and 0.5 and the share 0.5; in a cell of the second kind they are at 0.5 and 0.75 of the page.
    """
    start, share = _cells(elements, lengths)
    indent = np.where(_IS_INDENTED[elements.codes], _INDENT, 0.0)
    indent[0] = 0.0
    taken = indent.copy()
    above = elements.parents
    while above.any():
        start, share, indent, taken = (
            start[above] + start * share[above],
            share[above] * share,
            indent[above] - start * taken[above] + indent,
            share * taken[above] + taken,
        )
        above = above[above]
    return start * PAGE_WIDTH + indent, np.maximum(_MIN_WIDTH, share * PAGE_WIDTH - taken)


def _cells(elements: Elements, lengths: Ints) -> tuple[Floats, Floats]:
    """Return which share of its row each cell has, and at which share it begins; other elements have all of theirs."""
    start, share = np.zeros(len(elements.codes)), np.ones(len(elements.codes))
    cells = np.flatnonzero(_IS_CELL[elements.codes])
    if len(cells):
        sums = np.concatenate(([0], np.cumsum(lengths)))
        text = np.sqrt(sums[elements.end[cells]] - sums[elements.first[cells]]) + np.sqrt(_CELL_PADDING)
        order = np.argsort(elements.parents[cells], kind="stable")  # the cells of a row side by side
        cells, text = cells[order], text[order]
        rows = elements.parents[cells]
        total = np.bincount(rows, text)[rows]
        before = np.cumsum(text) - text
        first = np.flatnonzero(rows != np.append(-1, rows[:-1]))
        before -= np.repeat(before[first], np.diff(np.append(first, len(rows))))
        start[cells], share[cells] = before / total, text / total
    return start, share


def tops_of(elements: Elements, heights: Floats) -> Floats:
    """Return where blocks begin from the top, given their heights.

    All stand below each other at first. Then the second cell of a row goes up by the height of the first, the third by
    that of both, and what is below the row by all but the highest. Moves are sums over the blocks from a place on: with
    `move[first] -= h` and `move[end] += h` the prefix sum moves the blocks of an element up by h.
    """
    stacked = np.concatenate(([0.0], np.cumsum(heights)))
    move = np.zeros(len(heights) + 1)
    rows = _rows(elements)
    saved = [0.0] * len(elements.codes)
    parents, first, end = elements.parents.tolist(), elements.first.tolist(), elements.end.tolist()
    whole = (stacked[elements.end] - stacked[elements.first]).tolist()
    for element in range(len(parents) - 1, 0, -1):  # those inside come before those around them
        if element in rows:
            above = highest = 0.0
            for cell in rows[element]:
                move[first[cell]] -= above
                move[end[cell]] += above
                own = whole[cell] - saved[cell]
                above, highest = above + own, max(highest, own)
            move[end[element]] -= above - highest
            saved[element] += above - highest
        saved[parents[element]] += saved[element]
    tops: Floats = stacked[:-1] + np.cumsum(move[:-1])
    return np.maximum(0.0, tops)


def _rows(elements: Elements) -> dict[int, list[int]]:
    """Return the cells of each row of a table, in order."""
    rows: dict[int, list[int]] = {}
    is_row = elements.codes == CODES["tr"]
    cells = np.flatnonzero(_IS_CELL[elements.codes] & is_row[elements.parents])
    for cell, row in zip(cells.tolist(), elements.parents[cells].tolist(), strict=True):
        rows.setdefault(row, []).append(cell)
    return rows
