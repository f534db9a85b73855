"""A search as a user puts it together: a query, and how its hits are filtered, sampled, sorted and shown.

The command line, the API and the pages of the web app all search by it, so that the same options give the same lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.errors import UsageError
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.contexts import WINDOW_TOKENS
from gristmill.search.concordance.lines import Context, Line
from gristmill.search.cql.matching import parse_with
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Query
from gristmill.search.index.index import Index
from gristmill.text.collation import collation_name


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query in the documents for which a condition holds, and what is done with its hits."""

    query: str
    where: str | None = None
    having: tuple[str, ...] = ()
    """Queries that must match near a hit."""
    lacking: tuple[str, ...] = ()
    """Queries that must not match near a hit."""
    window: int | str | None = None
    """How near, 5 tokens by default."""
    only: tuple[str, ...] = ()
    """Values that keys of a hit must have, such as `1:lemma=bread` (see `keys.py`)."""
    first_in: str | None = None
    """Only the first hit of each structure of this kind: `doc`, `p` or `s`."""
    sample: int | None = None
    sort: str | None = None
    """Keys to sort by; see `keys.py`."""
    collation: str | None = None
    """Language in whose order they are sorted; by default that of most of the text."""
    shuffle: bool = False
    seed: int | None = None
    strategy: str | None = None
    """Which of all matches of the query count: `longest`, `shortest`, `standard`, `traditional`; all if it is None."""
    aligned: str | None = None
    """The language of a parallel corpus that is shown beside the hits; its other one is searched."""
    aligned_with: tuple[str, ...] = ()
    """Queries that must match in what a hit is aligned with."""
    aligned_without: tuple[str, ...] = ()
    """Queries that must not match in what a hit is aligned with."""
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """Lists of words that the queries name, besides those that are saved in the corpus."""

    def check(self) -> None:
        """Raise if a query is wrong, so that nobody waits for an index to hear of a mistake.

        Options of which one would make the other do nothing are refused, too.
        """
        self.parsed()
        for query in (*self.having, *self.lacking, *self.aligned_with, *self.aligned_without):
            parse(query)
        if (self.aligned_with or self.aligned_without) and not self.aligned:
            raise UsageError("a query of the other language needs to know which that is: give aligned, too")
        if self.collation:
            collation_name(self.collation)
        if self.collation and not self.sort:
            raise UsageError("a collation says how lines are sorted: say by what, too")
        if self.sort and self.shuffle:
            raise UsageError("sort and shuffle can't be used together: give one of them")
        if self.window is not None and not (self.having or self.lacking):
            raise UsageError("a window says how near a query must match: give such a query, with or without, too")
        if self.seed is not None and not (self.sample or self.shuffle):
            raise UsageError("a seed is for samples and for random order: ask for one of these, too")

    def parsed(self) -> Query:
        """The query, as a tree."""
        return parse_with(self.query, self.strategy)

    def find(self, index: Index) -> Concordance:
        """Search an index, and do all that is asked for."""
        self.check()
        return self.refine(Concordance.of(index, self.parsed(), self.where, lists=self.lists, aligned=self.aligned))

    def refine(self, found: Concordance) -> Concordance:
        """Filter the hits of the query, then sample, then sort or shuffle what is left."""
        window = WINDOW_TOKENS if self.window is None else self.window
        for other in self.having:
            found = found.having(other, window)
        for other in self.lacking:
            found = found.lacking(other, window)
        for other in self.aligned_with:
            found = found.aligned_with(other)
        for other in self.aligned_without:
            found = found.aligned_without(other)
        for pair in self.only:
            found = found.only(*_key_and_value(pair))
        if self.first_in:
            found = found.first_in(self.first_in)
        if self.sample:
            found = found.sample(self.sample, self.seed or 0)
        if self.sort:
            return found.sort(self.sort, self.collation)
        return found.shuffle(self.seed or 0) if self.shuffle else found

    def to_json(self, found: Concordance) -> dict[str, Any]:
        """What was asked, and how many hits were found."""
        given = {"where": self.where, "strategy": self.strategy, "aligned": self.aligned}
        return {"query": self.query, **{name: value for name, value in given.items() if value}, **found.counts()}


@dataclass(frozen=True, slots=True)
class LinesPage:
    """A page of lines: what is shown, of how many."""

    first: int
    """Number of its first line, from 0."""
    total: int
    """Number of all lines."""
    lines: list[Line]
    lengths: list[int]
    """Number of tokens of each hit."""

    @classmethod
    def of(cls, found: Concordance, number: int, size: int, context: Context | None = None) -> LinesPage:
        """Take a page of a concordance; pages are numbered from 1, and a size of 0 is that of all lines."""
        first, size = (number - 1) * size, size or max(len(found), 1)
        lines = found.page(number, size, context)
        return cls(first, len(found), lines, found.chosen(first, size).lengths.tolist())

    def to_json(self) -> dict[str, Any]:
        """All lines as records: their fields, how many tokens each hit has, and whether it is read from the right."""
        return {
            "first": self.first,
            "lines": [
                {**line.to_json(), "length": length, "from_right": line.from_right}
                for line, length in zip(self.lines, self.lengths, strict=True)
            ],
        }


def _key_and_value(pair: str) -> tuple[str, str]:
    key, sign, value = pair.partition("=")
    if not sign:
        raise UsageError(f"{pair!r} is no key with a value: write it as 1:lemma=bread")
    return key, value
