"""Fetch pages from archives, or go on with it: what `gristmill.fetch_commoncrawl` and the command call."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path

from gristmill.archive.crawls import COMMON_CRAWL
from gristmill.arguments import as_path, check_type
from gristmill.commoncrawl.captures import NAME as LIST
from gristmill.commoncrawl.captures import Captures
from gristmill.commoncrawl.config import ArchiveConfig
from gristmill.commoncrawl.fetcher import Fetcher
from gristmill.commoncrawl.figures import ArchiveSummary, make_summary
from gristmill.commoncrawl.files import FileFetcher, piece_of_paths
from gristmill.commoncrawl.index import Index
from gristmill.commoncrawl.lists import lines_of, read_list
from gristmill.commoncrawl.store import StoreError
from gristmill.commoncrawl.wayback import WaybackPages
from gristmill.crawling.folder import Log, refuse_links
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.loop import run_in_loop
from gristmill.leases import locked
from gristmill.progress import Progress, shown

FILE_KINDS = ("warc", "wet")
MAY_PASS = frozenset(["refused", "no answer", "truncated", "status", "changed"])
"""Reasons of failures that may be gone another day."""
_CRAWLS, _CHOSEN = "crawls", "chosen"
_LIST_BYTES = 256_000_000


def fetch_commoncrawl(
    folder: str | Path,
    config: ArchiveConfig | None = None,
    *,
    access: Access | None = None,
    progress: bool | Progress = False,
) -> ArchiveSummary:
    """Fetch pages from Common Crawl or the Wayback Machine into a new folder, which can then be built into a corpus.

    The index is asked first, then only the records of the pages are fetched. With the folder alone, or with the same
    settings, it goes on where it was stopped or killed; what has come is not fetched again. `access` says who asks.
    """
    path = as_path(folder, "folder")
    check_type(config, ArchiveConfig, "config", "a gristmill.ArchiveConfig")
    check_type(access, Access, "access", "a gristmill.fetching.access.Access")
    access = access or Access()
    access.check()
    is_new = not (path / COMMON_CRAWL).is_file()
    if is_new:
        if config is None:
            raise UsageError(f"there are no pages of an archive in {path}: say what is wanted, to begin there")
        _refuse_used(path)
        _check(config)
        path.mkdir(parents=True, exist_ok=True)
    refuse_links(path)
    with locked(path), shown(progress) as begin, _said(path):
        settings = _begin(path, config) if is_new and config else _known(path, config)
        return run_in_loop(lambda: _run(path, settings, access, begin))


@contextmanager
def _said(folder: Path) -> Iterator[None]:
    """Say in words what keeps a folder from being written to, as a full disk."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise GristmillError(
            f"can't go on in {folder}: {error}; when this is mended, `gristmill commoncrawl {folder}` goes on"
        ) from error


def list_crawls(config: ArchiveConfig | None = None, *, access: Access | None = None) -> list[str]:
    """Return the names of all crawls of Common Crawl, the latest first."""
    access = access or Access()
    access.check()
    settings = config or ArchiveConfig()

    async def ask() -> list[str]:
        async with Index.open(access, settings.servers, settings.pace) as index:
            return await index.crawls()

    return run_in_loop(ask)


