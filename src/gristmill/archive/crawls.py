"""Recognise the folder of a crawl and the WARC files in it, and find how far one that is growing can be read."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gristmill.archive.resync import next_record
from gristmill.archive.window import first_bytes

CRAWL = "crawl.toml"
"""The file that makes a folder one of a crawl."""
COMMON_CRAWL = "commoncrawl.toml"
"""The file that makes a folder one of pages from the archives of others, which grows in the same way."""
_WARC_NAME = re.compile(r"pages-(\d{5,})\.warc\.gz")
_READ_BYTES = 1 << 16
_HEADER_BYTES = 1 << 10  # of a record, in which its type stands
_LAST_BYTES = (1 << 18, 1 << 23)  # of a file, in which the last whole response is looked for, before all of it is read
_RESPONSE = re.compile(rb"WARC/1\.\d\r\n(?:[!-~]+: [^\r\n]*\r\n)*?WARC-Type: response\r\n")


def is_crawl(folder: Path) -> bool:
    """Whether a folder holds a crawl, or the parts of one, or pages from the archives of others."""
    return (folder / CRAWL).is_file() or (folder / COMMON_CRAWL).is_file()


def has_pages(path: Path) -> bool:
    """Whether a file in the folder of a crawl is one with pages: of the crawl, or a whole file of Common Crawl."""
    return path.name.endswith((".warc.gz", ".warc.wet.gz"))


def is_crawled(path: Path) -> bool:
    """Whether a file is a WARC file of a crawl, or of a part of one, which may still be growing."""
    return number_of(path) is not None and any(map(is_crawl, (path.parent, path.parent.parent)))


def warc_path(folder: Path, number: int) -> Path:
    """The path of a WARC file of a crawl."""
    return folder / f"pages-{number:05d}.warc.gz"


def number_of(path: Path) -> int | None:
    """The number of a WARC file of a crawl; None if the file is another one."""
    match = _WARC_NAME.fullmatch(path.name)
    return int(match[1]) if match else None


def end_of_responses(file: BinaryIO, size: int) -> int:
    """Find the offset behind the last whole response of a WARC file of a crawl, within its first `size` bytes.

    What comes behind is being written, and may be cut off again if the crawl is killed: a torn record, or a request
    without its response. 0 if the file has no response yet, and `size` if it is damaged: its reader knows how to go on.
    """
    found: int | None = 0
    for last_bytes in (*_LAST_BYTES, size):
        found = found or _last_response(file, size, max(0, size - last_bytes))
    return size if found is None else found


def _last_response(file: BinaryIO, size: int, begin: int) -> int | None:
    """Find the end of the last whole response behind an offset; 0 if there is none, None if the end is damaged."""
    found, damaged = 0, False
    at = next_record(file, size, "warc", "gzip", begin - 1)
    while at is not None:
        try:
            for start, behind in members(first_bytes(file, size), at, _HEADER_BYTES):
                at, found = behind, behind if _RESPONSE.match(start) else found
        except zlib.error:  # bytes within a record may look like the beginning of one
            at, damaged = next_record(file, size, "warc", "gzip", at), True
        else:
            return found
    return None if damaged else 0


def members(file: BinaryIO, start: int, kept_bytes: int | None = None) -> Iterator[tuple[bytes, int]]:
    """Yield the content of each gzip member from an offset on, or its first bytes, with the offset behind the member.

    Ends where the file ends, also within a member; raises `zlib.error` where it is damaged.
    """
    while True:
        file.seek(start)
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        content = bytearray()
        while not inflater.eof:
            data = inflater.unconsumed_tail or file.read(_READ_BYTES)
            if not data:
                return
            part = inflater.decompress(data, _READ_BYTES)
            content += part if kept_bytes is None else part[: max(0, kept_bytes - len(content))]
        start = file.tell() - len(inflater.unused_data)
        yield bytes(content), start
