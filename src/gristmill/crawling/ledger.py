"""The ledger: what a page or a failure means for the frontier, the archive and the host that it came from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from gristmill.archive.attributes import to_field
from gristmill.crawling.addresses import Address
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.folder import Log
from gristmill.crawling.frontier import PAGE, STORED, Entry, Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.parts import Parts
from gristmill.crawling.progress import Fetched
from gristmill.crawling.reading import Link, Reading
from gristmill.crawling.strategy import SEED_PRIOR, Strategy
from gristmill.crawling.traps import domain_of, pattern_number
from gristmill.fetching.exchange import Exchange, Failure
from gristmill.fetching.urls import host_of, key_of

PAGES = frozenset(["text", "copy", "no-text", "other-language", "page"])
"""Outcomes of pages that are stored and count as such: not redirects and errors, which are stored, too."""
_MAX_RECENT = 5
_REDIRECTS = range(300, 400)
_OK = 200


class Archive(Protocol):
    """Where the records of pages go."""

    def append(self, data: bytes) -> None:
        """Write records behind all others."""


class Ledger:
    """Accounts for what comes back from the web, and keeps the sums of the crawl."""

    def __init__(
        self, config: CrawlConfig, frontier: Frontier, strategy: Strategy, archive: Archive, parts: Parts, log: Log
    ) -> None:
        self._config = config
        self._frontier = frontier
        self._strategy = strategy
        self._archive = archive
        self._parts = parts
        self._log = log
        self._measures_text = config.measures_text
        self.totals = frontier.totals()
        self.recent: deque[Fetched] = deque(maxlen=_MAX_RECENT)

    def seeds(self, addresses: Iterable[Address]) -> list[Host]:
        """Put the addresses that the crawl begins with into the queue."""
        links = []
        for url, attributes in addresses:
            links.append(Link(key_of(url), host_of(url), url))
            if attributes:
                self._frontier.describe(links[-1].key, to_field(attributes))
        return self._frontier.add(
            [link for link in links if self._parts.is_own(link.host)],
            distance=0,
            rank=lambda _: self._strategy.first_rank(),
            prior=SEED_PRIOR,
            room=lambda _: len(links) + 1,
        )

    def received(self, link: Link, distance: int, redirects: int, prior: float, rank: float) -> list[Host]:
        """Take an address from another part of the crawl."""
        breadth_first = self._config.strategy.name == "breadth-first"
        return self._frontier.add(
            [link],
            distance=distance,
            rank=lambda _: self._strategy.first_rank() if breadth_first else rank,
            prior=prior,
            room=self._strategy.room,
            redirects=redirects,
        )

    def page(self, host: Host, entry: Entry, exchange: Exchange, reading: Reading, now: float) -> list[Host]:
        """Account for a whole answer; returns the hosts that got addresses."""
        if reading.record:
            self._archive.append(reading.record)
        size = len(exchange.wire)
        outcome = self._outcome(host, exchange, reading)
        is_text = outcome == "text"
        clean, words = (reading.clean_bytes, reading.words) if is_text else (0, 0)
        host.pages += 1
        host.failures = 0
        host.bytes += size
        host.clean += clean
        host.words += words
        host.texts += is_text
        host.copies += outcome == "copy"
        fresh = clean if self._measures_text else size * (outcome != "copy")
        accounts = [self._frontier.domain(domain_of(host.name))]
        if reading.pattern:
            accounts.append(self._frontier.pattern(host, pattern_number(reading.pattern)))
        for account in accounts:
            account.pages += 1
            account.bytes += size
            account.clean += fresh
        self._frontier.left_out.update(reading.left_out)
        hosts = self._follow(host, entry, exchange, reading, clean / size if size else 0.0)
        self._frontier.finish(host, entry, reading.refused or (STORED if exchange.status == _OK else outcome))
        self._sum(outcome, size, pages=int(outcome in PAGES), texts=int(is_text), clean=clean, words=words)
        self._log.write(now, outcome, exchange.url, exchange.status, size, clean, words, reading.lang or "-")
        self.recent.append(Fetched(exchange.url, outcome, words))
        self.judge(host)
        return hosts

    def failure(self, host: Host, entry: Entry, failure: Failure, now: float) -> None:
        """Account for a request without an answer that could be kept; the address is done with."""
        host.bytes += failure.received
        self._frontier.finish(host, entry, failure.reason)
        self.loss(host, failure, now)
        self.judge(host)

    def loss(self, host: Host, failure: Failure, now: float) -> None:
        """Count a request that brought nothing."""
        self._frontier.change(host)
        self._sum(failure.reason, failure.received, failures=1)
        self._log.write(now, failure.reason, failure.url, failure.status, failure.received, failure.detail or "-")
        self.recent.append(Fetched(failure.url, failure.reason))

    def aside(self, host: Host, name: str, size: int, url: str, now: float) -> None:
        """Count a request for something that is no page, such as robots.txt."""
        host.bytes += size
        self._frontier.change(host)
        self._sum(name, size)
        self._log.write(now, name, url, "-", size)

    def refuse(self, host: Host, entry: Entry, reason: str, now: float) -> None:
        """Give up an address without a request."""
        self._frontier.finish(host, entry, reason)
        self._frontier.left_out[reason] += 1
        self._log.write(now, reason, entry.url)

    def judge(self, host: Host) -> None:
        """Leave a host if the strategy says so, else rank it anew."""
        fault = self._strategy.fault(host)
        if fault:
            self._frontier.leave(host, fault)
        else:
            host.rank = self._strategy.host_rank(host, None)

    def _sum(self, outcome: str, size: int, **counts: int) -> None:
        self._frontier.note(outcome, size)
        for name, count in {"requests": 1, "bytes": size, **counts}.items():
            self._frontier.course[name] += count
            self.totals[name] += count

    def _outcome(self, host: Host, exchange: Exchange, reading: Reading) -> str:
        if exchange.status in _REDIRECTS:
            return "redirect"
        if exchange.status != _OK:
            return f"status-{exchange.status}"
        if reading.refused or self._is_copy(host, reading):
            return reading.refused or "copy"
        if reading.clean_bytes or not self._measures_text:
            return "text" if self._measures_text else "page"
        wanted = self._config.scope.languages
        return "other-language" if wanted and reading.lang not in {"", "und", *wanted} else "no-text"

    def _is_copy(self, host: Host, reading: Reading) -> bool:
        """Tell whether the text of a page is there already, or the page that it says it is a form of."""
        if reading.sketch and self._frontier.is_copy(reading.sketch):
            return True
        canonical = reading.canonical
        return bool(canonical) and host_of(canonical) == host.name and self._frontier.is_stored(key_of(canonical))

    def is_barren(self, host: Host) -> bool:
        """Tell whether a host that was never visited is of a domain whose other hosts gave nothing."""
        return not host.pages and self._strategy.is_barren(self._frontier.domain(domain_of(host.name)))

    def is_trap(self, host: Host, pattern: str) -> bool:
        """Tell whether addresses of a pattern were often fetched in vain."""
        found = self._frontier.pattern(host, pattern_number(pattern))
        rules = self._config.traps
        return 0 < rules.pattern_pages <= found.pages and found.clean < rules.pattern_yield * found.bytes

    def _follow(self, host: Host, entry: Entry, exchange: Exchange, reading: Reading, page_yield: float) -> list[Host]:
        if not reading.links:
            return []
        if exchange.status in _REDIRECTS:
            if entry.redirects >= self._config.fetch.max_redirects:
                self._frontier.left_out["redirects"] += 1
                return []
            if attributes := self._frontier.attributes(entry.key):
                self._frontier.describe(reading.links[0].key, attributes)
            return self._add(host, reading.links, page_yield, entry.distance, entry.redirects + 1)
        if entry.distance >= self._config.max_distance:
            self._frontier.left_out["distance"] += len(reading.links)
            return []
        return self._add(host, reading.links, page_yield, entry.distance + 1, 0)

    @property
    def mean_yield(self) -> float:
        """Bytes of new clean text for each byte downloaded, of the whole crawl."""
        return self.totals["clean"] / self.totals["bytes"] if self.totals["bytes"] else 0.0

    def _add(
        self, host: Host, links: list[Link], page_yield: float, distance: int, redirects: int, kind: int = PAGE
    ) -> list[Host]:
        def rank(link: Link) -> float:
            if redirects:
                return self._strategy.first_rank()
            return self._strategy.link_rank(link, page_yield, distance)

        prior = self._strategy.prior(host, self.mean_yield)
        if self._parts.count > 1:
            others = [link for link in links if not self._parts.is_own(link.host)]
            self._frontier.send(
                others, self._parts.part_of, distance=distance, redirects=redirects, prior=prior, rank=rank
            )
            links = [link for link in links if self._parts.is_own(link.host)]
        return self._frontier.add(
            links, distance=distance, rank=rank, prior=prior, room=self._strategy.room, redirects=redirects, kind=kind
        )

    def addresses(self, host: Host, urls: Iterable[str], entry: Entry | None, kind: int) -> list[Host]:
        """Put addresses into the queue that robots.txt or a sitemap names."""
        links = [Link(key_of(url), host_of(url), url) for url in urls]
        distance = entry.distance + 1 if entry else 1
        if distance > self._config.scope.max_distance:
            self._frontier.left_out["distance"] += len(links)
            return []
        return self._add(host, links, 0.0, distance, 0, kind)
