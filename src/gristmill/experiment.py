"""Experiments: what they find as tables under titles, facts and pictures, and which ones there are on a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.curves import Panel, curves_svg
from gristmill.notebook import Value
from gristmill.registry import Registry, parts_of
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


@dataclass(frozen=True, slots=True)
class CorpusExperiment:
    """An experiment that can be run on any corpus, registered by `@part("experiment", name, draws=...)`."""

    run: Callable[..., Experiment]
    """Takes the reader of a corpus, `workers` and `report`; and `only_kept`, if it can be of kept text only."""
    draws: bool = False
    """Whether it makes a picture."""
    of_kept_text: bool = False
    """Whether it can be run on the text that is kept at the end, too."""


EXPERIMENTS: Registry[CorpusExperiment] = parts_of("experiment", CorpusExperiment)
