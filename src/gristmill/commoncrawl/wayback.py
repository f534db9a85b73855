"""Get pages from the Wayback Machine as they were, one request at a time."""

from __future__ import annotations

import re

from gristmill.commoncrawl.captures import Entry
from gristmill.commoncrawl.http_store import base_address
from gristmill.commoncrawl.records import ORIGINAL, wayback_record
from gristmill.commoncrawl.throttle import FAULTS, Throttle, is_refused
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Session

_MAX_BYTES = 20_000_000
_REPLAY = re.compile(r"web/(\d{14})id_/(.*)", re.DOTALL)


class WaybackPages:
    """Pages of the Wayback Machine."""

    def __init__(self, base: str, session: Session, throttle: Throttle, retries: int = 4) -> None:
        self._base = base_address(base)
        self._session = session
        self._throttle = throttle
        self._retries = retries

    async def read_records(self, entry: Entry) -> tuple[dict[int, bytes], dict[int, str]]:
        """Get a page; returns its record, or why there is none, by its place."""
        address = f"{self._base}web/{entry.capture.timestamp}id_/{entry.capture.url}"
        answer = await self._throttle.get(self._session, address, self._retries, accept="*/*", max_bytes=_MAX_BYTES)
        if isinstance(answer, Failure):
            return {}, {entry.place: "no answer" if answer.reason in FAULTS else answer.reason}
        if is_refused(answer.status):
            return {}, {entry.place: "refused"}
        if answer.status >= 400 and not any(name.startswith(ORIGINAL) for name in answer.headers):
            return {}, {entry.place: "missing"}
        if not self._is_replay(answer.url, entry):
            return {}, {entry.place: "other capture"}
        record = wayback_record(entry.capture, address, answer.status, answer.headers, answer.body)
        return {entry.place: record}, {}

    def _is_replay(self, url: str, entry: Entry) -> bool:
        """Tell whether an address, perhaps behind redirects, is that of the same capture."""
        match = _REPLAY.fullmatch(url.removeprefix(self._base)) if url.startswith(self._base) else None
        return match is not None and match[1] == entry.capture.timestamp
