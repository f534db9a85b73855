"""Named arrays in one file, which appears under its name when it is whole and is mapped into memory when it is read.

For what tasks put aside for each other. (NumPy's own container for several arrays can't be mapped, and sums up every
byte.)
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.drafts import move, temporary_name
from gristmill.errors import GristmillError

Array = npt.NDArray[Any]
_MAGIC = b"gristmill arrays"
_ALIGN = 64
_SMALL = 1 << 18


@dataclass(frozen=True, slots=True)
class Stream:
    """An array of one dimension that comes in pieces, as it would not fit into memory; how long it is must be known before."""

    dtype: np.dtype[Any]
    length: int
    pieces: Iterable[Array]

    @property
    def shape(self) -> tuple[int]:
        """As of an array; also the next."""
        return (self.length,)

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self.length * self.dtype.itemsize


def save_arrays(path: Path, arrays: Mapping[str, Array | Stream], *, to_stay: bool = False) -> None:
    """Write arrays; a file of that name is replaced.

    What is to stay is seen through to the disk, before it has its name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(path)
    table, offset = {}, 0
    for name, array in arrays.items():
        table[name] = [array.dtype.str, array.shape, offset]
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"arrays": table, "size": offset}).encode()
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little"))
            file.write(header + bytes(-(file.tell() + len(header)) % _ALIGN))
            for array in arrays.values():
                written = sum(file.write(np.ascontiguousarray(piece, array.dtype).data) for piece in _pieces(array))
                if written != array.nbytes:
                    raise ValueError(f"a stream of {array.nbytes} bytes had {written}")
                file.write(bytes(-array.nbytes % _ALIGN))
            if to_stay:
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
    """The arrays in a file, which can't be written to. A large one is mapped: what is not looked at is not read.

    A map holds a file open, and a process may not have more than some thousand of these; so small files are read.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise GristmillError(f"{path} is not a file of arrays")
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            start = -(-file.tell() // _ALIGN) * _ALIGN
            if start + header["size"] != os.fstat(file.fileno()).st_size:
                raise GristmillError(f"{path} is cut off: delete it and run the command again")
            if header["size"] < _SMALL:
                file.seek(start)
                data = np.frombuffer(file.read(), np.uint8)
            else:
                data = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)[start:]
        return {name: _view(data, *place) for name, place in header["arrays"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise GristmillError(f"can't read {path}: {error}") from error


def _view(data: Array, kind: str, shape: list[int], offset: int) -> Array:
    """An array that begins at a place in the data of a file."""
    dtype = np.dtype(kind)
    size = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or min(offset, size, *shape, 0) < 0:
        raise ValueError(f"no array has the type {kind!r}, the shape {shape} and the place {offset}")
    return data[offset : offset + size].view(dtype).reshape(shape)
