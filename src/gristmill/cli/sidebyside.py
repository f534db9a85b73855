"""A document beside the first copies of its blocks, as text.

On a terminal the two stand in two columns; elsewhere they are merged, with marks like those of wdiff.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gristmill.cli.terminal import safe
from gristmill.corpus.copies import Relative, TracedBlock, TracedDocument
from gristmill.corpus.differences import Comparison, Cut, Side
from gristmill.corpus.side_by_side import (
    COMMON_PARTS,
    MAX_RELATIVES,
    common_parts,
    compared,
    facts,
    more_relatives,
    origin,
    relation,
    relations,
)
from gristmill.wording import plural

_VERDICTS = {"unique": "green", "duplicate": "red", "stub": "yellow"}
_STYLES: dict[Side, str] = {"both": "", "here": "bold green underline", "there": "bold red underline"}
_MARKS: dict[Side, tuple[str, str]] = {"both": ("", ""), "here": ("{+", "+}"), "there": ("[-", "-]")}
_LABEL_COLUMNS = 9
"""Width of the column for the number and verdict of a block, such as "duplicate"."""
_MIN_COLUMNS_SIDE_BY_SIDE = 60
"""Width of a terminal below which two columns would be too narrow to read."""


def plain_lines(document: TracedDocument, copies: Sequence[Relative] | None) -> Iterator[str]:
    """Lay out everything as plain text, a fact and a block a line."""
    for name, value in facts(document).items():
        if value:
            yield f"{name:11}{safe(value)}"
    for title, relatives in relations(document, copies):
        yield ""
        yield title
        yield from ("  " + safe("  ".join(columns)) for columns in _columns(relatives, document))
    if document.passages:
        yield ""
        yield COMMON_PARTS
        yield from ("  " + safe("  ".join(columns)) for columns in common_parts(document))
    for block in document.blocks:
        yield ""
        yield safe(_headline(block, document))
        yield safe(_merged(compared(block)))


def _columns(relatives: Sequence[Relative], document: TracedDocument) -> Iterator[tuple[str, ...]]:
    rows = [relation(relative, document) for relative in relatives[:MAX_RELATIVES]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for amount, identifier, url in rows:
        yield f"{amount:{widths[0]}}", f"{identifier:{widths[1]}}", url
    if more := more_relatives(relatives):
        yield (more,)


def _headline(block: TracedBlock, document: TracedDocument) -> str:
    parts = [f"block {block.number}: {block.verdict or 'not compared'}"]
    if block.copy:
        place, *about = origin(block.copy, document)
        parts += [f"{block.share:.0%} repeated", f"first in {place}", *about]
    return ", ".join(parts)


def _merged(comparison: Comparison) -> str:
    """Merge both texts into one: what is only there [-so-], what is only here {+so+}."""
    pieces = [(piece, *_MARKS[piece.side]) for piece in comparison.pieces]
    text = "".join(f"{begin}{piece.text}{end}" for piece, begin, end in pieces).replace("-]{+", "-] {+")
    cuts = [
        f"{name}{_cut_words(cut)}"
        for name, cut in (("", comparison.here), ("there ", comparison.there))
        if cut != Cut()
    ]
    return " ".join([text, *(f"[... {cut} ...]" for cut in cuts)])


def _cut_words(cut: Cut) -> str:
    where = [
        plural(count, "word") + side
        for count, side in ((cut.before, " before this"), (cut.after, " after this"))
        if count
    ]
    return f"{' and '.join(where)} not shown"


def print_table(console: Console, document: TracedDocument, copies: Sequence[Relative] | None) -> None:
    """Print everything to a terminal, block by block, so that the first ones are there at once."""
    console.print(_grid([(Text(name, "dim"), Text(safe(value))) for name, value in facts(document).items() if value]))
    for title, relatives in relations(document, copies):
        console.print(Text(f"\n{title}", "dim"))
        if relatives:
            table = _grid([[Text(safe(column)) for column in columns] for columns in _columns(relatives, document)])
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
    return Text.assemble((safe(_headline(block, document)), "dim"), "\n", safe(_merged(compared(block))))


def _side(comparison: Comparison, side: Side, cut: Cut, *, marked: bool) -> Text:
    """One of the two texts, with marks on what the other does not have."""
    text = Text()
    for piece in comparison.of(side):
        begin, end = _MARKS[piece.side] if marked else ("", "")
        text.append(begin + safe(piece.text) + end, _STYLES[piece.side])
    if cut != Cut():
        text.append(f"\n… {_cut_words(cut)}", "dim")
    return text
