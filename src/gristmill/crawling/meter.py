"""The meter of a crawl: how far it is, how fast it goes, and whether it has what was asked for."""

from __future__ import annotations

import time
from typing import Any

from gristmill.crawling.config import StopConfig
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.ledger import Ledger
from gristmill.crawling.progress import CrawlProgress, CrawlSummary, State

_COUNT_SECONDS = 10.0  # between two counts of the whole frontier, which take time
_SPEED_READINGS = 10  # over which speed is measured, one about every second
_SUMS = ("requests", "pages", "texts", "words", "bytes", "failures")


class Meter:
    """Reads the figures of a crawl from its ledger and its frontier."""

    def __init__(self, stop: StopConfig, frontier: Frontier, ledger: Ledger) -> None:
        self._stop = stop
        self._frontier = frontier
        self._ledger = ledger
        self._before = float(frontier.state("seconds", 0.0))
        self._begun = time.monotonic()
        self._counted = -_COUNT_SECONDS
        self._counts = {"queued": 0, "hosts_left": 0}
        self._readings: list[tuple[float, int, int]] = []

    @property
    def seconds(self) -> float:
        """How long the crawl has run, all its runs together."""
        return self._before + time.monotonic() - self._begun

    def reached(self) -> str:
        """Name the rule by which the crawl is to stop: `pages`, `words`...; empty if there is none."""
        stop, totals = self._stop, self._ledger.totals
        for name, most, value in (
            ("pages", stop.pages, totals["pages"]),
            ("words", stop.words, totals["words"]),
            ("megabytes", stop.megabytes * 1_000_000, totals["bytes"]),
            ("hours", stop.hours * 3600, self.seconds),
        ):
            if most and value >= most:
                return name
        return ""

    def is_time_to_count(self) -> bool:
        """Count the frontier if the last count was some time ago; tells whether it was."""
        if time.monotonic() - self._counted <= _COUNT_SECONDS:
            return False
        self._count()
        return True

    def _count(self) -> None:
        self._counted = time.monotonic()
        self._counts = {"queued": self._frontier.queued(), "hosts_left": self._frontier.dead_hosts()}

    def _totals(self) -> dict[str, Any]:
        totals = self._ledger.totals
        sums = {name: totals[name] for name in _SUMS}
        return {"seconds": self.seconds, "clean_bytes": totals["clean"], **self._counts, **sums}

    def progress(self, state: State, in_flight: int, active: int, waiting: int) -> CrawlProgress:
        """Tell how far the crawl is, given what it is doing and how many requests and hosts it has in hand."""
        now, totals = time.monotonic(), self._ledger.totals
        self._readings = [*self._readings[-_SPEED_READINGS:], (now, totals["pages"], totals["bytes"])]
        then, pages, size = self._readings[0]
        seconds = max(now - then, 1e-9)
        return CrawlProgress(
            **self._totals(),
            state=state,
            in_flight=in_flight,
            hosts_active=active,
            hosts_waiting=waiting,
            pages_per_second=(totals["pages"] - pages) / seconds,
            bytes_per_second=(totals["bytes"] - size) / seconds,
            recent=tuple(self._ledger.recent),
        )

    def summary(self, ended: str) -> CrawlSummary:
        """Tell what the crawl has done, and why it ended."""
        self._count()
        return CrawlSummary(**self._totals(), ended=ended)
