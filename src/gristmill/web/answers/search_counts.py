"""Counts of the hits of a query: by values, over time and hosts, and how evenly they are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.concordance.distribution import distribution as spread_over
from gristmill.search.statistics.spread import PARTS, spread
from gristmill.web.answers.search import Searched
from gristmill.web.downloads import format_param, table_answer
from gristmill.web.kept_searches import KEPT

MAX_ROWS = 100_000
"""Rows of one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyAsked(Searched):
    """By what hits are counted."""

    keys: str = param("By what: lemma, -1:tag, host, or several: lemma,year.", default="word", max_characters=300)
    page: int = param("Which page of the rows, from 1.", default=1, minimum=1, maximum=10**6)
    rows: int = param("Rows on a page.", default=50, minimum=1, maximum=MAX_ROWS)
    format: str = format_param()


@operation(FrequencyAsked, room="search")
def frequency(corpus: Corpus, asked: FrequencyAsked) -> dict[str, Any] | File:
    """Count the hits of a query by one or several keys, the most frequent values first.

    `distinct` is the number of different values, of which `rows` are those of the page; each has the values under the
    names of the keys, `count`, its `share` of all hits, the rate `per_million`, and, for keys of documents,
    `per_million_within`: the rate in the documents with this value.
    """
    request = asked.request()
    found = KEPT.find(corpus, request)
    first = (asked.page - 1) * asked.rows
    result = found.frequency(asked.keys, first + asked.rows)
    facts = {**request.to_json(found), "keys": list(result.keys), "first": first}
    return table_answer(result, asked.format, "frequency", facts, first)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionAsked(Searched):
    """Over what hits are spread."""

    by: str = param(
        "year, month, day, doc, host, or another attribute of documents.", default="year", max_characters=100
    )
    limit: int = param(
        "Rows at most: the latest, or those with the most hits.", default=100, minimum=1, maximum=MAX_ROWS
    )
    format: str = format_param()


@operation(DistributionAsked, room="search")
def distribution(corpus: Corpus, asked: DistributionAsked) -> dict[str, Any] | File:
    """Count the hits of a query over time, hosts, documents, or another attribute of documents.

    Each of the `rows` is a part of what was searched, with its `hits`, the `documents` that have one, its `tokens`, and
    the rate `per_million` there; `distinct` is the number of parts, `with_hits` of those that have a hit. Times without
    hits are there, too; the date is that of publication, or else when the page was fetched.
    """
    request = asked.request()
    result = spread_over(KEPT.find(corpus, request), asked.by, asked.limit)
    return table_answer(result, asked.format, f"distribution-{asked.by}", {"query": asked.q})


@dataclass(frozen=True, slots=True, kw_only=True)
class DispersionAsked(Searched):
    """In how many parts the corpus is divided."""

    parts: int = param("Parts of the same size.", default=PARTS, minimum=1, maximum=1_000)


@operation(DispersionAsked, room="search")
def dispersion(corpus: Corpus, asked: DispersionAsked) -> dict[str, Any]:
    """Say how evenly the hits of a query are spread over what was searched.

    `counts` are the hits in parts of the same size, in the order of the corpus. `dp` is Gries's deviation of
    proportions over documents (0 even, 1 uneven), `dp_norm` the same between 0 and 1, `juilland_d` Juilland's D over
    the parts (1 even, 0 uneven), `arf` the average reduced frequency. They are null if there are no hits.
    """
    request = asked.request()
    return {"query": asked.q, **spread(KEPT.find(corpus, request), asked.parts).to_json()}
