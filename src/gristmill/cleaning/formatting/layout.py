"""Find the lists, quotations and tables of a page that its kept text stands in.

The elements of `<ul><li>a<li>b<blockquote>c</blockquote></ul>` are the page, `ul`, `li`, `li`, `blockquote`. For the
text `c` the containers are `ul`, the second `li` and `blockquote`; elements that shape nothing, such as `div`, are not
among them. All takes one pass over the elements, or over the kept text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.formatting.outline import Cell
from gristmill.cleaning.formatting.writer import MAX_DEPTH
from gristmill.kernel.elements import BLOCKS, HEADINGS, NAMES, PREFORMATTED
from gristmill.kernel.rows import END, NAME, OPENED, PARENT, START

_Int32 = npt.NDArray[np.int32]

_LISTS = frozenset("ul ol menu dl".split())
_ITEMS = frozenset("li dt dd".split())
_NO_KIND = frozenset({"div"}) | (frozenset(NAMES) - BLOCKS)  # what is in them is of the kind of what they are in
_MAX_COLUMNS = 64
_MAX_CELL_BLOCKS, _MAX_CELL_CHARACTERS = 6, 1000
"""Of a cell in a table without headers: with more it is there for the layout of the page."""
_MAX_BLOCKS_WITH_HEADER, _MAX_CHARACTERS_WITH_HEADER = 20, 3000
_NUMBER = re.compile(rb"\s*(-?[0-9]{1,9})")
_MAX_ROWS_SPANNED = 1000


@dataclass(slots=True)
class Placed:
    """A piece of kept text, as far as its place on the page is concerned."""

    holder: int
    """The innermost element that holds it."""
    characters: int
    is_code: bool
    """Whether it is preformatted, with more than one line."""


@dataclass(slots=True)
class _Statistics:
    """What is known of a table before it is decided whether it is one of data."""

    cells: dict[int, list[int]] = field(default_factory=dict)
    """For each cell with text: how many texts, and how many characters."""
    holds_table: bool = False
    is_broken: bool = False
    """Text stands between its cells, or code in one."""
    has_header: bool = False


class Layout:
    """The elements of a page, by their numbers in the kernel's array, and what shapes the text in them."""

    def __init__(self, data: bytes, tags: _Int32, elements: _Int32, texts: list[Placed]) -> None:
        self._data, self._tags = data, tags[[START, END]]
        self.names: list[str] = [NAMES[code] for code in elements[NAME].tolist()]
        self.parents: list[int] = elements[PARENT].tolist()
        self.opened: list[int] = elements[OPENED].tolist()
        size = len(self.names)
        self.heading, self.preformatted, self.table, self.cell = ([0] * size for _ in range(4))
        """For each element: the one around it, or itself, that makes its text a heading, code, part of a table, and the
        innermost cell within that table; 0 if there is none."""
        self._in_header = [False] * size
        self.numbers = [0] * size
        """Of each item of an ordered list: its number."""
        self._has_items: set[int] = set()
        self._find_surroundings()
        self.rows: dict[int, list[list[int]]] = {}
        """The cells of each table of data, row by row."""
        self._find_tables(texts)
        self.up, self.container = [0] * size, [0] * size
        """For each container the one around it, and for each element the innermost container; 0 if there is none."""
        self._find_containers()

    def containers_of(self, holder: int) -> list[int]:
        """Return the containers of the text in an element, outermost first."""
        found: list[int] = []
        at = self.container[holder]
        while at:
            found.append(at)
            at = self.up[at]
        return found[::-1]

    def attributes_of(self, element: int) -> dict[bytes, bytes]:
        """Read the attributes of the start tag of an element."""
        start, end = self._tags[:, self.opened[element]].tolist()
        return attributes(self._data[start:end])

    def cells_of(self, table: int) -> list[list[tuple[int, Cell]]]:
        """Make the cells of a table of data, row by row, each with its element."""
        return [[(element, self._cell(element)) for element in row] for row in self.rows[table]]

    def _cell(self, element: int) -> Cell:
        given = self.attributes_of(element)
        columns, rows = (max(1, _number(given.get(name, b""), 1)) for name in (b"colspan", b"rowspan"))
        is_header = self.names[element] == "th" or self._in_header[element]
        return Cell([], is_header, min(columns, _MAX_COLUMNS), min(rows, _MAX_ROWS_SPANNED))

    def _find_surroundings(self) -> None:
        """Fill in for each element what is around it."""
        names, parents = self.names, self.parents
        lists = [0] * len(names)
        following: dict[int, int] = {}  # the number of the next item of each ordered list
        for element in range(1, len(names)):
            name, parent = names[element], parents[element]
            inherits = name in _NO_KIND
            self.heading[element] = element if name in HEADINGS else self.heading[parent] * inherits
            self.preformatted[element] = element if name in PREFORMATTED else self.preformatted[parent]
            self.table[element] = self.table[parent]
            self.cell[element], lists[element] = self.cell[parent], lists[parent]
            self._in_header[element] = name == "thead" or (self._in_header[parent] and name != "table")
            if name == "table":
                self.table[element], self.cell[element], lists[element] = element, 0, 0
            elif name in {"td", "th"}:
                self.cell[element] = element if names[parent] == "tr" else 0
            elif name in _LISTS:
                lists[element] = element
            elif name in _ITEMS and lists[parent]:
                self._has_items.add(lists[parent])
                if names[lists[parent]] == "ol":
                    self._number(element, lists[parent], following)

    def _number(self, item: int, ordered: int, following: dict[int, int]) -> None:
        """Give an item of an ordered list its number."""
        if ordered not in following:
            following[ordered] = _number(self.attributes_of(ordered).get(b"start", b""), 1)
        number = _number(self.attributes_of(item).get(b"value", b""), following[ordered])
        self.numbers[item], following[ordered] = number, number + 1

    def _find_tables(self, texts: list[Placed]) -> None:
        """Find the tables of data among those with kept text, and their cells."""
        found: dict[int, _Statistics] = {}
        for text in texts:
            table = self.table[text.holder]
            if table:
                self._count(text, found.setdefault(table, _Statistics()), found)
        wanted = {table for table, statistics in found.items() if self._is_data(table, statistics)}
        rows: dict[int, dict[int, list[int]]] = {table: {} for table in wanted}
        for element, cell in enumerate(self.cell):
            if cell == element and self.table[element] in wanted and element:
                rows[self.table[element]].setdefault(self.parents[element], []).append(element)
        self.rows = {table: list(cells.values()) for table, cells in rows.items()}

    def _count(self, text: Placed, statistics: _Statistics, found: dict[int, _Statistics]) -> None:
        """Count a text for the table that it is in, and for those around that table."""
        cell = self.cell[text.holder]
        if not cell:
            statistics.is_broken |= bool(statistics.cells)
        elif text.is_code:
            statistics.is_broken = True
        else:
            counts = statistics.cells.setdefault(cell, [0, 0])
            counts[0] += 1
            counts[1] += text.characters
            statistics.has_header |= self.names[cell] == "th"
        around = self.table[self.parents[self.table[text.holder]]]
        while around and not found.setdefault(around, _Statistics()).holds_table:
            found[around].holds_table = True
            around = self.table[self.parents[around]]

    def _is_data(self, table: int, statistics: _Statistics) -> bool:
        """Tell whether a table is one of data: it has rows and columns, and cells that are not too large."""
        if statistics.holds_table or statistics.is_broken or not statistics.cells:
            return False
        rows: dict[int, int] = {}
        for cell in statistics.cells:
            rows[self.parents[cell]] = rows.get(self.parents[cell], 0) + 1
        with_columns = sum(count > 1 for count in rows.values())
        blocks, characters = (
            (_MAX_BLOCKS_WITH_HEADER, _MAX_CHARACTERS_WITH_HEADER)
            if statistics.has_header
            else (_MAX_CELL_BLOCKS, _MAX_CELL_CHARACTERS)
        )
        if not with_columns or any(count > blocks or size > characters for count, size in statistics.cells.values()):
            return False
        if not statistics.has_header and 2 * with_columns < len(rows):
            return False
        return self.attributes_of(table).get(b"role", b"").lower() not in {b"presentation", b"none"}

    def _find_containers(self) -> None:
        """Fill in the containers; what is nested too deep, or in a cell of a table, has none of its own."""
        size = len(self.names)
        depth, is_flat = [0] * size, [False] * size
        for element in range(1, size):
            name, parent = self.names[element], self.parents[element]
            around = self.container[parent]
            self.container[element] = around
            is_flat[element] = is_flat[parent]
            if is_flat[element]:
                continue
            is_list = name in _LISTS and element in self._has_items
            is_stray = name in _ITEMS and self.names[around] not in _LISTS
            is_cell = self.cell[element] == element and self.table[element] in self.rows
            if not (is_list or is_cell or name in _ITEMS or name == "blockquote"):
                continue
            depth[element] = depth[around] + (is_list or is_stray or name == "blockquote")
            if depth[element] > MAX_DEPTH:
                is_flat[element] = True
                continue
            is_flat[element] = is_cell
            self.container[element], self.up[element] = element, around


