"""Files of models for annotation: some facts, named arrays, and a checksum. Nothing in them is run or unpickled.

    gristmill model         16 bytes that say what it is, with a line end
    length of the header     4 bytes
    header                  JSON: {"kind": "segmenter", "format": 1, "facts": {...}, "arrays": [[name, type, shape]...]}
    arrays                  one after the other, with zeros before each up to a multiple of 8 bytes
    checksum                16 bytes: BLAKE2b of all before

The same facts and arrays give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.errors import UsageError
from gristmill.shapes import check_format
from gristmill.shards import write_atomically

_MAGIC = b"gristmill model\n"
_TYPES = frozenset({"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
_ALIGNMENT, _DIGEST_BYTES = 8, 16
_MAX_BYTES = 1 << 28  # of a file; ours have about a million


class ModelFile(NamedTuple):
    """What a file holds."""

    facts: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def write_model(
    path: Path, kind: str, version: int, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write a model of a kind, in a format of its own."""
    stored = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    table = [[name, array.dtype.str, list(array.shape)] for name, array in stored.items()]
    header = json.dumps(
        {"kind": kind, "format": version, "facts": dict(facts), "arrays": table}, ensure_ascii=False
    ).encode()
    data = bytearray(_MAGIC + len(header).to_bytes(4, "little") + header)
    for array in stored.values():
        data += bytes(-len(data) % _ALIGNMENT) + array.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, bytes(data) + _digest(data))


def read_model(path: Path, kind: str, version: int) -> ModelFile:
    """Read a model; raises an error that says what is wrong if it is damaged, something else, or of another format."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{path} is too large for a model")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise UsageError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not data.startswith(_MAGIC):
        raise UsageError(f"{path} is no model of a {kind}: gristmill train makes these")
    if _digest(data[:-_DIGEST_BYTES]) != data[-_DIGEST_BYTES:]:
        raise UsageError(f"the model {path} is damaged: get it again, or make it anew with gristmill train")
    try:
        return _parse(data[:-_DIGEST_BYTES], kind, version, path)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise UsageError(f"{path} is no model of a {kind}, or it is damaged: {error}") from error


def _parse(data: bytes, kind: str, version: int, path: Path) -> ModelFile:
    """Read facts and arrays of a file."""
    start = len(_MAGIC) + 4
    at = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    header = json.loads(data[start:at])
    if header["kind"] != kind:
        raise ValueError(f"it is a {header['kind']!r}")
    check_format(header["format"], version, f"the model {path}", "train it again with `gristmill train`")
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        if dtype not in _TYPES or not all(type(length) is int and 0 <= length <= _MAX_BYTES for length in shape):
            raise ValueError(f"it has an array of type {dtype!r} and shape {shape!r}")
        at += -at % _ALIGNMENT
        array = np.frombuffer(data, dtype, math.prod(shape), at).reshape(shape)
        at += array.nbytes
        arrays[str(name)] = array
    if at != len(data):
        raise ValueError("it is longer than its arrays")
    return ModelFile(dict(header["facts"]), arrays)


def _digest(data: bytes | bytearray) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
