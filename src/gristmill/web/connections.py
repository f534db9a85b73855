"""Connections that don't wait for ever: slow clients are cut off, and one address gets only so many.

uvicorn waits for the next request no longer than it is told, but for the rest of one that has begun, and for a client
that does not read its answer, as long as that likes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gristmill.web.security.headers import HEADERS
from gristmill.web.security.limits import MAX_HEAD_BYTES, TOO_LONG, network_of

REQUEST_SECONDS = 20.0
"""How long a request may take to come, from its first byte or from the beginning of the connection."""
STUCK_SECONDS = 60.0
"""How long a client may take nothing of its answer."""
ANSWER_SECONDS = 900.0
"""How long a client may take for a whole answer."""


class TimelyConnection(H11Protocol):
    """A connection whose requests must come in time, and whose answers must be read in time."""

    max_of_address = 1_000
    """Connections that one address may have."""
    _of_address: Counter[str] = Counter()  # noqa: RUF012 (of all connections of this process)
    _address = ""
    _waiting_since = 0.0
    _unsent = 0
    _sent_at = 0.0
    _sending_since = 0.0
    _is_refused = False

    def connection_made(self, transport: Any) -> None:
        """Begin with a connection, unless its address has too many."""
        super().connection_made(transport)
        self._waiting_since = self._sent_at = self._sending_since = time.monotonic()
        self._address = network_of(self.client[0]) if self.client else ""
        self._of_address[self._address] += 1
        if self._of_address[self._address] > self.max_of_address:
            transport.write(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n")
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the connection is gone."""
        self._of_address[self._address] -= 1
        if self._of_address[self._address] <= 0:
            del self._of_address[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what the client sends; the time of a request begins with its first byte."""
        if self.transport.is_closing() or self._is_refused:
            return
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._waiting_since = time.monotonic()
        super().data_received(data)

    def check(self) -> None:
        """Cut the connection if its client is too slow; to be called every second or so."""
        now = time.monotonic()
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY} and not self._is_refused:
            self._waiting_since = now
        if now - self._waiting_since > REQUEST_SECONDS or self._is_stuck(now):
            self.transport.abort()

    def _is_stuck(self, now: float) -> bool:
        """Whether the client does not take its answer."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent:
            self._sending_since = now
        if not unsent or unsent != self._unsent:
            self._unsent, self._sent_at = unsent, now
        return now - self._sent_at > STUCK_SECONDS or now - self._sending_since > ANSWER_SECONDS

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or has a head that is too long, with the headers that all answers have.

        What the client sends on is read and thrown away: closed with something unread, a connection is reset, and the
        client may lose the answer.
        """
        status = self._fault_of_head()
        body = json.dumps({"error": TOO_LONG.get(status, msg)}).encode()
        headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
        headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(b"connection", b"close")]
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self._is_refused = True
        self.transport.write_eof()

    def _fault_of_head(self) -> int:
        """Tell the status for what was not taken: the first line is too long, others of the head, or it is no HTTP."""
        unread = self.conn.trailing_data[0]
        if self.conn.our_state is not h11.IDLE or len(unread) <= MAX_HEAD_BYTES:
            return 400
        return 431 if b"\n" in unread[:MAX_HEAD_BYTES] else 414
