"""The text of a shard that is to be compared: the blocks that cleaning kept, of the documents that the filters kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.arrays.dtypes import Ints
from gristmill.dedup.tokens import place_to_cut
from gristmill.kept import OUTLINE, BlockColumns, block_columns, replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, open_parquet, read_batches

pc = LazyModule("pyarrow.compute")

_BATCH_DOCUMENTS = 64  # whose text is looked at together: their arrays stay in the processor's cache
_PART_BYTES = 1_000_000  # that are looked at together: a document that has more is by itself, and in pieces
_LARGE_GROUP_BYTES = 16_000_000  # of a row group that is read as a whole
_WORDS = (*OUTLINE, "blocks.list.element.words")
_TEXT = ("lang", *_WORDS, *(f"blocks.list.element.{name}" for name in ("text", "kind", "row", "path")))
_LABELS = ("method", "blocks.list.element.label")
# Scalars that have a type: to find that of a Python value takes Arrow a third of a millisecond, each time.
_LIST_ITEM, _NO_ROW = pa.scalar("l", pa.string()), pa.scalar(0, pa.int32())
_PREFORMATTED = r"/(pre|listing|xmp|textarea|code)\b"


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of some blocks, one behind the other with nothing between them; or of a part of a long block."""

    text: str
    first: int
    """Which block it begins with."""
    lengths: Ints
    """Characters of each block, as far as they are in the piece."""
    goes_on: bool = False
    """Whether the next piece has more of the same block."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """Some documents of a shard and their kept blocks, as one row of texts."""

    rows: Ints
    """Where each document stands in its shard."""
    langs: list[str]
    texts: pa.StringArray
    kept: Ints
    """The texts of all blocks as they are stored, and which of them are those of the kept ones."""
    lengths: Ints
    """Characters of each block."""
    starts: Ints
    """Where each document begins among the blocks, and at the end where the last one ends."""
    numbers: Ints
    """Which block of its document each block is, boilerplate counted in."""
    words: Ints
    sizes: Ints
    """Words of each block, and bytes in UTF-8."""
    in_lines: npt.NDArray[np.bool_]
    """Whether each block is a list item, a cell of a table, or preformatted text such as code."""
    labels: list[str]
    """What the cleaning method calls each block, if it is jusText; else empty. Nothing at all if nobody asked."""

    @property
    def text(self) -> str:
        """The blocks of all documents, one behind the other with nothing between them."""
        return _joined(self.texts, self.kept)

    def pieces(self) -> Iterator[Piece]:
        """The text in pieces: of one document a megabyte or two at a time; several documents are one piece."""
        ends = np.cumsum(self.sizes)
        if len(self.rows) != 1 or not len(ends) or ends[-1] <= _PART_BYTES:
            yield Piece(self.text, 0, self.lengths)
            return
        is_long = self.sizes > _PART_BYTES
        edges = np.flatnonzero((np.diff(ends // _PART_BYTES) > 0) | is_long[1:] | is_long[:-1]) + 1
        for first, last in pairwise([0, *edges.tolist(), len(ends)]):
            if is_long[first]:
                yield from _parts_of(_bytes_of(self.texts, int(self.kept[first])), first)
            else:
                yield Piece(_joined(self.texts, self.kept[first:last]), first, self.lengths[first:last])


def read_kept(shard: Shard, skip: npt.NDArray[np.bool_] | None = None, *, labels: bool = False) -> Iterator[KeptText]:
    """Read the kept text of a shard, some documents at a time, without those whose row is to be skipped.

    Nor does it have documents that later versions replace. Labels of blocks are read only if they are asked for.
    """
    replaced = replaced_flags(shard)
    if replaced is not None:
        skip = replaced if skip is None else skip | replaced
    row = 0
    for batch in _batches(shard.documents, (*_TEXT, *_LABELS) if labels else _TEXT):
        for start, end in _documents(batch):
            yield _kept(
                batch.slice(start, end - start), None if skip is None else skip[row + start : row + end], row + start
            )
        row += batch.num_rows
        del batch  # else a large one would be there while the next is read


def _batches(path: Path, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Some documents at a time.

    A large row group is read at once: what it is read from, three times its size, is then let go.
    """
    with open_parquet(path) as file:
        sizes = _row_groups(file)
        edges = [group for group in range(1, len(sizes)) if max(sizes[group - 1 : group + 1]) > _LARGE_GROUP_BYTES]
        for first, last in pairwise([0, *edges, len(sizes)]):
            if last == first + 1 and sizes[first] > _LARGE_GROUP_BYTES:
                yield from _read_at_once(path, first, columns)
            else:
                yield from file.iter_batches(
                    _BATCH_DOCUMENTS, row_groups=list(range(first, last)), columns=list(columns)
                )


def largest_row_group(shard: Shard) -> int:
    """Bytes of the documents of a shard that can only be read together: those of a large one, if there is one."""
    with open_parquet(shard.documents) as file:
        return max(_row_groups(file), default=0)


def _row_groups(file: pq.ParquetFile) -> list[int]:
    return [file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)]


def _read_at_once(path: Path, group: int, columns: tuple[str, ...]) -> list[pa.RecordBatch]:
    """Read all documents of a row group, in memory that other arrays get when it is free again.

    In its usual pool, Arrow would keep it for itself.
    """
    usual, of_system = pa.default_memory_pool(), pa.system_memory_pool()
    of_system.release_unused()
    pa.set_memory_pool(of_system)
    try:
        with open_parquet(path) as file:
            table = file.read_row_group(group, columns=list(columns), use_threads=False)
    finally:
        pa.set_memory_pool(usual)
    del file
    usual.release_unused()
    batches: list[pa.RecordBatch] = table.to_batches(max_chunksize=_BATCH_DOCUMENTS)
    return batches


