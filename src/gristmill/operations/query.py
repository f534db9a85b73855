"""A query in CQL as an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
