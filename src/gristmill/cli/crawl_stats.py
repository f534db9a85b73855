"""`gristmill crawl stats`: the figures of a crawl, as tables, JSON or CSV, and as a page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import HOST_ORDERS, one_of
from gristmill.cli.console import note
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_lines, write_result, write_text
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.wording import duration, plural, size

if TYPE_CHECKING:
    from gristmill.crawling.statistics import CrawlStatistics

_SHOWN_HOSTS = 10
_MAX_COURSE_LINES = 12


def stats(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder of a crawl, or one with the folders of its parts.", show_default=False
        ),
    ],
    *,
    hosts: Annotated[int | None, typer.Option(help="How many hosts are shown [10; all with --csv].", min=0)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all hosts.")] = False,
    sort: Annotated[
        str,
        typer.Option(
            metavar="ORDER", help=f"Order of hosts: {', '.join(HOST_ORDERS)}.", autocompletion=one_of(HOST_ORDERS)
        ),
    ] = "words",
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html into the folder.")] = True,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show what a crawl gave: yield by host and over time, and what was downloaded in vain.

    The crawl may be running. The same figures with pictures are written to report.html in its folder. Orders of hosts:
    waste puts those first whose bytes gave least text.

    \b
    Examples:
      gristmill crawl stats crawl
      gristmill crawl stats crawl --sort waste --hosts 50
      gristmill crawl stats crawl --csv > hosts.csv
      gristmill crawl stats crawl --json
    """
    from gristmill.crawling.statistics import CrawlStatistics

    form = chosen_format(as_json, as_csv)
    if sort not in HOST_ORDERS:
        hint = did_you_mean(sort, HOST_ORDERS)
        raise UsageError(f"there is no order {sort!r} of hosts{hint} (there are: {', '.join(HOST_ORDERS)})")
    found = CrawlStatistics.read(folder)
    limit = hosts if hosts is not None else None if everything or form == "csv" else _SHOWN_HOSTS
    if form == "csv":
        for piece in found.to_csv(sort, limit):
            write_text(piece)
    elif form == "json":
        write_json(found.to_json(sort, limit))
    else:
        _show(found, sort, limit)
    if report:
        _write_report(found)


def _show(found: CrawlStatistics, sort: str, limit: int | None) -> None:
    write_lines(_totals(found))
    _section("What the bytes were spent on")
    write_result(found.outcomes, "table")
    for title, table in (
        ("Over time", found.course.merged(_MAX_COURSE_LINES)),
        ("Hosts that were left", found.hosts_left),
        ("Links that were left out", found.left_out),
        (f"Hosts, by {sort}", found.host_table(sort, limit)),
    ):
        if table.cells():
            _section(title)
            write_result(table, "table")


def _section(title: str) -> None:
    write_lines(["", title])


def _totals(found: CrawlStatistics) -> list[str]:
    totals, outcomes = found.totals, found.outcomes
    in_vain = outcomes.in_vain / outcomes.bytes if outcomes.bytes else 0.0
    figures = {
        "pages stored": f"{totals.pages:,}",
        "  with new text": f"{totals.texts:,}",
        "words": f"{totals.words:,}",
        "downloaded": size(totals.bytes),
        "  clean text": f"{size(totals.clean_bytes)} (yield {totals.text_yield:.2%})",
        "  in vain": f"{size(outcomes.in_vain)} ({in_vain:.1%})",
        "requests": f"{totals.requests:,}",
        "  failed": f"{totals.failures:,}",
        "hosts known": f"{found.hosts_known:,}",
        "  visited": f"{found.hosts_visited:,}",
        "  left": f"{totals.hosts_left:,}",
        "queue": f"{plural(totals.queued, 'address')} of {plural(found.hosts_queued, 'host')}",
        "time": duration(totals.seconds),
    }
    if found.parts > 1:
        figures["parts"] = str(found.parts)
    width = max(map(len, figures)) + 2
    return [f"{name:<{width}}{value}" for name, value in figures.items()]


def _write_report(found: CrawlStatistics) -> None:
    from gristmill.html.crawl_report import write_report

    try:
        note(f"report written to {write_report(found.folder)}")
    except (OSError, GristmillError) as error:  # the figures may be of a crawl that is someone else's
        note(f"no report was written: {error}")
