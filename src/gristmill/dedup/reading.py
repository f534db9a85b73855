"""The text of a shard that is to be compared: the blocks that cleaning kept, of the documents that the filters kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.dedup.tokens import Ints
from gristmill.shards import DOCUMENTS, read_batches

OUTLINE = ("dropped", "max_boilerplate", "blocks.list.element.score", "blocks.list.element.dropped")
"""The columns of documents that tell which blocks are kept."""
_ROWS = 64  # documents whose text is looked at together: their arrays stay in the processor's cache
_BYTES = 2_000_000  # the same in bytes: more are only looked at together if they are of one document
_WORDS = (*OUTLINE, "blocks.list.element.words")
_TEXT = ("lang", *_WORDS, *(f"blocks.list.element.{name}" for name in ("text", "kind", "row", "path")))
_LABELS = ("method", "blocks.list.element.label")
_PREFORMATTED = r"/(pre|listing|xmp|textarea|code)\b"


@dataclass(frozen=True, slots=True)
class KeptText:
    """Some documents of a shard and their kept blocks, as one row of texts."""

    rows: Ints
    """Where each document stands in its shard."""
    langs: list[str]
    text: str
    """The blocks of all documents, one behind the other with nothing between them."""
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


def read_kept(shard: Path, skip: npt.NDArray[np.bool_] | None = None, *, labels: bool = False) -> Iterator[KeptText]:
    """The kept text of a shard, some documents at a time, without those whose row is to be skipped; with labels if asked for."""
    row = 0
    for batch in read_batches(shard / DOCUMENTS, (*_TEXT, *_LABELS) if labels else _TEXT, _ROWS):
        for start, end in _parts(batch):
            yield _kept(batch.slice(start, end - start), None if skip is None else skip[row + start : row + end], row + start)
        row += batch.num_rows


def _parts(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """A batch of documents in parts of about the same size, if it is a large one."""
    lists = batch.column("blocks")
    texts = lists.values.field("text")
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :] if len(texts) else np.zeros(1, np.int32)
    parts = (ends[lists.offsets.to_numpy()[1:]].astype(np.int64) - ends[lists.offsets.to_numpy()[0]]) // _BYTES
    edges = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), batch.num_rows]
    return pairwise(edges)


@dataclass(frozen=True, slots=True)
class BlockColumns:
    """The blocks of all documents of a batch, as columns."""

    wanted: npt.NDArray[np.bool_]
    """For each document whether the filters kept it."""
    offsets: Ints
    """Where each document begins among the blocks, and at the end where the last one ends."""
    kept: Ints
    """The blocks that cleaning kept, of documents that the filters kept."""
    fields: pa.StructArray
    """What is known of each block."""

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return int(self.offsets[-1])


def block_columns(batch: pa.RecordBatch, skip: npt.NDArray[np.bool_] | None = None) -> BlockColumns:
    """What a batch of documents holds; documents to be skipped are taken for dropped ones."""
    wanted = pc.equal(batch.column("dropped"), "").to_numpy(zero_copy_only=False).copy()
    if skip is not None:
        wanted &= ~skip
    lists = batch.column("blocks")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets -= offsets[0]
    counts = np.diff(offsets)
    limits = np.repeat(batch.column("max_boilerplate").to_numpy(), counts)
    is_kept = (values.field("score").to_numpy() <= limits) & np.repeat(wanted, counts)
    is_kept &= pc.equal(values.field("dropped"), "").to_numpy(zero_copy_only=False)
    return BlockColumns(wanted, offsets, np.flatnonzero(is_kept), values)


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
        _joined(texts, kept),
        pc.utf8_length(texts).to_numpy()[kept].astype(np.int64),
        np.searchsorted(kept, np.append(columns.offsets[:-1][columns.wanted], columns.count)),
        kept - of_block[kept],
        columns.fields.field("words").to_numpy()[kept].astype(np.int64),
        pc.binary_length(texts).to_numpy()[kept].astype(np.int64),
        _in_lines(columns),
        _labels(batch, columns) if "method" in batch.schema.names else [],
    )


def _in_lines(columns: BlockColumns) -> npt.NDArray[np.bool_]:
    """Whether kept blocks are of a kind in which lines may repeat."""
    kept = pa.array(columns.kept)
    found = pc.or_(
        pc.equal(columns.fields.field("kind").take(kept), "l"),
        pc.match_substring_regex(columns.fields.field("path").take(kept), _PREFORMATTED),
    )
    if any(item.name == "row" for item in columns.fields.type):  # corpora of format 2 have none
        found = pc.or_(found, pc.greater(columns.fields.field("row").take(kept), 0))
    flags: npt.NDArray[np.bool_] = found.to_numpy(zero_copy_only=False)
    return flags


def _labels(batch: pa.RecordBatch, columns: BlockColumns) -> list[str]:
    """The labels of kept blocks of pages that jusText cleaned; empty for others."""
    by_justext = pc.starts_with(batch.column("method"), "justext").to_numpy(zero_copy_only=False)
    of_block = np.repeat(by_justext, np.diff(columns.offsets))[columns.kept]
    labels = columns.fields.field("label").take(pa.array(columns.kept)).to_pylist()
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
    return b"".join([view[start:end] for start, end in zip(ends[first].tolist(), ends[last + 1].tolist(), strict=True)]).decode()


def kept_blocks(shard: Path) -> tuple[Ints, Ints]:
    """The blocks that cleaning kept, of documents that the filters kept: row of the document, and words."""
    rows, words, row = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for batch in read_batches(shard / DOCUMENTS, _WORDS):
        columns = block_columns(batch)
        rows.append(np.repeat(np.arange(row, row + batch.num_rows), np.diff(columns.offsets))[columns.kept])
        words.append(columns.fields.field("words").to_numpy()[columns.kept])
        row += batch.num_rows
    return np.concatenate(rows), np.concatenate(words)
