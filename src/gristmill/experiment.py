"""The result of an experiment: tables under titles, facts that concern all of them, and pictures if it has any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.curves import Panel, curves_svg
from gristmill.notebook import Value
from gristmill.table import Column, records

SHARE = "{:.1%}".format


@dataclass(frozen=True, slots=True)
class Section:
    """A table of an experiment; in JSON its rows are under its name."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    shown: int | None = None
    """How many of the rows people see, if not all."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment found."""

    name: str
    title: str
    sections: Sequence[Section]
    facts: Mapping[str, Any] = field(default_factory=dict)
    panels: Sequence[Panel] = ()
    note: str = ""
    """What one has to know to read the tables."""

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        tables = {section.name: records(section.columns, section.rows) for section in self.sections}
        return {"experiment": self.name, **self.facts, **tables}

    def to_svg(self) -> str:
        """Draw the pictures; empty if there are none."""
        return curves_svg(self.title, self.panels) if self.panels else ""

    def __repr__(self) -> str:
        return f"<Experiment {self.name}: {', '.join(section.title for section in self.sections)}>"
