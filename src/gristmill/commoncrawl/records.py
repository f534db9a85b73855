"""WARC records: check those that were read by range, and make those of pages of the Wayback Machine."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping

from gristmill.archive.writer import HTTP_RESPONSE, make_record
from gristmill.commoncrawl.capture import Capture
from gristmill.crawling.warcs import member
from gristmill.wording import one_line

MAX_BYTES = 256_000_000
"""Longest record when it is decompressed; a longer one is a trap."""
_PART_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_VERSION = re.compile(rb"WARC/1\.\d\r\n")
ORIGINAL = "x-archive-orig-"
"""What the Wayback Machine puts before the headers that it once got."""
_NOT_KEPT = frozenset(["content-encoding", "transfer-encoding", "content-length", "connection"])
"""Headers of a page that tell how it was sent, and no longer hold for what is stored of it."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_REASON = {200: "OK"}

FAULTS = {
    "no record": "what is there is not a whole WARC record",
    "other page": "what is there is a record of another page",
    "other capture": "the Wayback Machine has only another capture",
}
"""What may be wrong with records, in words."""


def fault_of(data: bytes, url: str) -> str:
    """Say what is wrong with a record that should be a gzip member with the response of an address; empty if nothing.

    What is wrong is one of `FAULTS`.
    """
    head = _head(data)
    if head is None or not _VERSION.match(head):
        return "no record"
    fields: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    if fields.get("warc-type") != "response" or not fields.get("content-length", "").isdigit():
        return "no record"
    return "" if fields.get("warc-target-uri", "").strip("<>") == url else "other page"


def _head(data: bytes) -> bytes | None:
    """Decompress a record to its end, and return its head; None if it is not one whole gzip member."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    beginning, size = b"", 0
    try:
        while not inflater.eof:
            part = inflater.decompress(data if not size else inflater.unconsumed_tail, _PART_BYTES)
            size += len(part)
            beginning += part[: _HEAD_BYTES - len(beginning)]
            if size > MAX_BYTES or (not part and not inflater.eof):
                return None
    except zlib.error:
        return None
    head, end, _ = beginning.partition(b"\r\n\r\n")
    return head if end and not inflater.unused_data else None


def wayback_record(capture: Capture, address: str, status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    """Make the record of a page that the Wayback Machine has sent from an address, as the site once sent it."""
    kept = {
        name.removeprefix(ORIGINAL): value
        for name, value in headers.items()
        if name.startswith(ORIGINAL) and _TOKEN.fullmatch(name)
    }
    kept.setdefault("content-type", headers.get("content-type", ""))
    lines = [f"HTTP/1.1 {status} {_REASON.get(status, '')}".rstrip()]
    lines += [f"{name}: {one_line(value)}" for name, value in kept.items() if name not in _NOT_KEPT and value]
    lines += [f"content-length: {len(body)}", "", ""]
    content = "\r\n".join(lines).encode("utf-8", "replace") + body
    fields = {"WARC-Target-URI": capture.url, "WARC-Source-URI": address}
    return member(make_record("response", capture.date, content, HTTP_RESPONSE, fields))
