"""Read the records of WARC and ARC files as they are, whatever they hold, for those who copy them.

After a broken record reading goes on at the next one, as for pages (`records.py`). A large record is on disk while it
is held, not in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, cast

from fastwarc.warc import ArchiveIterator, WarcRecord

from gristmill.archive.opening import kind_of, open_source, raise_failure
from gristmill.archive.records import follow_records
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.scratch import scratch_folder

_IN_MEMORY_BYTES = 4_000_000
_CHUNK_BYTES = 1 << 16
_NO_LENGTH = "the record has no valid length"


@dataclass(slots=True)
class Raw:
    """A record as it stands in an archive: its address, and a file with its bytes, not compressed."""

    url: str
    content: BinaryIO
    size: int
    offset: int
    kind: Literal["warc", "arc"]


def read_raw(source: Source) -> Iterator[Raw | Skip]:
    """Read all records of an archive in order; one that is damaged comes as a `Skip` with the reason."""
    last = source.start
    try:
        with open_source(source) as file:
            reader = _read_warc if kind_of(file, source) == "warc" else _read_arc
            for item in follow_records(file, source, 0, reader):
                raise_failure(file)
                last = item.offset
                yield item
            raise_failure(file)
    except OSError as error:
        yield Skip("broken", source.name, last, detail=f"{type(error).__name__}: {error}", behind=True)


def _read_warc(file: BinaryIO, name: str, start: int, limit: int) -> Iterator[Raw | Skip]:
    """Read WARC records from the current position of the file: a `RecordReader`; `limit` is not used."""
    del limit
    offset = start
    try:
        for record in ArchiveIterator(file, parse_http=False, strict_mode=False):
            offset = record.stream_pos
            item = _warc_record(record, name)
            yield item
            if isinstance(item, Skip):
                return
    except OSError as error:
        yield Skip("broken", name, offset, detail=str(error), behind=offset > start)


def _warc_record(record: WarcRecord, name: str) -> Raw | Skip:
    headers = record.headers
    url = (headers.get("WARC-Target-URI") or "").strip("<>")
    if not (headers.get("Content-Length") or "").strip().isdecimal():
        return Skip("broken", name, record.stream_pos, url, _NO_LENGTH)
    length = record.content_length
    content = _held()
    head = b"".join([b"%b: %b\r\n" % (key, value) for key, value in headers.items_bytes()])
    size = content.write(b"%b\r\n%b\r\n" % (headers.status_line_bytes or b"WARC/1.0", head))
    copied = _copy(record.reader.read, content, length)
    if copied < length:
        content.close()
        detail = f"the archive ends inside the record (of {length} bytes)"
        return Skip("broken", name, record.stream_pos, url, detail)
    return Raw(url, content, size + copied + content.write(b"\r\n\r\n"), record.stream_pos, "warc")


def _read_arc(file: BinaryIO, name: str, start: int, limit: int) -> Iterator[Raw | Skip]:
    """Read ARC records from the current position of the file: a `RecordReader`; `limit` is not used."""
    from gristmill.archive.arc import FAULTS, with_lines  # noqa: PLC0415 (it takes long to import, and is rare)

    del limit
    offset = start
    try:
        records, lines = with_lines(file)
        for record in records:
            errors = records.err_count
            item = _arc_record(record, lines(), name)
            item.offset = offset = records.get_record_offset()  # this reads on to the record's end
            yield item
            if records.err_count > errors:
                yield Skip("broken", name, offset, detail="the record is followed by bytes that belong to none")
    except FAULTS as error:
        yield Skip("broken", name, offset, detail=str(error).strip() or type(error).__name__)


def _arc_record(record: Any, lines: list[bytes], name: str) -> Raw | Skip:
    """Take an ARC record, of which some lines have been read: the first, and of the first record of a file three."""
    url = record.rec_headers.get_header("uri") or ""
    declared = (record.rec_headers.get_header("length") or "").strip()
    if not declared.isdecimal():
        return Skip("broken", name, 0, url, f"the record's length is {declared!r}")
    wanted = max(0, int(declared) - sum(map(len, lines[1:])))
    content = _held()
    size = sum(content.write(line.rstrip(b"\r\n") + b"\n" if not at else line) for at, line in enumerate(lines))
    copied = _copy(record.raw_stream.read, content, wanted)
    if copied < wanted:
        content.close()
        return Skip("broken", name, 0, url, f"the archive ends inside the record (of {declared} bytes)")
    return Raw(url, content, size + copied + content.write(b"\n"), 0, "arc")


def _held() -> BinaryIO:
    folder = scratch_folder()
    made = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=str(folder) if folder else None)  # noqa: SIM115 (closed by whoever gets it)
    return cast("BinaryIO", made)


def _copy(read: Callable[[int], bytes], target: BinaryIO, length: int) -> int:
    """Copy up to so many bytes, and return how many there were; if that fails, the target is closed."""
    copied = 0
    try:
        while copied < length and (part := read(min(_CHUNK_BYTES, length - copied))):
            copied += target.write(part)
    except BaseException:
        target.close()
        raise
    return copied
