"""Read records of WARC files (plain, gzip, zstd, lz4) and of WET files, which are WARC files of plain text.

`records.py` goes through whole files with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from gristmill.archive import http
from gristmill.archive.attributes import FIELD, from_field
from gristmill.archive.skip import Skip
from gristmill.document import Page

_HTTP_HEADER_BYTES = 1 << 16  # read beyond the limit of a body, for the HTTP headers that come before it
_LENGTH = re.compile(r"[0-9]{1,18}")
_PAGE_RECORDS = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.conversion)


def read_from(file: BinaryIO, name: str, start: int, limit: int) -> Iterator[Page | Skip]:
    """Read records from the current position of the file, which is `start`.

    The last item is a broken `Skip` if the reader could not go on after that record.
    """
    offset = start
    try:
        for record in ArchiveIterator(file, parse_http=False, strict_mode=False):
            offset = record.stream_pos
            item = _item(record, name, limit)
            yield item
            if isinstance(item, Skip) and item.reason == "broken":
                return
    except OSError as error:
        yield Skip("broken", name, offset, detail=str(error), behind=offset > start)


def _item(record: WarcRecord, name: str, limit: int) -> Page | Skip:
    headers = record.headers
    url = (headers.get("WARC-Target-URI") or "").strip("<>")
    offset = record.stream_pos
    if not _LENGTH.fullmatch((headers.get("Content-Length") or "").strip()):
        return Skip("broken", name, offset, url, "the record has no valid Content-Length")
    if record.record_type not in _PAGE_RECORDS:
        length = record.content_length
        if record.consume() < length:
            return Skip("broken", name, offset, url, f"the archive ends inside the record (of {length} bytes)")
        return Skip("revisit" if record.record_type == WarcRecordType.revisit else "other", name, offset, url)
    length = record.content_length
    payload = record.reader.read(min(length, limit + _HTTP_HEADER_BYTES))
    if len(payload) + record.consume() < length:
        return Skip("broken", name, offset, url, f"the archive ends inside the record (of {length} bytes)")
    return _page(record, url, payload, name, limit)


def _page(record: WarcRecord, url: str, payload: bytes, name: str, limit: int) -> Page | Skip:
    date = record.headers.get("WARC-Date") or ""
    record_type = (record.headers.get("Content-Type") or "").lower()
    attributes = from_field(record.headers.get(FIELD) or "")
    if record.record_type == WarcRecordType.response and record_type.startswith("application/http"):
        response = http.parse(payload, limit)
        return Page(
            url,
            response.body,
            date,
            response.status,
            response.headers,
            name,
            record.stream_pos,
            attributes=attributes,
            ip=(record.headers.get("WARC-IP-Address") or "").strip(),
        )
    if url.startswith("metadata:"):
        return Skip("other", name, record.stream_pos, url)
    is_text = record.record_type == WarcRecordType.conversion and record_type.startswith("text/plain")
    headers, body = {"content-type": record_type}, payload[: limit + 1]
    return Page(url, body, date, 200, headers, name, record.stream_pos, is_text, attributes)
