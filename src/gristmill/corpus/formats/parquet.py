"""Parquet: a document a row, with the fields of `jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.corpus.cut import Cut
from gristmill.corpus.formats.record import SCHEMA, record
from gristmill.corpus.formats.registry import FORMATS, Write

_ROWS = 1000
_NUMBER = 8  # bytes
_BYTES = 16_000_000  # of values that are written together


@dataclass(frozen=True, slots=True)
class ParquetFormat:
    """Row groups of some documents; of which each column is compressed for itself."""

    suffixes: tuple[str, ...] = (".parquet",)
    has_tokens: bool = False
    compressible: bool = False

    @contextmanager
    def writer(self, stream: BinaryIO) -> Iterator[Write]:
        """Writes a row group at a time."""
        with pq.ParquetWriter(pa.PythonFile(stream, "w"), SCHEMA, compression="zstd") as file:
            rows: list[dict[str, Any]] = []
            size = 0

            def flush() -> None:
                nonlocal size
                if rows:
                    file.write(pa.Table.from_pylist(rows, SCHEMA))
                rows.clear()
                size = 0

            def write(cut: Cut) -> int:
                nonlocal size
                rows.append(record(cut.document))
                weight = _weight(rows[-1])
                size += weight
                if len(rows) >= _ROWS or size >= _BYTES:
                    flush()
                return weight

            yield write
            flush()

    def beside(self, path: Path) -> dict[Path, str]:
        """Nothing: a Parquet file says itself what is in it."""
        del path
        return {}


def _weight(row: dict[str, Any]) -> int:
    """How many bytes the values of a row are."""
    return sum(len(value.encode()) if isinstance(value, str) else _NUMBER for value in row.values())


FORMATS.register("parquet")(ParquetFormat())
