"""The pages that were fetched for articles, a crawl folder a round, found by their addresses wherever these led."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from fastwarc.warc import ArchiveIterator, WarcRecordType

from gristmill.archive import Source, find_sources, read
from gristmill.crawling import outcomes
from gristmill.document import Page
from gristmill.fetching.urls import normalise
from gristmill.spool import Spool

_OK = 200
_MAX_REDIRECTS = 10
UNREACHED = "unreached"
"""Why there is no page if a crawl says nothing of it: its host was left."""


class Stored(NamedTuple):
    """A page, and the id of its record."""

    page: Page
    record_id: str


class FetchedPages:
    """All answers of some crawl folders; they are in a temporary file, their addresses in memory."""

    def __init__(self, folder: Path) -> None:
        self._spool = Spool[Stored](folder)
        self._places: dict[str, int] = {}
        self._moved: dict[str, str] = {}
        self._rounds: dict[str, Path] = {}
        self.first_date = ""
        """When the first answer came."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spool.__exit__(kind, error, trace)

    def add(self, folder: Path, asked: Sequence[str]) -> None:
        """Add what a round brought, which asked for some addresses."""
        self._rounds.update(dict.fromkeys(asked, folder))
        paths = sorted(folder.glob("pages-*.warc.gz"))
        for source in find_sources(paths) if paths else []:
            self._read(source)

    def _read(self, source: Source) -> None:
        ids = _record_ids(source.path)
        for item in read(source):
            if not isinstance(item, Page):
                continue
            self.first_date = min(filter(None, (self.first_date, item.date)), default="")
            target = normalise(item.headers.get("location", ""), item.url) if item.status != _OK else ""
            if target:
                self._moved[item.url] = target
            self._places.setdefault(item.url, len(self._spool))
            self._spool.append(Stored(item, ids.get(item.offset, "")))

    def get(self, url: str) -> Stored | None:
        """Return the page that an address led to; None if there is none."""
        place = self._places.get(self._end_of(url))
        stored = None if place is None else self._spool[place]
        return stored if stored and stored.page.status == _OK else None

    def reason(self, url: str) -> str:
        """Tell why there is no page for an address, as `crawl stats` has it: `status-404`, `robots`, `dns`..."""
        end = self._end_of(url)
        folder = self._rounds[url]
        found = outcomes(folder, [end])[end]
        return found or UNREACHED

    def was_asked(self, url: str) -> bool:
        """Tell whether an address was asked for."""
        return url in self._rounds

    def _end_of(self, url: str) -> str:
        for _ in range(_MAX_REDIRECTS):
            if url not in self._moved:
                break
            url = self._moved[url]
        return url


def _record_ids(path: str) -> dict[int, str]:
    """Return the ids of the responses of a WARC file by their places in it."""
    with Path(path).open("rb") as file:
        records = ArchiveIterator(file, WarcRecordType.response, parse_http=False)
        return {record.stream_pos: record.headers.get("WARC-Record-ID") or "" for record in records}
