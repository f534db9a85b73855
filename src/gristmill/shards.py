"""Shards of a corpus, and how their files are written and read.

A shard is a folder with `documents.parquet`, one row for each document, and other files beside it; `Shard` knows them
all. A file is written under a temporary name and renamed when it is complete: what exists is whole. Counts and whatever
else is known of a file as a whole are in its own metadata, so that one rename puts both in place.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa
import xxhash

from gristmill.columns import Texts
from gristmill.document import DOCUMENT_SCHEMA, Document, from_arrow, to_arrow
from gristmill.drafts import SUFFIX, TEMPORARY, Draft, commit, temporary_name
from gristmill.errors import GristmillError
from gristmill.lazy import LazyModule
from gristmill.leases import locked
from gristmill.parts import Part

if TYPE_CHECKING:
    import pyarrow.parquet as pq
else:
    pq = LazyModule("pyarrow.parquet")

SHARDS = "shards"
"""The folder of a corpus in which its shards are."""
SHARD_NAME = re.compile(r"[0-9]{5,}")
"""What the name of a shard looks like: its number in the corpus, of five digits or more."""
DOCUMENTS = "documents.parquet"
DUPLICATES = "duplicates.parquet"
REPLACED = "replaced.parquet"
SKIPPED = "skipped.parquet"
TOKENS = "tokens.parquet"
_SOURCES = "sources.parquet"
_FAILURES = "failures.log"
_FACTS = b"gristmill"
"""The key of what is known of a file, in its metadata."""
_SEAL = b"gristmill-seal"
"""The key of the hash of a file's columns and facts, in its metadata."""
_LEFTOVERS = (
    "corpus.toml.*",
    "sources.parquet.*",
    "subcorpora.toml.*",
    "shards/*/*",
    "watches/*/*",
    "ngrams/*",
    "ngrams/*/*",
    "dedup/*",
    "dedup/*/*",
    "by-site/*/*",
)
"""Patterns of the places in a corpus where temporary files are; elsewhere they may be of an export, without a lock."""
_LEFTOVER = re.compile(rf".+\.{TEMPORARY}|spool-\w+{re.escape(SUFFIX)}")
"""What the name of a temporary file looks like."""
_VARIED = {
    "blocks.list.element.start": "DELTA_BINARY_PACKED",
    "blocks.list.element.end": "DELTA_BINARY_PACKED",
    "blocks.list.element.score": "PLAIN",
    "links.list.element": "DELTA_BYTE_ARRAY",
}
"""The columns of documents of which hardly two values are equal, with encodings that suit them."""
SKIPPED_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field(name, pa.int64() if name == "offset" else pa.string(), nullable=False)
        for name in ("reason", "source", "offset", "url", "detail")
    ],
)
"""The file of records that became no document: why, where, and what was found."""
_BATCH_RECORDS = 1000
"""Records that are written together, at most."""
_BATCH_CHARACTERS = 4_000_000
"""Characters of records at which they are written, so that a writer needs little memory."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """A part of a corpus: a folder of files about the same documents."""

    folder: Path

    @classmethod
    def of(cls, corpus_folder: Path, name: str) -> Shard:
        """Return the shard of a corpus that has this name."""
        return cls(corpus_folder / SHARDS / name)

    @classmethod
    def all_in(cls, corpus_folder: Path) -> list[Shard]:
        """Return the shards whose folders are there, sorted by name, whatever the manifest of the corpus says."""
        return [cls(folder) for folder in sorted(corpus_folder.glob(f"{SHARDS}/*"))]

    @property
    def name(self) -> str:
        """Its number in the corpus, of five digits or more; ids of documents begin with it."""
        return self.folder.name

    @property
    def documents(self) -> Path:
        """The file of its documents, a row for each page; it comes last into place."""
        return self.folder / DOCUMENTS

    @property
    def duplicates(self) -> Path:
        """The file of what de-duplication found: a row for each document, with a verdict on each block."""
        return self.folder / DUPLICATES

    @property
    def replaced(self) -> Path:
        """The list of documents that other versions replace; there is none if no document is a version of an item."""
        return self.folder / REPLACED

    @property
    def tokens(self) -> Path:
        """The file of annotations: a row for each document, with the tokens of its kept blocks."""
        return self.folder / TOKENS

    @property
    def skipped(self) -> Path:
        """The file of records that became no document, with the reasons."""
        return self.folder / SKIPPED

    @property
    def sources(self) -> Path:
        """The list of the files that the shard is made of."""
        return self.folder / _SOURCES

    @property
    def failures(self) -> Path:
        """The log of pages on which the program failed, if there are any."""
        return self.folder / _FAILURES

    @property
    def is_built(self) -> bool:
        """Whether its documents are there, and so all that building writes."""
        return self.documents.exists()

    def read_documents(self, columns: Sequence[str] | None = None) -> Iterator[Document]:
        """Read its documents, a batch at a time; fields whose columns are not read keep their defaults."""
        for batch in read_batches(self.documents, columns):
            yield from from_arrow(batch)

    def __str__(self) -> str:
        return str(self.folder)


class ShardWriter:
    """Writer of one Parquet file of a shard, batch by batch, which gets its name on a clean exit and not before."""

    def __init__(
        self,
        path: Path,
        schema: pa.Schema,
        dictionary_bytes: int | None = None,
        varied: Mapping[str, str] | None = None,
    ) -> None:
        """Open a temporary file beside the path.

        Values of a batch are stored as numbers, as long as the different ones of a column have at most
        `dictionary_bytes`. `varied` has the columns of which hardly two values are equal, and their encodings.
        """
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
            use_dictionary=[name for name in _leaves(schema) if name not in varied] if varied else True,
            column_encoding=dict(varied) if varied else None,
        )

    def write(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Add rows."""
        self._writer.write(batch)

    def finish(self, facts: dict[str, Any]) -> None:
        """Store what is known of the file as a whole, such as counts."""
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
    """Writer of one file of a shard that takes records one by one and writes them in batches of bounded size.

    A batch is compressed and written by a thread of its own, while records come in for the next one.
    """

    def __init__(
        self,
        path: Path,
        schema: pa.Schema,
        to_batch: Callable[[list[T]], pa.RecordBatch],
        measure: Callable[[T], int],
        varied: Mapping[str, str] | None = None,
    ) -> None:
        """Open a temporary file; `to_batch` makes Arrow columns of records, `measure` counts the characters of one.

        `varied` is that of `ShardWriter`.
        """
        self._file = ShardWriter(path, schema, varied=varied)
        self._to_batch = to_batch
        self._measure = measure
        self._batch: list[T] = []
        self._characters = 0
        self._writing: _Writing | None = None

    def write(self, record: T) -> None:
        """Add one record."""
        self._batch.append(record)
        self._characters += self._measure(record)
        if len(self._batch) >= _BATCH_RECORDS or self._characters >= _BATCH_CHARACTERS:
            self._flush()

    def finish(self, facts: dict[str, Any]) -> None:
        """Store what is known of the file as a whole, such as counts."""
        self._wait()
        if self._batch:
            self._file.write(self._take())
        self._file.finish(facts)

    def _flush(self) -> None:
        """Have the records written that have come in since the last time."""
        batch = self._take()
        self._wait()
        self._writing = _Writing(self._file, batch)

    def _take(self) -> pa.RecordBatch:
        records, self._batch, self._characters = self._batch, [], 0
        return self._to_batch(records)

    def _wait(self) -> None:
        """Wait until the last batch is written; raises if it could not be."""
        writing, self._writing = self._writing, None
        if writing:
            writing.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writing:  # something went wrong meanwhile, and that is what is to be told
            self._writing.join()
        self._file.__exit__(kind, error, trace)


