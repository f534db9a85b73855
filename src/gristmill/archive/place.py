"""Read the one page that stands at a known place of a source, without reading what comes before it.

The page inspector reads with it what a corpus was built from. What is read may be hostile, and may have changed.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from gristmill.archive.jsonl import read_jsonl
from gristmill.archive.kind import sniff
from gristmill.archive.opening import kind_of, open_source, raise_failure
from gristmill.archive.packed import is_packed, unpacked
from gristmill.archive.parquet import read_row
from gristmill.archive.readers import reader_of
from gristmill.archive.records import read_record
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.archive.window import first_bytes
from gristmill.archive.zipped import unpack
from gristmill.document import Page
from gristmill.scratch import put_aside
from gristmill.stores.errors import StoreError

_MAX_MEMBER_BYTES = 1_000_000_000
"""A larger member of a ZIP file is not unpacked for one page."""
_MAX_SKIPPED_BYTES = 4_000_000_000
"""So many bytes of a compressed file of lines are unpacked at most before the line that is wanted."""
_MAX_LINE_FACTOR = 4
"""A line of JSON may be so many times longer than the page in it."""
_CHUNK_BYTES = 1 << 20


def read_at(source: Source, name: str, offset: int, limit: int = 10_000_000) -> Page | Skip:
    """Read the page at an offset, as documents have it; `name` is that of a member if the source is a ZIP file.

    Gives a `Skip` that says in words what is wrong if there is no page; raises `StoreError` if a store gives nothing.
    """
    try:
        with open_source(source) as file:
            found = _read(file, replace(source, kind=kind_of(file, source)), name, offset, limit)
            raise_failure(file)
            return found
    except (MemoryError, StoreError):
        raise
    except Exception as error:  # noqa: BLE001 (as in `readers.read`: readers meet hostile bytes)
        return Skip("broken", name, offset, detail=f"{type(error).__name__}: {error}")


def _read(file: BinaryIO, source: Source, name: str, offset: int, limit: int) -> Page | Skip:
    if source.kind in {"zip", "wacz"}:
        return _read_member(file, source, name, offset, limit)
    items: Iterator[Page | Skip]
    if source.kind in {"warc", "arc"}:
        items = iter([read_record(file, source, offset, limit)])
    elif source.kind == "jsonl":
        items = _line(file, source, offset, limit)
    elif source.kind == "parquet":
        return read_row(file, source.name, offset, limit)
    else:
        items = reader_of(source.kind)(file, source, limit)
    return next(items, None) or Skip("broken", name, offset, detail="no record")


def _line(file: BinaryIO, source: Source, offset: int, limit: int) -> Iterator[Page | Skip]:
    """Read the line of JSON at an offset in the file, or in its decompressed content."""
    stream = first_bytes(file, source.size)
    stream.seek(source.start)
    if is_packed(stream.read(8)):
        lines = unpacked(stream, source.start)
        _skip(lines, offset - source.start)
        held = io.BytesIO(lines.readline(limit * _MAX_LINE_FACTOR))
        found = replace(source, start=0, size=held.getbuffer().nbytes)
        yield from _placed(read_jsonl(held, found, limit), offset)
        return
    yield from _placed(read_jsonl(file, replace(source, start=offset), limit), offset)


def _placed(items: Iterator[Page | Skip], offset: int) -> Iterator[Page | Skip]:
    for item in items:
        item.offset = offset
        yield item


def _skip(lines: BinaryIO, count: int) -> None:
    if not 0 <= count <= _MAX_SKIPPED_BYTES:
        raise ValueError(f"the line stands {count:,} bytes behind the beginning")
    while count > 0:
        part = lines.read(min(count, _CHUNK_BYTES))
        if not part:
            raise EOFError("the file ends before that")
        count -= len(part)


def _read_member(file: BinaryIO, source: Source, name: str, offset: int, limit: int) -> Page | Skip:
    """Read a page of a member of a ZIP file, whose name is `archive.zip/member`."""
    with zipfile.ZipFile(file) as packed, put_aside(_CHUNK_BYTES) as content:
        member = packed.getinfo(name.removeprefix(f"{source.name}/"))
        if member.file_size > _MAX_MEMBER_BYTES:
            return Skip("broken", name, offset, detail=f"{member.filename} is too large to be unpacked for one page")
        size = unpack(packed, member, content)
        kind = sniff(content, member.filename)
        if kind in {"zip", "wacz"}:
            return Skip("unreadable", name, offset, detail="an archive within an archive")
        return _read(content, Source("", name, kind, size), name, offset, limit)
