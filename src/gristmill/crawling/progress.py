"""What a crawl says of itself: how far it is while it runs, and what it has done when it ends."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["running", "waiting for the network", "stopping"]
"""What a crawl is doing."""

ENDINGS = {
    "pages": "the wanted number of pages is there",
    "words": "the wanted number of words is there",
    "megabytes": "the wanted number of megabytes is downloaded",
    "hours": "the time is over",
    "nothing left": "nothing is left to fetch",
    "interrupted": "interrupted",
}
"""Why a crawl ends, in words."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An address that was requested, and what came of it."""

    url: str
    outcome: str
    """`text`, `copy`, `no-text`, `redirect`, `status-404`, or the reason of a failure, as `crawl stats` shows them."""
    words: int = 0
    """Words of new clean text."""


@dataclass(frozen=True, slots=True)
class CrawlTotals:
    """What a crawl did, its earlier runs included."""

    seconds: float = 0.0
    """Of crawling; the time between two runs does not count."""
    requests: int = 0
    pages: int = 0
    """Answers that were stored."""
    texts: int = 0
    """Pages with new clean text in the wanted languages."""
    words: int = 0
    """Words of that text."""
    bytes: int = 0
    """Downloaded in all."""
    clean_bytes: int = 0
    """Bytes of that text."""
    failures: int = 0
    """Requests that brought no page to store."""
    queued: int = 0
    """Addresses that wait to be fetched."""
    hosts_left: int = 0
    """Hosts that were left for good."""

    @property
    def text_yield(self) -> float:
        """Bytes of new clean text for each byte downloaded."""
        return self.clean_bytes / self.bytes if self.bytes else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return one record with all fields and the yield."""
        return {**dataclasses.asdict(self), "yield": self.text_yield}


@dataclass(frozen=True, slots=True)
class CrawlProgress(CrawlTotals):
    """How far a crawl is: it is passed about once a second to the function that asked for it."""

    state: State = "running"
    in_flight: int = 0
    """Requests that are being answered now."""
    hosts_active: int = 0
    """Hosts that pages are being fetched from, one request after the other."""
    hosts_waiting: int = 0
    """Hosts with addresses in the queue whose turn has not come."""
    pages_per_second: float = 0.0
    """Over the last seconds."""
    bytes_per_second: float = 0.0
    recent: tuple[Fetched, ...] = ()
    """The last few addresses, the latest one at the end."""


@dataclass(frozen=True, slots=True)
class CrawlSummary(CrawlTotals):
    """What a crawl has done when it ends."""

    ended: str = "nothing left"
    """Why it ended: one of `ENDINGS`."""
