"""What the frontier and the scheduler of a crawl cost as it grows: time for a page, memory and disk for an address.

The real frontier, scheduler, strategy and ledger crawl a synthetic web of any size; only network and pages are made up,
and the clock is simulated. Each page links to others of its host and to other hosts, as many as the real web has: about
one new host for every ten new addresses. Run it with

    python benchmarks/crawl_frontier.py --addresses 10000000
"""

from __future__ import annotations

import argparse
import heapq
import random
import resource
import tempfile
import time
from pathlib import Path

import xxhash

from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.folder import Log
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.ledger import Ledger
from gristmill.crawling.parts import Parts
from gristmill.crawling.reading import Link, Reading
from gristmill.crawling.strategy import strategy_of
from gristmill.crawling.turns import Turns
from gristmill.fetching.exchange import Exchange

_PAGE = b" " * 38_000
_ANSWER_SECONDS = 0.3
_CONNECTIONS = 256
_OWN_LINKS, _OTHER_LINKS = 50, 10


class _Nowhere:
    """An archive that keeps nothing."""

    def append(self, data: bytes) -> None:
        """Forget records."""


class SyntheticWeb:
    """Hosts without number, a third of them with text; every page has 60 links."""

    def __init__(self, hosts: int, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._hosts = hosts

    def reading(self, host: Host, url: str) -> Reading:
        """Make up what a page says."""
        rng = self._rng
        rich = xxhash.xxh3_64_intdigest(host.name.encode()) % 3 == 0
        size = max(2_000, int(self._pages(host.name)))
        links = [self._link(host.name, rng.randrange(size)) for _ in range(_OWN_LINKS)]
        links += [self._other() for _ in range(_OTHER_LINKS)]
        return Reading(
            record=b"x", links=links, size=len(_PAGE), lang="cs", clean_bytes=4_000 if rich else 20, words=600,
            sketch=(xxhash.xxh3_64_intdigest(url.encode()) - (1 << 63),), pattern="/#",
        )  # fmt: skip

    def _pages(self, name: str) -> float:
        return 50 * 1.001 ** (xxhash.xxh3_64_intdigest(name.encode(), 1) % 5_000)

    def _other(self) -> Link:
        number = int(self._rng.random() ** 2 * self._hosts)  # some hosts are linked to more often than others
        return self._link(f"host-{number}.example", self._rng.randrange(20))

    @staticmethod
    def _link(name: str, number: int) -> Link:
        url = f"https://{name}/articles/{number}/a-title-of-usual-length.html"
        return Link(xxhash.xxh3_64_intdigest(url.encode()) - (1 << 63), name, url)


def simulate(folder: Path, addresses: int, hosts: int, strategy: str) -> None:
    """Crawl until so many addresses are known, and print what it cost at each doubling."""
    config = CrawlConfig.from_table({"strategy": {"name": strategy}, "scope": {"languages": ["cs"]}})
    frontier = Frontier(folder / "frontier.sqlite")
    plan = strategy_of(config, 0)
    log = Log(folder)
    ledger = Ledger(config, frontier, plan, _Nowhere(), Parts(folder, 1, 1), log)
    turns = Turns(frontier, plan)
    web = SyntheticWeb(hosts)
    now = 0.0
    for host in ledger.seeds(f"https://host-{number}.example/" for number in range(100)):
        turns.admit(host, now)
    running: list[tuple[float, int, Host]] = []
    pages = visits = 0
    cpu, shown, next_shown, committed = time.process_time(), 0, 10_000, 0.0
    print("addresses   hosts  pages  µs/page  µs/new address  RSS MB  bytes/address on disk  active  waiting  sim. pages/s")
    simulated, simulated_pages = now, pages
    while True:
        while len(running) < _CONNECTIONS and (host := turns.next(now)) is not None:
            visits += 1
            host.ip = host.ip or f"10.0.{host.id >> 8 & 255}.{host.id & 255}"
            heapq.heappush(running, (now + _ANSWER_SECONDS, visits, host))
        wake = turns.scheduler.wake_time()
        if not running and wake is None:
            break
        if not running or (wake is not None and now < wake < running[0][0]):
            now = max(now, wake or now)
            continue
        now, _, host = heapq.heappop(running)
        turns.scheduler.release(host.ip, now, config.manners.ip_delay)
        host.next = now + config.manners.delay
        entry = frontier.first(host)
        if entry is not None:
            found = ledger.page(host, entry, Exchange(entry.url, "", "", b"", _PAGE, 200), web.reading(host, entry.url), now)
            pages += 1
            turns.end_visit(host, now)
            for other in found:
                turns.admit(other, now)
        else:
            turns.end_visit(host, now)
        if now - committed > 1.0:
            committed = now
            frontier.commit((0, 0), now)
            log.flush()
        if pages % 1000 == 0:
            known = frontier._db.execute("SELECT max(rowid) FROM host").fetchone()[0]
            total = frontier._db.execute("SELECT count(*) FROM seen").fetchone()[0] if pages % 10_000 == 0 else 0
            if total >= next_shown or total >= addresses:
                spent = time.process_time() - cpu
                size = sum(path.stat().st_size for path in folder.glob("frontier*"))
                rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(
                    f"{total:9,} {known:8,} {pages:8,} {spent / max(pages - simulated_pages, 1) * 1e6:7.0f} "
                    f"{spent / max(total - shown, 1) * 1e6:10.0f} {rss:10.0f} {size / total:12.0f} "
                    f"{len(turns.scheduler.active):12,} {frontier.waiting_hosts():9,} "
                    f"{(pages - simulated_pages) / max(now - simulated, 1e-9):9.0f}",
                    flush=True,
                )
                cpu, shown, next_shown = time.process_time(), total, total * 2
                simulated, simulated_pages = now, pages
                turns.exchange(now)
                if total >= addresses:
                    break
    frontier.close()
    log.close()


def main() -> None:
    """Run the simulation in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=0, help="hosts of the synthetic web [a tenth of the addresses]")
    parser.add_argument("--strategy", default="yield")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder), given.addresses, given.hosts or given.addresses // 10, given.strategy)


if __name__ == "__main__":
    main()
