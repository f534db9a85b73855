"""The report of a corpus: stages, breakdown, threshold, repeated text, samples, a page each."""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from gristmill.html.report_parts import Links, funnels, group_table, stage_table, summary, time_table
from gristmill.html.report_scores import threshold_part
from gristmill.html.report_texts import copies_part, samples_part
from gristmill.operations.common import NoParameters
from gristmill.parameters import to_query
from gristmill.report.breakdown import KEYS
from gristmill.web.answers.report import BreakdownAsked, RepetitionAsked, SamplesAsked, ThresholdAsked
from gristmill.web.pages import page
from gristmill.web.visit import Visit

_TABS = {
    "report": "Stages",
    "report/breakdown": "Breakdown",
    "report/threshold": "Threshold",
    "report/repeated": "Repeated text",
    "report/samples": "Samples",
}
_LISTED = frozenset({"host", "lang", "year", "kind", "reason"})
"""What the list of pages can be narrowed by."""
_HEADS = {
    "value": "",
    "pages": "pages",
    "kept": "kept",
    "words": "words",
    "kept_words": "kept words",
    "share": "share",
}
_BY = {
    "host": "Host",
    "lang": "Language",
    "year": "Year",
    "month": "Month",
    "kind": "Kind of page",
    "reason": "Reason",
    "role": "Role of block",
}


def _links(visit: Visit) -> Links:
    def to_page(identifier: str, block: int | None) -> str:
        at = "" if block is None else f"#block-{block}"
        return visit.link(f"pages/{identifier}") + at

    def to_pages(key: str, value: str) -> str:
        return visit.link("pages", **{key: value}) if key in _LISTED and value else ""

    return Links(to_page, to_pages)


def _show(visit: Visit, path: str, title: str, body: str, **values: Any) -> Response:
    """Show a part; its HTML is made in `gristmill.html`, where all text is escaped."""
    tabs = [(visit.link(place), name, place == path) for place, name in _TABS.items()]
    return visit.page("report.html", title=title, tabs=tabs, body=Markup(body), **values)  # noqa: S704 (escaped there)


@page("report", room="report")
async def stages(visit: Visit) -> Response:
    """Show what is left after each stage."""
    found = await visit.ask("report", visit.read(NoParameters))
    body = summary(found["stages"]) + funnels(found["stages"]) + "<h2>What each stage left out</h2>"
    body += stage_table(found["stages"], _links(visit)) + "<h2>Times</h2>" + time_table(found["times"])
    return _show(visit, "report", "Report", body, download="/api" + visit.link("report-file"))


@page("report/breakdown", room="report")
async def breakdown(visit: Visit) -> Response:
    """Show pages and words by a key."""
    asked = visit.read(BreakdownAsked)
    found = await visit.ask("breakdown", asked)

    def address(**changes: Any) -> str:
        query = to_query(asked, **changes)
        return visit.link("report/breakdown") + (f"?{query}" if query else "")

    def head(column: str) -> str:
        current = column == asked.order
        ascending = not asked.ascending if current else column == "value"
        state = f' aria-sort="{"ascending" if asked.ascending else "descending"}"' if current else ""
        arrow = (" ▲" if asked.ascending else " ▼") if current else ""
        name = _HEADS[column] or _BY[asked.by].lower()
        kind = "" if column == "value" else ' class="n"'
        link = escape(address(order=column, ascending=ascending, page=1))
        return f'<th scope="col"{kind}{state}><a class="sort" href="{link}">{escape(name)}{arrow}</a></th>'

    choices = [(address(by=key, page=1), _BY[key], key == asked.by) for key in KEYS]
    pages = -(-found["total"] // asked.lines)
    shown = found | {"total": len(found["rows"])}  # the rest is on other pages
    caption = f"{found['total']:,} values. Shares are those of words that are kept."
    body = group_table(shown, _links(visit), {column: head(column) for column in _HEADS}, caption)
    return _show(
        visit,
        "report/breakdown",
        "Breakdown",
        body,
        choices=choices,
        choices_name="Group by",
        pager=(asked.page, pages, lambda number: address(page=number)),
    )


@page("report/threshold", room="report")
async def threshold(visit: Visit) -> Response:
    """Show what other thresholds and roles would keep."""
    cut = await visit.ask("threshold", visit.read(ThresholdAsked))
    scores = await visit.ask("scores", NoParameters())
    body = threshold_part(cut, scores, visit.link("report/threshold"), offline=False)
    return _show(visit, "report/threshold", "Threshold", body, script=True)


@page("report/repeated", room="report")
async def repeated(visit: Visit) -> Response:
    """Show what is repeated."""
    found = await visit.ask("repetition", visit.read(RepetitionAsked))
    return _show(visit, "report/repeated", "Repeated text", copies_part(found, _links(visit)))


@page("report/samples", room="report")
async def samples(visit: Visit) -> Response:
    """Show samples of kept and dropped text."""
    asked = visit.read(SamplesAsked)
    found = await visit.ask("samples", asked)
    again = to_query(asked, seed=(asked.seed + 1) % 1_000_000)
    return _show(
        visit,
        "report/samples",
        "Samples",
        samples_part(found["reasons"], _links(visit)),
        again=f"{visit.link('report/samples')}?{again}",
        known=found["known"],
        asked=asked,
    )
