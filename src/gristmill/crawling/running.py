"""Begin a crawl, or go on with one: what `gristmill.crawl` and the command call."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gristmill.arguments import as_workers, wrong_type
from gristmill.consent import Named, UntrustedError, allow, listed, not_allowed
from gristmill.crawling.addresses import Address
from gristmill.crawling.config import NAME as CONFIG
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.folder import is_crawl, open_config, read_seeds, refuse_links, refuse_used, remove_unbegun
from gristmill.crawling.frontier import NAME as FRONTIER
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.parts import part_folder
from gristmill.crawling.progress import CrawlProgress, CrawlSummary
from gristmill.errors import UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.loop import run_in_loop
from gristmill.fetching.urls import host_of, key_of, normalise
from gristmill.leases import locked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gristmill.fetching.resolver import Resolver

_LOGGER = logging.getLogger(__name__)
_REACH = ("networks", "hosts_file")
"""Settings that say what may be reached."""


def crawl(
    seeds: str | Path | Sequence[str | Path],
    folder: str | Path | None = None,
    config: CrawlConfig | None = None,
    *,
    same_site: bool = False,
    workers: int | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlSummary:
    """Crawl the web from some addresses, given as such or in files, into a new folder.

    The folder can then be built into a corpus, also while the crawl runs. With the folder of a crawl as the only
    argument, a crawl goes on that was stopped. With `same_site`, only the hosts of the seeds are visited.
    """
    if folder is None:
        if not isinstance(seeds, str | Path) or config:
            raise UsageError("give the folder of the crawl behind the seeds")
        return resume(seeds, workers=workers, resolver=resolver, ssl_context=ssl_context, progress=progress)
    if not isinstance(seeds, str | Path | Sequence):
        raise wrong_type("seeds", "an address, a file of addresses or a list of these", seeds)
    urls = read_seeds([seeds] if isinstance(seeds, str | Path) else seeds)
    config = _identified(config or CrawlConfig())
    if same_site:
        config = config.replace({"scope": {"sites": sorted({host_of(url) for url in urls})}})
    path = part_folder(Path(folder), *config.own_part)
    refuse_used(path)
    allow(_reached(config, path))
    path.mkdir(parents=True, exist_ok=True)
    return _run(path, config, list(map(Address, urls)), workers, resolver, ssl_context, progress)


def fetch(
    addresses: Sequence[Address],
    folder: Path,
    access: Access,
    config: CrawlConfig | None = None,
    *,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlSummary:
    """Fetch some addresses and nothing that they link to, with the manners of a crawl and into the folder of one.

    Called again, it goes on with one that was stopped or killed, and does nothing if that has come to its end. Settings
    count when it begins; `access` counts each time. Ctrl-C ends it in order, and then raises `KeyboardInterrupt`.
    """
    access.check()
    begun = is_crawl(folder)
    if not begun and not addresses:
        return CrawlSummary()
    for url, _ in addresses:
        if not url or normalise(url) != url:
            raise UsageError(f"{url!r} is not a normalised address of the web")
    chosen = open_config(folder) if begun else config or CrawlConfig()
    chosen = chosen.replace(
        {
            "strategy": {"name": "given"},
            "manners": {"contact": access.who},
            "fetch": {"networks": list(access.networks), "hosts_file": access.hosts_file},
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    seeds = [] if begun else addresses
    is_interrupted = False

    def on_interrupt() -> None:
        nonlocal is_interrupted
        is_interrupted = True

    summary = _run(folder, chosen, seeds, 1, access.resolver, access.ssl_context, progress, on_interrupt)
    if is_interrupted:  # also if it came when nothing was left to be fetched: more would be done after this
        raise KeyboardInterrupt
    return summary


def outcomes(folder: Path, urls: Sequence[str]) -> dict[str, str]:
    """Tell what became of addresses in a crawl: `stored`, `redirect`, `status-404`...; empty if nothing yet."""
    if not is_crawl(folder):
        return dict.fromkeys(urls, "")
    with closing(Frontier(folder / FRONTIER)) as frontier:
        return {url: frontier.outcome(key_of(url)) for url in urls}


def resume(
    folder: str | Path,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    workers: int | None = None,
    resolver: Resolver | None = None,
    ssl_context: ssl.SSLContext | None = None,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlSummary:
    """Go on with a crawl that was stopped or killed; `changes` are other settings: `{"stop": {"pages": 1000}}`."""
    path = Path(folder)
    parts = sorted(item for item in path.glob("part-*-of-*") if is_crawl(item)) if not is_crawl(path) else []
    if parts:
        raise UsageError(f"{folder} has {len(parts)} parts, which go on one by one: `gristmill crawl {parts[0]}`")
    config = open_config(path)
    changed = _identified(config.replace(changes or {}))
    if changed.scope.part != config.scope.part:
        raise UsageError("a crawl can't become another part: hosts are divided when it begins")
    if changed.strategy.name != config.strategy.name:
        raise UsageError("a crawl can't change its strategy: begin a new one with the same seeds")
    own = {key: value for key, value in (changes or {}).get("fetch", {}).items() if key in _REACH}
    allow(_reached(CrawlConfig().replace({"fetch": own}), path))
    _refuse_unknown_reach(changed, path)
    return _run(path, changed, [], workers, resolver, ssl_context, progress)


def _reached(config: CrawlConfig, folder: Path) -> list[Named]:
    """List what a crawl may reach beside the public internet, and where it looks names up: by the user's word alone."""
    networks = [
        Named("network", f"{network}, by the crawl in {os.path.realpath(folder)}") for network in config.fetch.networks
    ]
    return [*networks, *([Named.at("hosts", config.fetch.hosts_file)] if config.fetch.hosts_file else ())]


