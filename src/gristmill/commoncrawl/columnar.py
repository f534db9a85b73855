"""Ask Common Crawl's columnar index: Parquet files, of which only the row groups and columns that are needed are read.

The rows are sorted by key (`keys.py`), and the end of each file says between which keys each row group is. So a
question for a domain reads the ends of all files of a crawl, and then a row group or two. In these, the columns that
decide are read first, and the others only if a row is wanted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet as pq

from gristmill.commoncrawl.capture import Capture, is_path, plain_digest
from gristmill.commoncrawl.keys import Key
from gristmill.commoncrawl.lists import read_list
from gristmill.commoncrawl.ordered import in_order
from gristmill.commoncrawl.packed_columns import MAX_COLUMN_BYTES, read_columns
from gristmill.commoncrawl.piece import Piece, piece_of
from gristmill.commoncrawl.sparse import SparseFile
from gristmill.commoncrawl.store import Part, Store, StoreError
from gristmill.commoncrawl.wanted import Wanted, forms_of
from gristmill.errors import GristmillError

_TABLE = "subset=warc/"
_END_BYTES = 1 << 16  # of a file, in which its description mostly fits
_MAX_END_BYTES = 1 << 26
_READ_BYTES = 1 << 23  # of a column, at a time
_MAX_OPEN_FILES = 64
_GAP_BYTES = 1 << 16  # between two columns that are rather read than left out
_KEY, _STATUS, _TYPE, _LANGUAGES, _URL = (
    "url_surtkey",
    "fetch_status",
    "content_mime_detected",
    "content_languages",
    "url",
)
_FACTS = ("content_digest", "fetch_time", "warc_filename", "warc_record_offset", "warc_record_length")
_TYPES = {
    **dict.fromkeys((_URL, _KEY, _LANGUAGES, "content_digest", "warc_filename"), pa.string()),
    **dict.fromkeys(("warc_record_offset", "warc_record_length"), pa.int64()),
}

Bounds = list[list[str] | None]
"""The first and the last key of each row group; None if they are not known."""


class ColumnarIndex:
    """The columnar index of crawls, in a store."""

    def __init__(self, store: Store, at_a_time: int = 8) -> None:
        self._store = store
        self._at_a_time = at_a_time
        self._ends: dict[str, str] = {}
        """Between which keys the row groups of files are."""
        self._open: dict[str, tuple[Any, int]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def ask(
        self, wanted: Wanted, crawl: str, done: Mapping[str, str], seed: int | None = None
    ) -> AsyncGenerator[Piece, None]:
        """Ask for the captures of a crawl, but for steps that are `done`; with a seed, row groups in random order."""
        listed = f"parts {crawl}"
        if listed not in done:
            yield Piece(listed, json.dumps(await self._parts(crawl)))
        paths: list[str] = json.loads(done[listed])
        unknown = (self._bounds(path, wanted.keys) for path in paths if f"end {path}" not in done)
        async with aclosing(in_order(unknown, 2 * self._at_a_time)) as found:
            async for piece in found:
                yield piece
        groups = [
            (path, number)
            for path in paths
            for number in _chosen(json.loads(done[f"end {path}"]), wanted.keys)
            if _step(path, number) not in done
        ]
        if seed is not None:
            Random(seed).shuffle(groups)
        jobs = (self._ask_group(path, number, wanted) for path, number in groups)
        async with aclosing(in_order(jobs, self._at_a_time)) as asked:
            async for piece in asked:
                yield piece

    async def _parts(self, crawl: str) -> list[str]:
        """Read which files the index of a crawl has."""
        path = f"crawl-data/{crawl}/cc-index-table.paths.gz"
        try:
            found = await read_list(self._store, path)
        except StoreError as error:
            raise GristmillError(
                f"there is no columnar index of the crawl {crawl!r} ({path}: {error}): `gristmill commoncrawl crawls` "
                "lists the crawls that there are; of old ones, --index cdx may know more"
            ) from error
        return sorted(path for path in found if _TABLE in path and path.endswith(".parquet") and is_path(path))

    async def _bounds(self, path: str, keys: tuple[Key, ...]) -> Piece:
        """Read between which keys each row group of a file is."""
        if path not in self._ends:
            metadata, size = await self._metadata(path)
            try:
                bounds = _key_bounds(metadata)
            except ValueError as error:  # keys that are no text
                raise GristmillError(f"can't read the columnar index ({path}: {error})") from error
            self._ends[path] = json.dumps(bounds)
            if keys and _chosen(bounds, keys):
                self._open[path] = metadata, size
        return Piece(f"end {path}", self._ends[path])

    async def _metadata(self, path: str) -> tuple[Any, int]:
        """Read the description at the end of a file."""
        try:
            end = await self._store.read_end(path, _END_BYTES)
            needed = _length_of_end(end)
            if needed > len(end.data):
                end = await self._store.read_end(path, needed)
            return pq.read_metadata(pa.PythonFile(SparseFile([end], end.total), "r")), end.total
        except (StoreError, OSError, ValueError, pa.ArrowException) as error:
            raise GristmillError(f"can't read the columnar index ({path}: {error})") from error

    async def _opened(self, path: str) -> tuple[Any, int]:
        """Return the description of a file and its size, read once for all its row groups."""
        async with self._locks.setdefault(path, asyncio.Lock()):
            if path not in self._open:
                if len(self._open) >= _MAX_OPEN_FILES:
                    del self._open[next(iter(self._open))]
                self._open[path] = await self._metadata(path)
            return self._open[path]

    async def _ask_group(self, path: str, number: int, wanted: Wanted) -> Piece:
        """Read what is wanted of a row group."""
        described, size = await self._opened(path)
        try:
            captures = await _wanted_rows(_Group(self._store, path, number, described, size), wanted)
        except (StoreError, OSError, ValueError, OverflowError, pa.ArrowException) as error:
            raise GristmillError(f"can't read the columnar index ({path}, row group {number}: {error})") from error
        return piece_of(_step(path, number), captures)


def _length_of_end(end: Part) -> int:
    """Read how long the description at the end of a Parquet file is, with its length and its mark."""
    needed = int.from_bytes(end.data[-8:-4], "little") + 8
    if end.data[-4:] != b"PAR1" or not 8 < needed <= min(end.total, _MAX_END_BYTES):
        raise OSError("not a Parquet file")
    return needed


class _Group:
    """A row group of a file."""

    def __init__(self, store: Store, path: str, number: int, metadata: Any, size: int) -> None:
        self._store = store
        self._path = path
        self._number = number
        self._metadata = metadata
        self._size = size
        row_group = metadata.row_group(number)
        self._chunks = {
            chunk.path_in_schema: chunk for chunk in map(row_group.column, range(row_group.num_columns))
        }  # columns with a path of several names are not needed
        self._columns: dict[str, Any] = {}

    def has(self, column: str) -> bool:
        return column in self._chunks

    async def read(self, names: Iterable[str]) -> Any:
        """Read some columns as an Arrow table; a column that was read before is not read again."""
        names = [name for name in names if self.has(name)]
        missing = [name for name in names if name not in self._columns]
        ranges = _joined(sorted(map(self._range, missing)))
        parts = await asyncio.gather(*(self._read(start, end) for start, end in ranges))
        if missing:
            file = pa.PythonFile(SparseFile(parts, self._size), "r")
            reader = pq.ParquetFile(file, metadata=self._metadata, read_dictionary=missing)
            table = await asyncio.to_thread(read_columns, reader, self._number, missing)
            self._columns.update(zip(table.column_names, table.columns, strict=True))
        return pa.table({name: self._columns[name] for name in names})

    def _range(self, name: str) -> tuple[int, int]:
        chunk = self._chunks[name]
        start = chunk.data_page_offset
        if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
            start = chunk.dictionary_page_offset
        length = chunk.total_compressed_size
        too_long = max(length, chunk.total_uncompressed_size) > MAX_COLUMN_BYTES
        if start < 0 or length < 0 or start + length > self._size or too_long:
            raise OSError(f"the column {name} is not where it should be")
        return start, start + length

    async def _read(self, start: int, end: int) -> Part:
        """Read a range in pieces, several at a time."""
        places = range(start, end, _READ_BYTES)
        parts = await asyncio.gather(*(self._store.read(self._path, at, min(_READ_BYTES, end - at)) for at in places))
        return Part(b"".join(part.data for part in parts), start, self._size)


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that follow each other closely: a request costs more than some bytes."""
    found: list[tuple[int, int]] = []
    for start, end in ranges:
        if found and start - found[-1][1] <= _GAP_BYTES:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


