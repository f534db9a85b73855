"""Parquet: a document a row, with the fields of `jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.corpus.formats.record import SCHEMA, record
from gristmill.corpus.formats.registry import Write
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part

_MAX_GROUP_ROWS = 1000
"""Documents in a row group."""
_NUMBER_BYTES = 8
_MAX_GROUP_BYTES = 16_000_000
"""Bytes of values in a row group; what is over is the last document."""


@dataclass(frozen=True, slots=True)
class ParquetFormat:
    """Writes row groups of some documents, in which each column is compressed for itself."""

    suffixes: tuple[str, ...] = (".parquet",)
    has_tokens: bool = False
    compressible: bool = False

    @contextmanager
    def writer(self, stream: BinaryIO) -> Iterator[Write]:
        """Write a row group at a time."""
        with pq.ParquetWriter(pa.PythonFile(stream, "w"), SCHEMA, compression="zstd") as file:
            rows: list[dict[str, Any]] = []
            size = 0

            def flush() -> None:
                nonlocal size
                if rows:
                    file.write(pa.Table.from_pylist(rows, SCHEMA))
                rows.clear()
                size = 0

            def write(chosen: SelectedDocument) -> int:
                nonlocal size
                rows.append(record(chosen.document))
                weight = _value_bytes(rows[-1])
                size += weight
                if len(rows) >= _MAX_GROUP_ROWS or size >= _MAX_GROUP_BYTES:
                    flush()
                return weight

            yield write
            flush()

    def beside(self, path: Path) -> dict[Path, str]:
        """Nothing: a Parquet file says itself what is in it."""
        del path
        return {}


def _value_bytes(row: dict[str, Any]) -> int:
    """Number of bytes that the values of a row take."""
    return sum(map(_bytes_of, row.values()))


def _bytes_of(value: Any) -> int:
    if isinstance(value, list):
        return sum(_value_bytes(item) if isinstance(item, dict) else _bytes_of(item) for item in value)
    return len(value.encode()) if isinstance(value, str) else _NUMBER_BYTES


part("export format", "parquet")(ParquetFormat())
