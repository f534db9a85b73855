"""Read parts of files from an HTTP server by range requests."""

from __future__ import annotations

import re

from gristmill.commoncrawl.patience import REFUSED, Patience
from gristmill.commoncrawl.store import Part, StoreError
from gristmill.errors import UsageError
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.urls import normalise

_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_MISSING = frozenset([404, 410])
_FAULTS = frozenset(["dns-failure", "connect", "timeout", "slow", "truncated"])
"""Reasons of failures that may be gone with the next request."""


class HttpStore:
    """Files below an address. Requests go out in the turns of `patience`, and again up to `retries` times."""

    def __init__(self, base: str, session: Session, patience: Patience, retries: int = 4) -> None:
        self._base = base_address(base)
        self._session = session
        self._patience = patience
        self._retries = retries

    async def read(self, path: str, start: int, length: int) -> Part:
        """Read so many bytes from an offset on; fewer only where the file ends."""
        return await self._read(path, f"bytes={start}-{start + length - 1}", start, length)

    async def read_end(self, path: str, length: int) -> Part:
        """Read the last bytes of a file, or all if it is shorter."""
        return await self._read(path, f"bytes=-{length}", None, length)

    async def _read(self, path: str, asked: str, start: int | None, length: int) -> Part:
        for _ in range(self._retries):
            try:
                return await self._try(path, asked, start, length)
            except StoreError as error:
                if not error.may_pass:
                    raise
                last = error
        raise last

    async def _try(self, path: str, asked: str, start: int | None, length: int) -> Part:
        sent = await self._patience.turn()
        answer = await self._session.get(
            self._base + path,
            headers={"Range": asked, "Accept-Encoding": "identity"},  # ranges are of the file as it is
            accept="*/*",
            max_bytes=length,
        )
        if isinstance(answer, Failure):
            return self._fail(answer, sent)
        if answer.status in REFUSED or answer.status >= 500:
            self._patience.failed(f"status {answer.status}", sent, answer.headers)
            reason = "refused" if answer.status in REFUSED else "status"
            raise StoreError(reason, f"status {answer.status}", may_pass=True)
        self._patience.answered(len(answer.body))
        if answer.status in _MISSING:
            raise StoreError("missing")
        return _part(answer, start, length)

    def _fail(self, failure: Failure, sent: float) -> Part:
        """Say why there was no answer, and whether one may come."""
        if failure.reason == "too-long":  # the server has not understood ranges, or does not care
            raise StoreError("range", f"status {failure.status}, longer than asked for")
        if failure.reason in _FAULTS:
            self._patience.failed(failure.reason, sent)
            raise StoreError(
                "truncated" if failure.reason == "truncated" else "no answer", failure.reason, may_pass=True
            )
        raise StoreError("no answer", f"{failure.reason}: {failure.detail}" if failure.detail else failure.reason)


def _part(answer: Answer, start: int | None, length: int) -> Part:
    """Check that an answer is what was asked for."""
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
    if size != last - first + 1:
        raise StoreError("truncated", f"{size} bytes of {last - first + 1}", may_pass=True)
    return Part(answer.body, first, total, version)


def base_address(text: str) -> str:
    """Check the address of a server, and let it end in a slash."""
    url = normalise(text if text.endswith("/") else f"{text}/")
    if not url or "?" in url:
        raise UsageError(f"{text!r} is no address of a server (https://data.commoncrawl.org/)")
    return url
