"""Parameters and answers that several operations have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.parameters import asked, param


@asked
class NoParameters:
    """For operations that need none."""


@asked
class OfPart:
    """Of which documents an answer is."""

    where: str | None = param(
        "Only documents for which this holds: 'host=\".*\\.uk\" & year>=2007', or @name of a subcorpus.",
        default=None,
        kind="condition",
        example='lang="en"',
    )


@asked
class OfQuery:
    """Of the hits of which query an answer is."""

    query: str = param(
        "Words (* and ? are wildcards), or CQL.",
        kw_only=False,
        kind="query",
        name="q",
        max_characters=10_000,
        example="bread",
    )


@asked
class Rows:
    """Which rows of a table are wanted."""

    limit: int = param("How many rows; 0 for all.", default=50, minimum=0, short="-l")
    offset: int = param("How many rows to leave out before them.", default=0, minimum=0)

    @property
    def end(self) -> int | None:
        """The number of the row after the last one; None for all."""
        return self.offset + self.limit if self.limit else None


@asked
class NameAsked:
    """A name."""

    name: str = param("Its name.", kw_only=False, max_characters=64)


@dataclass(frozen=True, slots=True)
class Query:
    """A query in CQL that an operation wrote."""

    query: str

    def lines(self) -> list[str]:
        """Return the query, for a command line that takes it."""
        return [self.query]

    def to_json(self) -> dict[str, Any]:
        """Return a record of it."""
        return {"query": self.query}
