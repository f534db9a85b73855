"""Find the next readable record of an archive after one that could not be read; used by `records.py`."""

from __future__ import annotations

import mmap
import re
import zlib
from typing import BinaryIO, Literal

from gristmill.archive.kind import Kind
from gristmill.archive.packed import GZIP_MAGIC, LZ4_MAGIC, ZSTD_MAGIC

Form = Literal["plain", "gzip", "zstd", "lz4"]
"""The compression of an archive's records."""

_FIRST_PART_BYTES = 1 << 16
_MAX_PART_BYTES = 1 << 22
_RECOGNISED_BYTES = 1 << 16
"""So many bytes decide whether a record begins, at most."""
_WARC_START = re.compile(rb"(?<=\n)WARC/[01]\.\d+\r?\n")
_ARC_START = re.compile(rb"(?<=\n)(?:https?|ftp|dns):\S* \S+ \d{8,18} \S+ \d+[ \t\r]*\n")
_INNER_START = re.compile(rb"\s*(?:WARC/|(?:filedesc|https?|ftp|dns):\S* )")


def form_of(file: BinaryIO, kind: Kind) -> Form:
    """Recognise how an archive is compressed, even if its first bytes are damaged."""
    file.seek(0)
    head = file.read(1 << 20)
    if head[:4] in {ZSTD_MAGIC, LZ4_MAGIC}:
        return "zstd" if head[:4] == ZSTD_MAGIC else "lz4"
    is_plain = head[:3] != GZIP_MAGIC and (head[:5] == b"WARC/" or _start_of(kind).search(head))
    return "plain" if is_plain else "gzip"


def next_record(file: BinaryIO, size: int, kind: Kind, form: Form, after: int) -> int | None:
    """The offset of the next record start after the offset `after`, or None if no more can be found."""
    if size == 0:
        return None
    try:
        number = file.fileno()
    except OSError:  # it is in a store
        return _next_in_parts(file, size, kind, form, after)
    with mmap.mmap(number, size, access=mmap.ACCESS_READ) as data:
        return _next_in(data, kind, form, after)


def _next_in_parts(file: BinaryIO, size: int, kind: Kind, form: Form, after: int) -> int | None:
    """Find the next record in a file that has no place in memory, part by part.

    A part begins with the byte before the first place that is looked at, and goes on behind the last one, as the start
    of a record is recognised by what stands around it.
    """
    place, length = after + 1, _FIRST_PART_BYTES
    while place < size:
        begin = max(0, place - 1)
        file.seek(begin)
        data = file.read(min(place - begin + length + _RECOGNISED_BYTES, size - begin))
        found = _next_in(data, kind, form, place - begin - 1)
        if found is not None and begin + found < place + length:
            return begin + found
        place, length = place + length, min(2 * length, _MAX_PART_BYTES)
    return None


def _next_in(data: bytes | mmap.mmap, kind: Kind, form: Form, after: int) -> int | None:
    if form == "gzip":
        return _next_gzip(data, after)
    if form == "plain":
        match = _start_of(kind).search(data, after + 1)
        return match.start() if match else None
    at = data.find(ZSTD_MAGIC if form == "zstd" else LZ4_MAGIC, after + 1)
    return at if at >= 0 else None


def goes_on_at(file: BinaryIO, size: int, kind: Kind, after: int, end: int) -> int:
    """Find where to go on in an archive that was once read up to the offset `end`, and has grown since.

    That is there, unless it was a place within a record; then it is the first record after the offset `after`.
    """
    form = form_of(file, kind)
    file.seek(end)
    if _begins_record(file.read(1024), kind, form):
        return end
    found = next_record(file, size, kind, form, after)
    return end if found is None else found


def _begins_record(data: bytes, kind: Kind, form: Form) -> bool:
    if form == "gzip":
        return data.startswith(GZIP_MAGIC) and _holds_record(data)
    if form == "plain":
        return bool(_start_of(kind).match(b"\n" + data.lstrip(), 1))
    return data.startswith(ZSTD_MAGIC if form == "zstd" else LZ4_MAGIC)


def _holds_record(data: bytes) -> bool:
    """Whether the beginning of a gzip member is that of a record."""
    try:
        start = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, 256)
    except zlib.error:
        return False
    return bool(_INNER_START.match(start))


def _start_of(kind: Kind) -> re.Pattern[bytes]:
    return _WARC_START if kind == "warc" else _ARC_START


def _next_gzip(data: bytes | mmap.mmap, after: int) -> int | None:
    """Find the next gzip member that holds a record: gzip's magic bytes occur by chance too, so each is unpacked."""
    at = data.find(GZIP_MAGIC, after + 1)
    while at >= 0:
        if _holds_record(data[at : at + 1024]):
            return at
        at = data.find(GZIP_MAGIC, at + 1)
    return None
