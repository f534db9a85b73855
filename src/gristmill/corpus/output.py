"""Where exports go: a file that appears under its name when it is complete, compressed by its name; a pipe; or standard output."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from gristmill.errors import GristmillError

PACKED = (".gz", ".zst")
"""Ends of names of files that are compressed."""
STANDARD_OUTPUT = "-"


def is_file(path: str) -> bool:
    """Whether an output is a file, beside which others can stand, and no pipe or device."""
    return path != STANDARD_OUTPUT and (Path(path).is_file() or not Path(path).exists())


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """A stream to write to."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()  # a link is written through, not replaced
    if not is_file(path):
        with target.open("wb") as file, _compressed(file, path) as stream:
            yield stream
        return
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file, _compressed(file, path) as stream:
            yield stream
        temporary.replace(target)
    except OSError as error:
        raise GristmillError(f"can't write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _compressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    if path.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
            yield cast("BinaryIO", stream)
    elif path.endswith(".zst"):
        with pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd") as stream:
            yield cast("BinaryIO", stream)
    else:
        yield file
