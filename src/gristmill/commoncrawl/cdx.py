"""Ask the CDX servers of Common Crawl (pywb) and of the Wayback Machine: for single sites, one request at a time."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from gristmill.commoncrawl.capture import Capture, plain_digest
from gristmill.commoncrawl.http_store import base_address
from gristmill.commoncrawl.piece import Piece, piece_of
from gristmill.commoncrawl.throttle import Throttle
from gristmill.commoncrawl.wanted import Wanted
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Session

CRAWL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_MAX_ANSWER_BYTES = 100_000_000
_MAX_PAGES = 1_000_000
_LIMIT = 10_000  # captures that the Wayback Machine is asked for at a time
_FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")


class CdxServer:
    """The index server of Common Crawl."""

    def __init__(self, base: str, session: Session, throttle: Throttle, retries: int = 4) -> None:
        self._base = base_address(base)
        self._asking = _Asking(session, throttle, retries)

    async def crawls(self) -> list[str]:
        """Return the names of all crawls, the latest first."""
        url = f"{self._base}collinfo.json"
        found = _json(await self._asking.get(url) or b"", url)
        names = [item.get("id") for item in found if isinstance(item, dict)] if isinstance(found, list) else []
        crawls = [name for name in names if isinstance(name, str) and CRAWL_NAME.fullmatch(name)]
        if not crawls:
            raise GristmillError(f"{url} lists no crawls")
        return crawls

    async def ask(self, wanted: Wanted, crawl: str, done: Mapping[str, str]) -> AsyncGenerator[Piece, None]:
        """Ask for the captures of a crawl, page by page, but for steps that are `done`."""
        for number, place in enumerate(_places(wanted)):
            query = [*place, *_pywb_filters(wanted), ("output", "json")]
            step = f"cdx {crawl} {number}"
            if step not in done:
                yield Piece(step, str(await self._pages(crawl, query)))
            for page in range(int(done[step])):
                if f"{step} {page}" not in done:
                    data = await self._asking.get(self._address(crawl, [*query, ("page", str(page))])) or b""
                    yield _pywb_piece(f"{step} {page}", data, wanted)

    async def _pages(self, crawl: str, query: list[tuple[str, str]]) -> int:
        """Ask how many pages the answer has."""
        url = self._address(crawl, [*query, ("showNumPages", "true")])
        answer = await self._asking.get(url)
        if answer is None:  # no captures
            return 0
        found = _json(answer, url)
        pages = found.get("pages") if isinstance(found, dict) else found  # older servers send only the number
        if isinstance(pages, bool) or not isinstance(pages, int) or not 0 <= pages <= _MAX_PAGES:
            raise GristmillError(f"{url} does not say how many pages there are")
        return pages

    def _address(self, crawl: str, query: list[tuple[str, str]]) -> str:
        return f"{self._base}{crawl}-index?{urlencode(query)}"


class WaybackCdx:
    """The index server of the Wayback Machine."""

    def __init__(self, base: str, session: Session, throttle: Throttle, retries: int = 4) -> None:
        self._base = base_address(base)
        self._asking = _Asking(session, throttle, retries)

    async def ask(self, wanted: Wanted, done: Mapping[str, str]) -> AsyncGenerator[Piece, None]:
        """Ask for captures, so many at a time, but for steps that are `done`."""
        for number, place in enumerate(_places(wanted)):
            query = [*place, *_wayback_filters(wanted)]
            page, resume = 0, ""
            while page == 0 or resume:
                step = f"wayback {number} {page}"
                if step not in done:
                    more = [("resumeKey", resume)] if resume else []
                    url = f"{self._base}cdx/search/cdx?{urlencode([*query, *more])}"
                    yield _wayback_piece(step, await self._asking.get(url) or b"[]", url, wanted)
                page, before, resume = page + 1, resume, done[step]
                if resume == before:  # the server would give the same again and again
                    break


class _Asking:
    """Requests to an index server, again after a while if they are refused."""

    def __init__(self, session: Session, throttle: Throttle, retries: int) -> None:
        self._session = session
        self._throttle = throttle
        self._retries = retries

    async def get(self, url: str) -> bytes | None:
        """Return the body of an answer; None if there is nothing of what was asked for."""
        answer = await self._throttle.get(
            self._session, url, self._retries, accept="application/json", max_bytes=_MAX_ANSWER_BYTES
        )
        if isinstance(answer, Failure):
            what = f"{answer.reason}: {answer.detail}" if answer.detail else answer.reason
        elif answer.status in {200, 404}:
            return answer.body if answer.status == 200 else None
        else:
            what = f"status {answer.status}"
        raise GristmillError(f"the index does not answer ({url}: {what}): go on later with the same command")


def _places(wanted: Wanted) -> Iterator[list[tuple[str, str]]]:
    """Say in the parameters of CDX servers which addresses are wanted."""
    for kind, names in (("domain", wanted.domains), ("host", wanted.hosts)):
        for name in names:
            yield [("url", name.strip(".")), ("matchType", kind)]
    for pattern in wanted.urls:
        yield [("url", pattern.removesuffix("*")), ("matchType", "prefix" if pattern.endswith("*") else "exact")]
    if not (wanted.domains or wanted.hosts or wanted.urls):
        raise UsageError("this index is asked for a site: give --domain, --host or --url")


def _pywb_filters(wanted: Wanted) -> Iterator[tuple[str, str]]:
    if wanted.status:
        yield "filter", f"=status:{wanted.status}"
    if wanted.types:
        yield "filter", f"~mime-detected:^({'|'.join(map(re.escape, wanted.types))})$"
    if wanted.codes:
        yield "filter", f"~languages:^({'|'.join(wanted.codes)})(,.*)?$"
    yield from _times(wanted)


def _times(wanted: Wanted) -> Iterator[tuple[str, str]]:
    if wanted.since:
        yield "from", wanted.since
    if wanted.until:
        yield "to", wanted.until


def _pywb_piece(step: str, data: bytes, wanted: Wanted) -> Piece:
    """Read a page of lines of JSON."""
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    entries = [entry for line in lines if (entry := _entry(line)) is not None]
    piece = piece_of(step, (capture for capture in map(_pywb_capture, entries) if _is_wanted(capture, wanted)))
    if len(entries) < len(lines):
        piece.refused["line"] += len(lines) - len(entries)
    return piece


def _entry(line: str) -> dict[str, str] | None:
    """Read a line of JSON; None if it is no entry."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "url" not in found:
        return None
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _pywb_capture(entry: Mapping[str, str]) -> Capture:
    return Capture(
        url=entry.get("url", ""),
        key=entry.get("urlkey", ""),
        timestamp=entry.get("timestamp", ""),
        digest=plain_digest(entry.get("digest", "")),
        filename=entry.get("filename", ""),
        offset=_number(entry.get("offset", "")),
        length=_number(entry.get("length", "")),
        languages=entry.get("languages", ""),
    )


