"""A document beside the first copies of its blocks, in two columns of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gristmill.cli.table import write_lines
from gristmill.cli.terminal import safe
from gristmill.corpus.copies import Relative, TracedBlock, TracedDocument
from gristmill.corpus.differences import Comparison, Cut, Side
from gristmill.corpus.side_by_side import (
    COMMON_PARTS,
    MARKS,
    SideBySide,
    columns_of,
    common_parts,
    compared,
    cut_words,
    facts,
    headline,
    merged,
    origin,
    relations,
)

_VERDICTS = {"unique": "green", "duplicate": "red", "stub": "yellow"}
_STYLES: dict[Side, str] = {"both": "", "here": "bold green underline", "there": "bold red underline"}
_LABEL_COLUMNS = 9
"""Width of the column for the number and verdict of a block, such as "duplicate"."""
_MIN_COLUMNS_SIDE_BY_SIDE = 60
"""Width of a terminal below which two columns would be too narrow to read."""


def write(answer: SideBySide) -> int:
    """Print it to the terminal in two columns, or line by line to a file; it is one."""
    if sys.stdout.isatty():
        print_table(Console(highlight=False), answer.document, answer.copies)
    else:
        write_lines(map(safe, answer.lines()))
    return 1


def page(answer: SideBySide) -> str:
    """Make a page of HTML of it."""
    from gristmill.html.compared import compared_page

    return compared_page(answer.document, answer.copies)


def print_table(console: Console, document: TracedDocument, copies: Sequence[Relative] | None) -> None:
    """Print everything to a terminal, block by block, so that the first ones are there at once."""
    console.print(_grid([(Text(name, "dim"), Text(safe(value))) for name, value in facts(document).items() if value]))
    for title, relatives in relations(document, copies):
        console.print(Text(f"\n{title}", "dim"))
        if relatives:
            table = _grid([[Text(safe(column)) for column in columns] for columns in columns_of(relatives, document)])
            console.print(Padding(table, (0, 0, 0, 2)))
    if document.passages:
        console.print(Text(f"\n{COMMON_PARTS}", "dim"))
        rows = [[Text(safe(column)) for column in columns] for columns in common_parts(document)]
        console.print(Padding(_grid(rows), (0, 0, 0, 2)))
    narrow = console.width < _MIN_COLUMNS_SIDE_BY_SIDE
    if document.blocks and not narrow:
        console.print()
        console.print(_row(console, Text("block", "dim"), Text("this document", "dim"), Text("first copy", "dim")))
    for block in document.blocks:
        console.print(Rule(style="dim"))
        console.print(_narrow(block, document) if narrow else _wide(console, block, document))


def _grid(rows: Sequence[Sequence[Text]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for _ in rows[0]:
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _row(console: Console, label: Text, here: Text, there: Text) -> Table:
    width = (console.width - _LABEL_COLUMNS - 4) // 2
    table = Table.grid(padding=(0, 2, 0, 0))
    for columns in (_LABEL_COLUMNS, width, width):
        table.add_column(width=columns, overflow="fold")
    table.add_row(label, here, there)
    return table


def _wide(console: Console, block: TracedBlock, document: TracedDocument) -> Table:
    label = Text(f"{block.number}\n")
    label.append(block.verdict or "-", _VERDICTS.get(block.verdict, ""))
    comparison = compared(block)
    marked = console.color_system is None
    here, there = _side(comparison, "here", comparison.here, marked=marked), Text()
    if block.copy:
        label.append(f"\n{block.share:.0%}")
        there = Text("\n".join(map(safe, origin(block.copy, document))), "dim")
        if block.copy.text is not None:
            there = Text.assemble(there, "\n", _side(comparison, "there", comparison.there, marked=marked))
    return _row(console, label, here, there)


def _narrow(block: TracedBlock, document: TracedDocument) -> Text:
    return Text.assemble((safe(headline(block, document)), "dim"), "\n", safe(merged(compared(block))))


def _side(comparison: Comparison, side: Side, cut: Cut, *, marked: bool) -> Text:
    """One of the two texts, with marks on what the other does not have."""
    text = Text()
    for piece in comparison.of(side):
        begin, end = MARKS[piece.side] if marked else ("", "")
        text.append(begin + safe(piece.text) + end, _STYLES[piece.side])
    if cut != Cut():
        text.append(f"\n… {cut_words(cut)}", "dim")
    return text
