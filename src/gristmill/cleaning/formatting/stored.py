"""Make the outline of a document alone, without its page: what the paths of its blocks, their rows and roles tell.

A corpus has no pages. The paths `html/body/ul/li` and `html/body/ul/li/ul/li` are those of an item, and of an item of a
list within it; where an item ends, a path does not tell, so an item begins wherever a path comes again, and behind a
list. There are no marks, no links, and no languages of code.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from gristmill.cleaning.formatting.outline import (
    Cell,
    Item,
    Leaf,
    List,
    ListKind,
    Node,
    Quote,
    Span,
    Table,
    plain_spans,
)
from gristmill.cleaning.formatting.writer import MAX_DEPTH
from gristmill.document import Block
from gristmill.kernel.elements import HEADINGS, PREFORMATTED

_LISTS: dict[str, ListKind] = {"ul": "bullet", "menu": "bullet", "ol": "ordered", "dl": "description"}
_ITEMS = frozenset({"li", "dt", "dd"})


def outline_of(blocks: Iterable[tuple[int, Block]]) -> list[Node]:
    """Return the outline of blocks, each with its number in its document."""
    tree = _PathTree()
    for row, group in groupby(blocks, lambda numbered: numbered[1].row):
        if row:
            tree.add_row(list(group))
        else:
            for number, block in group:
                tree.add(number, block)
    for table in tree.tables:
        _even_out(table)
    return tree.nodes


class _PathTree:
    """An outline that is being made of paths."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.tables: list[Table] = []
        self._open: list[tuple[str, List | Quote]] = []
        """The lists and quotations that are open, each with its path."""
        self._first_paths: dict[int, str] = {}
        """For each list that is open, by its depth, the path of the first block of its last item."""
        self._table_path = ""

    def add(self, number: int, block: Block) -> None:
        """Add a block that is no cell of a row."""
        steps = block.path.split("/")
        last = next((step for step in reversed(steps) if step != "div"), "")
        if any(step in PREFORMATTED for step in steps) or block.role == "code":
            leaf = Leaf("code", [Span(block.text)], [number])
        elif last in HEADINGS:
            leaf = Leaf("heading", plain_spans(block.text), [number], int(last[1]))
        else:
            leaf = Leaf("term" if last == "dt" else "paragraph", plain_spans(block.text), [number])
        self._place(block.path, steps).append(leaf)
        self._table_path = ""

    def add_row(self, cells: list[tuple[int, Block]]) -> None:
        """Add a row of a table of data."""
        first = cells[0][1].path
        path = first[: first.rfind("/table") + 6] if "/table" in first else first
        row = [
            Cell([Leaf("paragraph", plain_spans(block.text), [number])], is_header=_is_header(block.path))
            for number, block in cells
        ]
        if self._table_path != path or not self.tables:
            table = Table()
            self._place(path, path.split("/")).append(table)
            self.tables.append(table)
            self._table_path = path
        self.tables[-1].rows.append(row)

    def _place(self, path: str, steps: list[str]) -> list[Node]:
        """Open the lists and quotations of a path, and return where its block goes."""
        wanted = _containers(steps)
        stay = 0
        while stay < min(len(wanted), len(self._open)) and self._open[stay][0] == wanted[stay][0]:
            stay += 1
        del self._open[stay:]
        for depth in [depth for depth in self._first_paths if depth >= stay]:
            del self._first_paths[depth]
        children = self._children(path, stay)
        for depth, (its_path, name) in enumerate(wanted[stay:], stay):
            made = Quote() if name == "blockquote" else List(_LISTS.get(name, "bullet"))
            children.append(made)
            self._open.append((its_path, made))
            children = self._children(path, depth + 1)
        return children

    def _children(self, path: str, depth: int) -> list[Node]:
        """Return where nodes go in the container that is so many deep; in a list, begin an item if it is time."""
        if not depth:
            return self.nodes
        container = self._open[depth - 1][1]
        if isinstance(container, Quote):
            return container.children
        if not container.items or (depth == len(self._open) and self._begins_item(container, path, depth)):
            container.items.append(Item(len(container.items) + 1 if container.kind == "ordered" else 0))
            self._first_paths[depth - 1] = path
        return container.items[-1].children

    def _begins_item(self, container: List, path: str, depth: int) -> bool:
        """Tell whether a block begins a new item of the innermost list: its path comes again, or follows a list."""
        if container.kind == "description":
            return path.endswith("/dt")
        children = container.items[-1].children
        return path == self._first_paths.get(depth - 1) or (bool(children) and isinstance(children[-1], List))


def _containers(steps: list[str]) -> list[tuple[str, str]]:
    """Return the lists and quotations of a path: the path up to each, and its name."""
    found: list[tuple[str, str]] = []
    is_list = False
    for place, step in enumerate(steps):
        is_stray = step in _ITEMS and not is_list
        if step in _LISTS and not _ITEMS.isdisjoint(steps[place + 1 :]):
            is_list = True
        elif is_stray or step == "blockquote":
            is_list = False
        else:
            is_list = is_list and step not in _ITEMS
            continue
        found.append(("/".join(steps[: place + 1]), ("dl" if step != "li" else "ul") if is_stray else step))
    return found[:MAX_DEPTH]


def _is_header(path: str) -> bool:
    steps = path.split("/")
    return "th" in steps[-3:] or "thead" in steps


def _even_out(table: Table) -> None:
    """Give all rows the length of the longest one; a row with cells missing goes by where the others have headers."""
    width = max(map(len, table.rows))
    whole = [[cell.is_header for cell in row] for row in table.rows if len(row) == width]
    pattern = next((flags for flags in whole if not all(flags)), whole[0])
    table.rows = [_filled_up(row, pattern) for row in table.rows]


def _filled_up(row: list[Cell], pattern: list[bool]) -> list[Cell]:
    """Put empty cells into a row, so that headers are in the columns of headers, as far as there is room."""
    filled: list[Cell] = []
    for place, cell in enumerate(row):
        last = len(pattern) - (len(row) - place)  # behind this column there is no room for the rest
        columns = range(len(filled), last + 1)
        column = next((column for column in columns if pattern[column] == cell.is_header), len(filled))
        filled += [Cell() for _ in range(column - len(filled))]
        filled.append(cell)
    return filled + [Cell() for _ in range(len(pattern) - len(filled))]
