"""Named arrays in one file, which appears under its name when it is whole and is mapped into memory when it is read.

Tasks store in it what other tasks read. (NumPy's own container of several arrays can't be mapped, and computes a
checksum of every byte.) A file has

    gristmill arrays        16 bytes that say what it is
    length of the header     8 bytes
    header                  JSON: {"arrays": {name: [type, shape, offset]}, "size": bytes of all arrays}
    arrays                  each at a multiple of 64 bytes; offsets count from the first
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.drafts import move, temporary_name
from gristmill.errors import GristmillError

_MAGIC = b"gristmill arrays"
_ALIGNMENT_BYTES = 64
_HEADER_BYTES = 4096  # that are read at once
_MAX_READ_BYTES = 1 << 18  # larger files are mapped

_DAMAGES = (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, SyntaxError, RecursionError)
"""What reading a damaged file raises: of types, NumPy parses some as Python."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An array that comes in pieces, as it would not fit into memory; its length must be known."""

    dtype: np.dtype[Any]
    length: int
    pieces: Iterable[Array]
    columns: int = 0
    """How many columns it has, if it is a table."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole array."""
        return (self.length, self.columns) if self.columns else (self.length,)

    @property
    def nbytes(self) -> int:
        """The size of the whole array in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def save_arrays(path: Path, arrays: Mapping[str, Array | Stream], *, durable: bool = False) -> None:
    """Write arrays; a file of that name is replaced.

    A durable file is flushed to the disk before it gets its name, so that it outlives a loss of power.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(path)
    table, offset = {}, 0
    for name, array in arrays.items():
        table[name] = [array.dtype.str, array.shape, offset]
        offset += -(-array.nbytes // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
    header = json.dumps({"arrays": table, "size": offset}).encode()
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little"))
            file.write(header + bytes(-(file.tell() + len(header)) % _ALIGNMENT_BYTES))
            for array in arrays.values():
                written = sum(file.write(np.ascontiguousarray(piece, array.dtype).data) for piece in _pieces(array))
                if written != array.nbytes:
                    raise ValueError(f"a stream of {array.nbytes} bytes had {written}")
                file.write(bytes(-array.nbytes % _ALIGNMENT_BYTES))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        move(temporary, path)
    except OSError as error:
        raise GristmillError(f"can't write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _pieces(array: Array | Stream) -> Iterable[Array]:
    return array.pieces if isinstance(array, Stream) else [array]


def load_arrays(path: Path) -> dict[str, Array]:
    """Read the arrays in a file, which can't be written to.

    A large file is mapped: what is not looked at is not read. Small files are read, since a map holds a file open, and
    a process may not have more than some thousand of these.
    """
    try:
        with path.open("rb") as file:
            table, start, size = _read_header(path, file)
            if size < _MAX_READ_BYTES:
                file.seek(start)
                data = np.frombuffer(file.read(), np.uint8)
            else:
                data = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)[start:]
        return {name: _view(data, *place) for name, place in table.items()}
    except _DAMAGES as error:
        raise GristmillError(f"can't read {path}: {error}") from error


class ArrayFile:
    """A file of arrays that is open, to read a few elements of some of them.

    For many files with little to read in each: that takes less than half of the time that mapping them does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("rb", buffering=_HEADER_BYTES)
            try:
                self._table, self._start, _ = _read_header(path, self._file)
            except BaseException:
                self._file.close()
                raise
        except _DAMAGES as error:
            raise GristmillError(f"can't read {path}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array."""
        return tuple(self._table[name][1])

    def read(self, name: str, start: int, end: int) -> Array:
        """Read the elements of an array from one to before another; those of a table are counted row by row."""
        kind, _, offset = self._table[name]
        dtype = np.dtype(kind)
        self._file.seek(self._start + offset + start * dtype.itemsize)
        found: Array = np.frombuffer(self._file.read((end - start) * dtype.itemsize), dtype)
        if len(found) != end - start:
            raise GristmillError(f"can't read {self._path}: {name} has no elements from {start} to {end}")
        return found


def _read_header(path: Path, file: BinaryIO) -> tuple[dict[str, Any], int, int]:
    """Read the beginning of a file: type, shape and offset of each array, where the first begins, and bytes of all."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise GristmillError(f"{path} is not a file of arrays")
    length, whole = int.from_bytes(file.read(8), "little"), os.fstat(file.fileno()).st_size
    header = json.loads(file.read(min(length, whole)))
    start = -(-file.tell() // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
    if start + header["size"] != whole:
        raise GristmillError(f"{path} is cut off: delete it and run the command again")
    return header["arrays"], start, header["size"]


def _view(data: Array, kind: str, shape: list[int], offset: int) -> Array:
    """View an array that begins at a place in the data of a file."""
    dtype = np.dtype(kind)
    size = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or min(offset, size, *shape, 0) < 0:
        raise ValueError(f"no array has the type {kind!r}, the shape {shape} and the place {offset}")
    return data[offset : offset + size].view(dtype).reshape(shape)
