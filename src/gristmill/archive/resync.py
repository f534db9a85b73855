"""Find the next readable record of an archive after one that could not be read."""

from __future__ import annotations

import mmap
import re
import zlib
from pathlib import Path

from gristmill.archive.kind import GZIP_MAGIC, LZ4_MAGIC, ZSTD_MAGIC, ArchiveKind

_WARC_START = re.compile(rb"(?<=\n)WARC/[01]\.\d+\r?\n")
_ARC_START = re.compile(rb"(?<=\n)(?:https?|ftp|dns):\S* \S+ \d{8,18} \S+ \d+[ \t\r]*\n")
_INNER_START = re.compile(rb"\s*(?:WARC/|(?:filedesc|https?|ftp|dns):\S* )")


def next_record(path: Path, kind: ArchiveKind, after: int) -> int | None:
    """The offset of the next record start behind `after`, or None if no more can be found."""
    if path.stat().st_size == 0:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for magic in (ZSTD_MAGIC, LZ4_MAGIC):
            if data[:4] == magic:
                at = data.find(magic, after + 1)
                return at if at >= 0 else None
        plain = _WARC_START if kind == "warc" else _ARC_START
        if data[:3] == GZIP_MAGIC or not (data[:5] == b"WARC/" or plain.search(data, 0, 1 << 20)):
            return _next_gzip(data, after)
        match = plain.search(data, after + 1)
        return match.start() if match else None


def _next_gzip(data: mmap.mmap, after: int) -> int | None:
    """Gzip's mark occurs by chance too, so a start must also unpack to the start of a record."""
    at = data.find(GZIP_MAGIC, after + 1)
    while at >= 0:
        try:
            start = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data[at : at + 1024], 256)
        except zlib.error:
            start = b""
        if _INNER_START.match(start):
            return at
        at = data.find(GZIP_MAGIC, at + 1)
    return None