async def _wanted_rows(group: _Group, wanted: Wanted) -> list[Capture]:
    """Read the columns that decide, and of the rows that are wanted also the others."""
    if wanted.languages and not group.has(_LANGUAGES):
        raise OSError("the index of this crawl knows no languages: leave --lang out, or choose a later crawl")
    first = [
        *([_KEY] if wanted.keys else []),
        *([_STATUS] if wanted.status else []),
        *([_TYPE] if wanted.types else []),
        *([_LANGUAGES] if wanted.languages else []),
    ]
    rows = None
    if first:
        deciding = await group.read(first)
        rows = pc.indices_nonzero(_mask(deciding, wanted))
        if not len(rows):
            return []
    if wanted.words:
        urls = (await group.read([_URL])).column(_URL)
        found = pc.indices_nonzero(_word_mask(urls if rows is None else urls.take(rows), wanted))
        rows = found if rows is None else rows.take(found)
        if not len(rows):
            return []
    table = await group.read([_URL, _KEY, *([_LANGUAGES] if group.has(_LANGUAGES) else []), *_FACTS])
    captures = _captures(table if rows is None else table.take(rows))
    return [capture for capture in captures if wanted.matches_time(capture.timestamp)]


def _mask(table: Any, wanted: Wanted) -> Any:
    """Mark the rows whose key, status, type and language are wanted."""
    masks = []
    if keys := wanted.keys:
        column = table.column(_KEY)
        masks.append(_any(_key_mask(column, key) for key in keys))
    if wanted.status:
        masks.append(pc.equal(table.column(_STATUS), wanted.status))
    if wanted.types:
        masks.append(pc.is_in(table.column(_TYPE), pa.array(wanted.types)))
    if wanted.languages:
        pattern = f"^(?:{'|'.join(wanted.codes)})(?:,|$)"
        masks.append(pc.match_substring_regex(table.column(_LANGUAGES), pattern))
    found = masks[0]
    for mask in masks[1:]:
        found = pc.and_(found, mask)
    return pc.fill_null(found, False)


