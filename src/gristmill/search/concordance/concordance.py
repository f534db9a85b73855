"""A concordance: the hits of a query, to be filtered, sampled, sorted, shown line by line and counted.

Nothing here looks at every hit unless it is asked for what needs that, so the first page of a million hits comes at
once. Sorting, filters and frequencies look at all hits, but as ids in arrays; text is made for the lines that are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.search.collating import collator_for
from gristmill.search.concordance.beside import Beside, with_aligned
from gristmill.search.concordance.contexts import WINDOW_TOKENS, first_in, has_in_context
from gristmill.search.concordance.counts import Counts
from gristmill.search.concordance.frequency import MILLION, Frequency, count_values
from gristmill.search.concordance.keys import Key, parse_keys
from gristmill.search.concordance.labelled import with_labels
from gristmill.search.concordance.lines import Context, Line, make_lines
from gristmill.search.concordance.narrowing import have_value
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.concordance.sampling import random_numbers, smallest
from gristmill.search.concordance.sorting import sort_order
from gristmill.search.coverage import Coverage, Missing
from gristmill.search.cql.attributes import attributes_of
from gristmill.search.cql.labels import Labelling, with_numbered_trees
from gristmill.search.cql.matching import find, lists_for, resolved
from gristmill.search.cql.parsing import parsed
from gristmill.search.cql.query import Query
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus
from gristmill.search.wordlists import Lists, WordLists


@dataclass(frozen=True, eq=False)
class Concordance:
    """Hits in an order. Methods that change it return another concordance and leave this one as it is."""

    spans: Occurrences
    part: Subcorpus | None = None
    """The subcorpus that was searched; None for the whole corpus."""
    order: Ids | None = None
    """Numbers of the hits in the order of the lines; None for text order."""
    sampled_from: int | None = None
    """Number of hits before a sample was taken; None if it is no sample."""
    sampled_rated: int = 0
    """Number of those hits where no attribute is missing that was asked for."""
    lists: WordLists = field(default_factory=WordLists)
    """Lists of words that queries can name."""
    asked: frozenset[str] = frozenset()
    """Attributes of tokens that its queries asked for, which not all tokens may have."""
    spelt: tuple[str, ...] = ()
    """Words of the query that are no words of the corpus: their characters in a row were looked for."""
    beside: Beside | None = None
    """The other language of a parallel corpus, if its sentences are shown beside the hits."""
    query: Query | None = None
    """The query, as a tree; None for hits that come from elsewhere."""
    unfiltered: int = 0
    """Number of hits of the query, before any filter."""

    @classmethod
    def of(
        cls,
        index: Index,
        query: str | Query,
        where: str | None = None,
        *,
        lists: Lists | None = None,
        aligned: str | None = None,
    ) -> Concordance:
        """Search an index for a query.

        `where` is a condition on documents, such as `lang="en" & year>=2005`; without it all are searched. `lists` are
        lists of words that queries can name, besides those that are saved in the corpus. `aligned` is a language of a
        parallel corpus: then the documents in its other language are searched, and lines have the sentences in this one
        that they are aligned with.
        """
        asked = parsed(query)
        query = resolved(asked, index)
        part = Subcorpus(index, where) if where else None
        beside = Beside.of(index, aligned) if aligned else None
        if beside is not None:
            part = beside.restricted(index, part)
        known = lists_for(index, lists)
        labelled = with_numbered_trees(query)
        labelling = Labelling(index, labelled, known) if labelled.labels else None
        spans = Occurrences(index, find(index, query, part, lists=known), labelling)
        return cls(
            spans,
            part,
            lists=known,
            asked=attributes_of(asked.node),
            spelt=query.spelt,
            beside=beside,
            query=asked,
            unfiltered=len(spans),
        )

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
        """Number of hits, after filters and before a sample."""
        return len(self) if self.sampled_from is None else self.sampled_from

    @property
    def size(self) -> int:
        """Number of tokens that were searched."""
        return self.spans.index.size if self.part is None else self.part.size

    @cached_property
    def coverage(self) -> Coverage:
        """Which of the tokens that were searched have the attributes that were asked for."""
        return Coverage(self.spans.index, self.asked, self.part)

    @property
    def missing(self) -> Missing:
        """What is missing of the attributes that were asked for: for how many tokens, and in which languages."""
        return self.coverage.missing

    @property
    def per_million(self) -> float:
        """Hits per million tokens of what was searched, of those that have the attributes that were asked for."""
        rated = self.missing.rated
        return self._rated_hits * MILLION / rated if rated else 0.0

    @property
    def _rated_hits(self) -> int:
        """Hits where no attribute is missing, after filters and before a sample."""
        if not self.coverage.is_partial:
            return self.total
        return self.coverage.count(self.spans.hits.stored_starts) if self.sampled_from is None else self.sampled_rated

    def notes(self) -> list[str]:
        """Say what one should know of hits and figures, in lines."""
        return self.counts().notes()

    @property
    def documents(self) -> int:
        """Number of documents that have one of the lines."""
        return self.spans.count_documents()

    def counts(self) -> Counts:
        """Number of hits, their rate, and how much was searched; the size of a sample if it is one."""
        sample = None if self.sampled_from is None else len(self)
        return Counts(self.total, self.per_million, self.documents, self.size, sample, self.spelt, self.missing)

    def having(self, query: str | Query, window: int | str = WINDOW_TOKENS) -> Concordance:
        """Keep the hits that another query matches beside.

        The window is a number of tokens, or `left,right`, or a structure such as `s`.
        """
        other = parsed(query)
        return self._keep(self._matches(other, window)).also_asking(attributes_of(other.node))

    def lacking(self, query: str | Query, window: int | str = WINDOW_TOKENS) -> Concordance:
        """Keep the hits that another query does not match beside."""
        other = parsed(query)
        return self._keep(~self._matches(other, window)).also_asking(attributes_of(other.node))

    def aligned_with(self, query: str | Query) -> Concordance:
        """Keep the hits whose aligned sentences in the other language another query matches in; these are marked."""
        beside, found = self._asked_beside(query)
        return replace(self._keep(beside.have(self.spans.hits, found)), beside=beside.marking(found))

    def aligned_without(self, query: str | Query) -> Concordance:
        """Keep the hits that are aligned with something in which another query does not match."""
        beside, found = self._asked_beside(query)
        first, last = beside.alignment.ranges(self.spans.hits)
        return self._keep((last > first) & ~beside.have(self.spans.hits, found))

    def _asked_beside(self, query: str | Query) -> tuple[Beside, Hits]:
        """Search the other language; raises if none is shown."""
        if self.beside is None:
            raise UsageError(
                "no other language is beside these hits: say which, as in corpus.search(query, aligned='de')"
            )
        part = self.beside.restricted_other(self.spans.index)
        return self.beside, find(self.spans.index, query, part, lists=self.lists)

    def first_in(self, structure: str = "doc") -> Concordance:
        """Keep the first hit of each document, or of each sentence (`s`) or paragraph (`p`)."""
        return self._keep(first_in(self.spans, structure))

    def only(self, key: str, value: str) -> Concordance:
        """Keep the hits for which a key has this value, as `frequency` shows it."""
        keys = self._keys(key)
        return self._keep(have_value(self.spans, keys, value)).also_asking(_token_attributes(keys))

    def sample(self, count: int, seed: int = 0) -> Concordance:
        """Keep a random sample of the hits, in the order that they have.

        It is the same on every machine, and part of every larger sample of the same seed.
        """
        if count < 0:
            raise UsageError(f"a sample must not be negative, but it is {count}")
        if count >= len(self):
            return self
        mask = np.zeros(len(self), np.bool_)
        mask[smallest(random_numbers(self.spans.starts, self.spans.ends, seed), count)] = True
        return replace(self._keep(mask), sampled_from=self.total, sampled_rated=self._rated_hits)

    def shuffle(self, seed: int = 0) -> Concordance:
        """Put the hits in a random order, which is the same on every machine."""
        return replace(self, order=np.argsort(random_numbers(self.spans.starts, self.spans.ends, seed), kind="stable"))

    def sort(self, keys: str, collation: str | None = None) -> Concordance:
        """Sort the hits by one or several keys (see `keys.py`); `left`, `right` and `node` are the usual ones.

        `collation` is the code of the language whose alphabet is used, `und` for that of no language, or `codepoints`;
        by default it is the language of most of what was searched.
        """
        index = self.spans.index
        collator = collator_for(index, self.part, collation)
        return replace(self, order=sort_order(self.spans, self._keys(keys), collator))

    def lines(self, first: int = 0, count: int | None = None, context: Context | None = None) -> Iterator[Line]:
        """Show lines from the number `first` on, in order."""
        spans = self.chosen(first, count)
        lines = with_labels(make_lines(spans, context or Context()), spans)
        return lines if self.beside is None else with_aligned(lines, spans, self.beside)

    def chosen(self, first: int = 0, count: int | None = None) -> Occurrences:
        """Give the hits of the lines from the number `first` on, in their order."""
        end = len(self) if count is None else min(first + count, len(self))
        return self.spans.take(slice(first, end) if self.order is None else self.order[first:end])

    def page(self, number: int = 1, size: int = 20, context: Context | None = None) -> list[Line]:
        """Show one page of lines; pages are numbered from 1, and those beyond the last are empty."""
        if number < 1 or size < 1:
            raise UsageError(f"pages and their sizes are numbers from 1, not {min(number, size)}")
        return list(self.lines((number - 1) * size, size, context))

    def frequency(self, keys: str = "word", limit: int | None = None) -> Frequency:
        """Count values among the lines by one or several keys; the most frequent come first.

        If tokens don't have an attribute that the query or the keys ask for, rates relate to the others.
        """
        wanted = self._keys(keys)
        coverage = self.also_asking(_token_attributes(wanted)).coverage
        return count_values(self.spans, wanted, coverage, limit, with_rates=self.sampled_from is None)

    def also_asking(self, names: frozenset[str]) -> Concordance:
        """Return the same hits, where these attributes of tokens were asked for, too."""
        return self if names <= self.asked else replace(self, asked=self.asked | names)

    def _matches(self, query: Query, window: int | str) -> Mask:
        return has_in_context(self.spans, find(self.spans.index, query, lists=self.lists), window)

    def _keys(self, text: str) -> list[Key]:
        return parse_keys(text, self.spans.index, self.spans.labels)

    def _keep(self, mask: Mask) -> Concordance:
        """Keep some of the hits, in the order that they have.

        order [3, 0, 2], mask [1, 0, 0, 1] over the hits: 3 and 0 stay, in this order
        prefix sums of the mask less one, [0, 0, 0, 1], are the new numbers: the order becomes [1, 0].
        """
        if self.sampled_from is not None:
            raise UsageError("filters come before a sample: what is not in the sample can't be counted any more")
        order = None
        if self.order is not None:
            kept = self.order[mask[self.order]]
            order = (np.cumsum(mask) - 1)[kept]
        return replace(self, spans=self.spans.take(mask), order=order)


def _token_attributes(keys: list[Key]) -> frozenset[str]:
    """Name the attributes of tokens that keys are of."""
    return frozenset(key.attribute for key in keys if not key.structure)
