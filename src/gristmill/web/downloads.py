"""Results as files to be downloaded: comma-separated, for spreadsheets, tab-separated, or JSON.

An operation whose result is a table takes `format: str = format_param()`, and ends with

    return table_answer(result, asked.format, "collocations", {"query": asked.q})

which is JSON for the pages and the API (`Table.to_json`: what was asked, the facts of the table, `rows`), or a `File`
for `csv`, `excel` and `tsv`. `rows_file` does the same for rows that are no `Table`; `Writer` writes such rows piece by
piece, for lists that are too long to be held in memory. Operations say themselves how many rows they give at most.

`excel` is what a spreadsheet opens at a click: UTF-8 with a byte order mark, line ends of Windows, and no cell that a
spreadsheet would take for a formula, as texts of the web can be written to be one.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.notebook import Value
from gristmill.operations.declaration import File, Operation
from gristmill.parameters import Parameter, param, parameters
from gristmill.table import Table

FORMATS = ("json", "csv", "excel", "tsv")
"""Names of the formats; `json` is what the pages read."""
LABELS = {"csv": "CSV", "excel": "CSV for spreadsheets", "tsv": "TSV", "json": "JSON"}
"""How links to downloads are named, in their order."""
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "excel": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
}
_BYTE_ORDER_MARK = "\ufeff"
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
"""What a cell begins with that a spreadsheet takes for a formula."""
_LINE_END = re.compile("[\t\r\n\v\f\x85\u2028\u2029]+")
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_NAME_CHARACTERS = 60


def format_param() -> Any:
    """Make the parameter of an operation that says in which format its result is wanted."""
    return param("json, csv, tsv, or excel: CSV that spreadsheets open at a click.", default="json", choices=FORMATS)


def taken_format(operation: Operation[..., Any], given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Take the format out of the parameters of a request, if the operation answers a table."""
    rest = dict(given)
    if not operation.is_table or "format" not in rest:
        return "json", rest
    return FORMAT.read(rest.pop("format")), rest


@dataclass(frozen=True)
class _InFormat:
    format: str = format_param()


FORMAT = parameters(_InFormat)[0]
"""The parameter that all operations have which answer a table."""


def with_format(operation: Operation[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of an operation over the web: one that answers a table has the format, too."""
    return (*operation.parameters, FORMAT) if operation.is_table else operation.parameters


def table_answer(
    result: Table, form: str, name: str, asked: Mapping[str, Any] | None = None, first: int = 0
) -> dict[str, Any] | File:
    """Give a table from the row `first` on: as JSON, or as a file that is named like `name`."""
    if form == "json":
        return result.to_json(asked, first)
    return rows_file([column.name for column in result.columns], result.cells()[first:], form, name)


def rows_file(names: Sequence[str], rows: Iterable[Sequence[Value]], form: str, name: str) -> File:
    """Write rows under a line of names as a file."""
    writer = Writer(form)
    text = writer.head(names) + writer.rows(rows)
    return File(text.encode("utf-8", "replace"), content_type(form), file_name(name, form))


def json_file(value: Mapping[str, Any], name: str) -> File:
    """Write a record as a file, for who wants to keep the JSON of an operation."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    return File(text.encode("utf-8", "replace"), content_type("json"), file_name(name, "json"))


def content_type(form: str) -> str:
    """The media type of a format."""
    return _TYPES[form]


def file_name(name: str, form: str) -> str:
    """Make the name of a file: letters, digits, dashes."""
    base = _UNFIT.sub("-", name)[:_MAX_NAME_CHARACTERS].strip("-.") or "gristmill"
    return f"{base}.{'csv' if form == 'excel' else form}"


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes rows of texts and numbers in one of the formats with separators: `csv`, `excel`, `tsv`."""

    form: str

    def head(self, names: Sequence[str]) -> str:
        """Write what a file begins with: the names of the columns."""
        return (_BYTE_ORDER_MARK if self.form == "excel" else "") + self.rows([names])

    def rows(self, rows: Iterable[Sequence[Value]]) -> str:
        """Write rows."""
        if self.form == "tsv":
            return "".join("\t".join(map(_tsv_cell, row)) + "\n" for row in rows)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n" if self.form == "excel" else "\n")
        guarded = self.form == "excel"
        writer.writerows([_safe_cell(cell) for cell in row] if guarded else row for row in rows)
        return text.getvalue()


def _tsv_cell(cell: Value) -> str:
    """A cell without tabs and line ends, which this format can't have."""
    return "" if cell is None else _LINE_END.sub(" ", str(cell))


def _safe_cell(cell: Value) -> Value:
    """A cell that no spreadsheet takes for a formula; numbers stay as they are."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
