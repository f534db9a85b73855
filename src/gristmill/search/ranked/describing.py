"""Describe units that were found: the text around the terms, and what is known of the document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

import numpy as np

from gristmill.arrays.dtypes import Floats, Ids
from gristmill.corpus.attributes import LOWER_CASED, lower_cased_texts
from gristmill.notebook import Value
from gristmill.search.concordance.lines import gaps_before
from gristmill.search.index.index import Index
from gristmill.search.ranked.found import ATTRIBUTES, FoundUnit
from gristmill.search.ranked.lists import Lists, TermList
from gristmill.search.ranked.query import Term

_BEFORE_TOKENS = 15
"""Tokens before the first occurrence of a term."""
_FIRST_LOOK_TOKENS = 512
"""Tokens of a long unit in which a term is looked for first."""


def describe(
    lists: Lists,
    terms: Sequence[tuple[Term, TermList]],
    numbers: Ids,
    scores: Floats,
    *,
    tokens: int | None,
    offset: int,
) -> list[FoundUnit]:
    """Describe units by their numbers; texts have `tokens` at most, and ranks go on from `offset`."""
    index, ranked = lists.index, lists.ranked
    rarest_first = sorted(terms, key=lambda pair: len(pair[1].units))
    documents = ranked.documents[numbers].astype(np.int64)
    docs = index.structure("doc").attributes
    about = {name: docs[name].values(documents) for name in ATTRIBUTES if name in docs}
    values = {name: ranked.values(name, numbers).tolist() for name in ranked.dimensions}
    found = []
    for place, unit in enumerate(numbers.tolist()):
        span = int(ranked.bounds[unit]), int(ranked.bounds[unit + 1])
        rarest = next(term for term, own in rarest_first if own.has(int(ranked.ranks[unit])))
        attribute = ranked.about["attribute"]
        text, marks = _extract(index, attribute, [term for term, _ in terms], rarest, span, tokens)
        found.append(
            FoundUnit(
                offset + place + 1,
                unit,
                int(documents[place]),
                span[0],
                span[1],
                float(scores[place]),
                text,
                marks,
                {name: _shown(name, own[place]) for name, own in values.items()},
                **{name: own[place] for name, own in about.items()},
            )
        )
    return found


def _shown(name: str, value: float) -> Value:
    """A value as people read it: days as dates, whole numbers without a point."""
    if math.isnan(value):
        return None
    if name == "date":
        return date.fromordinal(int(value)).isoformat()
    return int(value) if value.is_integer() and name != "quality" else round(value, 4)


def _extract(
    index: Index, attribute: str, terms: Sequence[Term], rarest: Term, span: tuple[int, int], tokens: int | None
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Write the text of a unit, or the part around the first place of a term, and find where terms are in it."""
    low, high = span
    if tokens is not None and high - low > tokens:
        first = _first_place(index, attribute, rarest, low, high)
        low = max(low, min(first - min(_BEFORE_TOKENS, tokens // 2), high - tokens))
        high = low + tokens
    spans = _occurrences(_values(index, attribute, low, high), terms)
    places = np.arange(low, high)
    words = index.attribute("word").lexicon.strings(index.attribute("word").ids[low:high])
    gaps = ["", *gaps_before(index, places)[1:]]
    edges = np.cumsum([0, *(len(gap) + len(word) for gap, word in zip(gaps, words, strict=True))]).tolist()
    marks: list[tuple[int, int]] = []
    for begin, stop in sorted(spans):
        mark = edges[begin] + len(gaps[begin]), edges[stop]
        if not marks or mark[0] >= marks[-1][1]:
            marks.append(mark)
    return "".join(map(str.__add__, gaps, words)), tuple(marks)


def _first_place(index: Index, attribute: str, term: Term, start: int, end: int) -> int:
    """Find the first place of a term in a long unit, looking at no more of it than is needed."""
    longest = max(map(len, term.ways))
    at, size = start, _FIRST_LOOK_TOKENS
    while at < end:
        spans = _occurrences(_values(index, attribute, at, min(at + size + longest - 1, end)), [term])
        if spans:
            return at + min(spans)[0]
        at, size = at + size, 2 * size
    return start


def _values(index: Index, attribute: str, start: int, end: int) -> list[str]:
    """The values of tokens by which they are found, in lower case if the attribute is."""
    stored = index.attribute(LOWER_CASED.get(attribute, attribute))
    values = stored.lexicon.strings(stored.ids[start:end])
    return lower_cased_texts(values) if attribute in LOWER_CASED else values


def _occurrences(values: Sequence[str], terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Find where terms stand among the tokens of a unit: first those of the first term, then those of the next."""
    places: dict[str, list[int]] = {words[0]: [] for term in terms for words in term.ways}
    for place, value in enumerate(values):
        if value in places:
            places[value].append(place)
    return [
        (place, place + len(words))
        for term in terms
        for words in term.ways
        for place in places[words[0]]
        if tuple(values[place : place + len(words)]) == words
    ]
