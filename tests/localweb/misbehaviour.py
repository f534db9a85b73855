"""How servers misbehave: slow ones, failing ones, lying ones. Each way is a function that sends an answer."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Protocol

from localweb.answer import Answer

_MEGABYTE = 1_000_000
_PAUSE_SECONDS = 0.002  # between pieces of what has no end: else buffers are full of what the client never reads


class Wire(Protocol):
    """A connection as misbehaviour sees it."""

    tempo: float
    """All waiting is multiplied with this."""
    visits: int
    """How often the address was asked for before."""

    async def send(self, data: bytes) -> None:
        """Send data; raises ConnectionError if the other side has left."""

    async def gone(self) -> None:
        """Wait until the other side leaves."""

    def close(self) -> None:
        """End the connection in order."""

    def reset(self) -> None:
        """End the connection with a reset."""


def head(answer: Answer, *headers: str, length: int | None = None) -> bytes:
    """The head of an answer, with more headers and any length."""
    lines = [f"HTTP/1.1 {answer.status} X", f"Content-Type: {answer.content_type}", *headers]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _drip(wire: Wire, data: bytes) -> None:
    for at in range(len(data)):
        await wire.send(data[at : at + 1])
        await asyncio.sleep(wire.tempo)


async def _late(wire: Wire, answer: Answer) -> None:
    await asyncio.sleep(40 * wire.tempo)
    await wire.send(head(answer, length=len(answer.body)) + answer.body)


async def _silence(wire: Wire, _answer: Answer) -> None:
    await wire.gone()


async def _drip_body(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body)))
    await _drip(wire, answer.body)


async def _drip_head(wire: Wire, answer: Answer) -> None:
    await _drip(wire, head(answer, length=len(answer.body)))


async def _stall(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body)) + answer.body[: len(answer.body) // 2])
    await wire.gone()


async def _reset(wire: Wire, _answer: Answer) -> None:
    wire.reset()


async def _close(wire: Wire, _answer: Answer) -> None:
    wire.close()


async def _cut(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body)) + answer.body[: len(answer.body) // 2])
    wire.close()


async def _cut_head(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body))[:30])
    wire.close()


async def _cut_chunks(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Transfer-Encoding: chunked") + b"400\r\n" + answer.body[:900])
    wire.close()


async def _short_length(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body) // 2) + answer.body)
    wire.close()


async def _long_length(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=len(answer.body) * 2) + answer.body)
    wire.close()


async def _two_lengths(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Content-Length: 17", length=len(answer.body)) + answer.body)
    wire.close()


async def _negative_length(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=-1) + answer.body)
    wire.close()


async def _huge_length(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, length=10**15) + answer.body)
    await wire.gone()


async def _endless(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer))
    while True:
        await wire.send(answer.body)
        await asyncio.sleep(_PAUSE_SECONDS)


async def _endless_chunked(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Transfer-Encoding: chunked"))
    chunk = b"%x\r\n%b\r\n" % (len(answer.body), answer.body)
    while True:
        await wire.send(chunk)
        await asyncio.sleep(_PAUSE_SECONDS)


@cache
def bomb(gigabytes: int = 1) -> bytes:
    """Some megabytes of gzip that become so many gigabytes of spaces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(b" " * 10 * _MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b" " * 10 * _MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * (100 * gigabytes - 1) + packer.flush()


async def _bomb(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Content-Encoding: gzip", length=len(bomb())) + bomb())


async def _nested_bomb(wire: Wire, answer: Answer) -> None:
    body = gzip.compress(gzip.compress(bomb()))
    await wire.send(head(answer, "Content-Encoding: gzip, gzip, gzip", length=len(body)) + body)


async def _header_flood(wire: Wire, _answer: Answer) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\n")
    at = 0
    while True:
        await wire.send(b"".join(b"X-Header-%d: value\r\n" % number for number in range(at, at + 1_000)))
        at += 1_000
        await asyncio.sleep(_PAUSE_SECONDS)


async def _huge_header(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "X-Huge: " + "a" * _MEGABYTE, length=len(answer.body)) + answer.body)


async def _interim_flood(wire: Wire, _answer: Answer) -> None:
    while True:
        await wire.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 500)
        await asyncio.sleep(_PAUSE_SECONDS)


