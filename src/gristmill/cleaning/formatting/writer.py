"""Write an outline as Markdown: CommonMark, with tables and strikethrough as GitHub has them.

Nested lists and quotations are written from the inside to the outside: the lines of an item, then the same lines with
an indent. They are nested at most `MAX_DEPTH` deep, so the time is linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.cleaning.formatting.escaping import escape_heading_end, escape_line_start, fence_of
from gristmill.cleaning.formatting.inline import not_all_strong, without_links, write_spans
from gristmill.cleaning.formatting.outline import LINE_END, PLAIN, Cell, Item, Leaf, List, Node, Quote, Span, Table

MAX_DEPTH = 8
"""How deep lists and quotations may be nested; some readers of Markdown do not go deeper."""
_MAX_NUMBER = 999_999_999  # of an item, by CommonMark
_BREAK_IN_CELL = "<br>"  # as GitHub has it: a row of a table is one line


def write(nodes: Sequence[Node], *, links: bool = True) -> str:
    """Write nodes as Markdown, with or without the addresses of their links."""
    lines = _Writer(links).blocks(nodes)
    return "\n".join(lines) + "\n" if lines else ""


class _Writer:
    """Writes nodes as lines."""

    def __init__(self, links: bool) -> None:
        self.links = links

    def blocks(self, nodes: Sequence[Node], *, is_tight: bool = False) -> list[str]:
        """Write nodes one below the other, with empty lines between them unless they are tight."""
        lines: list[str] = []
        was_list: List | None = None
        other_sign = False
        for node in nodes:
            if lines and not is_tight:
                lines.append("")
            if isinstance(node, List):
                # A list directly behind another one would be taken for a part of it, but for another sign.
                other_sign = was_list is not None and was_list.kind == node.kind and not other_sign
                was_list = node
                lines += self.list_(node, other_sign)
            else:
                was_list = None
                other_sign = False
                lines += self.node(node)
        return lines

    def node(self, node: Leaf | Quote | Table) -> list[str]:
        """Write a node that is no list."""
        if isinstance(node, Leaf):
            return self.leaf(node)
        if isinstance(node, Quote):
            return [f"> {line}" if line else ">" for line in self.blocks(node.children)]
        return list(self.table(node))

    def leaf(self, leaf: Leaf) -> list[str]:
        """Write a heading, a paragraph, a term or code."""
        if leaf.kind == "code":
            fence = fence_of(leaf.text)
            return [f"{fence}{leaf.language}", *leaf.text.split("\n"), fence]
        spans = self.spans(leaf)
        if leaf.kind == "heading":
            text = write_spans(not_all_strong(spans), " ")
            return [f"{'#' * leaf.level} {escape_heading_end(text)}"]
        return [escape_line_start(line) for line in write_spans(spans).split("\n")]

    def spans(self, leaf: Leaf) -> list[Span]:
        """Return the spans of a leaf as they are wanted."""
        return leaf.spans if self.links else without_links(leaf.spans)

    def list_(self, node: List, other_sign: bool) -> list[str]:
        """Write a list; it is tight if no item has more than a line of text and lists below it."""
        is_tight = all(map(_is_tight, node.items))
        lines: list[str] = []
        for item in node.items:
            if lines and not is_tight:
                lines.append("")
            if node.kind == "ordered":
                sign = f"{min(max(item.number, 0), _MAX_NUMBER)}{')' if other_sign else '.'}"
            else:
                sign = "*" if other_sign else "-"
            indent = " " * (len(sign) + 1)
            first, *others = self.blocks(item.children, is_tight=is_tight)
            lines.append(f"{sign} {first}")
            lines += [indent + line if line else "" for line in others]
        return lines

    def table(self, table: Table) -> Iterator[str]:
        """Write a table; its header is empty if the first row is no header."""
        rows = [[self.cell(cell) for cell in row] for row in table.rows]
        has_header = all(cell.is_header for cell in table.rows[0] if cell.leaves)
        header, *others = rows if has_header else [[""] * len(rows[0]), *rows]
        yield _row(header)
        yield _row(["---"] * len(header))
        yield from map(_row, others)

    def cell(self, cell: Cell) -> str:
        """Write the text of a cell on one line."""
        texts = []
        for leaf in cell.leaves:
            if isinstance(leaf, Leaf):
                spans = _code_spans(leaf) if leaf.kind == "code" else self.spans(leaf)
                texts.append(write_spans(spans, _BREAK_IN_CELL))
        return _BREAK_IN_CELL.join(texts).replace("|", "\\|")


def _code_spans(leaf: Leaf) -> list[Span]:
    """Make spans of lines of code, each for itself."""
    spans: list[Span] = []
    for line in leaf.text.split("\n"):
        if line.strip():
            spans += [Span(LINE_END)] * bool(spans)
            spans.append(Span(" ".join(line.split()), PLAIN._replace(code=True)))
    return spans


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_tight(item: Item) -> bool:
    """Tell whether an item needs no empty line: it is one text, and maybe lists that can follow without one."""
    first, *others = item.children
    return (
        isinstance(first, Leaf)
        and first.kind != "code"
        and all(isinstance(node, List) for node in others)
        and not any(isinstance(node, List) and node.kind == "ordered" and node.items[0].number != 1 for node in others)
    )
