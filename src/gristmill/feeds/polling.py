"""Ask all feeds whose time has come, and note what is new in them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby

import xxhash

from gristmill.feeds.discovery import ACCEPT, reason_of
from gristmill.feeds.item import Feed
from gristmill.feeds.parsing import MAX_BYTES, NotAFeedError, parse_feed
from gristmill.feeds.scheduling import DEFAULT_SECONDS, after_answer, after_failure
from gristmill.feeds.store import Answered, FeedState, Store
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.urls import host_of
from gristmill.progress import Progress, hidden

PARALLEL = 128
"""Feeds that are asked for at a time, each on another host."""
_OK, _NOT_MODIFIED, _GONE = 200, 304, 410
_SMALL_BYTES = 200_000  # a feed that is parsed at once; a larger one in a thread, so that others go on


@dataclass(slots=True)
class PollSummary:
    """What came of asking feeds."""

    asked: int = 0
    unchanged: int = 0
    new: int = 0
    """Items that were never there."""
    corrected: int = 0
    """Items of which there is a new version."""
    known: int = 0
    """Items that were there before."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Addresses of feeds, and why they failed."""
    gone: list[str] = field(default_factory=list)
    """Feeds that their servers say are gone; nobody asks for them any more."""
    dead: list[str] = field(default_factory=list)
    """Feeds that have failed for a week."""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """Old and new addresses."""
    overrun: list[str] = field(default_factory=list)
    """Feeds in which nothing was known from before, so that something may have been missed: ask more often."""


async def poll(
    store: Store,
    session: Session,
    *,
    clock: Callable[[], float] = time.time,
    only: Iterable[str] | None = None,
    force: bool = False,
    robots: bool = True,
    usual_seconds: float = DEFAULT_SECONDS,
    parallel: int = PARALLEL,
    progress: Progress | None = None,
) -> PollSummary:
    """Ask the feeds whose time has come, or with `force` all; of these, `only` some.

    With `robots`, only what robots.txt allows is asked for. `usual_seconds` are between two requests for a feed that
    says nothing of it. What comes of each feed is stored at once.
    """
    polling = _Polling(store, session, clock(), robots, usual_seconds)
    feeds = store.due(polling.now, only, force=force)
    done = (progress or hidden)("feeds", len(feeds))
    turns = asyncio.Semaphore(parallel)

    async def of_host(some: list[FeedState]) -> None:
        for feed in some:
            async with turns:
                await polling.ask(feed)
            done(1)

    try:
        async with asyncio.TaskGroup() as group:
            for _, some in groupby(sorted(feeds, key=_host), key=_host):
                group.create_task(of_host(list(some)))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    polling.summary.failed.sort()
    polling.summary.dead = [feed.url for feed in store.feeds() if feed.state == "active" and feed.is_dead(polling.now)]
    return polling.summary


def _host(feed: FeedState) -> str:
    return host_of(feed.url)


class _Polling:
    """One round of asking. All of it happens at one time, so that feeds which are asked for each day are not late."""

    def __init__(self, store: Store, session: Session, now: float, robots: bool, usual_seconds: float) -> None:
        self._store = store
        self._session = session
        self.now = now
        self._robots = robots
        self._usual_seconds = usual_seconds
        self.summary = PollSummary()

    async def ask(self, feed: FeedState) -> None:
        """Ask for a feed and store what comes of it."""
        self.summary.asked += 1
        answer = await self._session.get(
            feed.url, headers=_conditions(feed), accept=ACCEPT, max_bytes=MAX_BYTES, robots=self._robots
        )
        if isinstance(answer, Failure):
            self._fail(feed, answer, reason_of(answer))
        elif answer.status == _NOT_MODIFIED and feed.body:
            self._take(feed, answer, _same(feed), feed.body)
        elif answer.status == _OK:
            await self._read(feed, answer)
        else:
            self._fail(feed, answer, f"the server answers with status {answer.status}")

    async def _read(self, feed: FeedState, answer: Answer) -> None:
        body = xxhash.xxh3_64_intdigest(answer.body) >> 1
        if body == feed.body:
            self._take(feed, answer, _same(feed), body)
            return
        parsed = answer.body, answer.url, answer.headers.get("content-type", "")
        try:
            document = (
                parse_feed(*parsed) if len(answer.body) < _SMALL_BYTES else await asyncio.to_thread(parse_feed, *parsed)
            )
        except NotAFeedError as error:
            self._fail(feed, answer, str(error))
            return
        self._take(feed, answer, document, body)

    def _take(self, feed: FeedState, answer: Answer, document: Feed, body: int) -> None:
        headers = answer.headers
        etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
        if answer.status == _NOT_MODIFIED:
            etag, modified = etag or feed.etag, modified or feed.modified
        when = after_answer(self.now, headers, document, self._usual_seconds)
        taken = self._store.answered(feed, Answered(when, document, etag, modified, body, answer.moved), self.now)
        summary = self.summary
        summary.unchanged += body == feed.body
        summary.new += taken.new
        summary.corrected += taken.corrected
        summary.known += taken.known
        if taken.new > 1 and not taken.known and not taken.corrected and feed.body:
            summary.overrun.append(feed.url)
        if answer.moved and answer.moved != feed.url:
            summary.moved.append((feed.url, answer.moved))

    def _fail(self, feed: FeedState, answer: Answer | Failure, reason: str) -> None:
        gone = answer.status == _GONE
        when = after_failure(self.now, answer.headers, feed.failures + 1)
        self._store.failed(feed, reason, when, self.now, gone=gone)
        if gone:
            self.summary.gone.append(feed.url)
        else:
            self.summary.failed.append((feed.url, reason))


def _same(feed: FeedState) -> Feed:
    """Return what a feed that has not changed says of itself."""
    hours = frozenset(hour for hour in range(24) if feed.skip_hours >> hour & 1)
    days = frozenset(day for day in range(7) if feed.skip_days >> day & 1)
    return Feed(feed.title, ttl_minutes=feed.ttl_minutes, skip_hours=hours, skip_days=days)


def _conditions(feed: FeedState) -> dict[str, str]:
    """Return the headers that ask for a feed only if it has changed."""
    given = {"If-None-Match": feed.etag, "If-Modified-Since": feed.modified} if feed.body else {}
    return {name: value for name, value in given.items() if value and value.isascii() and value.isprintable()}