class _Writing(threading.Thread):
    """Writes a batch to a file."""

    def __init__(self, file: ShardWriter, batch: pa.RecordBatch) -> None:
        super().__init__(daemon=True)
        self._file, self._batch = file, batch
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._file.write(self._batch)
        except BaseException as error:  # noqa: BLE001 (the thread that gave the batch raises it)
            self._error = error

    def end(self) -> None:
        """Wait until it is written; raise what that raised."""
        self.join()
        if self._error:
            raise self._error


def document_writer(shard: Shard) -> BatchWriter[Document]:
    """Open the documents of a shard to write them."""
    return BatchWriter(shard.documents, DOCUMENT_SCHEMA, to_arrow, _text_size, _VARIED)


def _text_size(document: Document) -> int:
    """Count the characters of all blocks and links, which are nearly all that a document has."""
    columns = document.as_columns()
    paths = np.fromiter(map(len, columns.path.values), np.int64, len(columns.path.values))
    links = len(document.links.data) if isinstance(document.links, Texts) else sum(map(len, document.links))
    return columns.text.characters + int(paths[columns.path.codes].sum()) + links


def write_atomically(path: Path, data: bytes) -> None:
    """Put a whole file in place, or leave the old one."""
    with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
        file.write(data)


@contextmanager
def exclusive(folder: Path, part: Part | None = None, *, watching: bool = True) -> Iterator[None]:
    """Make a folder if need be, keep a second command out of it, and clear away what a killed one left behind.

    For a part of a command, other parts of it are let in, and so nothing is cleared away.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
    with locked(folder, part, watching=watching):
        places = () if part else _LEFTOVERS
        for file in chain.from_iterable(folder.glob(f"{place}{SUFFIX}") for place in places):
            if _LEFTOVER.fullmatch(file.name):
                with suppress(PermissionError):  # a worker of a killed command is about to end; Windows waits for that
                    file.unlink(missing_ok=True)
        yield


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn the errors that reading a damaged file raises into one that says what to do."""
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise GristmillError(
            f"can't read {path}: {error}; if it is damaged, delete it and run the command that made it again"
        ) from error


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file to read parts of it; raise `GristmillError` if it is damaged."""
    with _readable(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        _check_seal(file.schema_arrow, file.metadata.metadata or {})
        yield file


def _seal(schema: pa.Schema, known: bytes) -> str:
    """Hash the names of all columns and what is known of a file: Parquet has checksums for pages, but not for these."""
    return xxhash.xxh3_64_hexdigest(" ".join(_names(schema)).encode() + known)


def _names(fields: Iterable[pa.Field]) -> Iterator[str]:
    """Yield the names of columns and of the fields in them.

    Those of the items of lists are left out, as they depend on the version of pyarrow.
    """
    for field in fields:
        yield field.name
        inner = field.type
        while pa.types.is_list(inner):
            inner = inner.value_type
        if pa.types.is_struct(inner):
            yield from _names(inner)


def _leaves(fields: Iterable[pa.Field], before: str = "") -> Iterator[str]:
    """Yield the paths of all columns of numbers and strings, as Parquet names them: `blocks.list.element.start`."""
    for field in fields:
        path, inner = f"{before}{field.name}", field.type
        if pa.types.is_map(inner):
            yield from (f"{path}.key_value.key", f"{path}.key_value.value")
            continue
        while pa.types.is_list(inner):
            path, inner = f"{path}.list.element", inner.value_type
        if pa.types.is_struct(inner):
            yield from _leaves(inner, f"{path}.")
        else:
            yield path


def _check_seal(schema: pa.Schema, metadata: Mapping[bytes, bytes]) -> None:
    """Raise if the end of a file is not as it was written."""
    if metadata.get(_SEAL) != _seal(schema, metadata.get(_FACTS, b"")).encode():
        raise ValueError("its columns are not those that it was written with")


def facts(path: Path) -> dict[str, Any]:
    """Return what the writer of a file stored with it at the end: counts, settings."""
    return rows_and_facts(path)[1]


def rows_and_facts(path: Path) -> tuple[int, dict[str, Any]]:
    """Return how many rows a file has, and what its writer stored with it, by reading its end once."""
    with _readable(path):
        end = pq.read_metadata(path)
        _check_seal(end.schema.to_arrow_schema(), end.metadata or {})
        return end.num_rows, json.loads((end.metadata or {})[_FACTS])


def row_count(path: Path) -> int:
    """Return how many rows a file has, by its end."""
    with _readable(path):
        end = pq.read_metadata(path)
        _check_seal(end.schema.to_arrow_schema(), end.metadata or {})
        return int(end.num_rows)


def read_columns(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read all rows of some columns of a file."""
    with open_parquet(path) as file:  # `read_table` would load a library for data sets of many files
        return file.read(columns=list(columns))


def read_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file as dicts, reading a batch at a time."""
    for batch in read_batches(path, columns):
        yield from batch.to_pylist()


def read_batches(path: Path, columns: Sequence[str] | None = None, rows: int = 256) -> Iterator[pa.RecordBatch]:
    """Yield columns of a file in batches of at most so many rows."""
    with open_parquet(path) as file:
        yield from file.iter_batches(batch_size=rows, columns=None if columns is None else list(columns))
