"""The WARC files of a crawl: records are appended, and after a kill read again from where they were accounted for.

A file that is full is closed for good. In the last one, whatever a kill has torn is cut off before it goes on.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Self

from gristmill.archive.attributes import FIELD as ATTRIBUTES
from gristmill.archive.crawls import end_of_responses, members, number_of, warc_path
from gristmill.archive.writer import HTTP_REQUEST, HTTP_RESPONSE, make_info, make_record, record_id
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.exchange import Exchange

try:
    from isal import isal_zlib
except ImportError as error:
    raise UsageError("crawling needs isal: pip install 'gristmill[crawl]'") from error

_LOG = logging.getLogger(__name__)
_COMPRESSION_LEVEL = 2  # of ISA-L: as small as zlib at 3, in a quarter of the time
_HEAD_END = re.compile(rb"\r?\n\r?\n")


def records(exchange: Exchange, attributes: str = "") -> bytes:
    """Make the WARC records of an exchange, its request and then its response, each a gzip member.

    `attributes` is the value of the field that says more about the page (`archive/attributes.py`).

    The payload of a response is all that follows its head, in its transfer encoding. The standard would have it
    decoded, but the tools that verify digests (warcio, FastWARC) take the bytes as they are stored.
    """
    url, date, wire = exchange.url, exchange.date, exchange.wire
    response_id = record_id("response", url, date, wire)
    about = {"WARC-Target-URI": url, "WARC-IP-Address": exchange.ip}
    request = make_record(
        "request",
        date,
        exchange.request,
        HTTP_REQUEST,
        {**about, "WARC-Concurrent-To": response_id, "WARC-Block-Digest": _digest(exchange.request)},
    )
    fields = {**about, "WARC-Record-ID": response_id, "WARC-Block-Digest": _digest(wire)}
    end = _HEAD_END.search(wire)
    if end and end[0] == b"\r\n\r\n":  # else readers don't agree on where the payload begins
        fields["WARC-Payload-Digest"] = _digest(memoryview(wire)[end.end() :])
    if attributes:
        fields[ATTRIBUTES] = attributes
    response = make_record("response", date, wire, HTTP_RESPONSE, fields)
    return member(request) + member(response)


def _digest(data: bytes | memoryview) -> str:
    return f"sha1:{base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


def member(record: bytes) -> bytes:
    """Compress a record to a gzip member of its own."""
    return isal_zlib.compress(record, _COMPRESSION_LEVEL, zlib.MAX_WBITS | 16)


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """An exchange that was found in a WARC file, and where the file goes on behind it."""

    exchange: Exchange
    number: int
    end: int


class WarcFiles:
    """The WARC files in the folder of a crawl; of a crawl that goes on, `recover` has to be called and run first."""

    def __init__(self, folder: Path, max_bytes: int, info: Mapping[str, str] | None = None, date: str = "") -> None:
        """Begin with the first file; `info` are the fields of the record about the crawl that each file begins with.

        Its date is the present, if none is given.
        """
        self._folder = folder
        self._max_bytes = max_bytes
        self._info = info or {}
        self._date = date
        self._number = 0
        self._end = 0
        """The offset behind what is written."""
        self._file: FileIO | None = None
        self._pending: list[bytes] = []
        self._pending_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def position(self) -> tuple[int, int]:
        """The number of the file, and the offset in it, behind all that was handed to the system."""
        return self._number, self._end

    def append(self, data: bytes) -> None:
        """Add records, which are not divided among files, and hand them to the system.

        If they can't be written, `GristmillError` is raised, and they wait for the next `flush`.
        """
        if not self._end and not self._pending:
            date = self._date or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._add(member(make_info(date, self._info)))
        self._add(data)
        if self._end + self._pending_bytes >= self._max_bytes:
            self.close()
            self._number, self._end = self._number + 1, 0
        else:
            self.flush()  # what was fetched is there also if the crawl is killed now

    def _add(self, data: bytes) -> None:
        self._pending.append(data)
        self._pending_bytes += len(data)

    def flush(self) -> None:
        """Hand the system what waits; if it does not take that, no record is torn, and it can be tried again."""
        if not self._pending:
            return
        data = memoryview(b"".join(self._pending))
        path = warc_path(self._folder, self._number)
        try:
            if self._file is None:
                self._file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
            self._file.seek(self._end)
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            self._cut_off(path)
            raise GristmillError(
                f"can't write to {path}: {error.strerror or error}; the crawl can go on from here when this is mended"
            ) from error
        self._end += self._pending_bytes
        self._pending, self._pending_bytes = [], 0

    def _cut_off(self, path: Path) -> None:
        """Remove a record that was written in part."""
        try:
            if self._file is not None:
                self._file.truncate(self._end)
        except OSError as error:
            _LOG.warning("can't cut off the torn end of %s (%s): the next start does", path, error.strerror or error)

    def sync(self) -> None:
        """Write all records and wait until they are on the disk."""
        try:
            self.flush()
            if self._file is not None:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise GristmillError(
                f"can't write to {warc_path(self._folder, self._number)}: {error.strerror or error}"
            ) from error

    def close(self) -> None:
        """Write all records, wait until they are on the disk, and close the file."""
        try:
            self.sync()
        finally:
            if self._file is not None:
                self._file.close()
                self._file = None

    def recover(self, number: int, offset: int) -> Iterator[StoredExchange]:
        """Yield the exchanges that are stored behind a position, and cut off what was torn; then records can be added.

        A file that is shorter than the position says (after a power cut) has lost records, which is logged.
        """
        there = [found for path in self._folder.iterdir() if (found := number_of(path)) is not None]
        for later in sorted({number, *(found for found in there if found >= number)}):
            self._number, self._end = later, 0
            path = warc_path(self._folder, later)
            if later == number and offset and not path.exists():
                raise GristmillError(f"{path} is missing, which the crawl was writing: put it back to go on")
            size = path.stat().st_size if path.exists() else 0
            if later == number and size < offset:
                _LOG.warning(
                    "%s has %d bytes less than the crawl has noted down: pages at its end are lost", path, offset - size
                )
            if size:
                yield from self._recover(path, size, offset if later == number else 0)

    def _recover(self, path: Path, size: int, offset: int) -> Iterator[StoredExchange]:
        request: tuple[dict[str, str], bytes] | None = None
        with path.open("r+b") as file:
            self._end = offset if offset <= size else end_of_responses(file, size)
            try:
                for data, end in members(file, self._end):
                    fields, block = _parse(data)
                    if fields["warc-type"] == "request":
                        request = fields, block
                        continue
                    self._end = end
                    if fields["warc-type"] == "response":
                        yield StoredExchange(_exchange(fields, block, request), self._number, end)
            except (zlib.error, KeyError, ValueError) as error:
                _LOG.warning("%s is damaged behind byte %d: %s", path, self._end, error)
            if self._end < size:
                _LOG.info("%s: %d bytes of a torn record were cut off", path, size - self._end)
                file.truncate(self._end)
                os.fsync(file.fileno())


def _parse(record: bytes) -> tuple[dict[str, str], bytes]:
    """Split a record of our own into its fields, with names in lower case, and its block."""
    head, _, rest = record.partition(b"\r\n\r\n")
    fields = _fields(head.decode("utf-8", "replace"))
    return fields, rest[: int(fields["content-length"])]


def _fields(head: str) -> dict[str, str]:
    """Read header lines; values of lines of the same name are joined with commas."""
    fields: dict[str, str] = {}
    for line in head.split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            key = name.strip().lower()
            fields[key] = f"{fields[key]}, {value.strip()}" if key in fields else value.strip()
    return fields


def _exchange(fields: Mapping[str, str], wire: bytes, request: tuple[Mapping[str, str], bytes] | None) -> Exchange:
    """Make the exchange again that a response was stored of; its request stands right before it."""
    end = _HEAD_END.search(wire)
    head = wire[: end.start()] if end else wire
    is_own = request is not None and request[0].get("warc-concurrent-to") == fields["warc-record-id"]
    return Exchange(
        fields["warc-target-uri"],
        fields["warc-date"],
        fields.get("warc-ip-address", ""),
        request[1] if request and is_own else b"",
        wire,
        int(head.split(None, 2)[1]),
        _fields(head.decode("latin-1")),
    )
