"""All indexes behind one interface: which crawls there are, and captures that are wanted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, MutableMapping, Sequence
from contextlib import aclosing, asynccontextmanager

from gristmill.commoncrawl.capture import Capture
from gristmill.commoncrawl.cdx import CRAWL_NAME, CdxServer, WaybackCdx
from gristmill.commoncrawl.columnar import ColumnarIndex
from gristmill.commoncrawl.http_store import HttpStore
from gristmill.commoncrawl.piece import Piece
from gristmill.commoncrawl.s3_store import SCHEME, S3Store
from gristmill.commoncrawl.servers import Pace, Servers
from gristmill.commoncrawl.store import Store
from gristmill.commoncrawl.throttle import Throttle
from gristmill.commoncrawl.wanted import Wanted
from gristmill.errors import UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.client import Limits
from gristmill.fetching.session import Session

_LIMITS = Limits(total_seconds=600.0)  # parts of the index may be large


class Index:
    """The indexes of Common Crawl and of the Wayback Machine, for the time of some questions."""

    def __init__(self, servers: Servers, data: Session, single: Session, pace: Pace) -> None:
        """Use `open`, which makes the sessions."""
        self.files_throttle = Throttle(pace.rate, pace.back_off)
        self.single_throttle = Throttle(0.0, pace.back_off)
        self.single = single
        """The session for servers that are asked one request at a time."""
        self.store: Store = (
            S3Store(servers.data, self.files_throttle, pace.retries)
            if servers.data.startswith(SCHEME)
            else HttpStore(servers.data, data, self.files_throttle, pace.retries)
        )
        self._columnar = ColumnarIndex(self.store, pace.parallel)
        self._cdx = CdxServer(servers.index, single, self.single_throttle, pace.retries)
        self._wayback = WaybackCdx(servers.wayback, single, self.single_throttle, pace.retries)

    @classmethod
    @asynccontextmanager
    async def open(
        cls, access: Access, servers: Servers | None = None, pace: Pace | None = None
    ) -> AsyncIterator[Index]:
        """Open the indexes for the time of some questions."""
        servers, pace = servers or Servers(), pace or Pace()
        async with (
            Session.open(access, delay=0.0, parallel=pace.parallel, limits=_LIMITS) as data,
            Session.open(access, delay=pace.delay, limits=_LIMITS) as single,
        ):
            yield cls(servers, data, single, pace)

    async def crawls(self) -> list[str]:
        """Return the names of all crawls of Common Crawl, the latest first."""
        return await self._cdx.crawls()

    async def ask(
        self,
        wanted: Wanted,
        crawls: Sequence[str],
        done: MutableMapping[str, str],
        kind: str = "columnar",
        seed: int | None = None,
    ) -> AsyncGenerator[Piece, None]:
        """Ask an index for captures of some crawls, but for the steps that are `done`.

        Whoever asks puts the value of each piece into `done` under the name of its step, before taking the next.
        """
        if kind == "wayback":
            async with aclosing(self._wayback.ask(wanted, done)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        for crawl in crawls:
            if not CRAWL_NAME.fullmatch(crawl):
                raise UsageError(f"{crawl!r} is not the name of a crawl (CC-MAIN-2026-42)")
            asked = (
                self._cdx.ask(wanted, crawl, done) if kind == "cdx" else self._columnar.ask(wanted, crawl, done, seed)
            )
            async with aclosing(asked) as pieces:
                async for piece in pieces:
                    yield piece

    async def find(
        self,
        wanted: Wanted,
        crawls: Sequence[str] = (),
        *,
        limit: int = 0,
        per_piece: int = 0,
        kind: str = "columnar",
        seed: int | None = None,
    ) -> AsyncGenerator[Capture, None]:
        """Yield captures, each address once: at most `limit`, and `per_piece` of a row group or page of the index.

        Without crawls, the latest is asked. With a seed, the row groups of the columnar index come in random order, so
        that the first captures are not all of the same domains.
        """
        wanted.check()
        names = list(crawls) or (await self.crawls())[:1]
        done: dict[str, str] = {}
        seen: set[str] = set()
        async with aclosing(self.ask(wanted, names, done, kind, seed)) as pieces:
            async for piece in pieces:
                done[piece.step] = piece.value
                new = {capture.url: capture for capture in piece.captures if capture.url not in seen}
                for capture in list(new.values())[: per_piece or None]:
                    seen.add(capture.url)
                    yield capture
                    if len(seen) == limit:
                        return
