"""Find the next readable record of an archive after one that could not be read."""

from __future__ import annotations

import mmap
import re
import zlib
from pathlib import Path

from gristmill.archive.kind import GZIP_MAGIC, ZSTD_MAGIC

_WARC_START = re.compile(rb"(?<=\n)WARC/[01]\.\d+\r?\n")
_ARC_START = re.compile(rb"(?<=\n)(?:https?|ftp|dns):\S* \S+ \d{8,18} \S+ \d+[ \t\r]*\n")
_INNER_START = re.compile(rb"\s*(?:WARC/|(?:filedesc|https?|ftp|dns):\S* )")


def next_record(path: Path, after: int) -> int | None:
    """The offset of the next record start behind `after`, or None if no more can be found."""
    if path.stat().st_size == 0:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:3] == GZIP_MAGIC or data.find(GZIP_MAGIC, 0, 1 << 20) >= 0:
            return _next_gzip(data, after)
        if data[:4] == ZSTD_MAGIC:
            at = data.find(ZSTD_MAGIC, after + 1)
            return at if at >= 0 else None
        found = [match.start() for match in (start.search(data, after + 1) for start in (_WARC_START, _ARC_START)) if match]
        return min(found, default=None)


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
