"""A search as a user puts it together: a query, and how its hits are filtered, sampled and sorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.contexts import WINDOW_TOKENS
from gristmill.search.cql.parsing import parse


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query in the documents for which a condition holds, and what is done with its hits."""

    query: str
    where: str | None = None
    having: tuple[str, ...] = ()
    """Queries that must match near a hit."""
    lacking: tuple[str, ...] = ()
    """Queries that must not match near a hit."""
    window: int | str = WINDOW_TOKENS
    first_in: str | None = None
    """Only the first hit of each structure of this kind: `doc`, `p` or `s`."""
    sample: int | None = None
    sort: str | None = None
    """Keys to sort by; see `keys.py`."""
    shuffle: bool = False
    seed: int = 0

    def check(self) -> None:
        """Raise if a query is wrong, so that nobody waits for an index to hear of a mistake."""
        for query in (self.query, *self.having, *self.lacking):
            parse(query)

    def refine(self, found: Concordance) -> Concordance:
        """Filter the hits of the query, then sample, then sort or shuffle what is left."""
        for other in self.having:
            found = found.having(other, self.window)
        for other in self.lacking:
            found = found.lacking(other, self.window)
        if self.first_in:
            found = found.first_in(self.first_in)
        if self.sample:
            found = found.sample(self.sample, self.seed)
        if self.sort:
            return found.sort(self.sort)
        return found.shuffle(self.seed) if self.shuffle else found

    def to_json(self, found: Concordance) -> dict[str, Any]:
        """What was asked, and how many hits were found."""
        return {"query": self.query, **({"where": self.where} if self.where else {}), **found.counts()}
