"""Ranked retrieval as users ask for it: words, a unit, and by what to rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gristmill.arrays.dtypes import Mask
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.search.bm25 import BM25
from gristmill.search.index.index import Index
from gristmill.search.ranked.describing import describe
from gristmill.search.ranked.dimensions import BM25_KEY, dimensions_for, parse_keys
from gristmill.search.ranked.found import SHOWN_TOKENS, FoundUnits
from gristmill.search.ranked.lists import Lists
from gristmill.search.ranked.query import TOKENISED, parse_query
from gristmill.search.ranked.searching import UnitSearch
from gristmill.search.ranked.store import open_units
from gristmill.search.ranked.units import Unit
from gristmill.search.subcorpus import Subcorpus

MATCHES = ("any", "all")
_ANY_LANGUAGE = "und"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRequest:
    """What is asked for. Everything but the words has a default."""

    query: str
    unit: str = "paragraph"
    by: str | Sequence[str] = BM25_KEY
    limit: int | None = 10
    """How many; None for all."""
    offset: int = 0
    attribute: str = "word"
    """`word` and `lemma` ignore case; others, such as `lempos`, are compared as they are."""
    match: str | None = None
    """Units with `any` of the words, or `all`; by default any if ranked by BM25 alone, otherwise all."""
    where: str | None = None
    lang: str | None = None
    """Only units in this language; words are divided by its rules."""
    k1: float = BM25().k1
    b: float = BM25().b
    tokens: int | None = SHOWN_TOKENS
    """Tokens of a unit that are shown at most; None for all."""

    def check(self) -> None:
        """Raise if something is wrong that can be told without the index."""
        Unit.parse(self.unit)
        parse_keys(self.by)
        BM25(self.k1, self.b)
        if (
            (self.limit is not None and self.limit < 0)
            or self.offset < 0
            or (self.tokens is not None and self.tokens < 1)
        ):
            raise UsageError("limit and offset must not be negative, and texts have at least one token")
        if self.match not in {None, *MATCHES}:
            raise UsageError(f"units have any or all of the words, not {self.match!r}")
        parse_query(self.query, TOKENISED["word"], [_ANY_LANGUAGE], match_all=False)


def open_lists(
    index: Index, folder: Path, asked: FindRequest, *, max_tokens: int | None = None, report: Report = silent
) -> Lists:
    """Open the index of units that a request needs; it is made if it is not there."""
    attribute = TOKENISED.get(asked.attribute, asked.attribute)
    index.attribute(asked.attribute)  # raises if there is none
    dimensions = dimensions_for(index, parse_keys(asked.by))
    unit = Unit.parse(asked.unit)
    return open_units(index, folder, unit, attribute, dimensions, max_tokens=max_tokens, report=report)


def find_units(
    index: Index, folder: Path, asked: FindRequest, *, max_tokens: int | None = None, report: Report = silent
) -> FoundUnits:
    """Find the best units for a request; `folder` is that of the corpus."""
    asked.check()
    keys = parse_keys(asked.by)
    match = asked.match or ("any" if keys[0].name == BM25_KEY else "all")
    attribute = TOKENISED.get(asked.attribute, asked.attribute)
    allowed = _allowed(index, asked)
    query = parse_query(asked.query, attribute, _languages(index, asked.lang), match_all=match == "all")
    lists = open_lists(index, folder, asked, max_tokens=max_tokens, report=report)
    ranked = lists.ranked
    terms = [(lists.of(term), term.required) for term in query.terms]
    search = UnitSearch(ranked, terms, [lists.of(term) for term in query.excluded], allowed, BM25(asked.k1, asked.b))
    numbers, scores = search.best(keys, len(ranked) if asked.limit is None else asked.offset + asked.limit)
    numbers, scores = numbers[asked.offset :], scores[asked.offset :]
    pairs = [(term, own) for term, (own, _) in zip(query.terms, terms, strict=True)]
    rows = describe(lists, pairs, numbers, scores, tokens=asked.tokens, offset=asked.offset)
    counts = {term.text: len(own.units) for term, own in pairs}
    by = asked.by if isinstance(asked.by, str) else ",".join(asked.by)
    return FoundUnits(asked.query, str(ranked.unit), by, asked.attribute, match, counts, len(ranked), rows)


def _allowed(index: Index, asked: FindRequest) -> Mask | None:
    """Tell which documents may be found; None if all may."""
    chosen = Subcorpus(index, asked.where).check().chosen if asked.where else None
    if asked.lang is None:
        return chosen
    docs = index.structure("doc")
    number = docs.attribute("lang").lexicon.find(asked.lang)
    if number < 0:
        raise UsageError(f"no text is in the language {asked.lang!r}")
    meeting: Mask = docs.attribute("lang").ids == number
    return meeting if chosen is None else chosen & meeting


def _languages(index: Index, lang: str | None) -> list[str]:
    """The languages by whose rules words are divided."""
    if lang is not None:
        return [lang]
    found = index.structure("doc").attributes.get("lang")
    return [_ANY_LANGUAGE] if found is None or not len(found.lexicon) else found.lexicon.array.to_pylist()
