"""Strategies: in which order hosts and addresses come, and which hosts are left.

`YieldStrategy` goes where text is found (SpiderLing: Suchomel & Pomikálek, "Efficient Web Crawling for Large Text
Corpora", 2012). `BreadthFirst` takes addresses as they are discovered (crawler nut of GLB: Kornai & Halácsy 2008).
"""

from __future__ import annotations

import math
from typing import Protocol

from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.frontier import Account, Entry
from gristmill.crawling.hosts import Host
from gristmill.crawling.reading import Link

SEED_PRIOR = 0.2
"""The yield that is expected of the host of a seed: that of a very good one, so that seeds come first."""
_FIRST_RANK = -10.0  # of seeds and of targets of redirects, before all links
_PRIOR_BYTES = 50_000  # so many bytes downloaded weigh as much as what was expected of a host
_INHERITED = 0.5  # of the yield of a host is expected of those that it links to: what is known comes before the unknown
_UNKNOWN = 0.25  # of the mean yield is expected of a host that only bad ones link to
_DISTANCE_WEIGHT = 0.001  # the rank of a link for each link from the seed
_FOREIGN_RANK = 1.0  # of links that are said to lead to another language
_NO_LIMIT = 1 << 62
_MIN_YIELD = 1e-6
_MAX_STRETCH = 20.0
_BARREN = 3  # times the documents after which a host is judged, a domain is


class Strategy(Protocol):
    """What a crawl asks of its strategy. Lower ranks come first."""

    retries: int
    """How often a request is tried again that failed for a reason that may pass."""
    host_failures: int
    """After so many failures in a row, a host is left."""
    ranks_by_address: bool
    """Whether the rank of a host is that of its first address."""
    is_hurried: bool
    """Whether a host that asks to be left alone for longer than `max_delay` is left, since others wait for the end."""

    def link_rank(self, link: Link, page_yield: float, distance: int) -> float:
        """Rank an address among those of its host; `page_yield` is that of the page that links to it."""

    def first_rank(self) -> float:
        """Rank a seed or the target of a redirect."""

    def host_rank(self, host: Host, first: Entry | None) -> float:
        """Rank a host among all; `first` is the address that comes next."""

    def prior(self, host: Host, mean_yield: float) -> float:
        """Tell what yield is expected of hosts that a host links to, given the yield of the whole crawl."""

    def room(self, host: Host) -> int:
        """Tell how many addresses may wait for a host."""

    def fault(self, host: Host) -> str:
        """Tell why a host is to be left; empty if it is not."""

    def is_barren(self, domain: Account) -> bool:
        """Tell whether no more hosts of a domain are to be visited."""

    def worst_rank(self, busy: float, mean_yield: float) -> float:
        """Return the highest rank of a host that may be visited while a share of all connections is in use."""

    def stretch(self, host: Host, mean_yield: float) -> float:
        """Tell how many times its delay a host has to rest, given the yield of the whole crawl."""


def expected_yield(host: Host) -> float:
    """Estimate the yield of a host: what was measured, and before that what was expected.

    A host of which 0.08 is expected and that gave 1,000 bytes of text for 50,000 has (1000 + 4000) / 100,000 = 0.05.
    """
    return (host.clean + host.prior * _PRIOR_BYTES) / (host.bytes + _PRIOR_BYTES)


