"""Read pages from Parquet files, some rows at a time; `columns.py` knows the columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.archive.columns import FIELDS, HTML_FIELDS, OUTER_FIELDS, TEXT_FIELDS, page_of
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

_BATCH_ROWS = 64


def read_parquet(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read a page from each row; its offset is the number of the row."""
    row = 0
    try:
        with pq.ParquetFile(file) as table:
            columns = _columns(table.schema_arrow)
            if columns is None:
                yield Skip("unreadable", source.name, 0, detail=_no_text(table.schema_arrow))
                return
            for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
                for record in batch.to_pylist():
                    item = page_of(record, source.name, row, limit) or Skip(
                        "broken", source.name, row, detail="no text in this row"
                    )
                    item.offset = row
                    row += 1
                    yield item
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError, KeyError) as error:
        yield Skip("broken", source.name, row, detail=str(error).partition("\n")[0] or type(error).__name__)


def row_of(table: pq.ParquetFile, name: str, row: int, limit: int) -> Page | Skip:
    """Read the page of one row, of which only a part of the file is read."""
    columns, before = _columns(table.schema_arrow), 0
    for group in range(table.num_row_groups if columns else 0):
        rows = table.metadata.row_group(group).num_rows
        if before <= row < before + rows:
            for batch in table.iter_batches(batch_size=_BATCH_ROWS, row_groups=[group], columns=columns):
                if row < before + batch.num_rows:
                    found = page_of(batch.slice(row - before, 1).to_pylist()[0], name, row, limit)
                    if found is not None:
                        found.offset = row
                        return found
                    break
                before += batch.num_rows
        before += rows
    return Skip("broken", name, row, detail="no text in this row")


def _columns(schema: pa.Schema) -> list[str] | None:
    """Choose the columns to read; None if there is none with text."""
    usable = [item.name for item in schema if item.name in FIELDS and _is_usable(item)]
    return usable if any(name in (*HTML_FIELDS, *TEXT_FIELDS) for name in usable) else None


def _is_usable(item: pa.Field) -> bool:
    kind = item.type.value_type if pa.types.is_dictionary(item.type) else item.type
    if item.name in OUTER_FIELDS:
        return bool(pa.types.is_struct(kind))
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if item.name in (*HTML_FIELDS, *TEXT_FIELDS):
        return bool(is_text or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
    return bool(is_text or pa.types.is_temporal(kind) or pa.types.is_integer(kind))


def _no_text(schema: pa.Schema) -> str:
    names = ", ".join(schema.names[:10]) + (", ..." if len(schema.names) > 10 else "")
    return f"no column of text: none of {', '.join((*HTML_FIELDS, *TEXT_FIELDS))}; there are {names or 'none'}"
