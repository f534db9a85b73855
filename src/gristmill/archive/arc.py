"""Read records of ARC files, the format before WARC; `records.py` goes through whole files with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from warcio.archiveiterator import ARCIterator
from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ARCHeadersParser

from gristmill.archive import http
from gristmill.archive.skip import Skip
from gristmill.document import Page

_HTTP_HEADER_BYTES = 1 << 16  # read beyond the limit of a body, for the HTTP headers that come before it
_MAX_LINE_BYTES = 1 << 16
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?")


class _Lines(DecompressingBufferedReader):  # type: ignore[misc]  # warcio has no types
    """A reader of lines of bounded length: the time that warcio takes grows with the square of the length."""

    def readline(self, length: int | None = None) -> Any:
        """Read a line, or the next part of a long one."""
        return super().readline(min(length or _MAX_LINE_BYTES, _MAX_LINE_BYTES))


class _Records(ARCIterator):  # type: ignore[misc]
    """warcio's iterator, which counts junk between records in `err_count` but does not write to standard error."""

    INC_RECORD = ""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, no_record_parse=True, arc2warc=False)
        self.reader = _Lines(self.fh)


class _RememberingParser(ARCHeadersParser):  # type: ignore[misc]
    """warcio's parser of the first lines of a record, which remembers them as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[bytes] = []

    def parse(self, stream: Any, headerline: Any = None) -> Any:
        """Read the first line, if it is not given, and of the first record of a file two more."""
        first = stream.readline() if headerline is None else headerline
        self.lines = [first.encode("latin-1", "replace") if isinstance(first, str) else first]
        return super().parse(_RememberedLines(stream, self.lines), first)


class _RememberedLines:
    """A stream of which each line that is read is remembered."""

    def __init__(self, stream: Any, lines: list[bytes]) -> None:
        self._stream = stream
        self._lines = lines

    def readline(self) -> Any:
        """Read a line."""
        self._lines.append(self._stream.readline())
        return self._lines[-1]


def with_lines(file: BinaryIO) -> tuple[_Records, Callable[[], list[bytes]]]:
    """Open the records of a file, and a function that gives the lines of the present one that have been read."""
    records, parser = _Records(file), _RememberingParser()
    records.loader.arc_parser = parser
    return records, lambda: parser.lines


FAULTS = (ArchiveLoadFailed, OSError, EOFError, ValueError)
"""What warcio raises if it can't go on."""


def read_from(file: BinaryIO, name: str, start: int, limit: int) -> Iterator[Page | Skip]:
    """Read records from the current position of the file, which is `start`.

    The last item is a broken `Skip` if the reader could not go on after that record.
    """
    offset = start
    try:
        records = _Records(file)
        for record in records:
            errors = records.err_count
            item = _item(record, name, limit)
            item.offset = offset = records.get_record_offset()  # this reads on to the record's end
            yield item
            if records.err_count > errors:
                yield Skip("broken", name, offset, detail="the record is followed by bytes that belong to none")
    except FAULTS as error:
        yield Skip("broken", name, offset, detail=str(error).strip() or type(error).__name__)


def _item(record: Any, name: str, limit: int) -> Page | Skip:
    url = record.rec_headers.get_header("uri") or ""
    if record.rec_type == "arc_header" or url.startswith(("filedesc:", "dns:")):
        return Skip("other", name, 0, url)
    declared = (record.rec_headers.get_header("length") or "").strip()
    if not declared.isdigit():
        return Skip("broken", name, 0, url, f"the record's length is {declared!r}")
    wanted = min(int(declared), limit + _HTTP_HEADER_BYTES)
    payload = _read(record.raw_stream, wanted)
    if len(payload) < wanted:
        return Skip("broken", name, 0, url, f"the archive ends inside the record (of {declared} bytes)")
    response = http.parse(payload, limit)
    if not response.headers:
        response.headers = {"content-type": record.rec_headers.get_header("content-type") or ""}
    date = _iso(record.rec_headers.get_header("archive-date") or "")
    ip = (record.rec_headers.get_header("ip-address") or "").strip()
    return Page(url, response.body, date, response.status, response.headers, name, ip=ip)


def _read(stream: Any, wanted: int) -> bytes:
    """Read as many bytes as are wanted: at the end of a buffer a single read may give fewer."""
    parts = []
    while wanted > 0 and (part := stream.read(wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _iso(date: str) -> str:
    """Convert ARC's fourteen digits to an ISO date; empty if they are no date."""
    match = _DATE.match(date)
    if not match:
        return ""
    year, month, day, *clock = match.groups(default="00")
    return f"{year}-{month}-{day}T{':'.join(clock)}Z"
