"""Whole files to a store and back: each arrives complete, and as it was, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import xxhash

from gristmill.errors import GristmillError
from gristmill.stores.address import Address
from gristmill.stores.errors import ChangedError, StoreError
from gristmill.stores.filesystem import filesystem_of, path_of
from gristmill.stores.patience import retried
from gristmill.stores.uploading import begin_upload

_CHUNK_BYTES = 4 << 20
_RANGE_BYTES = 8 << 20
"""What is asked for with one request, and is asked for again if the connection breaks."""


def upload_file(path: Path, address: Address, digest: str, report: Callable[[int], None]) -> None:
    """Upload a file; raises if it is not, or is no longer, the one with this hash (xxh3_128).

    `report` is told how many bytes were sent.
    """
    hasher = xxhash.xxh3_128()
    with begin_upload(address) as upload:
        with path.open("rb") as file:
            while piece := file.read(_CHUNK_BYTES):
                hasher.update(piece)
                upload.write(piece)
                report(len(piece))
        if hasher.hexdigest() != digest:
            raise GristmillError(f"{path} was changed while it was uploaded: run the same command again")
        upload.commit(replace=True)  # its name says what it holds


def download_file(address: Address, path: Path, size: int, digest: str, report: Callable[[int], None]) -> None:
    """Download an object of this size and hash to a file, and go on where an earlier call was interrupted.

    The file is at `path` in the end, and of what it should be; what is only a part of it, too. `report` is told how
    many bytes are there.
    """
    for _ in range(2):  # what was there of it before may be damaged
        begun = path.exists()
        if _fetch(address, path, size, report) == digest:
            return
        path.unlink()
        if not begun:
            break
    raise StoreError(f"{address} is damaged: its content is not that which was published, so publish it again")


def _fetch(address: Address, path: Path, size: int, report: Callable[[int], None]) -> str:
    """Append what is missing to a file, and return the hash of all of it."""
    hasher = xxhash.xxh3_128()
    try:
        with path.open("a+b") as file:
            file.seek(0)
            while piece := file.read(_CHUNK_BYTES):
                hasher.update(piece)
                report(len(piece))
            at = file.tell()
            if at > size:
                return ""
            while at < size:
                piece = _range(address, at, min(at + _RANGE_BYTES, size))
                file.write(piece)
                hasher.update(piece)
                at += len(piece)
                report(len(piece))
    except OSError as error:
        raise GristmillError(f"can't write {path}: {error.strerror or error}") from error
    return hasher.hexdigest()


def _range(address: Address, start: int, end: int) -> bytes:
    fs, path = filesystem_of(address), path_of(address)

    def attempt() -> bytes:
        try:
            found: bytes = fs.cat_file(path, start=start, end=end)
        except Exception as error:
            if type(error).__name__ != "FlexibleChecksumError":  # botocore's, which is not imported for its name
                raise
            found = b""
        if len(found) < end - start and int(fs.info(path)["size"]) < end:
            raise ChangedError(f"{address} is shorter than what was published: publish it again")
        if len(found) != end - start:
            raise ConnectionError(f"{len(found)} bytes came, and not {end - start}")
        return found

    return retried(attempt, address)
