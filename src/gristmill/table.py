"""Tables of results: rows under named columns, as JSON, as CSV, and as HTML in a notebook.

Word lists, collocations, keywords and frequencies are such tables. How they look on a terminal is the matter of
`cli/table.py`.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.notebook import Value, html_table


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON and CSV, its heading (by default the name), and how its fractions are shown."""

    name: str
    heading: str = ""
    show: Callable[[float], str] = "{:,.2f}".format


class Table:
    """A result in rows, which are dataclasses: one line as text, a table in a notebook, records in JSON and CSV."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """The columns, which are named like the fields of the rows."""

    @abstractmethod
    def _summary(self) -> str:
        """Say in a line what the rows are."""

    def facts(self) -> dict[str, Any]:
        """Return what the result says besides its rows: all its other fields."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # every table is a dataclass
        return {field.name: getattr(self, field.name) for field in fields if field.name != "rows"}

    def cells(self) -> list[list[Value]]:
        """Return the values of each row, in the order of the columns."""
        rows: Sequence[Any] = getattr(self, "rows", ())
        names = [column.name for column in self.columns]
        return [[getattr(row, name) for name in names] for row in rows]

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """Return one record: what was asked, the facts, and the rows from the number `first` on."""
        return {**(asked or {}), **self.facts(), "rows": records(self.columns, self.cells()[first:])}

    def to_csv(self, first: int = 0) -> str:
        """Write comma-separated values: the names of the columns, and the rows from the number `first` on."""
        return csv_text([column.name for column in self.columns], self.cells()[first:])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"

    def _repr_html_(self) -> str:
        columns = self.columns
        headings = [column.heading or column.name for column in columns]
        return html_table(headings, self.cells(), self._summary(), shows=[column.show for column in columns])


def records(columns: Sequence[Column], rows: Iterable[Sequence[Value]]) -> list[dict[str, Value]]:
    """Turn rows into records: each value under the name of its column."""
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Write comma-separated values under a line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()
