"""What the frontier and the scheduler of a crawl cost as it grows: time for a page, memory and disk for an address.

The real frontier, scheduler, strategy and ledger crawl a synthetic web of any size. Only network and pages are made up,
which is not counted, and the clock is simulated: 256 connections, answers in 0.3 seconds, 20 seconds between two
requests to a host. Every page has 60 links, of which most are new, and which lead to more and more hosts.

    python benchmarks/crawl_frontier.py --addresses 10000000 --hosts 2000000
"""

from __future__ import annotations

import argparse
import heapq
import random
import resource
import sqlite3
import tempfile
import time
from pathlib import Path

import xxhash
from harness import print_table, tell

from gristmill.crawling.addresses import Address
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.folder import Log
from gristmill.crawling.frontier import NAME, Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.ledger import Ledger
from gristmill.crawling.parts import Parts
from gristmill.crawling.reading import Link, Reading
from gristmill.crawling.strategy import strategy_of
from gristmill.crawling.turns import Turns
from gristmill.fetching.exchange import Exchange
from gristmill.fetching.urls import key_of

_PAGE = b" " * 38_000
_ANSWER_SECONDS = 0.3
_CONNECTIONS = 256
_OWN_LINKS, _OTHER_LINKS = 50, 10
_LOOK_PAGES = 1_000  # between two looks at how large the frontier is


class _Nowhere:
    """An archive that keeps nothing."""

    def append(self, data: bytes) -> None:
        """Forget records."""


class SyntheticWeb:
    """Hosts without number, a third of them with text; every page has 60 links."""

    def __init__(self, hosts: int, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._hosts = hosts
        self.seconds = 0.0
        """CPU time of making pages up."""

    def reading(self, host: Host, url: str) -> Reading:
        """Make up what a page says."""
        begun = time.process_time()
        number = xxhash.xxh3_64_intdigest(host.name.encode())
        pages = int(50 * 1.001 ** (number % 5_000))
        links = [self._link(host.name, self._rng.randrange(pages)) for _ in range(_OWN_LINKS)]
        # Some hosts are linked to more often than others.
        others = [int(self._rng.random() ** 2 * self._hosts) for _ in range(_OTHER_LINKS)]
        links += [self._link(f"host-{other}.example", self._rng.randrange(20)) for other in others]
        found = Reading(record=b"x", links=links, size=len(_PAGE), lang="cs", pattern="/#", sketch=(key_of(url),))
        found.clean_bytes, found.words = (4_000, 600) if number % 3 == 0 else (20, 3)
        self.seconds += time.process_time() - begun
        return found

    @staticmethod
    def _link(name: str, number: int) -> Link:
        url = f"https://{name}/articles/{number}/a-title-of-usual-length.html"
        return Link(key_of(url), name, url)


class Simulation:
    """A crawl of the synthetic web with a clock of its own."""

    def __init__(self, folder: Path, hosts: int, strategy: str) -> None:
        self._config = CrawlConfig.from_table({"strategy": {"name": strategy}, "scope": {"languages": ["cs"]}})
        self._folder = folder
        self._frontier = Frontier(folder / NAME)
        self._log = Log(folder)
        plan = strategy_of(self._config, 0)
        self._ledger = Ledger(self._config, self._frontier, plan, _Nowhere(), Parts(folder, 1, 1), self._log)
        self._turns = Turns(self._frontier, plan)
        self._web = SyntheticWeb(hosts)
        self._running: list[tuple[float, int, Host]] = []
        self._visits = 0
        self._committed = 0.0
        self.now = 0.0
        self.pages = 0
        for host in self._ledger.seeds(Address(f"https://host-{number}.example/") for number in range(100)):
            self._turns.admit(host, self.now)

    def close(self) -> None:
        """Close the files."""
        self._frontier.close()
        self._log.close()

    def run(self, pages: int) -> None:
        """Fetch so many pages."""
        end = self.pages + pages
        while self.pages < end:
            while len(self._running) < _CONNECTIONS and (host := self._turns.next(self.now)) is not None:
                self._visits += 1
                host.ip = host.ip or f"10.{host.id >> 16 & 255}.{host.id >> 8 & 255}.{host.id & 255}"
                heapq.heappush(self._running, (self.now + _ANSWER_SECONDS, self._visits, host))
            wake = self._turns.scheduler.wake_time()
            ready = self._running[0][0] if self._running else float("inf")
            if wake is not None and self.now < wake < ready:
                self.now = wake
            else:
                self._answer()
            if self.now - self._committed > 1.0:
                self._committed = self.now
                self._frontier.commit((0, 0), self.now)
                self._log.flush()

    def _answer(self) -> None:
        """Let the first answer come in."""
        self.now, _, host = heapq.heappop(self._running)
        self._turns.scheduler.release(host.ip, self.now, self._config.manners.ip_delay)
        host.next = self.now + self._config.manners.delay
        entry = self._frontier.first(host)
        found = []
        if entry is not None:
            exchange = Exchange(entry.url, "", "", b"", _PAGE, 200)
            found = self._ledger.page(host, entry, exchange, self._web.reading(host, entry.url), self.now)
            self.pages += 1
        self._turns.end_visit(host, self.now)
        for other in found:
            self._turns.admit(other, self.now)

    def exchange(self) -> None:
        """Exchange hosts in memory for better ones, as a crawl does every ten seconds."""
        self._turns.exchange(self.now)

    def seconds(self) -> float:
        """CPU time without that of making pages up."""
        return time.process_time() - self._web.seconds

    def sizes(self) -> tuple[int, int, int, int]:
        """Count addresses, hosts, bytes on disk and hosts that wait."""
        size = sum(path.stat().st_size for path in self._folder.glob(f"{NAME}*"))
        db = sqlite3.connect(f"file:{self._folder / NAME}?mode=ro", uri=True)
        try:
            addresses, hosts = (db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("seen", "host"))  # noqa: S608
        finally:
            db.close()
        return addresses, hosts, size, self._turns.waiting


def main() -> None:
    """Crawl until so many addresses are known, and print what it cost at each doubling."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=0, help="hosts of the synthetic web [a fifth of the addresses]")
    parser.add_argument("--strategy", default="yield")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(Path(folder), given.hosts or given.addresses // 5, given.strategy)
        shown, addresses = 100_000, 0
        begun, pages, known = simulation.seconds(), 0, 0
        while addresses < given.addresses:
            simulation.run(_LOOK_PAGES)
            if simulation.pages % (10 * _LOOK_PAGES) == 0:
                simulation.exchange()
            addresses, hosts, size, waiting = simulation.sizes()
            if addresses < min(shown, given.addresses):
                continue
            spent = simulation.seconds() - begun
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            row = [f"{addresses:,}", f"{hosts:,}", f"{simulation.pages:,}", f"{waiting:,}"]
            row += [
                f"{spent / (simulation.pages - pages) * 1e6:.0f}",
                f"{(addresses - known) / (simulation.pages - pages):.0f}",
            ]
            rows.append([*row, f"{spent / (addresses - known) * 1e6:.1f}", f"{memory:.0f}", f"{size / addresses:.0f}"])
            tell(" ".join(rows[-1]))
            begun, pages, known, shown = simulation.seconds(), simulation.pages, addresses, addresses * 2
        simulation.close()
    heads = [
        "addresses",
        "hosts",
        "pages",
        "waiting",
        "µs/page",
        "new/page",
        "µs/address",
        "memory MB",
        "bytes/address",
    ]
    print_table(heads, rows)


if __name__ == "__main__":
    main()
