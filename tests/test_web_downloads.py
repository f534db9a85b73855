"""Results as files: what spreadsheets, programs and people get."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pytest

from gristmill.operations.declaration import File
from gristmill.table import Column, Table
from gristmill.web.downloads import Writer, file_name, json_file, rows_file, table_answer

ROWS: list[list[str | int | float | None]] = [
    ["=HYPERLINK(1)", 1],
    ["a\tb\nc", -2],
    ["-5", 0.5],
    ["@x", None],
    ["été, ok", 3],
]


@dataclass(frozen=True, slots=True)
class _Row:
    word: str
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class _Words(Table):
    rows: list[_Row]
    total: int

    @property
    def columns(self) -> list[Column]:
        return [Column("word"), Column("count")]

    @property
    def heading(self) -> str:
        return "words"


def test_csv_keeps_values_as_they_are() -> None:
    made = rows_file(["word", "count"], ROWS, "csv", "words")
    assert made.content_type.startswith("text/csv")
    assert made.name == "words.csv"
    read = list(csv.reader(io.StringIO(made.data.decode(), newline="")))
    assert read == [["word", "count"], *([str("" if cell is None else cell) for cell in row] for row in ROWS)]


def test_no_cell_for_spreadsheets_is_a_formula() -> None:
    made = rows_file(["=word", "count"], ROWS, "excel", "words")
    text = made.data.decode("utf-8-sig")
    assert made.data.startswith(b"\xef\xbb\xbf")
    assert made.name == "words.csv"
    assert text.endswith("\r\n")
    cells = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert cells == ["'=word", "'=HYPERLINK(1)", "a\tb\nc", "'-5", "'@x", "été, ok"]
    assert "-2" in text
    assert "'-2" not in text, "numbers stay numbers"


def test_tabs_divide_cells_and_nothing_else() -> None:
    lines = rows_file(["word", "count"], ROWS, "tsv", "words").data.decode().split("\n")
    assert lines == ["word\tcount", "=HYPERLINK(1)\t1", "a b c\t-2", "-5\t0.5", "@x\t", "été, ok\t3", ""]


def test_a_table_is_json_or_a_file() -> None:
    table = _Words([_Row("a", 2), _Row("b", 1)], 3)
    asked = {"query": "x"}
    record = table_answer(table, "json", "words", asked, 1)
    assert isinstance(record, dict)
    assert record.items() >= {**asked, "total": 3, "rows": [{"word": "b", "count": 1}]}.items()
    made = table_answer(table, "csv", "words", asked, 1)
    assert isinstance(made, File)
    assert made.data == b"word,count\nb,1\n"


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [("a b/../c", "csv", "a-b-..-c.csv"), ("слово", "tsv", "gristmill.tsv"), ('"\r\nX: y', "json", "X-y.json")],
)
def test_names_of_files_are_plain(name: str, form: str, expected: str) -> None:
    assert file_name(name, form) == expected


def test_half_a_character_does_not_stop_a_download() -> None:
    assert b"?" in rows_file(["word"], [["\ud800"]], "csv", "words").data
    assert b"?" in json_file({"word": "\ud800"}, "words").data
    assert Writer("csv").head(["a", "b"]) == "a,b\n"
