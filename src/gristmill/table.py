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
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gristmill.notebook import Value, html_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON and CSV, its heading (by default the name), and how its fractions are shown."""

    name: str
    heading: str = ""
    show: Callable[[float], str] = "{:,.2f}".format
    decimals: int = 2
    """How many decimals the web app shows."""
    about: str = ""
    """What its figures say, in a sentence."""

    def to_json(self) -> dict[str, Any]:
        """What a reader of the rows should know of it."""
        return {
            "name": self.name,
            "heading": self.heading or self.name,
            "decimals": self.decimals,
            "about": self.about,
        }


class Part(NamedTuple):
    """One of the tables that a result is shown to a reader as."""

    columns: Sequence[Column]
    cells: list[list[Value]]
    title: str = ""


class Table:
    """A result in rows, which are dataclasses: a table on a terminal and in a notebook, records in JSON and CSV."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """The columns, which are named like the fields of the rows."""

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the rows are, in a line."""

    def notes(self) -> list[str]:
        """Say what one should know of the figures, in lines."""
        return []

    def facts(self) -> dict[str, Any]:
        """Return what the result says besides its rows: all its other fields."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # every table is a dataclass
        return {field.name: getattr(self, field.name) for field in fields if field.name != "rows"}

    def cells(self) -> list[list[Value]]:
        """Return the values of each row, in the order of the columns."""
        rows: Sequence[Any] = getattr(self, "rows", ())
        names = [column.name for column in self.columns]
        return [[getattr(row, name) for name in names] for row in rows]

    @property
    def all_rows(self) -> int | None:
        """How many rows there are, those that were not asked for, too; None if it does not know."""
        return getattr(self, "types", None)

    def parts(self) -> list[Part]:
        """Return the tables that are shown to a reader; mostly it is one."""
        return [Part(self.columns, self.cells())]

    def from_row(self, first: int) -> Self:
        """Leave out the rows before the number `first`."""
        return dataclasses.replace(self, rows=self.rows[first:]) if first else self  # type: ignore[attr-defined, type-var]

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """Return one record: what was asked, the facts, the columns, and the rows from the number `first` on."""
        about = {"heading": self.heading, "columns": [column.to_json() for column in self.columns]}
        notes = {"notes": self.notes()} if self.notes() else {}
        rows = records(self.columns, self.cells()[first:])
        return {**(asked or {}), **self.facts(), **notes, **about, "rows": rows}

    def to_csv(self, first: int = 0) -> str:
        """Write comma-separated values: the names of the columns, and the rows from the number `first` on."""
        return csv_text([column.name for column in self.columns], self.cells()[first:])

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table, for data frames."""
        import pyarrow as pa  # noqa: PLC0415 (tables are shown where nothing else needs it)

        return pa.Table.from_pylist(records(self.columns, self.cells()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.heading}>"

    def _repr_html_(self) -> str:
        shown = []
        for number, (columns, rows, title) in enumerate(self.parts()):
            headings = [column.heading or column.name for column in columns]
            caption = "; ".join(filter(None, [self.heading if number == 0 else "", title]))
            shown.append(html_table(headings, rows, caption, shows=[column.show for column in columns]))
        return "".join(shown)


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