def _documents(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """Parts of about the same size of a batch of documents, if it is a large one; a large document is its own part."""
    lists = batch.column("blocks")
    texts = lists.values.field("text")
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :] if len(texts) else np.zeros(1, np.int32)
    ends = ends[lists.offsets.to_numpy()].astype(np.int64)
    is_large = np.diff(ends) > _PART_BYTES
    edges = np.flatnonzero((np.diff((ends[1:] - ends[0]) // _PART_BYTES) > 0) | is_large[1:] | is_large[:-1]) + 1
    return pairwise([0, *edges.tolist(), batch.num_rows])


def _kept(batch: pa.RecordBatch, skip: npt.NDArray[np.bool_] | None, first_row: int) -> KeptText:
    columns = block_columns(batch, skip)
    kept = columns.kept
    rows = np.flatnonzero(columns.wanted)
    langs = batch.column("lang").to_pylist()
    of_block = np.repeat(columns.offsets[:-1], np.diff(columns.offsets))
    texts = columns.fields.field("text")
    return KeptText(
        rows + first_row,
        [langs[row] for row in rows.tolist()],
        texts,
        kept,
        pc.utf8_length(texts).to_numpy()[kept].astype(np.int64),
        np.searchsorted(kept, np.append(columns.offsets[:-1][columns.wanted], columns.count)),
        kept - of_block[kept],
        columns.fields.field("words").to_numpy()[kept].astype(np.int64),
        pc.binary_length(texts).to_numpy()[kept].astype(np.int64),
        _in_lines(columns),
        _labels(batch, columns) if "method" in batch.schema.names else [],
    )


def as_arrow(values: npt.NDArray[Any]) -> pa.Array:
    """Numbers as Arrow has them, not copied.

    Its own way to do this imports NumPy's masked arrays, to see that these are none.
    """
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))]
    )


def _in_lines(columns: BlockColumns) -> npt.NDArray[np.bool_]:
    """Whether kept blocks are of a kind in which lines may repeat."""
    kept = as_arrow(columns.kept)
    found = pc.or_(
        pc.equal(columns.fields.field("kind").take(kept), _LIST_ITEM),
        pc.match_substring_regex(columns.fields.field("path").take(kept), _PREFORMATTED),
    )
    found = pc.or_(found, pc.greater(columns.fields.field("row").take(kept), _NO_ROW))
    flags: npt.NDArray[np.bool_] = found.to_numpy(zero_copy_only=False)
    return flags


def _labels(batch: pa.RecordBatch, columns: BlockColumns) -> list[str]:
    """The labels of kept blocks of pages that jusText cleaned; empty for others."""
    by_justext = pc.starts_with(batch.column("method"), "justext").to_numpy(zero_copy_only=False)
    of_block = np.repeat(by_justext, np.diff(columns.offsets))[columns.kept]
    labels = columns.fields.field("label").take(as_arrow(columns.kept)).to_pylist()
    return [label if known else "" for label, known in zip(labels, of_block.tolist(), strict=True)]


def _joined(texts: pa.StringArray, chosen: Ints) -> str:
    """Some of the texts, one behind the other. They are cut out of the bytes in which they stand so already."""
    if not len(chosen):
        return ""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    gaps = np.flatnonzero(np.diff(chosen) > 1)
    first, last = chosen[np.append(0, gaps + 1)], chosen[np.append(gaps, len(chosen) - 1)]
    view = memoryview(data)
    return b"".join(
        [view[start:end] for start, end in zip(ends[first].tolist(), ends[last + 1].tolist(), strict=True)]
    ).decode()


def _bytes_of(texts: pa.StringArray, number: int) -> memoryview:
    """One of the texts in UTF-8, where it stands."""
    _, offsets, data = texts.buffers()
    start, end = np.frombuffer(offsets, np.int32)[texts.offset + number : texts.offset + number + 2].tolist()
    return memoryview(data)[start:end]


def _parts_of(data: memoryview, block: int) -> Iterator[Piece]:
    """A long block in parts that have the same tokens, if there are places to cut it."""
    start = 0
    while start < len(data):
        part = bytes(data[start : start + _PART_BYTES])
        if start + len(part) == len(data):
            text = part.decode()
        else:
            text = part[: _last_character(part)].decode()
            text = text[: place_to_cut(text, 0, len(text))]
        start += len(text.encode())
        yield Piece(text, block, np.array([len(text)]), start < len(data))


def _last_character(data: bytes) -> int:
    """Where the last character begins, which may not be whole."""
    end = len(data) - 1
    while data[end] & 0xC0 == 0x80:
        end -= 1
    return end


def kept_blocks(shard: Shard) -> tuple[Ints, Ints]:
    """The blocks that cleaning kept, of documents that the filters kept: row of the document, and words."""
    rows, words, row = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    replaced = replaced_flags(shard)
    for batch in read_batches(shard.documents, _WORDS):
        columns = block_columns(batch, None if replaced is None else replaced[row : row + batch.num_rows])
        rows.append(np.repeat(np.arange(row, row + batch.num_rows), np.diff(columns.offsets))[columns.kept])
        words.append(columns.fields.field("words").to_numpy()[columns.kept])
        row += batch.num_rows
    return np.concatenate(rows), np.concatenate(words)
