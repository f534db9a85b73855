"""A connection to a server of the local web: reads requests, sends answers, and notes both in the log."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections import Counter
from typing import TextIO, cast

from localweb.answer import Answer
from localweb.log import Visit
from localweb.misbehaviour import WAYS
from localweb.web import Served

_MAX_HEAD_BYTES = 65_536
_CHUNK_BYTES = 8_192
_REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 500: "Internal Server Error"}
_LINGER = struct.pack("ii", 1, 0)


class Service:
    """What all connections share: the web, the log, how long waiting takes, and which addresses were asked for."""

    def __init__(self, web: Served, log: TextIO, tempo: float) -> None:
        self.web = web
        self.log = log
        self.tempo = tempo
        self.visits: Counter[tuple[str, str]] = Counter()
        self.connections: set[Connection] = set()
        self.tasks: set[asyncio.Task[None]] = set()


class Connection(asyncio.Protocol):
    """One connection of a client; requests on it are answered one after the other."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.tempo = service.tempo
        self.visits = 0
        self._received = bytearray()
        self._visit: Visit | None = None
        self._written = 0
        self._keep = True
        self._behaving: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=1)  # not 0, at which TLS pauses for good
        self._scheme = "https" if transport.get_extra_info("ssl_object") else "http"
        self._ip = transport.get_extra_info("sockname")[0]
        self._peer = "{}:{}".format(*transport.get_extra_info("peername")[:2])
        self.service.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.service.connections.discard(self)
        self._writable.set()
        if not self._lost.done():
            self._lost.set_result(None)
        if self._behaving is not None:
            self._behaving.cancel()  # whatever it waits for: the visit ends here
            self._behaving = None
        self._finish(whole=False)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()
        if self._behaving is None:
            self._finish(whole=True)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._next()

    def _next(self) -> None:
        """Answer the next request, if it has come as a whole and the one before it is done with."""
        end = self._received.find(b"\r\n\r\n")
        if self._visit is not None or end < 0:
            if len(self._received) > _MAX_HEAD_BYTES:
                self._transport.abort()
            return
        head = self._received[:end].decode("latin-1")
        del self._received[: end + 4]
        line, _, rest = head.partition("\r\n")
        method, _, tail = line.partition(" ")
        target = tail.rpartition(" ")[0]
        lowered = rest.lower()
        at = lowered.find("host:")
        authority = lowered[at + 5 :].partition("\r\n")[0].strip() if at >= 0 else ""
        host, _, port = authority.partition(":")
        self._keep = "connection: close" not in lowered
        self._written = 0
        self._visit = Visit(
            began=time.monotonic_ns(),
            ended=0,
            scheme=self._scheme,
            host=host,
            ip=self._ip,
            peer=self._peer,
            method=method,
            target=target,
            head=rest,
            status=0,
            sent=0,
            whole=False,
        )
        answer = self.service.web.answer(host, target, self._scheme, port)
        self._send(answer or Answer(b"no such host here", 421, kind="no-host"), (host, target))

    def _send(self, answer: Answer, address: tuple[str, str]) -> None:
        assert self._visit is not None
        self.visits = self.service.visits[address]
        self.service.visits[address] += 1
        self._visit.status = answer.status
        if answer.behaviour:
            self._visit.status = 0
            self._behaving = asyncio.get_running_loop().create_task(self._misbehave(answer))
            self.service.tasks.add(self._behaving)
            self._behaving.add_done_callback(self.service.tasks.discard)
            return
        data = wire_bytes(answer, body=self._visit.method != "HEAD", keep=self._keep)
        self._written = len(data)
        before = time.monotonic_ns()  # this process may have to wait before it can look at the clock again
        self._transport.write(data)
        if self._writable.is_set():
            self._finish(whole=True, at=before)

    async def _misbehave(self, answer: Answer) -> None:
        try:
            await WAYS[answer.behaviour](self, answer)
        except ConnectionError:
            pass  # the client has left, as it should
        finally:
            self._behaving = None
            self._finish(whole=True)

    def _finish(self, *, whole: bool, at: int | None = None) -> None:
        """Note a visit in the log when all that is to be sent has been given to the system, now or at that time."""
        if self._visit is None or self._behaving is not None:
            return
        visit, self._visit = self._visit, None
        visit.ended = time.monotonic_ns() if at is None else at
        visit.whole = whole and not self._lost.done()
        visit.sent = self._written - (0 if self._lost.done() else self._transport.get_write_buffer_size())
        self.service.log.write(visit.line())
        if not self._keep:
            self._transport.close()
        elif whole and self._received:
            self._next()

    async def send(self, data: bytes) -> None:
        """Send data; raises ConnectionError if the client has left."""
        await self._writable.wait()
        if self._lost.done() or self._transport.is_closing():
            raise ConnectionResetError
        if not self._written and self._visit is not None and data[:5] == b"HTTP/" and data[9:12].isdigit():
            self._visit.status = int(data[9:12])
        self._written += len(data)
        self._transport.write(data)
        await self._writable.wait()

    async def gone(self) -> None:
        """Wait until the client leaves."""
        await self._lost

    def close(self) -> None:
        """End the connection in order."""
        self._keep = False
        self._transport.close()

    def reset(self) -> None:
        """End the connection with a reset."""
        self._keep = False
        connection = self._transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        self._transport.abort()

    def abort(self) -> None:
        """End the connection, and what is being sent on it."""
        self._transport.abort()
        if self._behaving is not None:
            self._behaving.cancel()


def wire_bytes(answer: Answer, *, body: bool = True, keep: bool = True) -> bytes:
    """A sound answer as it goes over the wire."""
    payload = answer.payload
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, 'Status')}", "Server: localweb"]
    if answer.content_type:
        lines.append(f"Content-Type: {answer.content_type}")
    if "gzip" in answer.coding:
        lines.append("Content-Encoding: gzip")
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if not keep:
        lines.append("Connection: close")
    chunked = "chunked" in answer.coding
    if chunked:
        lines.append("Transfer-Encoding: chunked")
        pieces = [payload[at : at + _CHUNK_BYTES] for at in range(0, len(payload), _CHUNK_BYTES)]
        payload = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    elif answer.status not in {204, 304}:
        lines.append(f"Content-Length: {len(payload)}")
    head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
    return head + payload if body and answer.status not in {204, 304} else head
