"""The report of a crawl as a page of HTML: its figures, yield over time, what was in vain, and the hosts.

Names from the web are escaped. It is written to `report.html` in the folder of the crawl.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from gristmill.crawling.figures import NEW_TEXT, CourseRow, CourseTable, HostRow, OutcomeTable, ReasonTable
from gristmill.crawling.statistics import SHOWN_HOSTS, CrawlStatistics
from gristmill.html.chart import CHART_STYLE, Point, line_chart
from gristmill.html.page import html_page
from gristmill.shards import write_atomically
from gristmill.wording import duration, plural, size

REPORT = "report.html"
_MAX_REASONS = 12
_STYLE = (
    """
:root{--accent:hsl(205 70% 42%);--good:hsl(160 55% 38%);--vain:hsl(14 70% 52%)}
@media(prefers-color-scheme:dark){:root{--accent:hsl(205 75% 62%);--good:hsl(160 50% 50%);--vain:hsl(14 75% 62%)}}
h2{font-size:1.05rem;font-weight:600;margin:2.2rem 0 .5rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.6rem;margin:1.2rem 0 0}
.tiles div{border:1px solid var(--line);border-radius:.5rem;padding:.55rem .8rem}
.tiles b{display:block;font-size:1.35rem;font-weight:600;line-height:1.3;font-variant-numeric:tabular-nums}
.tiles span{color:var(--soft);font-size:.8rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:0 2rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--soft);border-bottom:1px solid var(--line)}
th,td{padding:.2rem .7rem .2rem 0;text-align:right;vertical-align:top;white-space:nowrap}
th:first-child,td:first-child,.text{text-align:left;white-space:normal;overflow-wrap:anywhere}
td:first-child{min-width:9rem}tr:hover td{background:hsl(205 20% 50%/.09)}
.bar{min-width:7rem;width:30%;text-align:left}
.bar i{display:block;height:.7rem;margin-top:.35rem;border-radius:.2rem;background:var(--vain);min-width:1px}
.bar i.good{background:var(--good)}
.note{margin:0 0 .6rem}.soft{color:var(--soft)}footer{margin-top:2.4rem;color:var(--soft);font-size:.8rem}
"""
    + CHART_STYLE
)
_HOST_TABLES = {
    "words": ("Most text", ""),
    "yield": ("Highest yield", "Hosts with fewer than ten pages come last."),
    "waste": ("Most bytes in vain", "Bytes that did not become text in the wanted languages."),
}
_HOST_HEADINGS = ("host", "words", "yield", "", "pages", "with text", "copies", "MB", "queued", "left")


def write_report(folder: str | Path) -> Path:
    """Write the report of the crawl in a folder, or of all its parts; return its path."""
    found = CrawlStatistics.read(folder)
    path = found.folder / REPORT
    write_atomically(path, crawl_report(found).encode("utf-8", "replace"))
    return path


def crawl_report(found: CrawlStatistics) -> str:
    """Make the page."""
    body = [
        _tiles(found),
        _course(found.course),
        _outcomes(found.outcomes),
        *(_hosts(found, order) for order in _HOST_TABLES),
        (
            f'<div class="pair">{_reasons("Hosts that were left", found.hosts_left)}'
            f"{_reasons('Links that were left out', found.left_out)}</div>"
        ),
        f"<footer>The same figures: gristmill crawl stats {escape(str(found.folder))}</footer>",
    ]
    return html_page(f"Crawl: {found.folder.absolute().name}", "en", _STYLE, "\n".join(filter(None, body)))


def _tiles(found: CrawlStatistics) -> str:
    totals = found.totals
    in_vain = found.outcomes.in_vain / found.outcomes.bytes if found.outcomes.bytes else 0.0
    tiles = {
        "words of clean text": f"{totals.words:,}",
        "yield": f"{totals.text_yield:.2%}",
        "pages stored": f"{totals.pages:,}",
        "pages with new text": f"{totals.texts:,}",
        "downloaded": size(totals.bytes),
        "of it in vain": f"{in_vain:.1%}",
        "hosts visited": f"{found.hosts_visited:,}",
        "hosts left": f"{totals.hosts_left:,}",
        "addresses queued": f"{totals.queued:,}",
        "requests failed": f"{totals.failures:,}",
        "time": duration(totals.seconds),
    }
    if found.parts > 1:
        tiles["parts"] = str(found.parts)
    items = "".join(f"<div><b>{escape(value)}</b><span>{name}</span></div>" for name, value in tiles.items())
    return f'<div class="tiles">{items}</div>'


def _course(course: CourseTable) -> str:
    rows = course.rows
    if not rows:
        return ""
    unit, name = _unit(rows[-1].minute)
    places = [(row.minute / unit, row, _hint(row, course.minutes)) for row in rows]
    taken = list(itertools.accumulate(row.bytes for row in rows))
    clean = list(itertools.accumulate(row.clean_bytes for row in rows))
    words = list(itertools.accumulate(row.words for row in rows))
    yields = [Point(x, 100 * row.text_yield, hint) for x, row, hint in places if row.text_yield is not None]
    mean = [Point(x, 100 * clean[at] / taken[at]) for at, (x, _, _) in enumerate(places) if taken[at]]
    ends = [(row.minute + course.minutes) / unit for row in rows]
    grown = [Point(0, 0), *(Point(ends[at], words[at], hint) for at, (_, _, hint) in enumerate(places))]

    def shown(value: float) -> str:
        return f"{value:g} {name}"

    return (
        '<div class="pair">'
        f"<div><h2>Yield over time</h2>\n{line_chart('Yield over time, in percent', yields, shown, _percent, mean)}"
        '<p class="note">Bytes of clean text for each byte downloaded. Dashed: from the beginning on.</p></div>\n'
        f"<div><h2>Words of clean text</h2>\n{line_chart('Words of clean text', grown, shown, _short)}</div></div>"
    )


def _unit(minutes: int) -> tuple[int, str]:
    """Choose the unit of an axis of so many minutes."""
    return next(((unit, name) for unit, name in ((1440, "d"), (60, "h")) if minutes > 2 * unit), (1, "min"))


def _hint(row: CourseRow, minutes: int) -> str:
    share = "" if row.text_yield is None else f", yield {row.text_yield:.2%}"
    return (
        f"from {duration(60 * row.minute)}, {plural(minutes, 'minute')}: {plural(row.pages, 'page')}, "
        f"{plural(row.words, 'word')}, {size(row.bytes)}{share}"
    )


def _percent(value: float) -> str:
    return f"{value:.3g}%"


def _short(value: float) -> str:
    """Write a large number with a unit: `1.5 M`."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g}"


