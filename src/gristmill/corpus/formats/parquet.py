"""Parquet: a document a row, with the fields of `jsonl`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.corpus.cut import Cut
from gristmill.corpus.formats.record import SCHEMA, record
from gristmill.corpus.formats.registry import FORMATS

_ROWS = 1000
_CHARACTERS = 16_000_000  # of text that is written together


@dataclass(frozen=True, slots=True)
class ParquetFormat:
    """Row groups of some documents; of which each column is compressed for itself."""

    suffixes: tuple[str, ...] = (".parquet",)
    has_tokens: bool = False
    compressible: bool = False

    def write(self, cuts: Iterable[Cut], stream: BinaryIO) -> None:
        """Write a row group at a time."""
        with pq.ParquetWriter(pa.PythonFile(stream, "w"), SCHEMA, compression="zstd") as writer:
            rows: list[dict[str, Any]] = []
            characters = 0
            for cut in cuts:
                rows.append(record(cut.document))
                characters += cut.document.length
                if len(rows) >= _ROWS or characters >= _CHARACTERS:
                    writer.write(pa.Table.from_pylist(rows, SCHEMA))
                    rows, characters = [], 0
            if rows:
                writer.write(pa.Table.from_pylist(rows, SCHEMA))

    def beside(self, path: Path) -> dict[Path, str]:
        """Nothing: a Parquet file says itself what is in it."""
        del path
        return {}


FORMATS.register("parquet")(ParquetFormat())
