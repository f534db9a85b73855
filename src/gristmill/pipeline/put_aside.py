"""Pages and documents that are put aside on disk between the rounds of a build by site.

A file of records has another one beside it, of arrays, with the place of each record and what else is known of it. That
one comes last into place: where it is, both are whole. Nothing in them is run when it is read (as pickles would be), as
they lie in the folder of a corpus, which may come from somebody else.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa

from gristmill.archive import Skip
from gristmill.arrays.dtypes import Array
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.document import Document, Page, from_arrow, to_arrow
from gristmill.drafts import move, temporary_name
from gristmill.errors import GristmillError

_CODEC = "zstd"
_MAX_OPEN_FILES = 64


def arrays_file(path: Path) -> Path:
    """Name the file that is there when a file of records is whole."""
    return path.with_suffix(".arrays")


class RecordsWriter:
    """Writer of a file of records, which gets its name on a clean exit and not before."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._temporary = temporary_name(path)
        self._file = self._temporary.open("wb")
        self._starts = [0]
        self._lengths: list[int] = []
        self._arrays: dict[str, Array] = {}

    def append(self, record: bytes) -> None:
        """Add a record; it is compressed."""
        packed = pa.compress(record, codec=_CODEC, asbytes=True)
        self._file.write(packed)
        self._starts.append(self._starts[-1] + len(packed))
        self._lengths.append(len(record))

    def finish(self, **arrays: Array) -> None:
        """Store what is known of all records."""
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._lengths)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if error is not None:
            self._temporary.unlink(missing_ok=True)
            return
        move(self._temporary, self._path)
        places = {"starts": np.array(self._starts, np.int64), "lengths": np.array(self._lengths, np.int64)}
        save_arrays(arrays_file(self._path), places | self._arrays)


class RecordFiles:
    """Files of records that are read in any order; a few of them are open at a time."""

    def __init__(self) -> None:
        self._open: OrderedDict[Path, tuple[BinaryIO, dict[str, Array]]] = OrderedDict()

    def arrays(self, path: Path) -> dict[str, Array]:
        """Return what is known of the records of a file."""
        return self._opened(path)[1]

    def read(self, path: Path, number: int) -> bytes:
        """Read the record with this number."""
        file, arrays = self._opened(path)
        start, end = arrays["starts"][number : number + 2].tolist()
        file.seek(start)
        try:
            return bytes(
                pa.decompress(
                    file.read(end - start), decompressed_size=int(arrays["lengths"][number]), codec=_CODEC, asbytes=True
                )
            )
        except (OSError, ValueError, pa.ArrowException) as error:
            raise _damaged(path, error) from error

    def _opened(self, path: Path) -> tuple[BinaryIO, dict[str, Array]]:
        if path in self._open:
            self._open.move_to_end(path)
            return self._open[path]
        if len(self._open) >= _MAX_OPEN_FILES:
            _, (oldest, _) = self._open.popitem(last=False)
            oldest.close()
        arrays = load_arrays(arrays_file(path))
        try:
            self._open[path] = path.open("rb"), arrays
        except OSError as error:
            raise _damaged(path, error) from error
        return self._open[path]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file, _ in self._open.values():
            file.close()


def _damaged(path: Path, error: Exception) -> GristmillError:
    return GristmillError(f"can't read {path}: {error}; delete the folder {path.parent.parent} and build again")


def page_bytes(page: Page) -> bytes:
    """Write a page as a record: a line of JSON, and the body."""
    fields = {name: value for name, value in asdict(page).items() if name != "body"}
    return json.dumps(fields).encode() + b"\n" + page.body


def page_of(record: bytes) -> Page:
    """Read a page from a record."""
    head, _, body = record.partition(b"\n")
    return Page(body=body, **json.loads(head))


def skip_bytes(skip: Skip) -> bytes:
    """Write a record that was skipped."""
    return json.dumps(asdict(skip)).encode()


def skip_of(record: bytes) -> Skip:
    """Read a record that was skipped."""
    return Skip(**json.loads(record))


def documents_bytes(documents: Sequence[Document], facts: Any) -> bytes:
    """Write documents as a record: a line of JSON with what else is known, and Arrow."""
    batch = to_arrow(list(documents))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return b"\n".join((json.dumps(facts).encode(), sink.getvalue().to_pybytes()))


def documents_of(record: bytes) -> tuple[list[Document], Any]:
    """Read documents from a record, and what else is known."""
    head, _, data = record.partition(b"\n")
    with pa.ipc.open_stream(data) as reader:
        return [document for batch in reader for document in from_arrow(batch)], json.loads(head)
