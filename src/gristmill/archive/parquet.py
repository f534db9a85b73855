"""Read pages from Parquet files, some rows at a time; `columns.py` knows the columns.

What a file gives is bounded as with ZIP files: a row group whose pages unpack to too much is skipped, and reading ends
where the text of all rows is more than the file can have. So many rows are read at once as fit in some megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gristmill.archive.columns import FIELDS, HTML_FIELDS, OUTER_FIELDS, TEXT_FIELDS, page_of
from gristmill.archive.packed import BOMB, most_bytes
from gristmill.archive.parquet_pages import chunks_of, largest_row
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

_BATCH_ROWS = 64
_BATCH_BYTES = 64_000_000
"""What the rows that are read at once may have, if they are more than one."""
_BUFFER_BYTES = 4_000_000
"""So much of a column is read at once: else it would be all that a row group has of it."""
_MAX_NESTED = 2  # how deep a field may stand in others


def read_parquet(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read a page from each row; its offset is the number of the row."""
    row = 0
    try:
        with _opened(file) as table:
            columns = _columns(table.schema_arrow)
            if columns is None:
                yield Skip("unreadable", source.name, 0, detail=_no_text(table.schema_arrow))
                return
            left, packed = most_bytes(source.size), 0
            for group in range(table.num_row_groups):
                chunks = chunks_of(table.metadata.row_group(group), columns)
                packed += sum(chunk.total_compressed_size for chunk in chunks)
                if packed > source.size:
                    yield Skip("broken", source.name, row, detail="its row groups overlap (a bomb?)")
                    return
                try:
                    records = _records(file, table, group, columns, limit)
                except ValueError as error:
                    rows = table.metadata.row_group(group).num_rows
                    yield Skip("broken", source.name, row, detail=f"a group of {rows:,} rows is not read: {error}")
                    row += max(0, rows)
                    continue
                for record in records:
                    item = _item(record, source.name, row, limit)
                    left -= len(item.body) if isinstance(item, Page) else 0
                    if left < 0:
                        yield Skip("broken", source.name, row, detail=f"from this row on it is not read: {BOMB}")
                        return
                    row += 1
                    yield item
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError, KeyError) as error:
        yield Skip("broken", source.name, row, detail=str(error).partition("\n")[0] or type(error).__name__)


def read_row(file: BinaryIO, name: str, row: int, limit: int) -> Page | Skip:
    """Read the page of one row, of which only a part of the file is read."""
    with _opened(file) as table:
        columns, before = _columns(table.schema_arrow), 0
        for group in range(table.num_row_groups if columns else 0):
            rows = table.metadata.row_group(group).num_rows
            if before <= row < before + rows:
                records = _records(file, table, group, columns or [], limit)
                for number, record in enumerate(records, before):
                    if number == row:
                        return _item(record, name, row, limit)
            before += rows
    return Skip("broken", name, row, detail="no text in this row")


def _opened(file: BinaryIO) -> pq.ParquetFile:
    return pq.ParquetFile(file, buffer_size=_BUFFER_BYTES, pre_buffer=False)


def _item(record: Mapping[str, Any], name: str, row: int, limit: int) -> Page | Skip:
    item = page_of(record, name, row, limit) or Skip("broken", name, row, detail="no text in this row")
    item.offset = row
    return item


def _records(
    file: BinaryIO, table: pq.ParquetFile, group: int, columns: list[str], limit: int
) -> Iterator[Mapping[str, Any]]:
    """Return the rows of a group, text in them cut at one character more than a page may have.

    Raises ValueError if the group takes too much memory, before it is read.
    """
    most = largest_row(file, chunks_of(table.metadata.row_group(group), columns))
    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, most)))
    batches = table.iter_batches(batch_size=rows, row_groups=[group], columns=columns)
    return (record for batch in batches for record in _cut(batch, limit).to_pylist())


def _cut(batch: pa.RecordBatch, limit: int) -> pa.RecordBatch:
    """Cut the values of columns that have some megabytes, so that no object is made of more than a page may have."""
    columns = [
        column if column.nbytes <= limit or pa.types.is_struct(column.type) else _cut_column(column, limit + 1)
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _cut_column(column: pa.Array, most: int) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_text(column.type):
        return pc.utf8_slice_codeunits(column.cast(pa.large_string()), 0, most)
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return pc.binary_slice(column, 0, most)
    return column


def _columns(schema: pa.Schema) -> list[str] | None:
    """Choose the columns to read; None if there is none with text."""
    usable = [path for item in schema for path in _usable(item, item.name, _MAX_NESTED)]
    return usable if any(name in (*HTML_FIELDS, *TEXT_FIELDS) for name in usable) else None


def _usable(item: pa.Field, path: str, depth: int) -> Iterator[str]:
    """Yield the paths of what is usable in a field: itself, or of one that holds others, those of simple types."""
    kind = item.type.value_type if pa.types.is_dictionary(item.type) else item.type
    if item.name in OUTER_FIELDS:
        if pa.types.is_struct(kind) and depth:
            for inner in kind:
                yield from _usable(inner, f"{path}.{inner.name}", depth - 1)
        return
    is_body = item.name in (*HTML_FIELDS, *TEXT_FIELDS)
    if item.name not in FIELDS or (is_body and depth < _MAX_NESTED):
        return
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    is_value = is_bytes if is_body else pa.types.is_temporal(kind) or pa.types.is_integer(kind)
    if is_value or _is_text(kind):
        yield path


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _no_text(schema: pa.Schema) -> str:
    names = ", ".join(schema.names[:10]) + (", ..." if len(schema.names) > 10 else "")
    return f"no column of text: none of {', '.join((*HTML_FIELDS, *TEXT_FIELDS))}; there are {names or 'none'}"
