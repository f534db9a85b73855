"""Frequencies, distribution and dispersion of the hits of a query."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from gristmill.html.columns import Bar, column_chart, strip_chart
from gristmill.search.concordance.distribution import TIMES
from gristmill.web.answers.search import search_of
from gristmill.web.answers.search_counts import MAX_ROWS, DispersionAsked, DistributionAsked, FrequencyAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import read_form
from gristmill.web.rooms.search import address, form_values
from gristmill.web.visit import Visit

_KEYS = {
    "word": "word form",
    "word/nocase": "word form, ignoring case",
    "lemma": "lemma",
    "tag": "tag",
    "-1:word": "word before",
    "1:word": "word after",
    "-1:lemma": "lemma before",
    "1:lemma": "lemma after",
    "host": "host",
    "lang": "language",
    "year": "year",
}
"""Keys that are offered; others can be typed."""
_BY = (("year", "year"), ("month", "month"), ("host", "host"), ("doc", "document"), ("lang", "language"))
_MAX_COLUMNS = 400
"""Columns of a chart over time."""


@page("frequency", room="search")
async def frequency(visit: Visit) -> Response:
    """Show how often the values of keys occur among the hits."""
    form = read_form(visit, FrequencyAsked)
    asked = form.asked
    values = {**form_values(visit, asked, "frequency"), "keys": _KEYS, "max_rows": MAX_ROWS}
    if form.error:
        return visit.page("search_frequency.html", 400, found=None, error=form.error, **values)
    if not asked.q.strip():
        return visit.page("search_frequency.html", found=None, error=None, **values)
    answer = await visit.answer("frequency", asked)
    if answer.status != 200:
        return visit.page("search_frequency.html", answer.status, found=None, error=answer.json(), **values)
    found = answer.json()
    keys = found["keys"]
    for row in found["rows"]:
        only = tuple(f"{key}={row[key]}" for key in keys)
        row["address"] = address(visit, "search", search_of(asked), only=(*asked.only, *only))
    values |= {"pages": -(-found["distinct"] // asked.rows), "highest": _highest(found["rows"], "share")}
    return visit.page("search_frequency.html", found=found, error=None, **values)


def _highest(rows: list[dict[str, Any]], name: str) -> float:
    """The largest value of a column, for bars."""
    return max((row[name] for row in rows), default=0) or 1


@page("distribution", room="search")
async def distribution(visit: Visit) -> Response:
    """Show where the hits are: over time or hosts, and in the order of the corpus."""
    form = read_form(visit, DistributionAsked)
    asked = form.asked
    values = {**form_values(visit, asked, "distribution"), "choices": _BY, "max_rows": MAX_ROWS}
    values |= {"chart": "", "strip": "", "spread": None}
    if form.error:
        return visit.page("search_distribution.html", 400, found=None, error=form.error, **values)
    if not asked.q.strip():
        return visit.page("search_distribution.html", found=None, error=None, **values)
    own = {item.name: getattr(search_of(asked), item.name) for item in fields(search_of(asked))}
    answer, spread = await asyncio.gather(
        visit.answer("distribution", asked), visit.answer("dispersion", DispersionAsked(**own))
    )
    for one in (answer, spread):
        if one.status != 200:
            return visit.page("search_distribution.html", one.status, found=None, error=one.json(), **values)
    found, even = answer.json(), spread.json()
    for row in found["rows"]:
        row["address"] = _hits_of(visit, asked, row["value"])
    is_time = asked.by in TIMES
    values |= {
        "chart": _chart(asked, found),
        "strip": _strip(visit, asked, even),
        "spread": even,
        "is_time": is_time,
        "listed": found["distinct"] if is_time else found["with_hits"],
        "hit_parts": sum(count > 0 for count in even["counts"]),
        "highest": _highest(found["rows"], "per_million"),
    }
    return visit.page("search_distribution.html", found=found, error=None, **values)


def _hits_of(visit: Visit, asked: DistributionAsked, value: str) -> str:
    """The address of the hits of one part; empty if the part is no value of an attribute."""
    searched = search_of(asked)
    if asked.by == "doc":
        return address(visit, "search", searched, only=(*asked.only, f"id={value}"))
    if asked.by not in TIMES:
        return address(visit, "search", searched, only=(*asked.only, f"{asked.by}={value}"))
    if asked.by == "year" and value:
        return address(visit, "search", searched, only=(*asked.only, f"year={value}"))
    return ""


def _chart(asked: DistributionAsked, found: dict[str, Any]) -> Markup:
    """A picture of hits over time; other parts have bars in the table."""
    dated = [row for row in found["rows"] if row["value"]]
    if asked.by not in TIMES or not 1 < len(dated) <= _MAX_COLUMNS:
        return Markup("")
    rows = {row["value"]: row for row in dated}
    bars = [_bar(time, rows.get(time)) for time in _times(dated[0]["value"], dated[-1]["value"], list(rows))]
    return Markup(column_chart(f"Hits per million tokens by {asked.by}", bars))  # noqa: S704 (it escapes its texts)


def _bar(time: str, row: dict[str, Any] | None) -> Bar:
    if row is None:
        return Bar(time, 0, f"{time}: no text")
    counts = f"{row['hits']:,} hits in {row['tokens']:,} tokens"
    return Bar(time, row["per_million"], f"{time}: {row['per_million']:,.1f} per million ({counts})", row["address"])


def _times(first: str, last: str, known: list[str]) -> list[str]:
    """All years or months from the first to the last, so that gaps are seen; days stay as they are."""
    start, end = (int(value[:4]) for value in (first, last))
    years = range(start, end + 1) if end - start < _MAX_COLUMNS else range(0)
    if len(first) == len("2024"):
        return [f"{year:04}" for year in years] or known
    if len(first) == len("2024-01"):
        months = [f"{year:04}-{month:02}" for year in years for month in range(1, 13)]
        within = [month for month in months if first <= month <= last]
        return within if set(known) <= set(within) and len(within) <= _MAX_COLUMNS else known
    return known


def _strip(visit: Visit, asked: DistributionAsked, even: dict[str, Any]) -> Markup:
    """A picture of the hits in the order of the corpus; each part leads to the page of its first hit."""
    if not even["hits"]:
        return Markup("")
    lines, before, bars = 25, 0, []
    for number, count in enumerate(even["counts"], 1):
        where = address(visit, "search", search_of(asked)) + f"&page={before // lines + 1}" if count else ""
        bars.append(Bar(str(number), count, f"part {number} of {len(even['counts'])}: {count:,} hits", where))
        before += count
    return Markup(strip_chart("Where in the corpus the hits are", bars))  # noqa: S704 (as above)
