"""What a running crawl shows: a few lines on a terminal that are drawn anew each second, or lines of JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gristmill.cli.console import notes_above
from gristmill.cli.table import write_text
from gristmill.cli.terminal import safe
from gristmill.wording import duration, size

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from gristmill.crawling.progress import CrawlProgress, CrawlTotals

View = Callable[["CrawlProgress"], None]
"""A function that shows how far a crawl is."""
_JSON_SECONDS = 5.0
"""Between two lines of JSON."""
_FIGURE_COLUMNS, _VALUE_COLUMNS = 26, 11
_OUTCOME_COLUMNS = 14
_MAX_RECENT = 5
_STATES = {
    "running": "crawling",
    "waiting for the network": "nothing answers: waiting until the network is back",
    "stopping": "stopping when what is in flight has come; Ctrl-C again stops at once",
}


@contextmanager
def crawl_view(name: str, *, as_json: bool) -> Iterator[View]:
    """Show a crawl as lines of JSON on standard output, or live on the terminal; nowhere if there is none."""
    if as_json:
        yield _JsonLines().show
    elif sys.stderr.isatty():
        with _live(name) as show:
            yield show
    else:
        yield _ignored


def _ignored(progress: CrawlProgress) -> None:
    del progress


class _JsonLines:
    """A view that writes a line of JSON every few seconds."""

    def __init__(self) -> None:
        self._last = 0.0

    def show(self, progress: CrawlProgress) -> None:
        now = time.monotonic()
        if now - self._last >= _JSON_SECONDS:
            self._last = now
            write_line(progress)


def write_line(totals: CrawlTotals) -> None:
    """Write the figures of a crawl as a line of JSON."""
    write_text(json.dumps(totals.to_json()) + "\n")


@contextmanager
def _live(name: str) -> Iterator[View]:
    from rich.console import Console, Group
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    # Drawn only when there is something new, by the thread of the crawl: it needs no thread of its own.
    with Live(console=console, transient=True, auto_refresh=False) as live, notes_above(console):
        yield lambda progress: live.update(Group(*view_lines(name, progress, console)), refresh=True)


def view_lines(name: str, progress: CrawlProgress, console: Console) -> list[Text]:
    """Lay out the lines for a console of any width and height."""
    from rich.text import Text

    figures = _figures(progress)
    across = max(console.width // _FIGURE_COLUMNS, 1)
    title = f"{_STATES[progress.state]}: {safe(name)}, {duration(progress.seconds)}"
    lines = [Text(title, "bold" if progress.state == "running" else "yellow")]
    lines += [Text.assemble(*map(_cell, figures[at : at + across])) for at in range(0, len(figures), across)]
    for item in progress.recent[-_MAX_RECENT:]:
        outcome = f"{safe(item.outcome)[: _OUTCOME_COLUMNS - 1]:<{_OUTCOME_COLUMNS}}"
        lines.append(Text.assemble((outcome, "green" if item.outcome == "text" else "dim"), (safe(item.url), "dim")))
    for line in lines:
        line.truncate(console.width, overflow="ellipsis")
    return lines[: max(console.height - 1, 1)]


def _figures(progress: CrawlProgress) -> list[tuple[str, str]]:
    return [
        (f"{progress.pages:,}", "pages"),
        (f"{progress.words:,}", "words"),
        (f"{progress.text_yield:.2%}", "yield"),
        (f"{progress.pages_per_second:,.1f}", "pages/s"),
        (f"{progress.bytes_per_second / 1e6:,.2f}", "MB/s"),
        (size(progress.bytes), "downloaded"),
        (f"{progress.hosts_active:,}", "hosts active"),
        (f"{progress.hosts_waiting:,}", "hosts waiting"),
        (f"{progress.hosts_left:,}", "hosts left"),
        (f"{progress.queued:,}", "queued"),
        (f"{progress.in_flight:,}", "in flight"),
        (f"{progress.failures:,}", "failed"),
    ]


def _cell(figure: tuple[str, str]) -> Text:
    from rich.text import Text

    value, label = figure
    text = f"{value:>{_VALUE_COLUMNS}} "
    return Text.assemble((text, "bold"), f"{label:<{_FIGURE_COLUMNS - len(text)}}")