async def _bad_chunks(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Transfer-Encoding: chunked") + b"zz\r\n" + answer.body + b"\r\n0\r\n\r\n")
    wire.close()


async def _huge_chunk(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Transfer-Encoding: chunked") + b"f" * 16 + b"\r\n" + answer.body)
    await wire.gone()


async def _length_and_chunks(wire: Wire, answer: Answer) -> None:
    chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(answer.body), answer.body)
    await wire.send(head(answer, "Transfer-Encoding: chunked", length=5) + chunk)
    wire.close()


async def _binary(wire: Wire, answer: Answer) -> None:
    body = bytes(range(256)) * 120
    await wire.send(head(answer, length=len(body)) + body)


async def _as_image(wire: Wire, answer: Answer) -> None:
    answer.content_type = "image/png"
    await wire.send(head(answer, length=len(answer.body)) + answer.body)


async def _wrong_coding(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Content-Encoding: gzip", length=len(answer.body)) + answer.body)


async def _cut_coding(wire: Wire, answer: Answer) -> None:
    body = gzip.compress(answer.body)
    body = body[: len(body) * 2 // 3]
    await wire.send(head(answer, "Content-Encoding: gzip", length=len(body)) + body)


async def _unknown_coding(wire: Wire, answer: Answer) -> None:
    await wire.send(head(answer, "Content-Encoding: x-nonsense", length=len(answer.body)) + answer.body)


async def _garbage(wire: Wire, _answer: Answer) -> None:
    await wire.send(b"SSH-2.0-OpenSSH_9.7\r\n" + bytes(range(256)) * 8)
    wire.close()


async def _bare_body(wire: Wire, answer: Answer) -> None:
    await wire.send(answer.body)
    wire.close()


async def _bad_status(wire: Wire, answer: Answer) -> None:
    await wire.send(b"HTTP/1.1 two-hundred \x1b[31mOK\r\nContent-Type: text/html\r\n\r\n" + answer.body)
    wire.close()


async def _bad_headers(wire: Wire, answer: Answer) -> None:
    lines = b"no colon here\r\n: no name\r\nX-Nul: a\0b\r\nX-Fold: a\r\n b\nX-Bare: line feed\n"
    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    await wire.send(start + lines + b"Content-Length: %d\r\n\r\n" % len(answer.body) + answer.body)


async def _split_header(wire: Wire, answer: Answer) -> None:
    evil = "Location: http://example.com/\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK"
    await wire.send(head(answer, evil, length=len(answer.body)) + answer.body)


async def _busy(wire: Wire, answer: Answer) -> None:
    if wire.visits == 0:
        seconds = max(1, round(2 * wire.tempo))
        await wire.send(f"HTTP/1.1 503 Busy\r\nRetry-After: {seconds}\r\nContent-Length: 4\r\n\r\nbusy".encode())
    else:
        await wire.send(head(answer, length=len(answer.body)) + answer.body)


async def _too_many(wire: Wire, _answer: Answer) -> None:
    await wire.send(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3600\r\nContent-Length: 4\r\n\r\nstop")


async def _retry_date(wire: Wire, _answer: Answer) -> None:
    date = b"Fri, 31 Dec 2038 23:59:59 GMT"
    await wire.send(b"HTTP/1.1 503 Busy\r\nRetry-After: %b\r\nContent-Length: 4\r\n\r\nbusy" % date)


WAYS: dict[str, Callable[[Wire, Answer], Awaitable[None]]] = {
    "late": _late,
    "silence": _silence,
    "drip": _drip_body,
    "drip-head": _drip_head,
    "stall": _stall,
    "reset": _reset,
    "close": _close,
    "cut": _cut,
    "cut-head": _cut_head,
    "cut-chunks": _cut_chunks,
    "short-length": _short_length,
    "long-length": _long_length,
    "two-lengths": _two_lengths,
    "negative-length": _negative_length,
    "huge-length": _huge_length,
    "endless": _endless,
    "endless-chunked": _endless_chunked,
    "bomb": _bomb,
    "nested-bomb": _nested_bomb,
    "header-flood": _header_flood,
    "huge-header": _huge_header,
    "interim-flood": _interim_flood,
    "bad-chunks": _bad_chunks,
    "huge-chunk": _huge_chunk,
    "length-and-chunks": _length_and_chunks,
    "binary": _binary,
    "as-image": _as_image,
    "wrong-coding": _wrong_coding,
    "cut-coding": _cut_coding,
    "unknown-coding": _unknown_coding,
    "garbage": _garbage,
    "bare-body": _bare_body,
    "bad-status": _bad_status,
    "bad-headers": _bad_headers,
    "split-header": _split_header,
    "busy": _busy,
    "too-many": _too_many,
    "retry-date": _retry_date,
}
"""All ways to misbehave, by name."""
