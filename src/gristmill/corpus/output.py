"""Output of exports: a file that appears under its name when it is complete, a pipe, or standard output.

Files are compressed by the end of their names.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from gristmill.drafts import Draft
from gristmill.errors import GristmillError

PACKED = (".gz", ".zst")
"""Ends of names of files that are compressed."""
STANDARD_OUTPUT = "-"


def is_file(path: str) -> bool:
    """Whether an output is a file, beside which others can stand, and no pipe or device."""
    return path != STANDARD_OUTPUT and (Path(path).is_file() or not Path(path).exists())


@contextmanager
def open_output(path: str, finished: Callable[[int], None] | None = None) -> Iterator[BinaryIO]:
    """Open a stream to write to.

    If it is a file, `finished` is called with its size when it is complete, before it gets its name.
    """
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()  # a link is written through, not replaced
    if not is_file(path):
        with _opened(target, path) as stream:
            yield stream
        return
    with _told(path):
        draft = Draft(target)
    with _placed(draft, path):
        with _opened(draft.descriptor, path) as stream:
            yield stream
        if finished:
            finished(os.fstat(draft.descriptor).st_size)


def write_output(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, a pipe or standard output."""
    with open_output(os.fspath(path)) as stream:
        stream.write(text.encode())


@contextmanager
def _placed(draft: Draft, path: str) -> Iterator[None]:
    """Put a file in its place when it is complete, and remove it if it never is."""
    with ExitStack() as stack:
        stack.push(draft)
        yield
        with _told(path):
            stack.close()


class _Output(io.FileIO):
    """A file that knows if it could not be written: what is read meanwhile may raise the same errors."""

    failed = False

    def write(self, data: Any, /) -> int:
        """Write some bytes."""
        try:
            return super().write(data)
        except OSError:
            self.failed = True
            raise


@contextmanager
def _opened(target: Path | int, path: str) -> Iterator[BinaryIO]:
    """Open a file to write to, which may be a descriptor, for the output that was given as `path`."""
    with _told(path):
        output = _Output(target, "wb", closefd=not isinstance(target, int))
    try:
        with io.BufferedWriter(output) as file, compressed(file, path) as stream:
            yield stream
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        if output.failed:
            raise _failure(path, error) from error
        raise


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Turn errors of writing into ones that name the output."""
    try:
        yield
    except OSError as error:
        raise _failure(path, error) from error


def _failure(path: str, error: OSError) -> GristmillError:
    return GristmillError(f"can't write {path}: {error.strerror or error}")


@contextmanager
def compressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """Compress a file if its name says so."""
    if path.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
            yield cast("BinaryIO", stream)
    elif path.endswith(".zst"):
        with pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd") as stream:
            yield cast("BinaryIO", stream)
    else:
        yield file
