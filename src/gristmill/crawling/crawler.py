"""The crawler: takes hosts from the scheduler, sends requests, has pages read by workers, and accounts for them.

Everything but the reading of pages happens in one process and one thread. A visit of a host is one request: its
robots.txt, a sitemap or a page. Then the host rests.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sqlite3
import ssl
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

from gristmill.crawling.addresses import Address
from gristmill.crawling.config import NAME as CONFIG
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.folder import Log
from gristmill.crawling.frontier import NAME, SITEMAP, Entry, Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.ledger import Ledger
from gristmill.crawling.manners import MAX_WAIT_SECONDS, Manners
from gristmill.crawling.meter import Meter
from gristmill.crawling.outage import HELD_SECONDS, UNREACHED, Held, Outage
from gristmill.crawling.page import PageReader, Task
from gristmill.crawling.parts import Parts
from gristmill.crawling.progress import CrawlProgress, CrawlSummary, State
from gristmill.crawling.reading import Link, Reading
from gristmill.crawling.rules import head_rule
from gristmill.crawling.scheduler import Scheduler
from gristmill.crawling.sitemaps import Sitemap, read_sitemap
from gristmill.crawling.strategy import BreadthFirst, strategy_of
from gristmill.crawling.traps import pattern_of
from gristmill.crawling.turns import Turns
from gristmill.crawling.warcs import WarcFiles, records
from gristmill.engine.pool import CallFailed, Pool, WorkerDied
from gristmill.errors import GristmillError
from gristmill.fetching.agent import PRODUCT, user_agent
from gristmill.fetching.client import Client, Limits
from gristmill.fetching.exchange import Endpoint, Exchange, Failure
from gristmill.fetching.networks import Networks
from gristmill.fetching.resolver import Resolver
from gristmill.fetching.robots import MAX_ROBOTS_BYTES, Robots, fetch_robots
from gristmill.fetching.urls import host_of, key_of, origin_of, port_of
from gristmill.fetching.waiting import retry_after
from gristmill.version import __version__
from gristmill.wording import duration

_LOGGER = logging.getLogger(__name__)
_COMMIT_SECONDS = 1.0
_DELIVERY_SECONDS = 5.0
_LAST_DELIVERY_SECONDS = 30.0  # a part of a crawl waits so long for addresses from others before it ends
_RESOLVED_SECONDS = 3_600.0
_ADDRESSES_A_VISIT = 50  # that are looked at before another host has its turn
_READING_A_WORKER = 16  # pages that wait for a worker before no more are fetched
_NO_TURN = "no-turn"  # why robots.txt was not asked for where it has moved to
_TURN_SECONDS = 0.1  # between two looks whether another host is free
_MAX_TURN_SECONDS = 3_600.0
MAX_SITEMAP_BYTES = 10_000_000
"""As they are sent, mostly compressed."""
_MAX_SITEMAPS = 50  # of a host
_BUSY = frozenset([429, 503])
_ASK_AGAIN_LATER = {"dns-failure", "connect", "timeout", "slow", "truncated"}
"""Failures that may pass."""

Listener = Callable[[CrawlProgress], None]


class Crawler:
    """One run of a crawl in its folder."""

    def __init__(
        self,
        folder: Path,
        config: CrawlConfig,
        resolver: Resolver,
        *,
        workers: int,
        ssl_context: ssl.SSLContext | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._config = config
        self._folder = folder
        self._resolver = resolver
        self._workers = workers
        self._ssl_context = ssl_context
        self._listener = listener
        self._networks = Networks(config.fetch.networks)
        self._reader = PageReader.of(config)
        self._agent = user_agent(config.manners.contact) if config.manners.contact else f"{PRODUCT}/{__version__}"
        number, count = config.own_part
        self._parts = Parts(folder, number, count)
        self._scheduler = Scheduler()
        self._outage = Outage()
        self._names = Outage(names=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests = 0
        self._reading = 0
        self._ending = ""
        self._error: BaseException | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_new = time.monotonic()

    async def run(self, seeds: Sequence[Address]) -> CrawlSummary:
        """Crawl until something ends it; `seeds` are addresses to begin with, none when a crawl goes on."""
        fields = {"http-header-user-agent": self._agent, "robots": "obey" if self._config.manners.robots else "ignore"}
        try:
            with (
                closing(Frontier(self._folder / NAME)) as self._frontier,
                closing(Log(self._folder)) as self._log,
                WarcFiles(self._folder, self._config.fetch.warc_bytes, fields) as self._warcs,
            ):
                self._begin(seeds)
                await self._work()
                return self._meter.summary(self._ending)
        except (OSError, sqlite3.Error) as error:
            raise GristmillError(
                f"can't go on in {self._folder}: {error}; when this is mended, `gristmill crawl {self._folder}` goes on"
            ) from error

    def _begin(self, seeds: Sequence[Address]) -> None:
        """Read how far the crawl is; a new one has its seeds on disk before its settings, which make it a crawl."""
        config = self._config
        self._strategy = strategy_of(config, self._frontier.state("discovered", 0))
        self._manners = Manners(config.manners, self._frontier)
        self._ledger = Ledger(config, self._frontier, self._strategy, self._warcs, self._parts, self._log)
        self._meter = Meter(config.stop, self._frontier, self._ledger)
        self._wake = asyncio.Event()
        if seeds:
            self._ledger.seeds(seeds)
            self._store()
        config.write(self._folder / CONFIG)

    async def _work(self) -> None:
        """Crawl with worker processes and a client."""
        async with (
            self._readers() as self._pool,
            Client(self._agent, self._networks, _limits(self._config), ssl_context=self._ssl_context,
                   keep_alive=self._config.manners.delay < 1) as self._client,
        ):  # fmt: skip
            await self._recover()
            self._frontier.limit_waits(time.time() + MAX_WAIT_SECONDS)
            self._frontier.wake_all()
            self._turns = Turns(self._frontier, self._strategy, self._scheduler)
            self._commit()
            try:
                await self._crawl()
            finally:
                await self._end_tasks()

    def _readers(self) -> AbstractAsyncContextManager[Pool[Task, Reading | Sitemap] | None]:
        """Start worker processes that read pages, if they are to be cleaned."""
        return Pool(self._workers, self._reader) if self._config.measures_text else contextlib.nullcontext()

    def stop(self, ending: str) -> None:
        """Take no more addresses, and end when what is in flight has come; a second call ends at once."""
        if self._ending:
            for task in self._tasks:
                task.cancel()
        self._ending = self._ending or ending
        self._wake.set()

    async def _crawl(self) -> None:
        """Keep requests in flight until the end, and commit from time to time."""
        self._check_stop()
        self._pump()
        delivered = time.monotonic()
        while not self._is_over():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_COMMIT_SECONDS):
                    await self._wake.wait()
            self._wake.clear()
            if self._error:
                raise self._error  # without a commit: what was being done then is not whole
            if time.monotonic() - delivered > _DELIVERY_SECONDS:
                delivered = time.monotonic()
                self._exchange_links()
            self._check_stop()
            self._commit()
            self._pump()
        if self._error:
            raise self._error
        self._exchange_links()
        self._commit()

    async def _end_tasks(self) -> None:
        """End what is in flight, which is nothing but after an error."""
        if self._timer:
            self._timer.cancel()
        self._ending = self._ending or "error"
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _is_over(self) -> bool:
        if self._tasks:
            return False
        if self._ending:
            return True
        for outage in (self._outage, self._names):
            if outage.held:
                self._judge_last(outage)
        if not self._turns.are_over:
            return False
        if self._parts.count > 1 and time.monotonic() - self._last_new < _LAST_DELIVERY_SECONDS:
            return False
        self._ending = "nothing left"
        return True

    def _pump(self) -> None:
        """Start as many requests as may be in flight; what fails in that ends the crawl, whoever has called."""
        try:
            self._start_visits()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is raised by the crawl)
            self._error = self._error or error
            self._ending = self._ending or "error"
            self._wake.set()

    def _start_visits(self) -> None:
        if self._ending:
            return
        now = time.time()
        if now < self._outage.until:
            return
        backlog = self._workers * _READING_A_WORKER
        while self._requests < self._most_requests() and self._reading < backlog:
            busy = self._requests / self._config.fetch.connections
            host = self._turns.next(now, self._strategy.worst_rank(busy, self._ledger.mean_yield))
            if host is None:
                self._set_timer(now)
                break
            self._visit(host, now)

    def _most_requests(self) -> int:
        """Tell how many requests may be in flight: no more than pages are wanted."""
        if self._outage.since:
            return 1
        connections = self._config.fetch.connections
        if not self._config.stop.pages:
            return connections
        return min(connections, self._config.stop.pages - self._ledger.totals["pages"] - self._reading)

    def _set_timer(self, now: float) -> None:
        if self._timer:
            self._timer.cancel()
        due = self._scheduler.wake_time()
        if due is not None:
            self._timer = asyncio.get_running_loop().call_later(max(due - now, 0.0), self._pump)

    def _admit(self, host: Host) -> None:
        self._turns.admit(host, time.time())

    # A visit

    def _visit(self, host: Host, now: float) -> None:
        """Decide what to ask a host for, and ask."""
        ip = host.ip
        fault = self._fault(host)
        if fault:
            self._frontier.leave(host, fault)
        for _ in range(_ADDRESSES_A_VISIT):
            entry = None if host.dead else self._frontier.first(host)
            if entry is None:
                break
            if ip and now > host.ip_until:
                self._scheduler.release(ip, now, 0.0)
                ip = host.ip = ""
                host.ip_port.clear()
            if not ip or port_of(entry.url) not in host.ip_port:
                if ip:
                    self._scheduler.release(ip, now, 0.0)
                self._start(self._resolve(host, entry))
                return
            origin = origin_of(entry.url)
            robots = self._manners.robots(origin, now)
            if robots is None:
                self._start(self._ask_robots(host, entry, origin))
                return
            refusal = self._refusal(host, entry, robots)
            if not refusal:
                host.pending.add(entry.key)
                self._start(self._fetch(host, entry, robots))
                return
            self._ledger.refuse(host, entry, refusal, now)
        if ip:
            self._scheduler.release(ip, now, 0.0)
        self._turns.end_visit(host, now)

    def _fault(self, host: Host) -> str:
        """Tell why a host is not to be visited: its domain gives nothing, or the user has forbidden it since."""
        if self._reader.scope.refusal_of_host(host.name) == "forbidden":
            return "forbidden"
        return "barren-domain" if self._ledger.is_barren(host) else ""

    def _refusal(self, host: Host, entry: Entry, robots: Robots) -> str:
        if not robots.allows(entry.url):
            return "robots"
        return "trap-pattern" if entry.distance and self._ledger.is_trap(host, pattern_of(entry.url)) else ""

    def _start(self, visit: Coroutine[Any, Any, None]) -> None:
        self._requests += 1
        task = asyncio.create_task(visit)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._error = self._error or error
            self._ending = self._ending or "error"
        self._pump()
        if self._error or (not self._tasks and (self._ending or not self._scheduler.active)):
            self._wake.set()  # perhaps it is over

    async def _resolve(self, host: Host, entry: Entry) -> None:
        """Find the IP address of a host, which then stands in line for it."""
        failure = None
        if time.time() < self._names.until:
            host.next = self._names.until
        else:
            failure = await self._look_up(host, entry)
        self._requests -= 1
        now = time.time()
        if failure:
            self._fail(host, entry, failure, now)
        self._turns.end_visit(host, now)

    async def _look_up(self, host: Host, entry: Entry) -> Failure | None:
        port = port_of(entry.url)
        try:
            endpoints = await self._resolver.resolve(host.name, port)
        except OSError as error:
            failure = Failure(entry.url, _dns_reason(error), str(error))
            if failure.reason == "dns":
                self._answered(self._names)
            return failure
        self._answered(self._names)
        endpoint, refusal = self._choose(endpoints)
        if endpoint is None:
            return Failure(entry.url, "network", refusal)
        if host.ip and host.ip != endpoint.ip:
            host.ip_port.clear()
        host.ip = endpoint.ip
        host.ip_port[port] = endpoint.port
        host.ip_until = time.time() + _RESOLVED_SECONDS
        return None

    def _choose(self, endpoints: list[Endpoint]) -> tuple[Endpoint | None, str]:
        """Choose the first endpoint that may be connected to; without a contact, only this machine may be."""
        refusal = "the name has no address"
        for endpoint in endpoints:
            refusal = self._networks.refusal(endpoint.ip)
            if not refusal and not self._config.manners.contact and not _is_loopback(endpoint.ip):
                refusal = "no contact was given, so that only this machine is crawled"
            if not refusal:
                return endpoint, ""
        return None, refusal

    async def _ask_robots(self, host: Host, entry: Entry, origin: str) -> None:
        """Fetch the robots.txt of an origin; the sitemaps that it names are addresses to fetch."""
        size = 0
        seconds = 0.0
        wish: float | None = None
        failure: Failure | None = None

        async def get(url: str) -> Exchange | Failure:
            nonlocal size, seconds, wish, failure
            answer = await self._get_robots(host, url)
            wish = retry_after(answer.headers, time.time()) if answer.status in _BUSY else None
            failure = answer if isinstance(answer, Failure) else None
            size += len(answer.wire) if isinstance(answer, Exchange) else answer.received
            seconds = answer.seconds
            return answer

        robots = await fetch_robots(origin, get)
        host.away = False
        self._requests -= 1
        now = time.time()
        self._ledger.aside(host, "robots.txt", size, f"{origin}/robots.txt", now)
        self._manners.rest(host, seconds, robots, now)
        if failure and failure.reason in UNREACHED and host_of(failure.url) == host.name:
            self._fail(host, entry, failure, now)
        elif failure and failure.reason == _NO_TURN:
            self._manners.back_off(host, now)
        elif robots.unreachable:
            self._answered()
            host.failures += 1
            self._manners.back_off(host, now, wish)
            is_long = self._strategy.is_hurried and wish is not None and wish > self._config.manners.max_delay
            if host.failures > self._strategy.retries or is_long:
                self._frontier.leave(host, "robots-unreachable")
        else:
            self._answered()
            self._manners.learn(origin, robots, now)
            # Pages of sitemaps are two links away.
            if robots.sitemaps and self._config.fetch.sitemaps and self._config.max_distance > 1:
                self._name_sitemaps(host, robots.sitemaps, None)
                self._store()  # before pages are: if all that a host has were found stored, it would not be asked again
        self._turns.end_visit(host, now)

    async def _get_robots(self, host: Host, url: str) -> Exchange | Failure:
        """Fetch robots.txt from the host that is visited for it, or from where it has moved to."""
        if host.away:
            return await self._get_elsewhere(host, url)
        endpoint = Endpoint(host.ip, host.ip_port[port_of(url)])
        try:
            return await self._client.get(url, endpoint, max_bytes=MAX_ROBOTS_BYTES, cut=True)
        finally:
            host.away = True
            self._scheduler.release(endpoint.ip, time.time(), self._config.manners.ip_delay)

    async def _get_elsewhere(self, host: Host, url: str) -> Exchange | Failure:
        """Fetch an address, mostly of another host, when its turn has come; it is not visited meanwhile."""
        name = host_of(url)
        if self._reader.scope.refusal_of_host(name) == "forbidden":
            return Failure(url, "network", "the host is forbidden")
        if not await self._wait(lambda: not self._frontier.host(name).is_asked):
            return Failure(url, _NO_TURN)
        other = self._frontier.host(name)
        other.reserved = True
        if other.token:
            self._scheduler.drop(other)
        try:
            if other is not host and not await self._wait(lambda: other.next <= time.time()):
                return Failure(url, _NO_TURN)
            return await self._get_reserved(name, url)
        except OSError as error:
            return Failure(url, _dns_reason(error), str(error))
        finally:
            other.reserved = False
            other.next = max(other.next, time.time() + self._config.manners.delay)
            if not other.away:  # else its own visit goes on
                self._admit(other)

    async def _get_reserved(self, name: str, url: str) -> Exchange | Failure:
        """Fetch an address of a host that nobody else asks, when its IP address is free."""
        endpoint, refusal = self._choose(await self._resolver.resolve(name, port_of(url)))
        if endpoint is None:
            return Failure(url, "network", refusal)
        if not await self._wait(lambda: self._scheduler.seize(endpoint.ip, time.time())):
            return Failure(url, _NO_TURN)
        try:
            return await self._client.get(url, endpoint, max_bytes=MAX_ROBOTS_BYTES, cut=True)
        finally:
            self._scheduler.release(endpoint.ip, time.time(), self._config.manners.ip_delay)

    async def _wait(self, is_free: Callable[[], bool]) -> bool:
        """Wait until something is free, without taking the place of a request; false if that takes too long."""
        end = time.monotonic() + _MAX_TURN_SECONDS
        self._requests -= 1
        try:
            while not is_free():
                if self._ending or time.monotonic() > end:
                    return False
                await asyncio.sleep(_TURN_SECONDS)
        finally:
            self._requests += 1
        return True

    async def _get(self, host: Host, url: str, check: Any = None, max_bytes: int | None = None) -> Exchange | Failure:
        endpoint = Endpoint(host.ip, host.ip_port[port_of(url)])
        return await self._client.get(url, endpoint, check, max_bytes=max_bytes, languages=self._config.scope.languages)

    def _name_sitemaps(self, host: Host, urls: list[str], entry: Entry | None) -> None:
        """Put sitemaps into the queue that robots.txt names, or a sitemap that robots.txt has named: no deeper ones."""
        if entry and entry.distance > 1:
            return
        own = [url for url in urls if host_of(url) == host.name][:_MAX_SITEMAPS]
        for found in self._ledger.addresses(host, own, entry, SITEMAP):
            if found is not host:
                self._admit(found)

    async def _fetch(self, host: Host, entry: Entry, robots: Robots) -> None:
        """Fetch a page or a sitemap, and account for what comes."""
        ip = host.ip
        check = head_rule(self._config.fetch, is_seed=entry.distance == 0) if entry.kind != SITEMAP else None
        try:
            answer = await self._get(host, entry.url, check, MAX_SITEMAP_BYTES if entry.kind == SITEMAP else None)
        except asyncio.CancelledError:
            host.pending.discard(entry.key)
            raise
        self._requests -= 1
        now = time.time()
        self._manners.rest(host, answer.seconds, robots, now, self._strategy.stretch(host, self._ledger.mean_yield))
        self._scheduler.release(ip, now, self._config.manners.ip_delay)
        if isinstance(answer, Failure):
            host.pending.discard(entry.key)
            self._fail(host, entry, answer, now)
            self._turns.end_visit(host, now)
            return
        self._answered()
        if answer.status in _BUSY and self._is_asked_again(host, entry, answer, now):
            host.pending.discard(entry.key)
            self._ledger.loss(host, Failure(entry.url, "busy", status=answer.status, received=len(answer.wire)), now)
            self._turns.end_visit(host, now)
            return
        self._turns.end_visit(host, now)
        await self._account(host, entry, answer)

    def _is_asked_again(self, host: Host, entry: Entry, answer: Exchange, now: float) -> bool:
        """Leave a busy host alone for as long as it says, or for good if that is long and no try is left."""
        wish = retry_after(answer.headers, now)
        is_long = wish is not None and wish > self._config.manners.max_delay
        again = entry.tries < self._strategy.retries and not (is_long and self._strategy.is_hurried)
        host.failures += again
        self._manners.back_off(host, now, wish)
        if again:
            self._frontier.again(host, entry)
        elif is_long:
            self._frontier.leave(host, "busy")
        return again

    async def _account(self, host: Host, entry: Entry, answer: Exchange) -> None:
        """Have an answer read, and account for it."""
        self._reading += 1
        try:
            if entry.kind == SITEMAP:
                await self._read_sitemap(host, entry, answer)
                return
            reading = await self._read(answer, entry)
            hosts = self._ledger.page(host, entry, answer, reading, time.time())
        finally:
            self._reading -= 1
            host.pending.discard(entry.key)
        for found in hosts:
            self._admit(found)
        self._admit(host)
        if host.dead and host.token:
            self._scheduler.drop(host)
        self._check_stop()

    async def _read(self, answer: Exchange, entry: Entry) -> Reading:
        """Have a page read by a worker; one that no worker survives is stored all the same.

        Where pages are not cleaned, that takes less time than to send them to another process.
        """
        attributes = self._frontier.attributes(entry.key)
        if self._pool is None:
            return self._reader.read(answer, entry.distance, attributes)
        try:
            return cast("Reading", await self._pool.run((answer, entry.distance, attributes)))
        except (CallFailed, WorkerDied) as error:
            _LOGGER.warning("%s could not be read: %s", answer.url, error)
            return Reading(record=records(answer, attributes), error=str(error))

    async def _sitemap(self, answer: Exchange) -> Sitemap:
        """Have a sitemap read by a worker: a large one would keep this process from all else for seconds."""
        if self._pool is None:
            return await asyncio.to_thread(read_sitemap, answer)
        try:
            return cast("Sitemap", await self._pool.run((answer, None, "")))
        except (CallFailed, WorkerDied) as error:
            _LOGGER.warning("%s could not be read: %s", answer.url, error)
            return Sitemap()

    async def _read_sitemap(self, host: Host, entry: Entry, answer: Exchange) -> None:
        found = await self._sitemap(answer)
        now = time.time()
        self._ledger.aside(host, "sitemap", len(answer.wire), entry.url, now)
        self._name_sitemaps(host, found.sitemaps, entry)
        year = time.gmtime(now).tm_year
        wanted = [url for url in found.addresses if not self._reader.scope.refusal(url, host_of(url), year)]
        for other in self._ledger.addresses(host, wanted, entry, 0):
            self._admit(other)
        self._frontier.finish(host, entry, "sitemap")
        self._admit(host)

    # Failures

    def _answered(self, outage: Outage | None = None) -> None:
        """Judge failures that were held, now that the network is known to be there."""
        for host, entry, failure in (outage or self._outage).answer():
            self._judge_failure(host, entry, failure)

    def _fail(self, host: Host, entry: Entry, failure: Failure, now: float) -> None:
        """Hold a failure until it is known whether it was the host's or the network's."""
        unreached = failure.reason in UNREACHED and not failure.received
        if not unreached and (self._outage.since or failure.reason not in _ASK_AGAIN_LATER):
            if failure.reason not in {"network", "dns"}:  # else nobody was asked
                self._answered()
            self._judge_failure(host, entry, failure)
            return
        if not unreached and any(host is other for other, _, _ in self._outage.held):
            self._answered()  # it was connected to since: the network is there
        host.pending.add(entry.key)  # not to be taken while it is held
        if unreached:
            host.next = max(host.next, now + HELD_SECONDS)
        outage = self._names if failure.reason == "dns-failure" else self._outage
        self._wait_for_network(outage, outage.failure((host, entry, failure), now), now)

    def _wait_for_network(self, outage: Outage, held: list[Held], now: float) -> None:
        """Try again later what failed because the network is gone, and end if it has been for too long."""
        for host, entry, _ in held:
            host.pending.discard(entry.key)
            host.next = max(host.next, outage.until)
            self._admit(host)
        if outage.is_too_long(now):
            self._error = GristmillError(
                f"{'no name server answered' if outage.names else 'no host was reached'} for "
                f"{duration(now - outage.since)}: see whether the network is there; "
                f"`gristmill crawl {self._folder}` goes on"
            )
            self.stop("error")

    def _judge_last(self, outage: Outage) -> None:
        """Judge held failures if no other host is left to tell whose they are."""
        last = set(outage.unreached())
        if not self._turns.are_over and (self._turns.waiting or not self._scheduler.active <= last):
            return
        if outage.is_likely:
            now = time.time()
            self._wait_for_network(outage, outage.begin(now), now)
            return
        for host, entry, failure in outage.take():
            self._judge_failure(host, entry, failure)

    def _judge_failure(self, host: Host, entry: Entry, failure: Failure) -> None:
        """Try again later, or give up an address, and its host if it fails again and again."""
        now = time.time()
        host.pending.discard(entry.key)
        if failure.reason in _ASK_AGAIN_LATER:
            host.failures += 1
            self._manners.back_off(host, now)
        if failure.reason in _ASK_AGAIN_LATER and entry.tries < self._strategy.retries:
            self._frontier.again(host, entry)
            self._ledger.loss(host, failure, now)
        else:
            self._ledger.failure(host, entry, failure, now)
        if failure.reason == "dns" or host.failures >= self._strategy.host_failures:
            self._frontier.leave(host, failure.reason)
        self._admit(host)

    # What is on disk

    async def _recover(self) -> None:
        """Account for pages in the archive that the frontier does not know of, since the last run was killed."""
        place = self._frontier.state("warc", 0), self._frontier.state("offset", 0)
        count = 0
        for stored in self._warcs.recover(*place):
            exchange = stored.exchange
            host = self._frontier.host(host_of(exchange.url))
            entry = self._entry(host, exchange.url)
            if entry is None:
                continue
            reading = await self._read(exchange, entry)
            self._ledger.page(host, entry, exchange, replace(reading, record=b""), time.time())
            count += 1
        if count:
            _LOGGER.info("the last run was killed; %d pages that it had stored are accounted for", count)

    def _entry(self, host: Host, url: str) -> Entry | None:
        """Find a stored page in the queue; None if it is done.

        It is put there if what led to it was not stored, such as a sitemap, and was not accounted for either.
        """
        key = key_of(url)
        entry = self._frontier.entry(host, key)
        if entry is None and not self._frontier.is_done(key):
            link = Link(key, host.name, url)
            self._frontier.add([link], distance=1, rank=lambda _: 0.0, prior=0.0, room=lambda _: host.queued + 1)
            entry = self._frontier.entry(host, key)
        return entry

    def _commit(self) -> None:
        self._store()
        self._tell()

    def _store(self) -> None:
        self._warcs.flush()
        self._log.flush()
        if isinstance(self._strategy, BreadthFirst):
            self._frontier.set_state("discovered", self._strategy.discovered)
        self._frontier.commit(self._warcs.position, self._meter.seconds)

    def _exchange_links(self) -> None:
        """Send addresses to other parts of the crawl, and take those that they have sent."""
        self._parts.deliver(self._frontier)

        def take(*given: Any) -> None:
            for host in self._ledger.received(*given):
                self._admit(host)

        if self._parts.receive(take, self._commit):
            self._last_new = time.monotonic()

    def _check_stop(self) -> None:
        self._ending = self._ending or self._meter.reached()

    def _tell(self) -> None:
        """Pass on how far the crawl is; now and then, exchange hosts in the scheduler for better ones."""
        if self._meter.is_time_to_count():
            self._turns.exchange(time.time())
        if self._listener is None:
            return
        is_waiting = self._outage.since or (self._names.since and not self._requests)
        state: State = "stopping" if self._ending else "waiting for the network" if is_waiting else "running"
        active, waiting = len(self._scheduler.active), self._turns.waiting
        in_flight = self._requests + self._reading  # what a kill would lose
        self._listener(self._meter.progress(state, in_flight, active, waiting))


def _dns_reason(error: OSError) -> str:
    return "dns-failure" if error.errno == socket.EAI_AGAIN else "dns"


def _is_loopback(ip: str) -> bool:
    return ip_address(ip).is_loopback


def _limits(config: CrawlConfig) -> Limits:
    """Return the limits of the client."""
    fetch = config.fetch
    return Limits(
        max_bytes=fetch.max_bytes,
        head_bytes=fetch.head_bytes,
        connect_seconds=fetch.connect_seconds,
        read_seconds=fetch.read_seconds,
        total_seconds=fetch.total_seconds,
        min_rate=fetch.min_rate,
        connections=fetch.connections,
    )
