"""Frequencies, distribution and dispersion of the hits of a query."""

from __future__ import annotations

from markupsafe import Markup
from starlette.responses import Response

from gristmill.html.columns import Bar, column_chart, strip_chart
from gristmill.operations.search import DispersionAsked, DistributionAsked, FrequencyAsked, SearchAsked
from gristmill.operations.searched import Searched
from gristmill.parameters import parameters
from gristmill.search.concordance.distribution import TIMES, Distribution, PartRow
from gristmill.search.concordance.frequency import Frequency, FrequencyRow
from gristmill.search.statistics.spread import Dispersion
from gristmill.web.pages import page
from gristmill.web.rooms.forms import downloads, recorded
from gristmill.web.rooms.search import address, form_values, read_search
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
    form = read_search(visit, FrequencyAsked)
    asked, error, status = form.asked, form.error, 400 if form.error else 200
    found: Frequency | None = None
    if not error and asked.query.strip():
        found, error, status = await recorded(visit, "frequency", asked)
    rows = found.rows if found else []

    def hits_of(row: FrequencyRow) -> str:
        only = (f"{key}={value}" for key, value in zip(found.keys if found else (), row.values, strict=True))
        return address(visit, "search", asked, Searched, only=(*asked.only, *only))

    return visit.page(
        "search_frequency.html",
        status,
        found=found,
        error=error,
        keys=_KEYS,
        hits_of=hits_of,
        highest=max((row.share for row in rows), default=0) or 1,
        pages=-(-found.distinct // asked.limit) if found else 1,
        downloads=downloads(visit, "frequency", asked, limit=0, offset=0),
        **form_values(visit, asked, "frequency"),
    )


@page("distribution", room="search")
async def distribution(visit: Visit) -> Response:
    """Show where the hits are: over time or hosts, and in the order of the corpus."""
    form = read_search(visit, DistributionAsked)
    asked, error, status = form.asked, form.error, 400 if form.error else 200
    found: Distribution | None = None
    even: Dispersion | None = None
    if not error and asked.query.strip():
        found, error, status = await recorded(visit, "distribution", asked)
    if found:  # which the worker remembers the hits of
        own = {item.name: getattr(asked, item.name) for item in parameters(Searched)}
        even, error, status = await recorded(visit, "dispersion", DispersionAsked(**own))
    return visit.page(
        "search_distribution.html",
        status,
        found=found if even else None,
        error=error,
        choices=_BY,
        spread=even,
        chart=_chart(visit, asked, found) if found else "",
        strip=_strip(visit, asked, even) if even else "",
        hits_of=lambda row: _hits_of(visit, asked, row.value),
        highest=max((row.per_million for row in found.rows), default=0) or 1 if found else 1,
        downloads=downloads(visit, "distribution", asked, limit=0),
        **form_values(visit, asked, "distribution"),
    )


def _hits_of(visit: Visit, asked: DistributionAsked, value: str) -> str:
    """The address of the hits of one part; empty if the part is no value of an attribute."""
    if asked.by in TIMES and not (asked.by == "year" and value):
        return ""
    key = "id" if asked.by == "doc" else asked.by
    return address(visit, "search", asked, Searched, only=(*asked.only, f"{key}={value}"))


def _chart(visit: Visit, asked: DistributionAsked, found: Distribution) -> Markup:
    """A picture of hits over time; other parts have bars in the table."""
    rows = {row.value: row for row in found.rows if row.value}
    if not found.is_time or not 1 < len(rows) <= _MAX_COLUMNS:
        return Markup("")
    times = _times(min(rows), max(rows), list(rows))
    bars = [_bar(time, rows.get(time), _hits_of(visit, asked, time)) for time in times]
    return Markup(column_chart(f"Hits per million tokens by {asked.by}", bars))  # noqa: S704 (it escapes its texts)


def _bar(time: str, row: PartRow | None, link: str) -> Bar:
    if row is None:
        return Bar(time, 0, f"{time}: no text")
    counts = f"{row.hits:,} hits in {row.tokens:,} tokens"
    return Bar(time, row.per_million, f"{time}: {row.per_million:,.1f} per million ({counts})", link)


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


def _strip(visit: Visit, asked: DistributionAsked, even: Dispersion) -> Markup:
    """A picture of the hits in the order of the corpus; each part leads to its hits."""
    if not even.hits:
        return Markup("")
    before, bars = 0, []
    for number, count in enumerate(even.counts, 1):
        where = address(visit, "search", asked, SearchAsked, limit=None, offset=before) if count else ""
        bars.append(Bar(str(number), count, f"part {number} of {len(even.counts)}: {count:,} hits", where))
        before += count
    return Markup(strip_chart("Where in the corpus the hits are", bars))  # noqa: S704 (as above)