def _key_mask(column: Any, key: Key) -> Any:
    return pc.equal(column, key.text) if key.is_whole else pc.starts_with(column, key.text)


def _word_mask(urls: Any, wanted: Wanted) -> Any:
    """Mark addresses that have one of the words, as such or with percent-escapes."""
    forms = forms_of(wanted.words)
    return pc.fill_null(_any(pc.match_substring(urls, form, ignore_case=True) for form in forms), False)


def _any(masks: Iterable[Any]) -> Any:
    found = None
    for mask in masks:
        found = mask if found is None else pc.or_(found, mask)
    return found


def _captures(table: Any) -> Iterator[Capture]:
    """Turn rows into captures; what is not there is empty or 0, and refused later."""
    kinds = [(name, _TYPES.get(name, table.schema.field(name).type)) for name in table.column_names]
    for row in table.cast(pa.schema(kinds)).to_pylist():
        yield Capture(
            url=row.get(_URL) or "",
            key=row.get(_KEY) or "",
            timestamp=_timestamp(row.get("fetch_time")),
            digest=plain_digest(row.get("content_digest") or ""),
            filename=row.get("warc_filename") or "",
            offset=-1 if row.get("warc_record_offset") is None else row["warc_record_offset"],
            length=row.get("warc_record_length") or 0,
            languages=row.get(_LANGUAGES) or "",
        )


def _timestamp(value: datetime | int | None) -> str:
    """Write a time as 14 digits; early indexes have it in milliseconds since 1970."""
    try:
        time = datetime.fromtimestamp(value / 1000, UTC) if isinstance(value, int) else value
        return f"{time:%Y%m%d%H%M%S}".rjust(14, "0") if time else ""
    except (OverflowError, ValueError, OSError):
        return ""


def _key_bounds(metadata: Any) -> Bounds:
    """Read the first and the last key of each row group."""
    bounds: Bounds = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = map(group.column, range(group.num_columns))
        found = next((chunk.statistics for chunk in chunks if chunk.path_in_schema == _KEY), None)
        known = found is not None and found.has_min_max and isinstance(found.min, str)
        bounds.append([found.min, found.max] if known and found else None)
    return bounds


def _chosen(bounds: Bounds, keys: tuple[Key, ...]) -> list[int]:
    """Choose the row groups that may have some keys."""
    return [
        number
        for number, between in enumerate(bounds)
        if not keys or between is None or any(key.may_be_between(*between) for key in keys)
    ]


def _step(path: str, number: int) -> str:
    return f"rows {path} {number}"
