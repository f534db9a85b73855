"""Ranked retrieval as users ask for it: words, a unit, and by what to rank."""

from __future__ import annotations

from pathlib import Path

from gristmill.arrays.dtypes import Mask
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.search.bm25 import BM25
from gristmill.search.index.index import Index
from gristmill.search.ranked.describing import describe
from gristmill.search.ranked.dimensions import BM25_KEY, dimensions_for, parse_keys
from gristmill.search.ranked.found import SHOWN_TOKENS, FoundUnits
from gristmill.search.ranked.query import TOKENISED, parse_query
from gristmill.search.ranked.searching import UnitSearch
from gristmill.search.ranked.store import open_units
from gristmill.search.ranked.units import Unit
from gristmill.search.subcorpus import Subcorpus

_ANY_LANGUAGE = "und"


def check_request(query: str, unit: str, by: str) -> None:
    """Raise if something is wrong with what is asked that can be told without the index."""
    Unit.parse(unit)
    parse_keys(by)
    parse_query(query, TOKENISED["word"], [_ANY_LANGUAGE], match_all=False)


def find_units(
    index: Index,
    folder: Path,
    query: str,
    *,
    unit: str = "paragraph",
    by: str = BM25_KEY,
    match: str | None = None,
    attribute: str = "word",
    where: str | None = None,
    lang: str | None = None,
    k1: float = BM25().k1,
    b: float = BM25().b,
    tokens: int | None = SHOWN_TOKENS,
    limit: int | None = 10,
    offset: int = 0,
    max_tokens: int | None = None,
    report: Report = silent,
) -> FoundUnits:
    """Find the best units for some words; `folder` is that of the corpus.

    Units have `any` of the words, or `all`; by default any if they are ranked by BM25 alone, otherwise all. The
    attributes `word` and `lemma` ignore case; others, such as `lempos`, are compared as they are. Words are divided by
    the rules of `lang`. The text of a unit has so many `tokens` at most, and None is all, as for `limit`.
    """
    keys = parse_keys(by)
    match = match or ("any" if keys[0].name == BM25_KEY else "all")
    allowed = _allowed(index, where, lang)
    index.attribute(attribute)  # raises if there is none
    searched = TOKENISED.get(attribute, attribute)
    wanted = parse_query(query, searched, _languages(index, lang), match_all=match == "all")
    dimensions = dimensions_for(index, keys)
    lists = open_units(index, folder, Unit.parse(unit), searched, dimensions, max_tokens=max_tokens, report=report)
    ranked = lists.ranked
    terms = [(lists.of(term), term.required) for term in wanted.terms]
    search = UnitSearch(ranked, terms, [lists.of(term) for term in wanted.excluded], allowed, BM25(k1, b))
    numbers, scores = search.best(keys, len(ranked) if limit is None else offset + limit)
    numbers, scores = numbers[offset:], scores[offset:]
    pairs = [(term, own) for term, (own, _) in zip(wanted.terms, terms, strict=True)]
    rows = describe(lists, pairs, numbers, scores, tokens=tokens, offset=offset)
    counts = {term.text: len(own.units) for term, own in pairs}
    return FoundUnits(query, str(ranked.unit), by, attribute, match, counts, len(ranked), rows)


def _allowed(index: Index, where: str | None, lang: str | None) -> Mask | None:
    """Tell which documents may be found; None if all may."""
    chosen = Subcorpus(index, where).check().chosen if where else None
    if lang is None:
        return chosen
    docs = index.structure("doc")
    number = docs.attribute("lang").lexicon.find(lang)
    if number < 0:
        raise UsageError(f"no text is in the language {lang!r}")
    meeting: Mask = docs.attribute("lang").ids == number
    return meeting if chosen is None else chosen & meeting


def _languages(index: Index, lang: str | None) -> list[str]:
    """The languages by whose rules words are divided."""
    if lang is not None:
        return [lang]
    found = index.structure("doc").attributes.get("lang")
    return [_ANY_LANGUAGE] if found is None or not len(found.lexicon) else found.lexicon.array.to_pylist()
