"""Wait for servers: not too many requests a second, and none for a while after one was refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from gristmill.errors import GristmillError
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.waiting import retry_after
from gristmill.wording import duration

REFUSED = frozenset([403, 429, 503])
"""Statuses by which servers ask for fewer requests; S3 says `503 Slow Down`."""
FAULTS = frozenset(["dns-failure", "connect", "timeout", "slow", "truncated"])
"""Reasons of failures that may be gone with the next request."""
_MAX_BACK_OFF_SECONDS = 300.0
_MAX_WAIT_SECONDS = 3_600.0  # if a server asks for more, the command ends


def is_refused(status: int) -> bool:
    """Tell whether a server answers that it does not answer now."""
    return status in REFUSED or status >= 500


class Throttle:
    """When the next request may be sent to the server of an archive, and what was sent."""

    def __init__(self, rate: float = 0.0, back_off: float = 1.0, max_in_row: int = 10) -> None:
        """Send at most `rate` requests a second (0: any number).

        After a request that was refused, or that got no answer, no other is sent for `back_off` seconds, twice as many
        after each further one. After `max_in_row` of them without an answer in between, an error is raised.
        """
        self._pause = 1 / rate if rate else 0.0
        self._back_off = back_off
        self._max_in_row = max_in_row
        self._next = 0.0
        self._in_row = 0
        self._failed_at = 0.0
        self.requests = 0
        self.bytes = 0
        """Bytes of the answers."""
        self.failures = 0
        """How many requests were refused or got no answer."""

    async def get(
        self,
        session: Session,
        url: str,
        retries: int,
        *,
        accept: str,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
    ) -> Answer | Failure:
        """Send a request in its turn, up to `retries` times if it is refused or gets no answer.

        Returns what came last, which may be a failure, or an answer whose status says that it `is_refused`.
        """
        found: Answer | Failure = Failure(url, "timeout")
        for _ in range(retries):
            sent = await self.turn()
            found = await session.get(url, headers=headers, accept=accept, max_bytes=max_bytes)
            if isinstance(found, Failure):
                if found.reason not in FAULTS:
                    return found
                self.failed(f"{found.reason}: {found.detail}" if found.detail else found.reason, sent)
            elif is_refused(found.status):
                self.failed(f"status {found.status}", sent, found.headers)
            else:
                self.answered(len(found.body))
                return found
        return found

    async def turn(self) -> float:
        """Wait until it is time for a request; returns when that is, on the monotonic clock."""
        while (wait := self._next - time.monotonic()) > 0:  # noqa: ASYNC110 (meanwhile it may have become longer)
            await asyncio.sleep(wait)
        now = time.monotonic()
        self._next = now + self._pause
        self.requests += 1
        return now

    def answered(self, size: int) -> None:
        """Note that a request was answered with so many bytes."""
        self._in_row = 0
        self.bytes += size

    def failed(self, what: str, sent: float, headers: Mapping[str, str] | None = None) -> None:
        """Note that a request was refused or got no answer, and wait longer before the next.

        Of requests that were under way together, only the first that fails counts.
        """
        self.failures += 1
        now = time.monotonic()
        if sent >= self._failed_at:
            self._failed_at = now
            self._in_row += 1
        if self._in_row > self._max_in_row:
            raise GristmillError(
                f"the server does not answer any more ({what}, {self._in_row:,} times in a row): what was fetched is "
                "kept; go on later with the same command"
            )
        asked = retry_after(headers or {}, time.time()) or 0.0
        if asked > _MAX_WAIT_SECONDS:
            raise GristmillError(
                f"the server asks to be left alone for {duration(asked)} ({what}): what was fetched is kept; "
                "go on later with the same command"
            )
        wait = min(self._back_off * 2 ** (self._in_row - 1), _MAX_BACK_OFF_SECONDS)
        self._next = max(self._next, now + max(wait, asked))
