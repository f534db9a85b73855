"""Read columns of Parquet files that may be bombs.

In a file of some hundred bytes, a long text can stand in a dictionary once and in millions of rows by its number. So
texts are read as numbers with their dictionary, and their length is known before they are unpacked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MAX_COLUMN_BYTES = 1 << 30
"""Longest column of a row group, when it is unpacked."""
_MAX_ROWS = 20_000_000
_ROWS_AT_A_TIME = 1 << 16


def read_columns(reader: Any, number: int, names: Sequence[str]) -> Any:
    """Read columns of a row group as an Arrow table, from a reader that reads them as dictionaries.

    Raises `OSError` if they are too long.
    """
    if reader.metadata.row_group(number).num_rows > _MAX_ROWS:
        raise OSError("the row group has too many rows")
    sizes: Counter[str] = Counter()
    batches = []
    for batch in reader.iter_batches(_ROWS_AT_A_TIME, row_groups=[number], columns=names, use_threads=False):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            sizes[name] += _unpacked_bytes(column)
            if sizes[name] > MAX_COLUMN_BYTES:
                raise OSError(f"the column {name} is too long")
        batches.append(pa.record_batch([*map(_unpacked, batch.columns)], batch.schema.names))
    if batches:
        return pa.Table.from_batches(batches)
    return pa.table({name: pa.array([], pa.string()) for name in names})


def _unpacked_bytes(column: Any) -> int:
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(lengths.take(column.indices).cast(pa.int64())).as_py() or 0)


def _unpacked(column: Any) -> Any:
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
