"""Corpora that follow feeds: what is new is fetched, built in, searched for standing queries, and mailed.

    gristmill.follow("corpus", ["https://example.org/", "subscriptions.opml"], access=access)
    gristmill.run_feeds("corpus", access=access)

A run that was killed goes on with what is missing: feeds and items are in `feeds.sqlite`, the run under way is in a
file (`feed_runs.py`), and fetching, building and mailing go on by themselves.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from gristmill.arguments import as_paths, as_texts, check_type, read_bytes
from gristmill.config import Config
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.crawling import CrawlConfig, CrawlProgress
from gristmill.engine import Engine
from gristmill.errors import GristmillError, UsageError
from gristmill.feeds.articles import ArticlesSummary, gather
from gristmill.feeds.discovery import find_feeds
from gristmill.feeds.item import NewItem
from gristmill.feeds.opml import read_opml
from gristmill.feeds.polling import PollSummary, poll
from gristmill.feeds.store import NAME as STORE
from gristmill.feeds.store import FeedState, Store
from gristmill.fetching.access import Access
from gristmill.fetching.loop import run_in_loop
from gristmill.fetching.urls import host_of, normalise
from gristmill.leases import leased
from gristmill.locks import LOCK
from gristmill.pipeline.adding import add, can_add
from gristmill.pipeline.building import checked
from gristmill.pipeline.feed_runs import FETCHED, Run, Tries, is_passing
from gristmill.pipeline.mailing import Mailing, mail_watches
from gristmill.pipeline.starting import build
from gristmill.progress import Advance, Progress, hidden, shown
from gristmill.search.watch.watches import read_watches
from gristmill.shards import write_atomically

SETTINGS = "feeds.toml"
"""The file in a corpus with the settings for its first build."""
_DELAY_SECONDS = 1.0
"""Between two requests for feeds of a host."""
_PAGE_DELAY_SECONDS = 5.0
"""Between two requests for pages of a host: items are few, and a feed is there for programs to fetch them."""
_AT_ONCE = 10
"""Addresses that are looked at for feeds at a time; those of a host come one after the other."""
_SOON = {"retries": 1, "back_off": 30.0, "host_failures": 3}
_WEB = ("http://", "https://")
_MAX_ITEMS_OF_A_HOST = 200
"""In one run: with five seconds between two pages, these take somewhat more than a quarter of an hour."""


@dataclass(frozen=True, slots=True)
class FeedsRun:
    """What a run of feeds did."""

    polled: PollSummary = field(default_factory=PollSummary)
    articles: ArticlesSummary = field(default_factory=ArticlesSummary)
    """What became of the new items, those of an interrupted run included."""
    again: int = 0
    """Items whose pages could not be reached, and which the next run tries again."""
    found: dict[str, int] = field(default_factory=dict)
    """How many lines each standing query found."""
    mailing: Mailing = field(default_factory=Mailing)
    next: float = 0.0
    """When the next feed is due, in seconds since 1970; 0 if there is none."""
    mail_error: GristmillError | None = None
    """Why no mail could be sent at all: no server is set, or nobody has allowed the recipients."""
    later: int = 0
    """Items that are left to later runs, as their host has too many for one."""


def follow(
    corpus: str | os.PathLike[str],
    feeds: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    config: Config | None = None,
    *,
    access: Access | None = None,
    discover: bool = True,
    now: float | None = None,
) -> list[str]:
    """Follow feeds from now on, and return the addresses of those that are new to the corpus.

    A feed is given by its address, by that of a page that has one, or by a file of subscriptions (OPML). Without
    `discover`, addresses are taken as they are, and nothing is fetched. A corpus that is not there yet is begun; its
    first run builds it with the settings in `config`.
    """
    check_type(config, Config, "config", "a gristmill.Config")
    folder = folder_of(corpus)
    given = as_paths(feeds, "feeds")
    check_links(folder)
    _check_folder(folder, config)
    settings = None if config is None else tomli_w.dumps({"settings": checked(config).to_table()})
    addresses = _addresses(given, access or Access(), discover=discover)
    folder.mkdir(parents=True, exist_ok=True)
    with _opened(folder) as store:
        new = store.subscribe(addresses, now)
    if settings is not None:
        write_atomically(folder / SETTINGS, settings.encode())
    return new


def unfollow(corpus: str | os.PathLike[str], feeds: str | Sequence[str]) -> list[str]:
    """Follow feeds no more, and return the addresses of those that were followed. What they gave stays."""
    folder = folder_of(corpus)
    check_links(folder)
    if not _follows(folder):
        return []
    with _opened(folder) as store:
        return store.unsubscribe(as_texts(feeds, "feeds"))


def list_feeds(corpus: str | os.PathLike[str]) -> list[FeedState]:
    """List the feeds of a corpus, in the order of their addresses."""
    folder = folder_of(corpus)
    check_links(folder)
    if not _follows(folder):
        return []
    with _opened(folder) as store:
        return store.feeds()


def run_feeds(
    corpus: str | os.PathLike[str],
    *,
    access: Access | None = None,
    crawl: CrawlConfig | None = None,
    force: bool = False,
    workers: int | None = None,
    engine: Engine | str | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    clock: Callable[[], float] = time.time,
    trust: bool = False,
) -> FeedsRun:
    """Ask the feeds that are due, or with `force` all, build what is new into the corpus, and mail digests.

    Standing queries are asked of what is new. What an interrupted run has left is finished first. `crawl` has the
    manners and limits for pages. Raises if another run is at work on the corpus.
    """
    folder = folder_of(corpus)
    check_links(folder)
    if not _follows(folder):
        return FeedsRun(mailing=mail_watches(folder, now=clock(), trust=trust))
    (access := access or Access()).check()
    before = _count_lines(folder)
    with _alone(folder), shown(progress) as told, _opened(folder) as store:
        building = _Building(folder, store, access, crawl, workers, engine, memory, told, trust)
        left = Run.under_way(folder)
        if left:
            building.finish(left)
        delay = min(_DELAY_SECONDS, crawl.manners.delay) if crawl else _DELAY_SECONDS
        polled = run_in_loop(lambda: _poll(store, access, delay, clock, force, told))
        tries, now = Tries(folder), clock()
        waiting = [item for item in store.pending() if force or tries.is_due((item.key, item.version), now)]
        items = _some_of_each_host(waiting)
        if items:
            building.finish(Run.begin(folder, clock(), items, first=not (folder / MANIFEST).exists()))
        due = min((feed.next for feed in store.feeds() if feed.state == "active"), default=0.0)
    found = {name: count - before.get(name, 0) for name, count in _count_lines(folder).items()}
    mailing, error = Mailing(), None
    try:
        if (folder / MANIFEST).exists():
            mailing = mail_watches(folder, now=clock(), trust=trust)
    except GristmillError as unsent:
        error = unsent
    return FeedsRun(polled, building.articles, building.again, found, mailing, due, error, len(waiting) - len(items))


def _some_of_each_host(items: Sequence[NewItem]) -> list[NewItem]:
    """Choose the items of a run, the oldest of each host: one with thousands must not hold up the news of others."""
    counts: Counter[str] = Counter()
    chosen = []
    for item in items:
        host = host_of(item.item.link) if item.item.link else ""
        counts[host] += bool(host)
        if counts[host] <= _MAX_ITEMS_OF_A_HOST:
            chosen.append(item)
    return chosen


class _Building:
    """Fetches the articles of a run and builds them into the corpus; every step can be done again."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        access: Access,
        crawl: CrawlConfig | None,
        workers: int | None,
        engine: Engine | str | None,
        memory: int | str | None,
        progress: Progress,
        trust: bool,
    ) -> None:
        self._folder = folder
        self._store = store
        self._access = access
        self._crawl = crawl or page_settings()
        self._progress = progress
        self._options: dict[str, Any] = {
            "workers": workers, "engine": engine, "memory": memory, "progress": progress, "trust": trust,
        }  # fmt: skip
        self.articles = ArticlesSummary()
        self.again = 0

    def finish(self, run: Run) -> None:
        """Do what is missing of a run."""
        if run.built is None:
            if not run.is_found:
                items = [item for item in self._store.pending() if (item.key, item.version) in run.items]
                bars = FetchBars(self._progress)
                run = run.has_found(gather(items, run.fetched, run.articles, self._access, self._crawl, progress=bars))
            found = run.found or ArticlesSummary()
            if found.articles:
                self._build(run)
            run = self._settled(run, found)
        built = run.built or frozenset()
        self._store.mark_built((item for item in self._store.pending() if (item.key, item.version) in built), run.name)
        run.end()

    def _build(self, run: Run) -> None:
        if run.first and not can_add(self._folder):
            build([run.articles], self._folder, first_settings(self._folder), **self._options)
        else:  # also if it was built by this run, which was killed then, and changed by others since
            add(self._folder, [run.articles], **self._options)

    def _settled(self, run: Run, found: ArticlesSummary) -> Run:
        """Write down what is done; items whose pages could not be reached are for the next run."""
        tries = Tries(self._folder)
        again = {
            (item.item, item.version)
            for item in found.missing
            if is_passing(item.reason) and tries.failed((item.item, item.version), run.name)
        }
        tries.settle(run.items - again)
        self.again += len(again)
        self.articles = _sum(self.articles, found)
        return run.is_built(run.items - again)


