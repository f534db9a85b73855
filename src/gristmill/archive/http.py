"""An HTTP response as archives store it, read with the tolerance that real servers and crawlers make necessary."""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass

from fastwarc.stream_io import BrotliReader, ZstdReader

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\S+[ \t]+(\d{3})")


@dataclass(slots=True)
class Response:
    """Status, headers with names in lower case, and the body without transfer and content encodings."""

    status: int
    headers: dict[str, str]
    body: bytes


def parse(payload: bytes, limit: int) -> Response:
    """Split a response into its parts; at most `limit + 1` bytes of body, so that one too long can be told."""
    status = _STATUS.match(payload)
    if not status:
        return Response(200, {}, payload[: limit + 1])
    end = _HEAD_END.search(payload)
    head, body = (payload[: end.start()], payload[end.end() :]) if end else (payload, b"")
    headers: dict[str, str] = {}
    for line in head.split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            headers.setdefault(name.strip().lower().decode("latin-1"), value.strip().decode("latin-1"))
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = unchunk(body)
    for coding in reversed(headers.get("content-encoding", "").lower().split(",")):
        body = _decompress(body, coding.strip(), limit + 1)
    return Response(int(status[1]), headers, body[: limit + 1])


def unchunk(body: bytes) -> bytes:
    """Undo chunked transfer; a body that is not chunked after all (crawlers forget the header) is left as it is."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\n", at, at + 80)
        size = body[at:end].partition(b";")[0].strip() if end >= 0 else b""
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", size):
            break
        length = int(size, 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[end + 1 : end + 1 + length])
        at = end + 1 + length
        at += 2 if body.startswith(b"\r\n", at) else body.startswith(b"\n", at)
    return b"".join(parts) + body[at:] if parts else body


def _decompress(body: bytes, coding: str, limit: int) -> bytes:
    """Undo one content encoding, up to `limit` bytes; what is not so encoded is left, what is cut off gives what there is."""
    try:
        if coding in {"gzip", "x-gzip"}:
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, limit)
        if coding == "deflate":
            return _inflate(body, limit)
        if coding == "br":
            return BrotliReader(io.BytesIO(body)).read(limit)
        if coding == "zstd":
            return ZstdReader(io.BytesIO(body)).read(limit)
    except (zlib.error, OSError):
        return body
    return body


def _inflate(body: bytes, limit: int) -> bytes:
    """The `deflate` coding should be zlib's format; many servers send it without zlib's header."""
    try:
        return zlib.decompressobj().decompress(body, limit)
    except zlib.error:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, limit)
