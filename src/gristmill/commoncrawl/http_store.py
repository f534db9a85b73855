"""Read parts of files from an HTTP server by range requests."""

from __future__ import annotations

import re

from gristmill.commoncrawl.store import Part, StoreError
from gristmill.commoncrawl.throttle import REFUSED, Throttle, is_refused
from gristmill.errors import UsageError
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.urls import normalise

_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_MISSING = frozenset([404, 410])


class HttpStore:
    """Files below an address. Requests go out in the turns of `throttle`, and again up to `retries` times."""

    def __init__(self, base: str, session: Session, throttle: Throttle, retries: int = 4) -> None:
        self._base = base_address(base)
        self._session = session
        self._throttle = throttle
        self._retries = retries

    async def read(self, path: str, start: int, length: int) -> Part:
        """Read so many bytes from an offset on; fewer only where the file ends."""
        return await self._read(path, f"bytes={start}-{start + length - 1}", start, length)

    async def read_end(self, path: str, length: int) -> Part:
        """Read the last bytes of a file, or all if it is shorter."""
        return await self._read(path, f"bytes=-{length}", None, length)

    async def _read(self, path: str, asked: str, start: int | None, length: int) -> Part:
        for _ in range(self._retries):
            answer = await self._throttle.get(
                self._session,
                self._base + path,
                self._retries,
                headers={"Range": asked, "Accept-Encoding": "identity"},  # ranges are of the file as it is
                accept="*/*",
                max_bytes=length,
            )
            if isinstance(answer, Failure):
                raise _failed(answer)
            if is_refused(answer.status):
                raise StoreError("refused" if answer.status in REFUSED else "status", f"status {answer.status}")
            if answer.status in _MISSING:
                raise StoreError("missing")
            if part := _part(answer, start, length):
                return part
        raise StoreError("truncated", "fewer bytes than the server says, each time")


def _failed(failure: Failure) -> StoreError:
    """Say why there was no answer."""
    if failure.reason == "too-long":  # the server has not understood ranges, or does not care
        return StoreError("range", f"status {failure.status}, longer than asked for")
    detail = f"{failure.reason}: {failure.detail}" if failure.detail else failure.reason
    return StoreError("truncated" if failure.reason == "truncated" else "no answer", detail)


def _part(answer: Answer, start: int | None, length: int) -> Part | None:
    """Check that an answer is what was asked for; None if it has fewer bytes than it says."""
    version = answer.headers.get("etag", "")
    size = len(answer.body)
    if answer.status == 200 and not start and size <= length:
        return Part(answer.body, 0, size, version)  # the whole file, which is not longer
    if answer.status == 416:
        raise StoreError("range", "the file is shorter")
    if answer.status != 206:
        raise StoreError("status", str(answer.status))
    match = _CONTENT_RANGE.fullmatch(answer.headers.get("content-range", ""))
    first, last, total = map(int, match.groups()) if match else (0, -1, 0)
    wanted = max(0, total - length) if start is None else start
    if first != wanted or last != min(wanted + length, total) - 1:
        raise StoreError("range", "another part than asked for")
    return Part(answer.body, first, total, version) if size == last - first + 1 else None


def base_address(text: str) -> str:
    """Check the address of a server, and let it end in a slash."""
    url = normalise(text if text.endswith("/") else f"{text}/")
    if not url or "?" in url:
        raise UsageError(f"{text!r} is no address of a server (https://data.commoncrawl.org/)")
    return url
