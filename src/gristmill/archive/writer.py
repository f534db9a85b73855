"""Write WARC 1.1 records, each a gzip member of its own; the same content gives the same bytes."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import BinaryIO, Literal, Self

import xxhash

from gristmill.version import __version__

Type = Literal["warcinfo", "request", "response", "revisit", "conversion"]
"""The type of a record."""

HTTP_REQUEST, HTTP_RESPONSE = (f"application/http; msgtype={kind}" for kind in ("request", "response"))
HTML = "text/html; charset=utf-8"
_REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 500: "Internal Server Error"}
_NOT_IN_LINES = dict.fromkeys((*range(32), 127))  # characters that would end a header line, or make it unreadable


def record_id(kind: Type, url: str, date: str, content: bytes) -> str:
    """Make the id of a record of its type, address, date and content, so that nothing is random."""
    plain = url.encode("utf-8", "replace").decode()
    named = f"{kind} {plain} {date} {xxhash.xxh3_128_hexdigest(content)}"
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, named)}>"


def make_record(kind: Type, date: str, content: bytes, content_type: str, fields: Mapping[str, str]) -> bytes:
    """Make a record, not compressed; `fields` are the header lines that follow those that all records have.

    Its id is among them, or made of the content.
    """
    lines = {
        "WARC-Type": kind,
        "WARC-Date": date,
        "WARC-Record-ID": fields.get("WARC-Record-ID")
        or record_id(kind, fields.get("WARC-Target-URI", ""), date, content),
        "Content-Length": str(len(content)),
        "Content-Type": content_type,
        **fields,
    }
    head = "".join([f"{name}: {value.translate(_NOT_IN_LINES)}\r\n" for name, value in lines.items()])
    return b"".join((b"WARC/1.1\r\n", head.encode("utf-8", "replace"), b"\r\n", content, b"\r\n\r\n"))


def make_info(date: str, fields: Mapping[str, str]) -> bytes:
    """Make a `warcinfo` record, not compressed: who wrote the file, and with what."""
    lines = {"software": f"gristmill/{__version__}", "format": "WARC File Format 1.1", **fields}
    content = "".join(f"{name}: {value.translate(_NOT_IN_LINES)}\r\n" for name, value in lines.items())
    return make_record("warcinfo", date, content.encode("utf-8", "replace"), "application/warc-fields", {})


class WarcWriter:
    """A writer of WARC 1.1 records of pages that are at hand in parts."""

    def __init__(self, stream: BinaryIO, *, compress: bool = True) -> None:
        self._stream = stream
        self._compress = compress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.flush()

    def write_info(self, date: str, fields: Mapping[str, str]) -> None:
        """Write a `warcinfo` record: who wrote the file, and with what."""
        self._write(make_info(date, fields))

    def write_response(
        self,
        url: str,
        date: str,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        fields: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Write an HTTP response with its body as it came over the wire; `fields` are more fields of the record."""
        head = f"HTTP/1.1 {status} {_REASONS.get(status, '')}".rstrip() + "\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        content = head.encode("latin-1", "replace") + b"\r\n" + body
        self._write(make_record("response", date, content, HTTP_RESPONSE, {"WARC-Target-URI": url, **fields}))

    def write_conversion(self, url: str, date: str, html: str, fields: Mapping[str, str]) -> None:
        """Write a page that was made of others; `fields` say of which (`WARC-Refers-To`)."""
        content = html.encode("utf-8", "replace")
        self._write(make_record("conversion", date, content, HTML, {"WARC-Target-URI": url, **fields}))

    def write_revisit(self, url: str, date: str, refers_to: str) -> None:
        """Write a `revisit` record: the page at `url` was the same as the one already stored for `refers_to`."""
        fields = {
            "WARC-Target-URI": url,
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": refers_to,
        }
        self._write(make_record("revisit", date, b"HTTP/1.1 200 OK\r\n\r\n", HTTP_RESPONSE, fields))

    def _write(self, record: bytes) -> None:
        self._stream.write(gzip.compress(record, mtime=0) if self._compress else record)
