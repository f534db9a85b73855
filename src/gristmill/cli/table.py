"""Tables of results on a terminal, and the options `--json` and `--csv` of all commands that show rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len, set_cell_size

from gristmill.cli.terminal import safe, terminal_width
from gristmill.errors import UsageError
from gristmill.notebook import Value
from gristmill.table import Column, Table, csv_text, records

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from gristmill.operations.declaration import Account

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Comma-separated values, with a line of headings.")]

_GAP = "  "
_MIN_TEXT_COLUMNS = 10
"""Columns that are left of a text that is cut."""


def chosen_format(as_json: bool, as_csv: bool) -> str:
    """Choose `table`, `json` or `csv` by the options."""
    if as_json and as_csv:
        raise UsageError("--json and --csv can't be used together: give one of them")
    return "json" if as_json else "csv" if as_csv else "table"


def write_table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Value]],
    form: str = "table",
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write rows to standard output.

    In JSON they are `rows` of an object that begins with `facts`, which the other formats leave out.
    """
    if form == "json":
        write_json({**(facts or {}), "rows": records(columns, rows)})
    elif form == "csv":
        write_text(csv_text([column.name for column in columns], rows))
    else:
        _write_rows(columns, list(rows))


def write_result(result: Table, form: str, asked: Mapping[str, Any] | None = None, first: int = 0) -> int:
    """Write a result from the row `first` on, and return how many rows that is; a table without rows is not shown."""
    cells = result.cells()[first:]
    if form == "json":
        write_json(result.to_json(asked, first))
    elif form == "csv":
        write_text(result.to_csv(first))
    elif cells:
        _write_rows(result.columns, cells)
    return len(cells)


def write_tables(result: Table) -> int:
    """Write the tables of a result for a reader, those without rows left out; returns the number of rows."""
    count = 0
    for columns, cells, title in result.parts():
        if cells:
            if count or title:
                write_lines(["", title] if title else [""])
            _write_rows(columns, cells)
        count += len(cells)
    return count


def _write_rows(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> None:
    width = terminal_width()
    lines = table_lines(columns, rows, width)
    write_lines(lines) if width is None else write_styled(_styled(lines))


def write_json(result: Mapping[str, Any]) -> None:
    """Write one JSON object, a field a line."""
    write_text(json_text(result))


def json_text(result: Mapping[str, Any]) -> str:
    """Return one JSON object, a field a line."""
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def write_lines(lines: Iterable[str]) -> None:
    """Write lines of text, whatever their length."""
    write_text("".join(f"{line.rstrip()}\n" for line in lines))


def write_account(account: Account, form: str) -> None:
    """Write an answer that is no table: as JSON, or in lines, whatever names and addresses of the web are in them."""
    if form == "json":
        write_json(account.to_json())
    else:
        write_lines(map(safe, account.lines()))


def write_styled(lines: Iterable[RenderableType]) -> None:
    """Print lines or tables to a terminal, with their styles."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        console.print(line, soft_wrap=isinstance(line, Text))


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[Value]], width: int | None = None) -> list[str]:
    """Lay out headings and rows: text flush left, numbers flush right with their thousands divided.

    If the table is wider than the terminal, its widest column of text is cut.
    """
    cells = [
        [column.heading or column.name, *(_cell(row[place], column) for row in rows)]
        for place, column in enumerate(columns)
    ]
    numeric = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(columns))]
    widths = [max(map(cell_len, column)) for column in cells]
    excess = 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) - width
    texts = [place for place in range(len(columns)) if not numeric[place]]
    if excess > 0 and texts:
        widest = max(texts, key=lambda place: widths[place])
        widths[widest] = max(widths[widest] - excess, min(_MIN_TEXT_COLUMNS, widths[widest]))
    fitted = [
        [_fit(cell, width, flush) for cell in column]
        for column, width, flush in zip(cells, widths, numeric, strict=True)
    ]
    return [_GAP.join(line).rstrip() for line in zip(*fitted, strict=True)]


def _cell(value: Value, column: Column) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return column.show(value)
    return f"{value:,}" if isinstance(value, int) else safe(value)


def _fit(cell: str, width: int, flush_right: bool) -> str:
    """Pad or cut a cell to so many columns of a terminal, in which some characters take two and some none."""
    missing = width - cell_len(cell)
    if missing < 0:
        return set_cell_size(cell, width - 1) + "…"
    return " " * missing + cell if flush_right else cell + " " * missing


def _styled(lines: Sequence[str]) -> list[Text]:
    from rich.text import Text

    return [Text(line, "bold" if place == 0 else "") for place, line in enumerate(lines)]


def write_text(text: str) -> None:
    """Write to standard output as UTF-8, at once: what is said on standard error after it comes after it."""
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
