"""Parse HTTP responses as archives store them, with the tolerance that real servers and crawlers make necessary."""

from __future__ import annotations

import contextlib
import io
import re
import zlib
from dataclasses import dataclass

from fastwarc.stream_io import BrotliReader, GzipReader, ZstdReader

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_MAX_CONTENT_ENCODINGS = 4  # servers compress once or twice, and each encoding costs a pass over the body
_CHUNK_BYTES = 4096  # small, since of a damaged body only the chunks before the damage are saved
_STATUS = re.compile(rb"HTTP/\S+[ \t]+(\d{3})")


@dataclass(slots=True)
class Response:
    """A response: status, headers with names in lower case, and the body without transfer and content encodings."""

    status: int
    headers: dict[str, str]
    body: bytes


def parse(payload: bytes, limit: int) -> Response:
    """Split a response into its parts; at most `limit + 1` bytes of body, so that one too long can be recognised."""
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
    for coding in headers.get("content-encoding", "").lower().split(",")[: -_MAX_CONTENT_ENCODINGS - 1 : -1]:
        body = decompress(body, coding.strip(), limit + 1)
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


def decompress(body: bytes, coding: str, limit: int) -> bytes:
    """Undo one content encoding, up to `limit` bytes.

    A body that is not so encoded is left as it is; of one that is truncated or damaged, what can be read is returned.
    """
    if coding in {"gzip", "x-gzip"}:
        return _drain(GzipReader(io.BytesIO(body)), limit) or body
    if coding == "deflate":  # should be zlib's format; many servers send it without zlib's header
        return _inflate(body, zlib.MAX_WBITS, limit) or _inflate(body, -zlib.MAX_WBITS, limit) or body
    if coding == "br":
        return _drain(BrotliReader(io.BytesIO(body)), limit) or body
    if coding == "zstd":
        return _drain(ZstdReader(io.BytesIO(body)), limit) or body
    return body


def _drain(stream: GzipReader | BrotliReader | ZstdReader, limit: int) -> bytes:
    """Read a stream up to its end, its first damage or `limit` bytes."""
    parts: list[bytes] = []
    with contextlib.suppress(OSError):
        while limit > 0 and (part := stream.read(min(limit, _CHUNK_BYTES))):
            parts.append(part)
            limit -= len(part)
    return b"".join(parts)


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    """Decompress as much as can be; empty if the body has another format."""
    inflater = zlib.decompressobj(window)
    parts: list[bytes] = []
    with contextlib.suppress(zlib.error):
        for at in range(0, len(body), _CHUNK_BYTES):
            parts.append(inflater.decompress(body[at : at + _CHUNK_BYTES], limit))
            limit -= len(parts[-1])
            if limit <= 0:
                break
    return b"".join(parts)
