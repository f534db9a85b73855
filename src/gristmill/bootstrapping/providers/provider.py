"""What a search provider is, and what it gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from gristmill.bootstrapping.query import Query


@dataclass(frozen=True, slots=True)
class Result:
    """An address that a provider gives for a query."""

    url: str
    rank: int
    """Its place among the results, from 1."""
    title: str = ""
    snippet: str = ""
    """Some text of the page, if the provider gives any."""


class ProviderError(Exception):
    """A query that a provider did not answer.

    `retry_seconds` says when it may be asked again, None that this query is better not asked again. `is_fatal` says
    that no query will be answered, as with a wrong key; the message then says what to do.
    """

    def __init__(self, message: str, retry_seconds: float | None = None, *, is_fatal: bool = False) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds
        self.is_fatal = is_fatal


class Provider(Protocol):
    """What answers queries with addresses. Rate limits and errors are raised as `ProviderError`."""

    name: str
    """As it is shown: `searxng`."""
    max_words: int
    """Most words that a query may have, all forms counted; 0: no limit."""
    left_out: Counter[str]
    """How many results were no addresses of pages, or were more than a page of results may have, by reason."""

    async def search(self, query: Query, count: int) -> list[Result]:
        """Return at most so many results, the best first, as many pages of results as that takes."""
