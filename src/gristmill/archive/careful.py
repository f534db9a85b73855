"""Single records of an archive that is known to be damaged, each bounded before it is read.

A record may claim to be longer than it is. Who believes that reads on to the end of the archive, and if every record
claims it, the archive is read as often as it has records. So in such an archive a record ends where its gzip member
ends, or, without compression, where its claim is borne out by what follows.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import BinaryIO, cast

from gristmill.archive.kind import Kind
from gristmill.archive.packed import GZIP_MAGIC
from gristmill.archive.window import Window

_HEADER = 1 << 16
_READ = 1 << 16
_WARC_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_ARC_HEAD = re.compile(rb"(?:filedesc|https?|ftp|dns):\S* \S+ \d{8,18} \S+ (\d{1,18})[ \t\r]*\n")
_FOLLOWING = {"warc": re.compile(rb"[\r\n]*(?:WARC/|\Z)"), "arc": re.compile(rb"[\r\n]*(?:(?:https?|ftp|dns):|\Z)")}


class Member(io.RawIOBase):
    """What is in one gzip member, and no more."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        file.seek(start)
        self._file = file
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._compressed = b""
        self._at = 0
        self._read = start
        """How far the file was read."""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def tell(self) -> int:
        """How many bytes of it were read."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next bytes; OSError if they are damaged."""
        wanted = _READ if size < 0 else size
        data = b""
        while wanted and not data and not self._inflater.eof:
            if not self._compressed:
                self._file.seek(self._read)
                self._compressed = self._file.read(_READ)
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
        """The same into a buffer."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def following(self) -> int | None:
        """Where the next member begins, if one does right behind this one."""
        try:
            while self.read(_READ):
                pass
        except OSError:
            return None
        end = self._read - len(self._inflater.unused_data)
        self._file.seek(end)
        return end if self._file.read(3) == GZIP_MAGIC else None


def member(file: BinaryIO, start: int) -> tuple[BinaryIO, Member]:
    """The gzip member that begins at a place, as a file to read and as what knows its end."""
    found = Member(file, start)
    return cast("BinaryIO", found), found


def bounded_record(
    file: BinaryIO, size: int, kind: Kind, start: int, following: int | None
) -> tuple[BinaryIO, int] | None:
    """A plain record from `start`, and its end; None if its length can't be right.

    It is right if a record, or nothing, follows it, or if it ends before the next place that looks like the start of
    one.
    """
    file.seek(start)
    head = file.read(_HEADER if following is None else min(_HEADER, following - start))
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
