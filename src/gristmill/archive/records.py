"""Read the records of WARC and ARC files in order, and go on at the next good record after a broken one.

`warc.py` and `arc.py` read records, `resync.py` finds the next one after damage, and `careful.py` bounds records in
archives with much damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol, TypeVar, cast

from gristmill.archive import warc
from gristmill.archive.careful import Member, bounded_record
from gristmill.archive.resync import Form, form_of, next_record
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.archive.window import first_bytes
from gristmill.document import Page

_MAX_TRUSTED_FAULTS = 8  # after so many broken records, no record's stated length is believed without a check


class Placed(Protocol):
    """Something that was read from a place in an archive."""

    offset: int


Item_co = TypeVar("Item_co", bound=Placed, covariant=True)
Item = TypeVar("Item", bound=Placed)


class RecordReader(Protocol[Item_co]):
    """A function that reads records from the current position of a file, as `warc.read_from` does."""

    def __call__(self, file: BinaryIO, name: str, start: int, limit: int) -> Iterator[Item_co | Skip]:
        """Read the records; the last item is a broken `Skip` if reading could not go on after it."""


def read_warc(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read the pages of a WARC or WET file."""
    return follow_records(file, source, limit, warc.read_from)


def read_arc(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read the pages of an ARC file."""
    return follow_records(file, source, limit, _arc_reader())


def read_record(file: BinaryIO, source: Source, offset: int, limit: int) -> Page | Skip:
    """Read the record of a WARC or ARC file that begins at an offset."""
    stream = first_bytes(file, source.size)
    stream.seek(offset)
    reader = warc.read_from if source.kind == "warc" else _arc_reader()
    return next(reader(stream, source.name, offset, limit), None) or Skip(
        "broken", source.name, offset, detail="the end"
    )


def _arc_reader() -> RecordReader[Page]:
    from gristmill.archive import arc  # noqa: PLC0415 (what it needs takes long to import, and such files are rare)

    return arc.read_from


def follow_records(file: BinaryIO, source: Source, limit: int, reader: RecordReader[Item]) -> Iterator[Item | Skip]:
    """Read all records of an archive by a reader; after a broken one it goes on at the next that can be found."""
    if source.size == 0:
        yield Skip("broken", source.name, 0, detail="the file is empty")
        return
    stream = first_bytes(file, source.size)
    form: Form | None = None
    start: int | None = source.start
    fault: Skip | None = None
    faults = 0
    found = 0
    while start is not None:
        if form and faults >= _MAX_TRUSTED_FAULTS:
            items = _careful(file, source, limit, form, start, reader)
        else:
            stream.seek(start)
            items = reader(stream, source.name, start, limit)
        item = next(items, None)
        if fault and not (fault.behind and isinstance(item, Skip) and item.reason == "broken" and item.offset == start):
            yield fault  # else it was this very record, and now its place is known
        fault = None
        while item is not None:
            following = next(items, None)
            if following is None and isinstance(item, Skip) and item.reason == "broken":
                fault = item
            else:
                found += 1
                yield item
            item = following
        if fault is None:
            return
        faults += 1
        form = form or form_of(file, source.kind)
        start = next_record(file, source.size, source.kind, form, fault.offset)
    if fault:
        if not found:
            fault.detail = f"no {source.kind.upper()} record can be read in it ({fault.detail})"
        yield fault


def _careful(
    file: BinaryIO, source: Source, limit: int, form: Form, start: int, reader: RecordReader[Item]
) -> Iterator[Item | Skip]:
    """Read all records from an offset on, each bounded first: a broken one costs the same in archives of any size."""
    if form in {"zstd", "lz4"}:
        yield Skip("broken", source.name, start, detail="too much of the archive is damaged: the rest is not read")
        return
    at: int | None = start
    while at is not None:
        if form == "gzip":
            member = Member(file, at)
            yield from _placed(reader(cast("BinaryIO", member), source.name, 0, limit), at)
            following = member.following()
            at = next_record(file, source.size, source.kind, form, at) if following is None else following
            continue
        behind = next_record(file, source.size, source.kind, form, at)
        record = bounded_record(file, source.size, source.kind, at, behind)
        if record is None:
            yield Skip("broken", source.name, at, detail="the record's length can't be right")
            at = behind
        else:
            yield from _placed(reader(record[0], source.name, 0, limit), at)
            at = (
                next_record(file, source.size, source.kind, form, record[1] - 1)
                if behind is not None and behind < record[1]
                else behind
            )


def _placed(items: Iterator[Item | Skip], offset: int) -> Iterator[Item | Skip]:
    """Give items that were read from a part of the archive the offset of that part."""
    for item in items:
        item.offset = offset
        yield item
