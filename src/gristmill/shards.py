"""The files of a shard: written under a temporary name and renamed when complete, so that what exists is whole.

A shard is a folder with `documents.parquet`, one row a document, and files beside it that are row-aligned with it.
Counts and whatever else belongs to a shard as a whole are in the Parquet file's own metadata, so that one rename makes
both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from gristmill.document import DOCUMENT_SCHEMA, Document, from_arrow, to_arrow
from gristmill.drafts import SUFFIX, Draft, commit, temporary_name
from gristmill.errors import GristmillError
from gristmill.locks import locked

DOCUMENTS = "documents.parquet"
DUPLICATES = "duplicates.parquet"
SKIPPED = "skipped.parquet"
TOKENS = "tokens.parquet"
_FACTS = b"gristmill"
_SEAL = b"gristmill-seal"
_LEFTOVERS = ("corpus.toml.*", "shards/*/*", "watches/*/*", "ngrams/*", "ngrams/*/*", "dedup/*", "dedup/*/*")
"""Where in a corpus temporary files are; elsewhere they may be of an export, which needs no lock."""
_LEFTOVER = re.compile(rf"(?:.+\.\d+|spool-\w+){re.escape(SUFFIX)}")
_BATCH_RECORDS = 1000
_BATCH_WEIGHT = 4_000_000  # characters; bounds the memory of a writer

T = TypeVar("T")


class ShardWriter:
    """Writes one Parquet file of a shard, batch by batch; it appears under its name on a clean exit and not before."""

    def __init__(self, path: Path, schema: pa.Schema, dictionary_bytes: int | None = None) -> None:
        """Strings of a batch are stored by their numbers, as long as the different ones of a column are no more than these bytes."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._temporary = temporary_name(path)
        self._schema = schema
        self._writer = pq.ParquetWriter(
            self._temporary,
            schema,
            compression="zstd",
            compression_level=3,
            write_page_index=True,
            write_page_checksum=True,
            dictionary_pagesize_limit=dictionary_bytes,
        )

    def write(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Add rows."""
        self._writer.write(batch)

    def finish(self, facts: dict[str, Any]) -> None:
        """Store what is known of the file as a whole."""
        known = json.dumps(facts, sort_keys=True)
        self._writer.add_key_value_metadata({_FACTS: known, _SEAL: _seal(self._schema, known.encode())})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        if error is None:
            commit(self._temporary, self._path)
        else:
            self._temporary.unlink(missing_ok=True)


class BatchWriter(Generic[T]):
    """Writes records one by one into a file of a shard, gathering them into batches of bounded size."""

    def __init__(
        self, path: Path, schema: pa.Schema, to_batch: Callable[[list[T]], pa.RecordBatch], weigh: Callable[[T], int]
    ) -> None:
        self._file = ShardWriter(path, schema)
        self._to_batch = to_batch
        self._weigh = weigh
        self._batch: list[T] = []
        self._weight = 0

    def write(self, record: T) -> None:
        """Add one record."""
        self._batch.append(record)
        self._weight += self._weigh(record)
        if len(self._batch) >= _BATCH_RECORDS or self._weight >= _BATCH_WEIGHT:
            self._flush()

    def finish(self, facts: dict[str, Any]) -> None:
        """Store what is known of the file as a whole."""
        self._flush()
        self._file.finish(facts)

    def _flush(self) -> None:
        if self._batch:
            self._file.write(self._to_batch(self._batch))
            self._batch, self._weight = [], 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)


def document_writer(folder: Path) -> BatchWriter[Document]:
    """A writer for the documents of a shard."""
    return BatchWriter(folder / DOCUMENTS, DOCUMENT_SCHEMA, to_arrow, _text_size)


def _text_size(document: Document) -> int:
    return sum([len(block.text) + len(block.path) for block in document.blocks])


def write_atomically(path: Path, data: bytes) -> None:
    """Put a whole file in place, or leave the old one."""
    with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
        file.write(data)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Make a folder if need be, keep a second command out of it, and clear away what a killed one left behind."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
    with locked(folder):
        for file in chain.from_iterable(folder.glob(f"{place}{SUFFIX}") for place in _LEFTOVERS):
            if _LEFTOVER.fullmatch(file.name):
                with suppress(PermissionError):  # a worker of a killed command is about to end; Windows waits for that
                    file.unlink(missing_ok=True)
        yield


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what can go wrong with a damaged file into a message."""
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise GristmillError(
            f"can't read {path}: {error}; if it is damaged, delete it and run the command that made it again"
        ) from error


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A file, to read what one wants of it."""
    with _readable(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        _check_seal(file.schema_arrow, file.metadata.metadata or {})
        yield file


def _seal(schema: pa.Schema, known: bytes) -> str:
    """A hash of the names of all columns and of what is known of a file: the pages of columns have checksums, but these have none."""
    return xxhash.xxh3_64_hexdigest(" ".join(_names(schema)).encode() + known)


def _names(fields: Iterable[pa.Field]) -> Iterator[str]:
    """The names of columns and of the fields in them, but not of the items of lists: these depend on the version of pyarrow."""
    for field in fields:
        yield field.name
        inner = field.type
        while pa.types.is_list(inner):
            inner = inner.value_type
        if pa.types.is_struct(inner):
            yield from _names(inner)


def _check_seal(schema: pa.Schema, metadata: Mapping[bytes, bytes]) -> None:
    """Raise if the end of a file is not as it was written; files of older versions have no seal."""
    if _SEAL in metadata and metadata[_SEAL].decode() != _seal(schema, metadata.get(_FACTS, b"")):
        raise ValueError("its columns are not those that it was written with")


def facts(path: Path) -> dict[str, Any]:
    """What `finish` stored with a file."""
    with _readable(path):
        end = pq.read_metadata(path)
        _check_seal(end.schema.to_arrow_schema(), end.metadata or {})
        found: dict[str, Any] = json.loads((end.metadata or {})[_FACTS])
        return found


def read_columns(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of a file, whole."""
    with open_parquet(path) as file:  # `read_table` would load a library for data sets of many files
        return file.read(columns=list(columns))


def read_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a file, a batch at a time."""
    for batch in read_batches(path, columns):
        yield from batch.to_pylist()


def read_documents(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Document]:
    """The documents of a shard, a batch at a time."""
    for batch in read_batches(folder / DOCUMENTS, columns):
        yield from from_arrow(batch)


def read_batches(path: Path, columns: Sequence[str] | None = None, rows: int = 256) -> Iterator[pa.RecordBatch]:
    """Columns of a file, so many rows at a time."""
    with open_parquet(path) as file:
        yield from file.iter_batches(batch_size=rows, columns=None if columns is None else list(columns))
