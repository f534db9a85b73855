"""The figures of a crawl, read from its frontier: yield by host and over time, and what was downloaded in vain.

A crawl may be running meanwhile. If it was divided into parts, their folders lie in one folder, and the figures are of
all parts together: a host belongs to one part only, so its row is in one frontier. SQLite sorts the hosts, on disk if
need be, and they are passed on one by one: a million of them takes no memory here.
"""

from __future__ import annotations

import heapq
import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.arguments import as_path
from gristmill.crawling.figures import (
    HOST_COLUMNS,
    CourseRow,
    CourseTable,
    HostRow,
    HostTable,
    OutcomeTable,
    ReasonTable,
    course_row,
    outcome_table,
    reason_table,
)
from gristmill.crawling.frontier import NAME as FRONTIER
from gristmill.crawling.progress import CrawlTotals
from gristmill.database import connect
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.table import csv_text, records

SHOWN_HOSTS = 20
MAX_COURSE_ROWS = 120
"""The course of a longer crawl is shown in pieces of several minutes."""
_WAIT_SECONDS = 30.0
"""How long a crawl that is just writing is waited for."""
_FEW_PAGES = 10
"""Hosts with fewer pages come last in the order of yield: one page says little of its host."""
_YIELD = "CASE WHEN bytes THEN CAST(clean AS REAL) / bytes END"
_HOSTS = f"""SELECT name, pages, texts, copies, words, bytes, clean, {_YIELD}, queued, dead,
  %s AS first, %s AS second FROM host ORDER BY first, second, name"""  # noqa: S608 (no values of users)
ORDERS = {
    "words": ("-words", "-bytes"),
    "yield": (f"pages < {_FEW_PAGES}", f"-coalesce({_YIELD}, -1)"),
    "waste": ("clean - bytes", "-pages"),
    "bytes": ("-bytes", "-pages"),
    "pages": ("-pages", "-bytes"),
    "queued": ("-queued", "-bytes"),
    "host": ("0", "0"),
}
"""Orders of hosts. `waste`: bytes that did not become clean text."""


@dataclass(frozen=True, slots=True)
class CrawlStatistics:
    """The figures of a crawl."""

    folder: Path
    parts: int
    """How many frontiers were read: one, if the crawl is not divided into parts."""
    totals: CrawlTotals
    hosts_known: int
    hosts_visited: int
    """Hosts from which something was downloaded."""
    hosts_queued: int
    """Hosts with addresses in the queue."""
    outcomes: OutcomeTable
    course: CourseTable
    left_out: ReasonTable
    """Links that were not put into the queue."""
    hosts_left: ReasonTable
    """Hosts that were left for good."""

    @classmethod
    def read(cls, folder: str | Path) -> CrawlStatistics:
        """Read the figures of the crawl in a folder, or of its parts, which are folders in it."""
        place = as_path(folder, "folder")
        with _frontiers(place) as frontiers:
            return _read(place, frontiers)

    def hosts(self, order: str = "words", limit: int | None = None) -> Iterator[HostRow]:
        """Go through the hosts in one of `ORDERS`, as they are now."""
        if order not in ORDERS:
            raise UsageError(
                f"there is no order {order!r}{did_you_mean(order, ORDERS)} (there are: {', '.join(ORDERS)})"
            )
        with _frontiers(self.folder) as frontiers:
            found = [frontier.execute(_HOSTS % ORDERS[order]) for frontier in frontiers]
            with closing(heapq.merge(*found, key=lambda row: (row[-2], row[-1], row[0]))) as rows:
                for row in itertools.islice(rows, limit):
                    yield HostRow(*row[:-2])

    def host_table(self, order: str = "words", limit: int | None = SHOWN_HOSTS) -> HostTable:
        """Make a table of the first hosts in one of `ORDERS`."""
        return HostTable(order, tuple(self.hosts(order, limit)))

    def to_json(self, order: str = "words", limit: int | None = SHOWN_HOSTS) -> dict[str, Any]:
        """Return one record of all figures, with the first hosts in an order."""
        return {
            "folder": str(self.folder),
            "parts": self.parts,
            "totals": self.totals.to_json(),
            "hosts_known": self.hosts_known,
            "hosts_visited": self.hosts_visited,
            "hosts_queued": self.hosts_queued,
            "bytes_in_vain": self.outcomes.in_vain,
            "outcomes": self.outcomes.to_json()["rows"],
            "left_out": self.left_out.to_json()["rows"],
            "hosts_left": self.hosts_left.to_json()["rows"],
            "course": self.course.to_json(),
            "hosts": records(HOST_COLUMNS, map(_cells, self.hosts(order, limit))),
        }

    def to_csv(self, order: str = "words", limit: int | None = None) -> Iterator[str]:
        """Write the hosts as comma-separated values, in pieces: a million of them is a lot of text."""
        names = [column.name for column in HOST_COLUMNS]
        yield csv_text(names, ())
        rows = map(_cells, self.hosts(order, limit))
        while piece := list(itertools.islice(rows, 1_000)):
            yield csv_text(names, piece).split("\n", 1)[1]

    def __repr__(self) -> str:
        return (
            f"<CrawlStatistics: {self.totals.pages:,} pages, {self.totals.words:,} words, "
            f"yield {self.totals.text_yield:.2%}, {self.hosts_visited:,} hosts>"
        )


