"""An object in a store as a file that is read by ranges: large ones in a row, with the next on its way, or small ones.

Ranges grow as long as they follow each other. What was broken off goes on where it broke. What can't be had raises
`StoreError`, and `failure` keeps it, in case that what reads the file takes all errors for damage of the file.
"""

from __future__ import annotations

import io
import os
import threading
from typing import BinaryIO, cast

from gristmill.stores.address import Address
from gristmill.stores.errors import ChangedError, StoreError, is_damage
from gristmill.stores.other import OtherObject
from gristmill.stores.patience import Patience, retried
from gristmill.stores.s3 import SCHEMES, S3Object
from gristmill.stores.stored import SIGNATURE_PREFIX, Fetching, Stored
from gristmill.stores.web import WebFile

_FIRST_RANGE_BYTES = 1 << 18
_MAX_RANGE_BYTES = 1 << 23
_GROWTH = 4


def object_at(address: Address) -> Fetching:
    """Choose how the object at an address is got."""
    if address.is_web:
        return WebFile(address)
    return S3Object(address) if address.scheme in SCHEMES else OtherObject(address)


def describe(address: Address) -> Stored:
    """Ask a store what is at an address; raises `MissingError` if nothing is."""
    return retried(object_at(address).describe, address)


def open_stored(address: Address, size: int, signature: str = "") -> BinaryIO:
    """Open an object of which its size and maybe its signature are known.

    Reading raises `ChangedError` if it is another one meanwhile.
    """
    return cast("BinaryIO", StoredFile(address, size, signature))


class StoredFile(io.RawIOBase):
    """An object as a file that can be read and sought in; it needs memory for two or three ranges of 8 MB."""

    def __init__(self, address: Address, size: int, signature: str = "") -> None:
        self.failure: StoreError | None = None
        """What made reading fail for good."""
        self._address = address
        self._size = size
        self._signature = signature if signature.startswith(SIGNATURE_PREFIX) else ""
        self._object = object_at(address)
        self._known: Stored | None = None
        self._at = 0
        self._block = b""
        self._begin = 0
        """Where the block stands in the object."""
        self._next: _Range | None = None
        self._range_bytes = _FIRST_RANGE_BYTES
        self._stop = threading.Event()

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
        """Go to an offset, and return it; nothing is asked for before it is read."""
        place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if place < 0:
            raise ValueError("a place before the beginning of the file")
        self._at = place
        return place

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, or all that are left; fewer only at the end."""
        left = max(0, self._size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted <= (here := self._here()):
            start = self._at - self._begin
            self._at += wanted
            return self._block[start : start + wanted]
        parts = []
        while wanted > 0:
            if not here:
                self._turn_to(self._at, wanted)
                here = self._here()
            start = self._at - self._begin
            parts.append(self._block[start : start + min(wanted, here)])
            self._at += len(parts[-1])
            wanted -= len(parts[-1])
            here = self._here()
        return b"".join(parts)

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes into a buffer, and return how many they are."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Give up what is on its way."""
        if not self.closed:
            self._stop.set()
            if self._next:
                self._next.join()
                self._next = None
            self._object.close()
            self._block = b""
        super().close()

    def _here(self) -> int:
        """The number of bytes of the block from the present place on."""
        start = self._at - self._begin
        return len(self._block) - start if 0 <= start < len(self._block) else 0

    def _turn_to(self, place: int, wanted: int) -> None:
        """Get the block in which a place is, which holds so many bytes from there if these are not too many."""
        if self.failure:
            raise self.failure
        following, ahead = self._begin + len(self._block), self._next
        self._next = None
        if ahead and ahead.begin <= place < ahead.end:
            self._take(ahead)
            self._look_ahead()
            return
        if ahead:  # what is read now is somewhere else
            ahead.join()
        goes_on = place == following and bool(self._block)
        self._range_bytes = min(_MAX_RANGE_BYTES, self._range_bytes * _GROWTH) if goes_on else _FIRST_RANGE_BYTES
        size = max(self._range_bytes, min(wanted, _MAX_RANGE_BYTES))
        self._take(_Range(self, place, min(self._size, place + size)))
        if goes_on:
            self._look_ahead()

    def _look_ahead(self) -> None:
        """Begin to get what follows the block."""
        begin = self._begin + len(self._block)
        if begin < self._size:
            self._range_bytes = min(_MAX_RANGE_BYTES, self._range_bytes * _GROWTH)
            self._next = _Range(self, begin, min(self._size, begin + self._range_bytes))
            self._next.get_meanwhile()

    def _take(self, found: _Range) -> None:
        """Make a range the block."""
        self._block = b""
        try:
            self._begin, self._block = found.begin, found.result()
        except StoreError as error:
            self.failure = error
            raise

    def fetch(self, begin: int, end: int) -> bytes:
        """Get a range, whatever it takes; called by one thread at a time."""
        parts: list[bytes] = []
        got = 0
        patience = Patience(self._address, stop=self._stop)
        while got < end - begin:
            came: list[bytes] = []
            try:
                self._ask(begin + got, end, came)
            except Exception as error:  # noqa: BLE001 (`wait` raises what does not pass)
                if is_damage(error):
                    came.clear()
                if came:
                    patience.progress()
                patience.wait(error)
            parts += came
            got += sum(map(len, came))
        if got > end - begin:
            raise ChangedError(f"{self._address} came with more bytes than were asked for")
        return b"".join(parts)

    def _ask(self, begin: int, end: int, came: list[bytes]) -> None:
        self._object.fetch(begin, end, self._known, self._check, came)
        if not any(came):
            raise ConnectionError("it sent nothing of what was asked for")

    def _check(self, found: Stored) -> None:
        """Raise if the object is not the one that was to be read."""
        is_other = self._known is not None and found.version != self._known.version
        if is_other or found.size != self._size or (self._signature and found.signature != self._signature):
            raise ChangedError(f"{self._address} has changed since it was listed: run the same command again")
        self._known = found


class _Range:
    """A range that is got: in a thread of its own if it is begun before it is needed, else when it is asked for."""

    def __init__(self, file: StoredFile, begin: int, end: int) -> None:
        self._file, self.begin, self.end = file, begin, end
        self._data = b""
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    def get_meanwhile(self) -> None:
        """Begin to get it, and don't wait."""
        self._thread = threading.Thread(target=self._get, daemon=True, name=f"reading from byte {self.begin}")
        self._thread.start()

    def join(self) -> None:
        """Wait until it is there, or not needed."""
        if self._thread:
            self._thread.join()

    def result(self) -> bytes:
        """Return it; raises what getting it raised."""
        if not self._thread:
            return self._file.fetch(self.begin, self.end)
        self._thread.join()
        if self._error:
            raise self._error
        return self._data

    def _get(self) -> None:
        try:
            self._data = self._file.fetch(self.begin, self.end)
        except BaseException as error:  # noqa: BLE001 (the thread that reads raises it)
            self._error = error