def _refuse_unknown_reach(config: CrawlConfig, folder: Path) -> None:
    """Raise if only the folder of a crawl, which may be a stranger's, says what may be reached."""
    if refused := not_allowed(_reached(config, folder)):
        raise UntrustedError(
            f"{folder / CONFIG} names what was not allowed here:\n{listed(refused)}\n"
            f"If this is what you want, give it again, with --allow-network and --hosts (in Python, as changes of "
            f"`networks` and `hosts_file`); it goes on without by --set fetch.networks= --set fetch.hosts_file="
        )


def _identified(config: CrawlConfig) -> CrawlConfig:
    """Say who crawls, by the settings or the environment; raises if nobody does."""
    access = Access(config.manners.contact, config.fetch.networks)
    access.check()
    return config.replace({"manners": {"contact": access.who}})


def _run(
    folder: Path,
    config: CrawlConfig,
    seeds: Sequence[Address],
    workers: int | None,
    resolver: Resolver | None,
    ssl_context: ssl.SSLContext | None,
    progress: Callable[[CrawlProgress], None] | None,
    on_interrupt: Callable[[], None] = lambda: None,
) -> CrawlSummary:
    count = max(1, as_workers(workers) - 1)  # one core is for the crawler itself
    refuse_links(folder)
    with locked(folder):
        if seeds:
            refuse_used(folder)  # another process may have begun a crawl here meanwhile
            remove_unbegun(folder)
        return run_in_loop(lambda: _crawl(folder, config, seeds, count, resolver, ssl_context, progress, on_interrupt))


async def _crawl(
    folder: Path,
    config: CrawlConfig,
    seeds: Sequence[Address],
    workers: int,
    resolver: Resolver | None,
    ssl_context: ssl.SSLContext | None,
    progress: Callable[[CrawlProgress], None] | None,
    on_interrupt: Callable[[], None],
) -> CrawlSummary:
    from gristmill.crawling.crawler import Crawler  # noqa: PLC0415 (needs the extra `crawl`)
    from gristmill.fetching.resolver import HostsFile, SystemResolver  # noqa: PLC0415

    loop = asyncio.get_running_loop()
    async with SystemResolver() as system:
        found: Resolver = resolver or system
        if config.fetch.hosts_file:
            found = HostsFile(config.fetch.hosts_file, found)
        crawler = Crawler(folder, config, found, workers=workers, ssl_context=ssl_context, listener=progress)

        def stop() -> None:
            on_interrupt()
            loop.call_soon_threadsafe(crawler.stop, "interrupted")

        with _on_interrupt(stop):
            return await crawler.run(seeds)


@contextmanager
def _on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """Let Ctrl-C stop the crawl in order instead of raising an exception wherever it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
