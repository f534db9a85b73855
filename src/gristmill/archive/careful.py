"""Bound single records of a damaged archive before they are read; `records.py` does so after several broken ones.

A record may claim to be longer than it is. A reader that believes it reads on to the end of the archive, and if every
record claims it, the archive is read as often as it has records: quadratic time. So in such an archive a record ends
where its gzip member ends. Without compression, its stated length is believed only if a record follows there.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import BinaryIO, cast

from gristmill.archive.kind import Kind
from gristmill.archive.packed import GZIP_MAGIC
from gristmill.archive.window import Window

_MAX_HEADER_BYTES = 1 << 16
_READ_BYTES = 1 << 16
_WARC_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_ARC_HEAD = re.compile(rb"(?:filedesc|https?|ftp|dns):\S* \S+ \d{8,18} \S+ (\d{1,18})[ \t\r]*\n")
_FOLLOWING = {"warc": re.compile(rb"[\r\n]*(?:WARC/|\Z)"), "arc": re.compile(rb"[\r\n]*(?:(?:https?|ftp|dns):|\Z)")}


class Member(io.RawIOBase):
    """The decompressed content of one gzip member, as a file."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        file.seek(start)
        self._file = file
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._compressed = b""
        self._at = 0
        self._read = start
        """The position up to which the compressed file was read."""

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def tell(self) -> int:
        """The number of decompressed bytes that were read."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes; raises OSError if they are damaged."""
        wanted = _READ_BYTES if size < 0 else size
        data = b""
        while wanted and not data and not self._inflater.eof:
            if not self._compressed:
                self._file.seek(self._read)
                self._compressed = self._file.read(_READ_BYTES)
                self._read += len(self._compressed)
                if not self._compressed:
                    raise OSError("the archive ends inside a compressed record")
            try:
                data = self._inflater.decompress(self._compressed, wanted)
            except zlib.error as error:
                raise OSError(str(error)) from error
            self._compressed = self._inflater.unconsumed_tail
        self._at += len(data)
        return data

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes into a buffer, and return how many they are."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def following(self) -> int | None:
        """The offset of the next member, if one begins right behind this one."""
        try:
            while self.read(_READ_BYTES):
                pass
        except OSError:
            return None
        end = self._read - len(self._inflater.unused_data)
        self._file.seek(end)
        return end if self._file.read(3) == GZIP_MAGIC else None


def bounded_record(
    file: BinaryIO, size: int, kind: Kind, start: int, following: int | None
) -> tuple[BinaryIO, int] | None:
    """Open the uncompressed record at `start`, and find its end; None if its stated length can't be right.

    It is right if a record, or nothing, follows it, or if it ends before the next offset (`following`) that looks
    like the start of one.
    """
    file.seek(start)
    head = file.read(_MAX_HEADER_BYTES if following is None else min(_MAX_HEADER_BYTES, following - start))
    match = _HEAD_END.search(head) if kind == "warc" else _ARC_HEAD.match(head)
    length = (_WARC_LENGTH.search(head, 0, match.start() + 1) if kind == "warc" else match) if match else None
    if not match or not length:
        return None
    end = start + match.end() + int(length[1])
    if end > size:
        return None
    if end > (size if following is None else following):
        file.seek(end)
        if not _FOLLOWING[kind].match(file.read(16)):
            return None
    return cast("BinaryIO", Window(file, start, end)), end
