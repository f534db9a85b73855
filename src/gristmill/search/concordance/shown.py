"""Some lines of a concordance, with what one should know of all: the answer to a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.notebook import Value
from gristmill.search.concordance.counts import Counts
from gristmill.search.concordance.lines import Line, line_cells, line_fields
from gristmill.table import Column, Table


class OfLines(Table):
    """A table whose rows are lines."""

    __slots__ = ()
    rows: list[Line]

    def cells(self) -> list[list[Value]]:
        """The fields of each line; line ends are spaces."""
        return [line_cells(line) for line in self.rows]

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """Return one record; lines have their labelled tokens, and what they are aligned with, in full."""
        record = Table.to_json(self, asked, len(self.rows))
        return record | {"rows": [{**line.to_json(), "from_right": line.from_right} for line in self.rows[first:]]}


@dataclass(frozen=True, slots=True, repr=False)
class Lines(OfLines):
    """Lines of a concordance: hits with the text to their left and right, and where that is."""

    rows: list[Line]
    found: Counts
    """How many hits there are in how much text."""
    shown: int
    """Number of all lines."""
    first: int = 0
    """Number of the first of these lines, from 0."""
    view: str = "kwic"
    aligned: bool = False
    """Whether another language is beside them."""
    labels: tuple[str, ...] = ()
    """The labels of the query: keys such as `1.lemma` are of their tokens."""
    state: str = ""
    """What tells this state of the corpus from another one."""

    @property
    def heading(self) -> str:
        """How many hits there are, in a line."""
        return self.found.heading

    @property
    def columns(self) -> list[Column]:
        """The fields of lines."""
        return [Column(name) for name in line_fields(aligned=self.aligned)]

    @property
    def all_rows(self) -> int:
        """How many lines there are."""
        return self.shown

    def notes(self) -> list[str]:
        """Say what one should know of hits and figures, or why there are none, in lines."""
        return self.found.notes()

    def facts(self) -> dict[str, Any]:
        """How many hits and lines there are, the labels of the query, and the state of the corpus."""
        about = {"shown": self.shown, "first": self.first, "labels": list(self.labels), "state": self.state}
        return {**self.found.facts(), **about}
