"""Write a corpus to one file in some format, a document at a time."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from gristmill.corpus.corpus import Corpus, Selection
from gristmill.corpus.formats import FORMATS
from gristmill.errors import GristmillError, UsageError

_SUFFIXES = {".jsonl": "jsonl", ".vert": "vertical", ".vertical": "vertical", ".txt": "text", ".text": "text"}


def export(
    corpus: Corpus,
    output: str | os.PathLike[str],
    format_name: str | None = None,
    selection: Selection | None = None,
    on_document: Callable[[], None] | None = None,
) -> int:
    """Write the documents that a selection keeps to a file, and return how many they are.

    The format is told by the file's name if it is not given; a name that ends in `.gz` or `.zst` is compressed; `-` is standard output.
    """
    path = os.fspath(output)
    write = FORMATS[format_name or format_of(path)]
    count = 0
    with _open(path) as stream:
        for document in corpus.documents(selection):
            stream.write("".join(write(document)).encode())
            count += 1
            if on_document:
                on_document()
    return count


def format_of(path: str) -> str:
    """The format that a file's name stands for."""
    name = Path(path.removesuffix(".gz").removesuffix(".zst"))
    if name.suffix not in _SUFFIXES:
        raise UsageError(f"can't tell the format from the name {path!r}: give --format ({', '.join(FORMATS)})")
    return _SUFFIXES[name.suffix]


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    """A stream to write to; a file appears under its name when it is complete."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()  # a link is written through, not replaced
    if target.exists() and not target.is_file():  # a pipe or a device
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