def _refuse_used(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    if folder.is_dir() and any(not item.name.startswith((".", LIST, COMMON_CRAWL)) for item in folder.iterdir()):
        raise UsageError(f"{folder} is not empty: give a new folder for the pages")


def _check(config: ArchiveConfig) -> None:
    """Refuse what would ask for everything."""
    wanted, source = config.wanted, config.source
    is_any = not (wanted.keys or wanted.languages or wanted.words or config.take.pages or config.take.sample)
    if is_any and not source.files:
        raise UsageError(
            "this would fetch all of a crawl: say which pages are wanted (--domain, --host, --url, --lang) or how many "
            "(--pages)"
        )
    if source.files and source.files not in FILE_KINDS and not Path(source.files).is_file():
        raise UsageError(f"there is no list of files {source.files!r} (or give one of: {', '.join(FILE_KINDS)})")


def _begin(folder: Path, config: ArchiveConfig) -> ArchiveConfig:
    """Make a folder one of fetched pages; what was left by one that was killed before that is removed."""
    for path in folder.glob(f"{LIST}*"):
        path.unlink()
    with Captures(folder) as captures:
        if config.source.files and config.source.files not in FILE_KINDS:
            captures.add(piece_of_paths("files", _local_list(Path(config.source.files)), config.servers.data))
    config.write(folder / COMMON_CRAWL)
    return config


def _known(folder: Path, config: ArchiveConfig | None) -> ArchiveConfig:
    """Read the settings of a folder, which those that are given must not differ from."""
    known = ArchiveConfig.from_file(folder / COMMON_CRAWL)
    if not (folder / LIST).is_file():
        raise GristmillError(f"{folder / LIST} is missing: it can't go on without it; begin in a new folder")
    if config is not None and (config.wanted, config.source, config.take) != (known.wanted, known.source, known.take):
        raise UsageError(f"{folder} has other pages: give a new folder, or `gristmill commoncrawl {folder}` to go on")
    return known if config is None else config


def _local_list(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            return lines_of(file.read(_LIST_BYTES))
    except (OSError, StoreError) as error:
        raise UsageError(f"can't read the list {path}: {getattr(error, 'strerror', None) or error}") from error


async def _run(folder: Path, config: ArchiveConfig, access: Access, begin: Progress) -> ArchiveSummary:
    with Captures(folder) as captures:
        log = Log(folder)
        try:
            async with Index.open(access, config.servers, config.pace) as index:
                try:
                    await _list(index, captures, config, begin)
                    await _fetch(index, folder, captures, config, log, begin)
                finally:
                    sent = (index.files_throttle, index.single_throttle)
                    names = ("requests", "bytes")
                    captures.count({name: sum(getattr(throttle, name) for throttle in sent) for name in names})
        finally:
            log.close()
        return make_summary(folder, captures)


async def _list(index: Index, captures: Captures, config: ArchiveConfig, begin: Progress) -> None:
    """Ask the index for what is wanted, unless that was done before."""
    if _CHOSEN in captures.steps:
        captures.want_again(MAY_PASS)
        return
    source, take = config.source, config.take
    if _CRAWLS not in captures.steps:
        needed = source.index != "wayback" and (not source.files or source.files in FILE_KINDS)
        crawls = source.crawls or (tuple((await index.crawls())[: source.latest]) if needed else ())
        captures.note(_CRAWLS, json.dumps(crawls))
    crawls = tuple(json.loads(captures.steps[_CRAWLS]))
    if source.files:
        for crawl in crawls if source.files in FILE_KINDS else ():
            await _list_files(index, captures, crawl, config)
        captures.choose(keep="all", duplicates=True, sample=take.sample, pages=take.pages, seed=take.seed)
    else:
        await _ask(index, captures, crawls, config, begin)
    captures.settle(_CHOSEN)


async def _list_files(index: Index, captures: Captures, crawl: str, config: ArchiveConfig) -> None:
    """Read the list of the files of a crawl."""
    path = f"crawl-data/{crawl}/{config.source.files}.paths.gz"
    if path not in captures.steps:
        try:
            captures.add(piece_of_paths(path, await read_list(index.store, path), config.servers.data))
        except StoreError as error:
            raise GristmillError(
                f"there is no list of files of the crawl {crawl!r} ({path}: {error}): "
                "`gristmill commoncrawl crawls` lists the crawls that there are"
            ) from error


async def _ask(
    index: Index, captures: Captures, crawls: tuple[str, ...], config: ArchiveConfig, begin: Progress
) -> None:
    """Ask the index, and choose from what it has."""
    take = config.take
    advance = begin("index", None)

    def choose() -> int:
        return captures.choose(
            keep=take.keep, duplicates=take.duplicates, sample=take.sample, pages=take.pages, seed=take.seed
        )

    async with aclosing(index.ask(config.wanted, crawls, captures.steps, config.source.index)) as pieces:
        async for piece in pieces:
            captures.add(piece)
            advance(len(piece.captures))
            if take.pages and not take.sample and piece.captures and choose() >= take.pages:
                break
    choose()


async def _fetch(
    index: Index, folder: Path, captures: Captures, config: ArchiveConfig, log: Log, begin: Progress
) -> None:
    """Fetch what is wanted and not there."""
    waiting = sum(count for (state, _), count in captures.states().items() if state == "wanted")
    if config.source.files:
        await FileFetcher(folder, captures, log, begin("files", waiting)).fetch(index.store, config.pace.parallel)
        return
    fetcher = Fetcher(folder, captures, log, begin("pages", waiting), config.take.warc_bytes)
    if config.source.index == "wayback":
        pages = WaybackPages(config.servers.wayback, index.single, index.single_throttle, config.pace.retries)
        await fetcher.fetch(pages, 1)
    else:
        await fetcher.fetch(index.store, config.pace.parallel)