class YieldStrategy:
    """Hosts by the clean text in the wanted languages that they give for each byte; links of good pages first."""

    ranks_by_address = False
    is_hurried = False

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config.strategy
        self._languages = frozenset(config.scope.languages)
        self._pages_per_host = config.manners.pages_per_host
        self._stays = bool(config.scope.sites)  # who asks for a site wants all of it
        self.retries = config.manners.retries
        self.host_failures = config.manners.host_failures

    def link_rank(self, link: Link, page_yield: float, distance: int) -> float:
        """Rank links by the yield of their page, then by their distance from the seed."""
        foreign = link.lang and self._languages and link.lang.partition("-")[0].lower() not in self._languages
        return _DISTANCE_WEIGHT * distance - min(page_yield, 1.0) + (_FOREIGN_RANK if foreign else 0.0)

    def first_rank(self) -> float:
        """Rank seeds and targets of redirects before all links."""
        return _FIRST_RANK

    def host_rank(self, host: Host, first: Entry | None) -> float:
        """Rank hosts by their expected yield."""
        del first
        return -expected_yield(host)

    def prior(self, host: Host, mean_yield: float) -> float:
        """Expect a share of its own yield from hosts that a host links to, and of any host a share of the mean.

        So a host that nobody knows comes before one that is known to be bad.
        """
        return max(_INHERITED * expected_yield(host), _UNKNOWN * mean_yield)

    def room(self, host: Host) -> int:
        """Bound the queue of a host; one that gives text may have more in it."""
        bounded = self._config.max_queued and not self._stays
        return max(self._config.max_queued, host.texts) if bounded else _NO_LIMIT

    def fault(self, host: Host) -> str:
        """Leave a host whose yield is below the threshold, which rises with the number of its documents."""
        if self._pages_per_host and host.pages >= self._pages_per_host:
            return "enough-pages"
        if self._stays or host.pages < self._config.min_documents or host.bytes < self._config.min_bytes:
            return ""
        return "low-yield" if host.text_yield < self._least(host.pages) else ""

    def _least(self, documents: int) -> float:
        """Return the yield that is asked of so many documents: with a threshold of 0.01, 0.01 of 100 of them."""
        return self._config.threshold * (math.log10(documents) - 1)

    def is_barren(self, domain: Account) -> bool:
        """Visit no new hosts of a domain whose hosts together have a low yield: names below a name cost nothing."""
        return (
            not self._stays
            and domain.pages >= _BARREN * self._config.min_documents
            and domain.bytes >= self._config.min_bytes
            and domain.clean < self._least(domain.pages) * domain.bytes
        )

    def worst_rank(self, busy: float, mean_yield: float) -> float:
        """Let hosts below the mean have a smaller share of the connections: half the yield, a quarter of them.

        Else a crawl that has room for more requests would spend its bytes on whatever host has a page left.
        """
        return -mean_yield * math.sqrt(busy) if busy else math.inf

    def stretch(self, host: Host, mean_yield: float) -> float:
        """Visit hosts below the mean less often: half the yield, half as often."""
        return min(max(mean_yield / max(expected_yield(host), _MIN_YIELD), 1.0), _MAX_STRETCH)


class BreadthFirst:
    """Addresses in the order of their discovery, each once; what fails is never tried again."""

    ranks_by_address = True
    is_hurried = False

    def __init__(self, config: CrawlConfig, discovered: int) -> None:
        self._pages_per_host = config.manners.pages_per_host
        self.discovered = discovered
        """How many addresses were discovered so far, in all runs of the crawl."""
        self.retries = 0
        self.host_failures = 1

    def link_rank(self, link: Link, page_yield: float, distance: int) -> float:
        """Rank addresses by when they were discovered."""
        del link, page_yield, distance
        return self.first_rank()

    def first_rank(self) -> float:
        """Rank addresses by when they were discovered."""
        self.discovered += 1
        return float(self.discovered)

    def host_rank(self, host: Host, first: Entry | None) -> float:
        """Rank a host by its first address."""
        return first.rank if first else host.rank

    def prior(self, host: Host, mean_yield: float) -> float:
        """Expect nothing."""
        del host, mean_yield
        return 0.0

    def room(self, host: Host) -> int:
        """Bound no queue."""
        del host
        return _NO_LIMIT

    def fault(self, host: Host) -> str:
        """Leave hosts only if they gave as many pages as they may."""
        return "enough-pages" if self._pages_per_host and host.pages >= self._pages_per_host else ""

    def is_barren(self, domain: Account) -> bool:
        """Leave no domain."""
        del domain
        return False

    def worst_rank(self, busy: float, mean_yield: float) -> float:
        """Visit every host."""
        del busy, mean_yield
        return math.inf

    def stretch(self, host: Host, mean_yield: float) -> float:
        """Visit all hosts as often."""
        del host, mean_yield
        return 1.0


class Given(BreadthFirst):
    """The seeds in their order; what fails is tried again, as their number is known and each is wanted."""

    is_hurried = True

    def __init__(self, config: CrawlConfig, discovered: int) -> None:
        super().__init__(config, discovered)
        self.retries = config.manners.retries
        self.host_failures = config.manners.host_failures


def strategy_of(config: CrawlConfig, discovered: int) -> YieldStrategy | BreadthFirst:
    """Make the strategy that the settings name."""
    match config.strategy.name:
        case "yield":
            return YieldStrategy(config)
        case "given":
            return Given(config, discovered)
        case _:
            return BreadthFirst(config, discovered)
