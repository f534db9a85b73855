"""Fetch the captures of a list and store them in WARC files, in the order of the list.

Records are kept in the database as soon as they have come, in whatever order that is, and moved to the WARC file in
their order. So nothing that has come is fetched again after a kill, and the same captures give the same bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Coroutine, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from gristmill.archive.crawls import number_of, warc_path
from gristmill.commoncrawl.captures import Captures, Entry
from gristmill.commoncrawl.ordered import in_order
from gristmill.commoncrawl.ranges import joined, read_records
from gristmill.commoncrawl.store import Store
from gristmill.commoncrawl.wayback import WaybackPages
from gristmill.crawling.folder import Log
from gristmill.crawling.warcs import WarcFiles
from gristmill.errors import GristmillError
from gristmill.progress import Advance

_BATCHES_AT_ONCE = 16
"""Batches of records that are moved to the WARC file together."""
_AHEAD = 4
"""Requests that may be waiting or done, for each that runs, while one before them is not done."""


class Fetcher:
    """Fetches what is wanted into the WARC files of a folder."""

    def __init__(self, folder: Path, captures: Captures, log: Log, advance: Advance, warc_bytes: int) -> None:
        self._folder = folder
        self._captures = captures
        self._log = log
        self._advance = advance
        self._warc_bytes = warc_bytes

    async def fetch(self, source: Store | WaybackPages, parallel: int) -> None:
        """Fetch all that is wanted, so many requests at a time."""
        with WarcFiles(
            self._folder, self._warc_bytes, {"description": "pages from web archives"}, self._date()
        ) as files:
            self._go_on(files)
            self._move(files)
            done = 0
            try:
                async with aclosing(in_order(self._jobs(source), _AHEAD * parallel)) as batches:
                    async for _ in batches:
                        done += 1
                        if done % _BATCHES_AT_ONCE == 0:
                            self._move(files)
            finally:
                self._move(files)
                self._log.flush()

    def _date(self) -> str:
        """Date WARC files by the latest capture, so that the same captures give the same files."""
        stamp = self._captures.latest or "19700101000000"
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.strptime(stamp, "%Y%m%d%H%M%S"))

    def _go_on(self, files: WarcFiles) -> None:
        """Cut off what was written after the last note of it, which is still in the database, and go on there."""
        number, end = self._captures.position
        for path in self._folder.iterdir():
            found = number_of(path)
            if found is not None and found > number:
                path.unlink()
        last = warc_path(self._folder, number)
        size = last.stat().st_size if last.exists() else 0
        if size < end:
            raise GristmillError(
                f"{last} has lost {end - size:,} bytes of what was stored in it: begin in a new folder"
            )
        if size > end:
            os.truncate(last, end)
        for _ in files.recover(number, end):
            raise GristmillError(f"{last} is being written by somebody else")

    def _jobs(self, source: Store | WaybackPages) -> Iterator[Coroutine[Any, Any, None]]:
        entries = self._captures.waiting()
        if isinstance(source, WaybackPages):
            return (self._fetch_page(source, entry) for entry in entries)
        return (self._fetch_batch(source, batch) for batch in joined(entries))

    async def _fetch_batch(self, store: Store, batch: list[Entry]) -> None:
        self._keep(batch, *await read_records(store, batch))

    async def _fetch_page(self, wayback: WaybackPages, entry: Entry) -> None:
        self._keep([entry], *await wayback.read_records(entry))

    def _keep(self, batch: list[Entry], records: dict[int, bytes], failures: dict[int, str]) -> None:
        """Keep what has come, and write a line of the log for each."""
        self._captures.keep(records, failures)
        now = time.time()
        for entry in batch:
            capture = entry.capture
            outcome = failures.get(entry.place, "stored")
            self._log.write(now, outcome, capture.url, capture.timestamp, capture.filename, capture.offset)
        self._advance(len(batch))

    def _move(self, files: WarcFiles) -> None:
        """Move what has come to the WARC file, as far as nothing before it is missing."""
        while rows := self._captures.fetched():
            for _, data in rows:
                files.append(data)
            files.sync()
            self._captures.store(rows[-1][0], files.position)
