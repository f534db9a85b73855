"""Tell how much memory the column chunks of a Parquet file need, by the headers of their pages.

What the footer says of their sizes need not be true, and says nothing of dictionaries: a row may be one number there
and megabytes of text when it is read. The header of a page has the size that it is unpacked to, before it is. No value
is longer than the page that it stands in, be that a page of data or of a dictionary. Headers are written in the compact
protocol of Thrift (thrift.apache.org/static/files/thrift-compact-protocol.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import BinaryIO

import pyarrow.parquet as pq

from gristmill.archive.packed import BOMB, most_bytes

_MAX_PAGE_BYTES = 512_000_000
"""What the largest pages of the columns that are read may have together."""
_MAX_HEADER_BYTES = 16_000_000  # as in Arrow
_FIRST_BYTES = 256  # more than nearly all headers have
_MAX_DEPTH, _MAX_NUMBER_BITS = 16, 70
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_UNPACKED_SIZE, _PACKED_SIZE = 2, 3  # fields of a header


def chunks_of(group: pq.RowGroupMetaData, columns: Collection[str]) -> list[pq.ColumnChunkMetaData]:
    """Choose the chunks of these columns, which are named by their paths."""
    chunks = map(group.column, range(group.num_columns))
    return [chunk for chunk in chunks if chunk.path_in_schema in columns]


def largest_row(file: BinaryIO, chunks: Iterable[pq.ColumnChunkMetaData]) -> int:
    """Return the most bytes that a row may have in these chunks; raises ValueError if their pages are too large."""
    found = sum(_largest_page(file, chunk) for chunk in chunks)
    if found > _MAX_PAGE_BYTES:
        raise ValueError(f"its pages have {found:,} bytes, more than {_MAX_PAGE_BYTES:,}")
    return found


def _largest_page(file: BinaryIO, column: pq.ColumnChunkMetaData) -> int:
    """Return the size of the largest page of a column chunk when it is unpacked."""
    at, first = column.data_page_offset, column.dictionary_page_offset
    at = first if first and 0 < first < at else at
    end = at + column.total_compressed_size
    largest = 0
    while at < end:
        length, unpacked, packed = _read_header(file, at)
        if unpacked < 0 or packed < 0:
            raise ValueError("a page of a negative size")
        if unpacked > most_bytes(packed):
            raise ValueError(f"a page has {unpacked:,} bytes: {BOMB}")
        largest = max(largest, unpacked)
        at += length + packed
    return largest


def _read_header(file: BinaryIO, at: int) -> tuple[int, int, int]:
    """Read the header of a page: its length, and what the page has unpacked and packed."""
    size = _FIRST_BYTES
    while size <= _MAX_HEADER_BYTES:
        file.seek(at)
        data = file.read(size)
        header = _Header(data)
        try:
            header.skip(_STRUCT)
        except IndexError:
            if len(data) < size:
                break
            size *= 16
            continue
        sizes = header.numbers
        if _UNPACKED_SIZE not in sizes or _PACKED_SIZE not in sizes:
            break
        return header.at, sizes[_UNPACKED_SIZE], sizes[_PACKED_SIZE]
    raise ValueError("the header of a page can't be read")


class _Header:
    """The header of a page, which is read value by value; raises IndexError where its bytes end."""

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self.numbers: dict[int, int] = {}
        """The fields of the header itself that are integers."""
        self._data = data

    def skip(self, kind: int, depth: int = 0) -> None:
        """Go to behind a value."""
        if depth > _MAX_DEPTH:
            raise ValueError("the header of a page is nested too deeply")
        if kind in {_BYTE, _DOUBLE}:
            self.at += 1 if kind == _BYTE else 8
        elif kind in {_I16, _I32, _I64}:
            self._number()
        elif kind == _BINARY:
            length = self._number()
            self.at += length
        elif kind in {_LIST, _SET}:
            self._skip_list(depth)
        elif kind == _STRUCT:
            self._skip_struct(depth)
        elif kind not in {_TRUE, _FALSE}:
            raise ValueError("the header of a page has a value of an unknown type")

    def _skip_struct(self, depth: int) -> None:
        field = 0
        while kind := self._byte():
            field = field + (kind >> 4) if kind >> 4 else _signed(self._number())
            kind &= 15
            if depth == 0 and kind == _I32:
                self.numbers[field] = _signed(self._number())
            else:
                self.skip(kind, depth + 1)

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        for _ in range(self._number() if head >> 4 == 15 else head >> 4):
            self.skip(_BYTE if head & 15 in {_TRUE, _FALSE} else head & 15, depth + 1)
            self._data[self.at - 1]  # a list is no longer than the bytes that are there

    def _number(self) -> int:
        """Read a number of variable length."""
        found = shift = 0
        while shift < _MAX_NUMBER_BITS:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
        raise ValueError("the header of a page has a number that does not end")

    def _byte(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        return byte


def _signed(number: int) -> int:
    return (number >> 1) ^ -(number & 1)