def _cells(row: HostRow) -> list[Any]:
    return [getattr(row, column.name) for column in HOST_COLUMNS]


def frontier_files(folder: Path) -> list[Path]:
    """Find the frontier of a crawl, or those of its parts; raise if there is none."""
    whole = folder / FRONTIER
    found = [whole] if whole.is_file() else sorted(path for path in folder.glob(f"*/{FRONTIER}") if path.is_file())
    if not found:
        raise UsageError(f"there is no crawl in {folder}: it has no {FRONTIER}, nor has a folder in it")
    return found


@contextmanager
def _frontiers(folder: Path) -> Iterator[list[sqlite3.Connection]]:
    """Open all frontiers for reading, each in the state of one moment."""
    files = frontier_files(folder)
    try:
        with ExitStack() as opened:
            yield [opened.enter_context(closing(_opened(file))) for file in files]
    except sqlite3.Error as error:
        raise GristmillError(f"can't read the figures of the crawl in {folder}: {error}") from error


def _opened(file: Path) -> sqlite3.Connection:
    frontier = connect(file, timeout=_WAIT_SECONDS, read_only=True)
    frontier.execute("BEGIN")
    return frontier


def _read(folder: Path, frontiers: list[sqlite3.Connection]) -> CrawlStatistics:
    outcomes: dict[str, tuple[int, int]] = {}
    for name, count, size in _all(frontiers, "SELECT name, count, bytes FROM outcome"):
        requests, known = outcomes.get(name, (0, 0))
        outcomes[name] = (requests + count, known + size)
    left = _counted(frontiers, "SELECT dead, count(*) FROM host WHERE dead <> '' GROUP BY dead")
    known, visited, waiting, queued = _sums(
        frontiers, "SELECT count(*), sum(bytes > 0), sum(queued > 0), sum(queued) FROM host"
    )
    requests, pages, texts, words, size, clean, failures = _sums(
        frontiers,
        """SELECT sum(requests), sum(pages), sum(texts), sum(words), sum(bytes), sum(clean), sum(failures)
           FROM course""",
    )
    # Parts run at the same time: the crawl took as long as the longest of them.
    minutes = _largest(frontiers, "SELECT 1 + max(minute) FROM course")
    return CrawlStatistics(
        folder=folder,
        parts=len(frontiers),
        totals=CrawlTotals(
            seconds=_largest(frontiers, "SELECT max(value) FROM state WHERE name = 'seconds'"),
            requests=requests,
            pages=pages,
            texts=texts,
            words=words,
            bytes=size,
            clean_bytes=clean,
            failures=failures,
            queued=queued,
            hosts_left=sum(left.values()),
        ),
        hosts_known=known,
        hosts_visited=visited,
        hosts_queued=waiting,
        outcomes=outcome_table(outcomes),
        course=_course(frontiers, int(minutes)),
        left_out=reason_table("link", _counted(frontiers, "SELECT name, count FROM left_out")),
        hosts_left=reason_table("host", left),
    )


def _course(frontiers: list[sqlite3.Connection], minutes: int) -> CourseTable:
    """Add up the parts, in pieces of so many minutes that there are not too many."""
    size = -(-minutes // MAX_COURSE_ROWS) or 1
    query = f"""SELECT minute / {size} * {size}, sum(requests), sum(pages), sum(texts), sum(words), sum(bytes),
                sum(clean), sum(failures) FROM course GROUP BY 1"""  # noqa: S608 (numbers)
    pieces: dict[int, list[CourseRow]] = {}
    for minute, *sums in _all(frontiers, query):
        pieces.setdefault(minute, []).append(CourseRow(minute, *sums))
    return CourseTable(size, tuple(course_row(minute, rows) for minute, rows in sorted(pieces.items())))


def _all(frontiers: Iterable[sqlite3.Connection], query: str) -> Iterator[tuple[Any, ...]]:
    for frontier in frontiers:
        yield from frontier.execute(query)


def _counted(frontiers: Iterable[sqlite3.Connection], query: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for name, count in _all(frontiers, query):
        counts[name] += count
    return dict(counts)


def _largest(frontiers: Iterable[sqlite3.Connection], query: str) -> float:
    return max(value or 0 for (value,) in _all(frontiers, query))


def _sums(frontiers: Iterable[sqlite3.Connection], query: str) -> list[int]:
    return [sum(value or 0 for value in values) for values in zip(*_all(frontiers, query), strict=True)]
