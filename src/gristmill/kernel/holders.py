"""Describe elements by the blocks that they hold, and blocks by the elements around them.

The page `<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>` has four blocks. Its elements are the page, `ul`, `li`,
`li`, `table`, `tr`, `td`, `td`:

    first, end    0-4, 0-2, 0-1, 1-2, 2-4, 2-4, 2-3, 3-4      the run of blocks in each
    kinds         list item, list item, paragraph, paragraph
    rows          0, 0, 1, 1                                  the last two are cells of the first row
    paths         html/body/ul/li (twice), html/body/table/tr/td (twice)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import NAMES
from gristmill.kernel.rows import (
    BEHIND,
    BLOCK_KIND,
    CLOSED,
    FIRST,
    HOLDER,
    INHERITED,
    IS_DATA_CELL,
    IS_ROW,
    KIND,
    NAME,
    OPENED,
    PARAGRAPH,
    PARENT,
    PATH,
    ROW,
    TAGS_BEFORE_BLOCK,
    WHAT,
)

_Int32 = npt.NDArray[np.int32]

_MAX_PATH_ELEMENTS = 64  # that are kept; a path without limit would make deep pages quadratic
_STEPS = tuple(f"/{name}" for name in NAMES)
_BODY = "html/body"


def hold(elements: _Int32, blocks: _Int32, rules: _Int32, number: int) -> tuple[_Int32, _Int32, list[str]]:
    """Return the spans of elements, then kind, row and path of each block, then the paths; given the number of tags."""
    spans = find_spans(elements, blocks, number)
    described = np.zeros((3, blocks.shape[1]), np.int32)
    find_kinds(elements, blocks, rules, described)
    find_rows(elements, spans, rules, described)
    nodes, used = find_paths(elements, blocks, spans, described)
    return spans, described, _paths(nodes, used, described)


def find_spans(elements: _Int32, blocks: _Int32, number: int) -> _Int32:
    """Find the first block in each element, and the first block behind it."""
    opened, closed, at = elements[OPENED], elements[CLOSED], blocks[TAGS_BEFORE_BLOCK]
    size = at.shape[0]
    up_to = np.empty(number + 1, np.int32)  # how many blocks begin before each tag
    block = 0
    for tag in range(number + 1):
        while block < size and at[block] <= tag:
            block += 1
        up_to[tag] = block
    found = np.empty((2, opened.shape[0]), np.int32)
    spans = found
    spans[FIRST, 0], spans[BEHIND, 0] = 0, size
    for element in range(1, opened.shape[0]):
        spans[FIRST, element] = up_to[opened[element]]
        spans[BEHIND, element] = up_to[closed[element]]
    return found


def find_kinds(elements: _Int32, blocks: _Int32, rules: _Int32, described: _Int32) -> None:
    """Fill in the kind of each block: that of the innermost element around it that has one."""
    names, parents, kinds, holders = elements[NAME], elements[PARENT], rules[KIND], blocks[HOLDER]
    inside = np.empty(names.shape[0], np.int32)
    inside[0] = PARAGRAPH
    for element in range(1, names.shape[0]):
        kind = kinds[names[element]]
        inside[element] = inside[parents[element]] if kind == INHERITED else kind
    for block in range(holders.shape[0]):
        described[BLOCK_KIND, block] = inside[holders[block]]


def find_rows(elements: _Int32, spans: _Int32, rules: _Int32, described: _Int32) -> None:
    """Fill in for each block that is a cell of a data row the number of that row on the page, from 1.

    A data row has two cells or more, with no more than one block in each. Other rows serve the layout of the page.
    """
    names, parents, what = elements[NAME], elements[PARENT], rules[WHAT]
    size = names.shape[0]
    rows, cells = np.empty(size, np.int32), np.zeros(size, np.int32)
    row = 0
    for element in range(1, size):
        flags, parent = what[names[element]], parents[element]
        if flags & IS_ROW:
            row += 1
        rows[element] = row
        if flags & IS_DATA_CELL and what[names[parent]] & IS_ROW:
            if spans[BEHIND, element] - spans[FIRST, element] > 1:
                cells[parent] = -1
            elif cells[parent] >= 0:
                cells[parent] += 1
    if row == 0:
        return
    # Backwards, so that of nested cells with the same block the outer one comes last, and its row is what stays.
    for element in range(size - 1, 0, -1):
        parent, first = parents[element], spans[FIRST, element]
        is_cell = what[names[element]] & IS_DATA_CELL and what[names[parent]] & IS_ROW
        if is_cell and cells[parent] > 1 and spans[BEHIND, element] == first + 1:
            described[ROW, first] = rows[parent]


def find_paths(elements: _Int32, blocks: _Int32, spans: _Int32, described: _Int32) -> tuple[_Int32, _Int32]:
    """Fill in the numbers of the paths of blocks, in order; return a tree of paths, and which of them have a number.

    Elements with the same names around them share a path, so a page has far fewer paths than elements. A path in the
    tree is given by its parent and by its last element.
    """
    names, parents, holders = elements[NAME], elements[PARENT], blocks[HOLDER]
    size = names.shape[0]
    found, links = np.zeros((2, size), np.int32), np.zeros((3, size), np.int32)
    nodes = found
    child, sibling, path_of = links[0], links[1], links[2]
    count = 1
    for element in range(1, size):
        if spans[BEHIND, element] > spans[FIRST, element]:
            above, code = path_of[parents[element]], names[element]
            node = child[above]
            while node and nodes[1, node] != code:
                node = sibling[node]
            if not node:
                node, count = count, count + 1
                nodes[0, node], nodes[1, node] = above, code
                child[above], sibling[node] = node, child[above]
            path_of[element] = node
    used, numbers = np.empty(count, np.int32), np.full(count, -1, np.int32)
    number = 0
    for block in range(holders.shape[0]):
        node = path_of[holders[block]]
        if numbers[node] < 0:
            numbers[node], used[number] = number, node
            number += 1
        described[PATH, block] = numbers[node]
    return found[:, :count], np.asarray(used)[:number]


def _paths(nodes: _Int32, used: _Int32, described: _Int32) -> list[str]:
    """Write out the paths that are used, which `described` has by number.

    One that is not used is forgotten with its last child: on a page of a million elements inside each other, all of
    them would take a gigabyte.
    """
    paths = [_BODY]
    is_long = False
    last = np.zeros(nodes.shape[1], np.int32)  # the last child of each, or 0
    last[nodes[0]] = np.arange(nodes.shape[1])
    last[used] = 0
    ends = last[nodes[0]] == np.arange(nodes.shape[1])
    for above, code, is_last in zip(*nodes[:, 1:].tolist(), ends[1:].tolist(), strict=True):
        path = paths[above]
        if is_last:
            paths[above] = ""
        if len(path) > _MAX_PATH_ELEMENTS and path.count("/") >= _MAX_PATH_ELEMENTS - 1:
            path = "html/body/" + path.split("/", 3)[3]
            is_long = True
        paths.append(path + _STEPS[code])
    paths = list(map(paths.__getitem__, used.tolist()))
    if not is_long:
        return paths
    numbers: dict[str, int] = {}  # of paths that were shortened, some may be alike
    changed = [numbers.setdefault(path, len(numbers)) for path in paths]
    described[PATH] = np.array(changed, np.int32)[described[PATH]]
    return list(numbers)
