"""What a file is, told by its content."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Literal

from fastwarc.stream_io import Lz4Reader, ZstdReader

ArchiveKind = Literal["warc", "arc", "page"]

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
LZ4_MAGIC = b"\x04\x22\x4d\x18"
_HEAD = 4096
_ARC_LINE = re.compile(rb"(?:filedesc|https?|ftp|dns):\S* \S+ \d{8,18} \S+ \S+[ \t\r]*(?:\n|$)")
_ARCHIVE_NAME = re.compile(r"\.(warc|wet|arc)(?:\.(?:gz|zst|lz4|bad))*$")
_TAG = re.compile(
    rb"<(?:!doctype html|(?:html|head|body|title|meta|link|script|style|div|p|span|a|br|table|tr|td|ul|ol|li|h[1-6]|article|section"
    rb"|main|nav|header|footer|form|frameset|center|font|pre|b|i|img)(?=[\s/>]))",
    re.IGNORECASE,
)


def sniff(path: Path) -> ArchiveKind:
    """Tell WARC (and WET) and ARC files, compressed or not, from single pages.

    A file whose beginning is damaged is taken by its name, so that the records behind the damage can still be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    start = head
    if head.startswith(GZIP_MAGIC):
        start = _gunzip_head(head)
    elif head.startswith(ZSTD_MAGIC) or _ZSTD_SKIPPABLE.match(head):
        start = _read_head(ZstdReader(str(path)))
    elif head.startswith(LZ4_MAGIC):
        start = _read_head(Lz4Reader(str(path)))
    start = start.lstrip()
    if start.startswith(b"WARC/"):
        return "warc"
    if _ARC_LINE.match(start):
        return "arc"
    named = _ARCHIVE_NAME.search(path.name.lower())
    if named:
        return "arc" if named[1] == "arc" else "warc"
    return "page"


def looks_like_html(data: bytes) -> bool:
    """A tag that HTML has stands in the first 64 kB (as ASCII or as UTF-16)."""
    head = data[:65536]
    return bool(_TAG.search(head) or (b"\0" in head and _TAG.search(head.replace(b"\0", b""))))


def _gunzip_head(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _read_head(stream: ZstdReader | Lz4Reader) -> bytes:
    try:
        return stream.read(_HEAD)
    except OSError:
        return b""
