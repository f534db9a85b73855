"""A search as a user puts it together: a query, and how its hits are filtered, sampled and sorted.

The parameters are declared once. Commands, methods of a corpus, the API and the pages of the web app all search by
them, so that the same options give the same hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from gristmill.errors import UsageError
from gristmill.operations.common import OfPart
from gristmill.parameters import asked, param, parameters

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.concordance.concordance import Concordance
    from gristmill.search.concordance.counts import Counts
    from gristmill.search.cql.query import Query
    from gristmill.search.index.index import Index

_MAX_FILTERS = 30
"""Of each kind; a page has a link to leave out each of them, which has all others."""
_OTHERS = ("having", "lacking", "aligned_with", "aligned_without")
"""The parameters that are queries, too."""


@asked
class Searched(OfPart):
    """A query in the documents for which a condition holds, and which of its hits are taken."""

    query: str = param(
        "Words (* and ? are wildcards), or CQL.",
        kw_only=False,
        kind="query",
        name="q",
        max_characters=10_000,
        example="bread",
    )
    having: tuple[str, ...] = param(
        "Only hits with this query near them.", default=(), kind="query", max_values=_MAX_FILTERS
    )
    lacking: tuple[str, ...] = param(
        "Only hits without this query near them.", default=(), kind="query", max_values=_MAX_FILTERS
    )
    window: str | None = param(
        "How near, for having and lacking: 5 tokens, or 3,0 (left, right), or s, p, doc [5].",
        default=None,
        max_characters=30,
        short="-w",
    )
    only: tuple[str, ...] = param(
        "Only hits for which a key has this value: 1:lemma=bread, host=a.org.", default=(), max_values=_MAX_FILTERS
    )
    first_in: Literal["s", "p", "doc"] | None = param(
        "Only the first hit of each sentence, paragraph or document.", default=None
    )
    sample: int | None = param("A random sample of so many hits.", default=None, minimum=1)
    seed: int | None = param("Another number, another sample or order [0].", default=None, minimum=0, maximum=2**32)
    strategy: Literal["longest", "shortest", "standard", "traditional"] | None = param(
        "Which of all matches of the query count [all].", default=None
    )
    aligned: str | None = param(
        "Of a parallel corpus: search its other language, with this one beside the hits.",
        default=None,
        kind="lang",
        max_characters=40,
    )
    aligned_with: tuple[str, ...] = param(
        "Only hits with this query in the language beside them.", default=(), kind="query", max_values=_MAX_FILTERS
    )
    aligned_without: tuple[str, ...] = param(
        "Only hits without this query in the language beside them.", default=(), kind="query", max_values=_MAX_FILTERS
    )
    lists: Mapping[str, Sequence[str]] | None = param(
        "A list of words, one a line, that the queries name as $NAME; others are lists/NAME.txt of the corpus.",
        default=None,
        kind="lists",
    )

    @cached_property
    def parsed(self) -> dict[str, tuple[Query, ...]]:
        """All queries as trees, by the parameters that they are given by; each is parsed once."""
        from gristmill.search.cql.matching import parse_with
        from gristmill.search.cql.parsing import parse

        query = parse_with(self.query, self.strategy)
        return {"query": (query,), **{name: tuple(map(parse, getattr(self, name))) for name in _OTHERS}}

    @property
    def queries(self) -> tuple[str, ...]:
        """The texts of all queries."""
        return (self.query, *(query for name in _OTHERS for query in getattr(self, name)))

    @property
    def key(self) -> tuple[Any, ...]:
        """What the hits and their order depend on."""
        return tuple(getattr(self, item.name, item.default) for item in parameters(Ordered) if item.name != "lists")

    def check_together(self) -> None:
        """Raise if a query is wrong, so that nobody waits for an index to hear of a mistake.

        A parameter that does nothing without another one is refused, too.
        """
        _ = self.parsed, [_key_and_value(pair) for pair in self.only]
        if (self.aligned_with or self.aligned_without) and not self.aligned:
            raise UsageError("a query of the other language needs to know which that is: give aligned, too")
        if self.window is not None and not (self.having or self.lacking):
            raise UsageError("a window says how near a query must match: give such a query, having or lacking, too")
        if self.seed is not None and not (self.sample or getattr(self, "shuffle", False)):
            raise UsageError("a seed is for samples and for random order: ask for one of these, too")

    def find(self, index: Index) -> Concordance:
        """Search an index, and do all that is asked for."""
        from gristmill.search.concordance.concordance import Concordance

        self.check_together()
        (query,) = self.parsed["query"]
        return self.refine(Concordance.of(index, query, self.where, lists=self.lists, aligned=self.aligned))

    def refine(self, found: Concordance) -> Concordance:
        """Filter the hits of the query, then sample what is left."""
        from gristmill.search.concordance.contexts import WINDOW_TOKENS

        window = WINDOW_TOKENS if self.window is None else self.window
        for other in self.parsed["having"]:
            found = found.having(other, window)
        for other in self.parsed["lacking"]:
            found = found.lacking(other, window)
        for other in self.parsed["aligned_with"]:
            found = found.aligned_with(other)
        for other in self.parsed["aligned_without"]:
            found = found.aligned_without(other)
        for pair in self.only:
            found = found.only(*_key_and_value(pair))
        if self.first_in:
            found = found.first_in(self.first_in)
        return found.sample(self.sample, self.seed or 0) if self.sample else found


@asked
class Ordered(Searched):
    """A search, and the order of its hits."""

    sort: str | None = param(
        "Keys to sort by: left, right, node, or 1:lemma,host [text order].", default=None, max_characters=300
    )
    collation: str | None = param(
        "Sort by the alphabet of this language: sv, cs; und for none, or codepoints [that of most of the text].",
        default=None,
        max_characters=40,
    )
    shuffle: bool = param("In random order.", default=False)

    def check_together(self) -> None:
        """Raise if a query is wrong, or a parameter makes another one do nothing."""
        from gristmill.text.collation import collation_name

        super().check_together()
        if self.collation:
            collation_name(self.collation)
        if self.collation and not self.sort:
            raise UsageError("a collation says how lines are sorted: say by what, with sort, too")
        if self.sort and self.shuffle:
            raise UsageError("sort and shuffle can't be used together: give one of them")

    def refine(self, found: Concordance) -> Concordance:
        """Filter the hits of the query, then sample, then sort or shuffle what is left."""
        found = super().refine(found)
        if self.sort:
            return found.sort(self.sort, self.collation)
        return found.shuffle(self.seed or 0) if self.shuffle else found


def find(corpus: Corpus, asked: Searched) -> Concordance:
    """Search a corpus, or take what it remembers of the same search."""
    if corpus.kept is not None and not asked.lists:
        return corpus.kept.find(corpus, asked)
    asked.check_together()
    (query,) = asked.parsed["query"]
    return asked.refine(corpus.search(query, where=asked.where, lists=asked.lists, aligned=asked.aligned))


def counted(found: Concordance) -> Counts:
    """Count hits; if there are none, it says why."""
    from gristmill.search.concordance.hints import why_nothing

    counts = found.counts()
    return counts if len(found) else replace(counts, hints=tuple(why_nothing(found)))


def _key_and_value(pair: str) -> tuple[str, str]:
    key, sign, value = pair.partition("=")
    if not sign:
        raise UsageError(f"{pair!r} is no key with a value: write it as 1:lemma=bread")
    return key, value
