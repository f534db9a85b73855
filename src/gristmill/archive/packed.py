"""Open files that are compressed as a whole (gzip, zstd, lz4, bzip2, xz), recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable
from typing import BinaryIO, cast

import pyarrow as pa

from gristmill.archive.window import Window

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LZ4_MAGIC = b"\x04\x22\x4d\x18"
UNPACKING_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)
"""The exceptions that reading a damaged file may raise."""


def _arrow(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    def unpack(file: BinaryIO) -> BinaryIO:
        own = Window(file, file.tell(), file.seek(0, os.SEEK_END))  # Arrow closes what it reads
        return cast("BinaryIO", io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(own, "r"), codec)))

    return unpack


def _open_gzip(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=file))


def _open_bzip2(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(file))


def _open_xz(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", lzma.LZMAFile(file))


_OPENERS: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    GZIP_MAGIC: _open_gzip,
    ZSTD_MAGIC: _arrow("zstd"),
    LZ4_MAGIC: _arrow("lz4"),
    b"BZh": _open_bzip2,
    b"\xfd7zXZ\x00": _open_xz,
}
_MAX_EXPANSION_FACTOR = 100
_ALWAYS_ALLOWED_BYTES = 16_000_000
BOMB = f"it is more than {_MAX_EXPANSION_FACTOR} times larger than it is packed (a bomb?)"
"""What is said of what has more than `most_bytes`."""
PACKED_SUFFIXES = (".gz", ".zst", ".lz4", ".bz2", ".xz")


def most_bytes(size: int) -> int:
    """How many bytes may come of so many packed ones: 16 MB, or a hundred times as many if that is more."""
    return max(_ALWAYS_ALLOWED_BYTES, _MAX_EXPANSION_FACTOR * size)


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed."""
    return head.startswith(tuple(_OPENERS))


def unpacked(file: BinaryIO, start: int = 0) -> BinaryIO:
    """Open the decompressed content of a file from an offset on; the file itself if it is not compressed."""
    file.seek(start)
    head = file.read(8)
    file.seek(start)
    opener = next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)
    return opener(file) if opener else file


def plain_name(name: str) -> str:
    """The name of a file in lower case, without the suffix of a compression."""
    lower = name.lower()
    return next((lower.removesuffix(suffix) for suffix in PACKED_SUFFIXES if lower.endswith(suffix)), lower)