def page_settings(delay: float | None = None) -> CrawlConfig:
    """Make the settings with which pages of items are fetched: however short they are, they are meant.

    What a server does not give soon is for another run, so that nobody waits for the news of others.
    """
    manners = {**_SOON, "delay": _PAGE_DELAY_SECONDS if delay is None else delay}
    return CrawlConfig().replace({"fetch": {"min_bytes": 0}, "manners": manners})


def first_settings(folder: Path) -> Config:
    """Read the settings for the first build of a corpus."""
    path = folder / SETTINGS
    return Config.from_file(path) if path.exists() else Config()


async def _poll(
    store: Store, access: Access, delay: float, clock: Callable[[], float], force: bool, progress: Progress
) -> PollSummary:
    from gristmill.fetching.session import Session  # noqa: PLC0415 (needs the extra `crawl`)

    async with Session.open(access, delay=delay, robots=store.robots) as session:
        return await poll(store, session, clock=clock, force=force, progress=progress)


def _addresses(given: Sequence[str | os.PathLike[str]], access: Access, *, discover: bool) -> list[str]:
    """Find the addresses of feeds; nothing is fetched for those in files."""
    texts = [os.fspath(item) for item in given]
    for text in texts:
        if not text.lower().startswith(_WEB) and not Path(text).exists():
            raise UsageError(
                f"{text!r} is neither an address, which begins with https:// or http://, nor a file of subscriptions"
            )
        if text.lower().startswith(_WEB) and not normalise(text):
            raise UsageError(f"{text!r} is no address of the web")
    web = [text for text in texts if text.lower().startswith(_WEB)]
    found = {text: [text] for text in web}
    if discover and web:
        access.check()
        found = run_in_loop(lambda: _discover(web, access))
    for text in texts:
        if text not in found:
            found[text] = _in_file(Path(text))
    return [address for text in texts for address in found[text]]


