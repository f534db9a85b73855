"""Write pages into WARC files, each record a gzip member of its own; the same pages give the same bytes."""

from __future__ import annotations

import gzip
import io
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import BinaryIO, Self

import xxhash
from fastwarc.warc import WarcRecord, WarcRecordType

from gristmill.version import __version__

_REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 500: "Internal Server Error"}


class WarcWriter:
    """A writer of WARC 1.1 records; ids are made of address, date and content, so that nothing is random."""

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
        lines = {"software": f"gristmill/{__version__}", "format": "WARC File Format 1.1", **fields}
        content = "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode()
        self._write(WarcRecordType.warcinfo, "", date, "application/warc-fields", content)

    def write_response(self, url: str, date: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Write an HTTP response with its body as it came over the wire."""
        head = f"HTTP/1.1 {status} {_REASONS.get(status, '')}".rstrip() + "\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        content = head.encode("latin-1", "replace") + b"\r\n" + body
        self._write(WarcRecordType.response, url, date, "application/http; msgtype=response", content)

    def write_revisit(self, url: str, date: str, refers_to: str) -> None:
        """Write a `revisit` record: the page at `url` was the same as the one already stored for `refers_to`."""
        extra = {
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": refers_to,
        }
        content = b"HTTP/1.1 200 OK\r\n\r\n"
        self._write(WarcRecordType.revisit, url, date, "application/http; msgtype=response", content, extra)

    def _write(
        self,
        kind: WarcRecordType,
        url: str,
        date: str,
        content_type: str,
        content: bytes,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        record = WarcRecord()
        record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{kind} {url} {date} {xxhash.xxh3_128_hexdigest(content)}")
        record.init_headers(kind, f"uuid:{record_id}".encode(), content_length=len(content))
        record.headers["WARC-Date"] = date
        record.headers["Content-Type"] = content_type
        if url:
            record.headers["WARC-Target-URI"] = url
        for name, value in (extra or {}).items():
            record.headers[name] = value
        record.set_bytes_content(content)
        buffer = io.BytesIO()
        record.write(buffer)
        data = buffer.getvalue()
        self._stream.write(gzip.compress(data, mtime=0) if self._compress else data)
