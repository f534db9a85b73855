"""A part of a file as a file of its own, for readers that must not read beyond it."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

_BUFFER_BYTES = 1 << 16


class Window(io.RawIOBase):
    """The bytes of a file from `start` to `end`; its offsets count from `start`."""

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._length = max(0, end - start)
        self._at = 0

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def seekable(self) -> bool:
        """Whether `seek` works: always."""
        return True

    def tell(self) -> int:
        """The offset of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to an offset, and return it."""
        self._at = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence])
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes."""
        left = max(0, self._length - self._at)
        self._file.seek(self._start + self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes into a buffer, and return how many they are."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def first_bytes(file: BinaryIO, size: int) -> BinaryIO:
    """The first `size` bytes of a file, without what has been appended to it since it was measured, or will be."""
    return io.BufferedReader(Window(file, 0, size), _BUFFER_BYTES)
