"""Put texts into the lists, quotations and tables that they stand in, one after the other."""

from __future__ import annotations

from gristmill.cleaning.formatting.layout import Layout, in_columns
from gristmill.cleaning.formatting.outline import (
    LINE_END,
    Cell,
    Item,
    Leaf,
    List,
    ListKind,
    Node,
    Quote,
    Span,
    Table,
)

_KINDS: dict[str, ListKind] = {"ol": "ordered", "dl": "description", "dt": "description", "dd": "description"}
_ITEMS = frozenset({"li", "dt", "dd"})
_Container = List | Item | Quote | Cell


class Tree:
    """An outline that is being made."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._nodes: list[Node] = []
        self._open: list[tuple[int, _Container]] = []
        """The elements that are open, outermost first, and what became of them."""
        self._tables: dict[int, Table] = {}
        self._cells: dict[int, Cell] = {}
        self._last_key = 0
        """The element that the last leaf is all of, if it may go on."""

    def add(self, leaf: Leaf, holder: int, key: int = 0) -> None:
        """Add a leaf that stands in an element; with the same key as the one before, it goes on with that one."""
        containers = self._layout.containers_of(holder)
        stay = 0
        while stay < min(len(containers), len(self._open)) and self._open[stay][0] == containers[stay]:
            stay += 1
        is_same_place = stay == len(containers) == len(self._open)
        del self._open[stay:]
        for element in containers[stay:]:
            self._open.append((element, self._opened(element)))
        if containers and self._layout.names[containers[-1]] == "dt" and leaf.kind == "paragraph":
            leaf.kind = "term"
        children = self._place()
        last = children[-1] if children else None
        if key and key == self._last_key and is_same_place and isinstance(last, Leaf) and last.kind == leaf.kind:
            last.spans += [Span(LINE_END if leaf.kind == "code" else " "), *leaf.spans]
            last.blocks += leaf.blocks
        else:
            children.append(leaf)
        self._last_key = key

    def finish(self) -> list[Node]:
        """Return the outline, its tables with rows of one length."""
        for table in self._tables.values():
            table.rows = in_columns(table.rows)
        return self._nodes

    def _place(self) -> list[Node]:
        """Return where the next node goes; in a list, but in no item of it, it goes into the last item."""
        if not self._open:
            return self._nodes
        container = self._open[-1][1]
        if isinstance(container, Cell):
            return container.leaves
        if isinstance(container, List):
            if not container.items:
                container.items.append(Item(1 if container.kind == "ordered" else 0))
            return container.items[-1].children
        return container.children

    def _opened(self, element: int) -> _Container:
        """Make of an element what it is in the outline, within those that are open."""
        name = self._layout.names[element]
        if name in _ITEMS:
            return self._item(element, name)
        siblings = self._place()
        if name in {"td", "th"}:
            return self._cell(element, siblings)
        made = Quote() if name == "blockquote" else List(_KINDS.get(name, "bullet"))
        siblings.append(made)
        return made

    def _item(self, element: int, name: str) -> Item:
        """Make the next item of the list that is open; a description goes with its term."""
        around = self._open[-1][1] if self._open else None
        found = around if isinstance(around, List) else self._implied_list(_KINDS.get(name, "bullet"))
        if name != "dd" or not found.items:
            found.items.append(Item(self._layout.numbers[element]))
        return found.items[-1]

    def _implied_list(self, kind: ListKind) -> List:
        """Return the list for an item that stands in none: that of the item before, or a new one."""
        siblings = self._place()
        last = siblings[-1] if siblings else None
        if isinstance(last, List) and last.kind == kind:
            return last
        made = List(kind)
        siblings.append(made)
        return made

    def _cell(self, cell: int, siblings: list[Node]) -> Cell:
        table = self._layout.table[cell]
        if table not in self._tables:
            rows = self._layout.cells_of(table)
            self._cells.update(made for row in rows for made in row)
            self._tables[table] = Table([[made for _, made in row] for row in rows])
            siblings.append(self._tables[table])
        return self._cells[cell]
