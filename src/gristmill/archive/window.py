"""A part of a file as a file of its own."""

from __future__ import annotations

import io
import os
from typing import BinaryIO, cast


class Window(io.RawIOBase):
    """The bytes of a file from `start` to `end`; places are counted from `start`."""

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._length = max(0, end - start)
        self._at = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """One can go to any place in it."""
        return True

    def tell(self) -> int:
        """The place of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        self._at = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence])
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        left = max(0, self._length - self._at)
        self._file.seek(self._start + self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """The same into a buffer."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def first_bytes(file: BinaryIO, size: int) -> BinaryIO:
    """A file without what came to it behind its first `size` bytes."""
    return file if file.seek(0, os.SEEK_END) <= size else cast("BinaryIO", Window(file, 0, size))