async def _discover(addresses: Sequence[str], access: Access) -> dict[str, list[str]]:
    from gristmill.fetching.session import Session  # noqa: PLC0415 (as above)

    wanted = list(dict.fromkeys(addresses))
    free = asyncio.Semaphore(_AT_ONCE)

    async def find(url: str) -> list[str]:
        async with free:
            return [feed.url for feed in await find_feeds(url, session)]

    async with Session.open(access) as session:
        answers = await asyncio.gather(*map(find, wanted), return_exceptions=True)
    found: dict[str, list[str]] = {}
    for url, answer in zip(wanted, answers, strict=True):
        if isinstance(answer, BaseException):
            raise answer
        found[url] = answer
    return found


def _in_file(path: Path) -> list[str]:
    try:
        found = read_opml(read_bytes(path))
    except UsageError:
        raise
    except GristmillError as error:
        raise UsageError(f"{path}: {error}") from error
    if not found:
        raise UsageError(f"there are no feeds in {path}")
    return [subscription.url for subscription in found]


def _check_folder(folder: Path, config: Config | None) -> None:
    """Raise if no corpus can be begun in a folder, or if there is one with other settings."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give the folder of a corpus")
    if (folder / MANIFEST).exists():
        Manifest.read(folder)
        if config is not None:
            raise UsageError(f"{folder} was built with settings of its own: feeds can't change them")
    elif folder.exists() and any(folder.iterdir()) and not (folder / STORE).exists():
        raise UsageError(f"{folder} is not empty and holds no corpus: give a new folder")


def _follows(folder: Path) -> bool:
    """Tell whether a corpus follows feeds; raise if there is none."""
    if (folder / STORE).exists():
        return True
    if not (folder / MANIFEST).exists():
        raise UsageError(f"there is no corpus in {folder}: begin one with `gristmill feeds add {folder} FEED...`")
    Manifest.read(folder)
    return False


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    """Open what is known of the feeds; raises in words if that fails, also later, as on a full disk."""
    try:
        with Store(folder / STORE) as store:
            yield store
    except sqlite3.Error as error:
        raise GristmillError(
            f"can't go on with {folder / STORE}: {error}; what was noted is safe, and the next run goes on"
        ) from error


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs of the same feeds out."""
    (folder / FETCHED).mkdir(exist_ok=True)
    with leased(folder / FETCHED / LOCK, f"another run of the feeds of {folder} is at work: wait until it is done"):
        yield


def _count_lines(folder: Path) -> dict[str, int]:
    return {watch.name: watch.count() for watch in read_watches(folder)}


class FetchBars:
    """Shows how many pages are done with: those of the items, then further pages of articles, a bar each."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._advance: Advance = hidden("", None)
        self._name = "articles"
        self._pages = -1
        self._left = 0

    def __call__(self, figures: CrawlProgress) -> None:
        """Show what a crawl reports."""
        left = figures.queued + figures.in_flight
        if self._pages < 0 or figures.pages < self._pages:  # another crawl has begun
            self._advance = self._progress(self._name, left)
            self._name, self._left = "further pages", left
        self._advance(max(self._left - left, 0))
        self._pages, self._left = figures.pages, min(self._left, left)


def _sum(first: ArticlesSummary, second: ArticlesSummary) -> ArticlesSummary:
    sources = dict(Counter(first.sources) + Counter(second.sources))
    return ArticlesSummary(first.items + second.items, sources, (*first.missing, *second.missing))
