"""A file of which only some parts are at hand, for libraries that read files."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable

from gristmill.commoncrawl.store import Part


class SparseFile(io.RawIOBase):
    """A file that can be read where its parts are; elsewhere, reading raises an error."""

    def __init__(self, parts: Iterable[Part], size: int) -> None:
        super().__init__()
        self._parts = sorted(parts, key=lambda part: part.start)
        self._starts = [part.start for part in self._parts]
        self._size = size
        self._at = 0

    def size(self) -> int:
        """The length of the whole file."""
        return self._size

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that any place can be gone to."""
        return True

    def tell(self) -> int:
        """Return the current place."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Read from the current place on, within one part."""
        end = self._size if size is None or size < 0 else min(self._at + size, self._size)
        if end <= self._at:
            return b""
        found = bisect_right(self._starts, self._at) - 1
        part = self._parts[found] if found >= 0 else None
        if part is None or end > part.start + len(part.data):
            raise OSError(f"bytes {self._at} to {end} are not at hand")
        data = part.data[self._at - part.start : end - part.start]
        self._at = end
        return data