def _is_wanted(capture: Capture, wanted: Wanted) -> bool:
    """Check again what servers may have been asked for in vain, and what they can't be asked for."""
    return (
        wanted.matches_words(capture.url)
        and wanted.matches_language(capture.languages)
        and wanted.matches_time(capture.timestamp)
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else -1


def _wayback_filters(wanted: Wanted) -> Iterator[tuple[str, str]]:
    yield "output", "json"
    yield "fl", ",".join(_FIELDS)
    if wanted.status:
        yield "filter", f"statuscode:{wanted.status}"
    if wanted.types:
        yield "filter", f"mimetype:({'|'.join(map(re.escape, wanted.types))})"
    yield from _times(wanted)
    yield "collapse", "digest"
    yield "showResumeKey", "true"
    yield "limit", str(_LIMIT)


def _wayback_piece(step: str, data: bytes, url: str, wanted: Wanted) -> Piece:
    """Read rows under a row of names; behind an empty row stands the key to go on with."""
    found = _json(data, url)
    rows = found if isinstance(found, list) else []
    resume = ""
    if len(rows) >= 2 and rows[-2] == [] and isinstance(rows[-1], list) and len(rows[-1]) == 1:
        resume, rows = str(rows[-1][0]), rows[:-2]
    entries = [row for row in rows[1:] if _is_row(row)]
    captures = (_wayback_capture(dict(zip(_FIELDS, row, strict=True))) for row in entries)
    wanted_ones = (
        capture for capture in captures if wanted.matches_words(capture.url) and wanted.matches_time(capture.timestamp)
    )
    piece = piece_of(step, wanted_ones, resume, is_in_file=False)
    if len(entries) < len(rows) - 1:
        piece.refused["line"] += len(rows) - 1 - len(entries)
    return piece


def _is_row(row: Any) -> bool:
    return isinstance(row, list) and len(row) == len(_FIELDS) and all(isinstance(value, str) for value in row)


def _wayback_capture(entry: Mapping[str, str]) -> Capture:
    digest = plain_digest(entry["digest"])
    return Capture(entry["original"], entry["urlkey"], entry["timestamp"], digest)


def _json(data: bytes, url: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise GristmillError(f"the answer of {url} can't be read: {error}") from error
