"""Read pages that browsers save as one file (MHTML, RFC 2557).

Such a file is a MIME message: one part is the page itself, the others are its pictures and style sheets.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from typing import BinaryIO

from gristmill.archive.packed import UNPACKING_ERRORS, unpacked
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

_MAX_MESSAGE_BYTES = 64_000_000  # the page comes first, as a rule
_MAX_HEADER_BYTES = 1 << 16
_MAX_CONTENT_TYPE_CHARACTERS = 1000  # the standard library's time grows with the square of the length
_MAX_DEPTH = 4  # of parts within parts
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_HTML_TYPES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a message: its headers, and the offsets between which its content stands."""

    headers: Message
    start: int
    end: int


def read_mhtml(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read the page of an MHTML file, with the address and time under which it was saved."""
    try:
        data = unpacked(file).read(_MAX_MESSAGE_BYTES)
    except UNPACKING_ERRORS as error:
        yield Skip("broken", source.name, 0, detail=str(error))
        return
    message = _part(data, 0, len(data))
    page = _page_in(data, message)
    if page is None:
        yield Skip("broken", source.name, 0, detail="a saved page (MHTML) without a page in it")
        return
    url = _text(page.headers, "Content-Location") or _text(message.headers, "Snapshot-Content-Location")
    charset = _parameter(page.headers, "charset")
    content_type = page.headers.get_content_type() + (f"; charset={charset}" if charset else "")
    body = _decoded(data[page.start : page.end], str(page.headers.get("Content-Transfer-Encoding", "")))
    headers = {"content-type": content_type}
    url = url if ":" in url else f"file:{source.name}"
    yield Page(
        url,
        body[: limit + 1],
        _date(message.headers),
        200,
        headers,
        source.name,
        is_text=content_type.startswith("text/plain"),
    )


def _part(data: bytes, start: int, end: int) -> _Part:
    found = _HEADER_END.search(data, start, min(end, start + _MAX_HEADER_BYTES))
    if data.startswith((b"\n", b"\r\n"), start):  # no headers at all
        return _Part(Message(), start, end)
    head, content = (data[start : found.start()], found.end()) if found else (b"", start)
    headers = BytesHeaderParser().parsebytes(head)
    if len(str(headers.get("Content-Type", ""))) > _MAX_CONTENT_TYPE_CHARACTERS:
        del headers["Content-Type"]
    return _Part(headers, content, end)


def _page_in(data: bytes, message: _Part) -> _Part | None:
    """Find the part that is the page: HTML, or else text; the part that is named as the root comes first."""
    parts = [message]
    for _ in range(_MAX_DEPTH):
        if not any(map(_has_parts, parts)):
            break
        root = _parameter(parts[0].headers, "start")
        parts = [inner for part in parts for inner in (_parts(data, part) if _has_parts(part) else [part])]
        parts.sort(key=lambda part: bool(root) and str(part.headers.get("Content-ID", "")).strip() != root)
    pages = (part for part in parts if part.headers.get_content_type() in _HTML_TYPES)
    texts = (part for part in parts if part.headers.get_content_type() == "text/plain" and part.headers)
    return next(pages, None) or next(texts, None)


def _has_parts(part: _Part) -> bool:
    return part.headers.get_content_maintype() == "multipart"


def _parts(data: bytes, outer: _Part) -> list[_Part]:
    boundary = _parameter(outer.headers, "boundary").encode("latin-1", "replace")
    if not boundary:
        return []
    line = re.compile(rb"(?:^|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    marks = list(line.finditer(data, max(0, outer.start - 2), outer.end))
    ends = [mark.start() for mark in marks[1:]] + [outer.end]
    starts = [(mark.end() + 2 if data.startswith(b"\r\n", mark.end()) else mark.end() + 1) for mark in marks]
    return [
        _part(data, start, end)
        for mark, start, end in zip(marks, starts, ends, strict=True)
        if not mark[1] and start < end
    ]


def _parameter(headers: Message, name: str) -> str:
    value = headers.get_param(name, "")
    return value if isinstance(value, str) else ""  # else it is in three parts (RFC 2231), which nobody writes here


def _text(headers: Message, name: str) -> str:
    value = str(headers.get(name, "")).strip()
    with contextlib.suppress(ValueError, LookupError, UnicodeError, binascii.Error):
        value = str(make_header(decode_header(value)))
    return "".join(value.split())


def _date(headers: Message) -> str:
    try:
        date = parsedate_to_datetime(str(headers.get("Date", "")))
        return date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _decoded(content: bytes, encoding: str) -> bytes:
    encoding = encoding.strip().lower()
    if encoding == "quoted-printable":
        return binascii.a2b_qp(content)
    if encoding == "base64":
        letters = re.sub(rb"[^A-Za-z0-9+/]", b"", content)
        whole = letters[: len(letters) - (len(letters) % 4 == 1)]  # a single letter stands for nothing
        return base64.b64decode(whole + b"=" * (-len(whole) % 4))
    return content