def _number(value: bytes, default: int) -> int:
    """Read a whole number as browsers do: what follows it does not matter."""
    match = _NUMBER.match(value)
    return int(match[1]) if match else default


def in_columns(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Give all rows the same columns: cells that span several are followed or covered by empty ones.

    No row and no column is without text. What spans more columns than any row has cells spans only these, and what is
    beyond the last column that can be written joins the last cell.
    """
    width = min(_width(rows), _MAX_COLUMNS)
    grid: list[list[Cell]] = []
    covered: dict[int, int] = {}  # for each column how many rows are still covered by a cell above
    for row in rows:
        made: list[Cell] = []
        for cell in row:
            while len(made) < width and covered.get(len(made), 0):
                made.append(Cell())
            if len(made) >= width:
                made[-1].leaves += cell.leaves
                continue
            made.append(cell)
            spanned = min(cell.columns, width - len(made) + 1)
            begin = len(made) - 1
            made += [Cell(is_header=cell.is_header) for _ in range(spanned - 1)]
            if cell.rows > 1:
                covered.update(dict.fromkeys(range(begin, begin + spanned), cell.rows))
        made += [Cell() for _ in range(width - len(made))]
        covered = {column: count - 1 for column, count in covered.items() if count > 1}
        if any(cell.leaves for cell in made):
            grid.append(made)
    used = [any(row[column].leaves for row in grid) for column in range(width)]
    return [[cell for cell, is_used in zip(row, used, strict=True) if is_used] for row in grid]


def _width(rows: list[list[Cell]]) -> int:
    """Count the columns: the cells of the longest row, those above that reach into it among them."""
    width = 1
    reaching: list[int] = []  # rows that cells above still cover, each at most `_MAX_COLUMNS` of them
    for row in rows:
        width = max(width, len(row) + len(reaching))
        reaching = [count - 1 for count in reaching if count > 1]
        reaching += [cell.rows - 1 for cell in row if cell.rows > 1]
        reaching = reaching[:_MAX_COLUMNS]
    return width