def _outcomes(outcomes: OutcomeTable) -> str:
    largest = max((row.share for row in outcomes.rows), default=0.0) or 1.0
    rows = [
        [
            escape(row.outcome),
            _bar(row.share / largest, row.outcome in NEW_TEXT),
            f"{row.share:.1%}",
            size(row.bytes),
            f"{row.requests:,}",
            f'<span class="soft">{escape(row.meaning)}</span>',
        ]
        for row in outcomes.rows
    ]
    headings = ("outcome", "", "of bytes", "downloaded", "requests", "")
    return f"<h2>What the bytes were spent on</h2>\n{_table(headings, rows, bars=(1,), texts=(5,))}"


def _hosts(found: CrawlStatistics, order: str) -> str:
    title, about = _HOST_TABLES[order]
    hosts = [row for row in found.hosts(order, SHOWN_HOSTS) if row.bytes]
    highest = max((row.text_yield or 0.0 for row in hosts), default=0.0) or 1.0
    note = f'<p class="note">{about}</p>' if about else ""
    rows = [_host(row, highest) for row in hosts]
    return f"<h2>{title}</h2>\n{note}{_table(_HOST_HEADINGS, rows, bars=(3,), texts=(9,))}"


def _host(row: HostRow, highest: float) -> list[str]:
    return [
        escape(row.host),
        f"{row.words:,}",
        f"{row.text_yield or 0:.2%}",
        _bar((row.text_yield or 0) / highest, good=True),
        f"{row.pages:,}",
        f"{row.texts:,}",
        f"{row.copies:,}",
        f"{row.bytes / 1e6:,.1f}",
        f"{row.queued:,}",
        escape(row.left),
    ]


def _reasons(title: str, reasons: ReasonTable) -> str:
    rows = [
        [escape(row.reason), f"{row.count:,}", f'<span class="soft">{escape(row.meaning)}</span>']
        for row in reasons.rows[:_MAX_REASONS]
    ]
    return f"<div><h2>{title}</h2>\n{_table(('reason', f'{reasons.what}s', ''), rows, texts=(2,))}</div>"


def _bar(share: float, good: bool) -> str:
    return f'<i{" class=good" if good else ""} style="width:{share:.1%}"></i>'


def _table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], bars: Sequence[int] = (), texts: Sequence[int] = ()
) -> str:
    """Make a table of cells that are HTML; a table without rows says so."""
    kinds = {**dict.fromkeys(bars, ' class="bar"'), **dict.fromkeys(texts, ' class="text"')}
    lines = ["".join(f"<td{kinds.get(at, '')}>{cell}</td>" for at, cell in enumerate(row)) for row in rows]
    if not lines:
        return '<p class="note">None.</p>'
    head = "".join(f"<th{kinds.get(at, '')}>{heading}</th>" for at, heading in enumerate(headings))
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'
