"""A concordance: the hits of a query, to be filtered, sampled, sorted, shown line by line and counted.

Nothing here looks at every hit unless it is asked for what needs that, so the first page of a million hits comes at
once. What looks at all (sorting, filters, frequencies) works on ids in arrays; text is made for the lines that are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gristmill.errors import UsageError
from gristmill.search.concordance.contexts import first_in, has_in_context
from gristmill.search.concordance.frequency import MILLION, Frequency, count_values
from gristmill.search.concordance.keys import parse_keys
from gristmill.search.concordance.lines import Context, Line, make_lines
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.concordance.sampling import draw, lots
from gristmill.search.concordance.sorting import sort_order
from gristmill.search.cql.matching import find
from gristmill.search.hits import Mask
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Ids
from gristmill.search.subcorpus import Subcorpus


@dataclass(frozen=True, eq=False)
class Concordance:
    """Hits in an order. What changes it gives another concordance and leaves this one as it is."""

    spans: Occurrences
    part: Subcorpus | None = None
    """The part of the corpus that was searched; None for all of it."""
    order: Ids | None = None
    """The hits' numbers in the order of the lines; None for text order."""
    sampled_from: int | None = None
    """How many hits there were before a sample was taken."""

    @classmethod
    def of(cls, index: Index, query: str, where: str | None = None) -> Concordance:
        """The hits of a query, in all documents or in those for which a condition holds, such as `lang="en" & year>=2005`."""
        part = Subcorpus(index, where) if where else None
        return cls(Occurrences(index, find(index, query, part)), part)

    def __len__(self) -> int:
        return len(self.spans)

    def __repr__(self) -> str:
        from gristmill.search.concordance.html import summary_of  # noqa: PLC0415 (as below)

        return f"<Concordance: {summary_of(self)}>"

    def _repr_html_(self) -> str:
        from gristmill.search.concordance.html import concordance_html  # noqa: PLC0415 (only notebooks need it)

        return concordance_html(self)

    def __iter__(self) -> Iterator[Line]:
        return self.lines()

    @property
    def total(self) -> int:
        """How many hits the query has, after filters and before a sample."""
        return len(self) if self.sampled_from is None else self.sampled_from

    @property
    def size(self) -> int:
        """How many tokens were searched."""
        return self.spans.index.size if self.part is None else self.part.size

    @property
    def per_million(self) -> float:
        """Hits per million tokens of what was searched."""
        return self.total * MILLION / self.size if self.size else 0.0

    @property
    def documents(self) -> int:
        """How many documents have one of the lines."""
        return self.spans.count_documents()

    def counts(self) -> dict[str, int | float]:
        """How many hits there are, how frequent they are, and in how much text; the size of a sample if it is one."""
        sampled = {} if self.sampled_from is None else {"sample": len(self)}
        return {
            "total": self.total,
            "per_million": self.per_million,
            "documents": self.documents,
            "tokens": self.size,
            **sampled,
        }

    def having(self, query: str, window: int | str = 5) -> Concordance:
        """Those hits beside which another query matches: within so many tokens, `left,right` tokens, or a structure such as `s`."""
        return self._keep(self._matches(query, window))

    def lacking(self, query: str, window: int | str = 5) -> Concordance:
        """Those hits beside which another query does not match."""
        return self._keep(~self._matches(query, window))

    def first_in(self, structure: str = "doc") -> Concordance:
        """The first hit of each document, or of each sentence (`s`) or paragraph (`p`)."""
        return self._keep(first_in(self.spans, structure))

    def sample(self, count: int, seed: int = 0) -> Concordance:
        """So many of the hits by lot, in the order that they have; the same on every machine, and part of every larger sample."""
        if count < 0:
            raise UsageError(f"a sample must not be negative, but it is {count}")
        if count >= len(self):
            return self
        mask = np.zeros(len(self), np.bool_)
        mask[draw(lots(self.spans.starts, self.spans.ends, seed), count)] = True
        return replace(self._keep(mask), sampled_from=self.total)

    def shuffle(self, seed: int = 0) -> Concordance:
        """The hits in an order by lot, the same on every machine."""
        return replace(self, order=np.argsort(lots(self.spans.starts, self.spans.ends, seed), kind="stable"))

    def sort(self, keys: str) -> Concordance:
        """The hits sorted by one or several keys (see `keys.py`); `left`, `right` and `node` are the usual ones."""
        return replace(self, order=sort_order(self.spans, parse_keys(keys, self.spans.index)))

    def lines(self, first: int = 0, count: int | None = None, context: Context | None = None) -> Iterator[Line]:
        """The lines from one number on, in order."""
        end = len(self) if count is None else min(first + count, len(self))
        chosen = slice(first, end) if self.order is None else self.order[first:end]
        return make_lines(self.spans.take(chosen), context or Context())

    def page(self, number: int = 1, size: int = 20, context: Context | None = None) -> list[Line]:
        """One page of lines; pages are numbered from 1, and beyond the last they are empty."""
        if number < 1 or size < 1:
            raise UsageError(f"pages and their sizes are numbers from 1, not {min(number, size)}")
        return list(self.lines((number - 1) * size, size, context))

    def frequency(self, keys: str = "word", limit: int | None = None) -> Frequency:
        """How often values occur among the lines, by one or several keys; the most frequent first."""
        index = self.spans.index
        within = None if self.part is None else self.part.chosen
        size = self.size if self.sampled_from is None else None
        return count_values(self.spans, parse_keys(keys, index), size, within, limit)

    def _matches(self, query: str, window: int | str) -> Mask:
        return has_in_context(self.spans, find(self.spans.index, query), window)

    def _keep(self, mask: Mask) -> Concordance:
        """Some of the hits, in the order that they have."""
        if self.sampled_from is not None:
            raise UsageError("filters come before a sample: what is not in the sample can't be counted any more")
        order = None
        if self.order is not None:
            kept = self.order[mask[self.order]]
            order = (np.cumsum(mask) - 1)[kept]
        return replace(self, spans=self.spans.take(mask), order=order)
