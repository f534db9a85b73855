"""How many hits a search has: their number, their rate, and how much was searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gristmill.notebook import Value
from gristmill.search.coverage import NOTHING_MISSING, Missing
from gristmill.search.cql.query import spelling_notes
from gristmill.table import Column, Table
from gristmill.wording import plural


@dataclass(frozen=True, slots=True, repr=False)
class Counts(Table):
    """The number of hits, their rate, and how much was searched."""

    total: int
    """Number of hits, after filters and before a sample."""
    per_million: float
    """Hits per million tokens of what was searched, of those that have the attributes that were asked for."""
    documents: int
    """Documents that have one of the hits; of a sample, one of these."""
    tokens: int
    """Tokens that were searched."""
    sample: int | None = None
    """The size of a sample; None if it is none."""
    spelt: tuple[str, ...] = ()
    """Words of the query that are no words of the corpus: their characters in a row were looked for."""
    missing: Missing = NOTHING_MISSING
    """What is missing of the attributes that were asked for."""
    hints: tuple[str, ...] = ()
    """Why there may be no hits."""

    @property
    def heading(self) -> str:
        """How many there are, in a line."""
        sampled = "" if self.sample is None else f"; a sample of {self.sample:,}"
        documents = f" in {plural(self.documents, 'document')}" if self.total and not sampled else ""
        return f"{plural(self.total, 'hit')}, {self.per_million:,.2f} per million tokens{documents}{sampled}"

    @property
    def columns(self) -> list[Column]:
        """A column for each number."""
        return [Column("total", "hits"), Column("per_million", "per million"), Column("documents"), Column("tokens")]

    def cells(self) -> list[list[Value]]:
        """One row."""
        return [[self.total, self.per_million, self.documents, self.tokens]]

    def notes(self) -> list[str]:
        """Say what one should know of hits and figures, in lines.

        That attributes are missing for some of the tokens, that words were looked for by their characters, or why there
        are no hits.
        """
        return [*spelling_notes(self.spelt if self.total else ()), *self.missing.notes(), *self.hints]

    def facts(self) -> dict[str, Any]:
        """All that there is to say; if attributes are missing for some tokens, also how many tokens the rate is of."""
        given = Table.facts(self).items()
        known = {name: value for name, value in given if value not in (None, ()) and name != "missing"}
        return known | self.missing.to_json()


class OfHits(Table):
    """A table that is made of hits, and may say how many there are in how much text: its field `found`."""

    __slots__ = ()

    found: Counts | None

    def notes(self) -> list[str]:
        """Say what one should know of the figures, in lines."""
        missing: Missing | None = getattr(self, "missing", None)  # of what the query asks for, and perhaps of more
        if self.found is None:
            return [] if missing is None else missing.notes()
        return (self.found if missing is None else replace(self.found, missing=missing)).notes()

    def facts(self) -> dict[str, Any]:
        """What is said besides the rows: how many hits there are, and all other fields."""
        facts = {name: value for name, value in super().facts().items() if name not in {"found", "missing"}}
        missing: Missing = getattr(self, "missing", NOTHING_MISSING)
        return {**(self.found.facts() if self.found else {}), **facts, **missing.to_json()}
