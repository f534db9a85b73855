"""The result of de-duplication: `duplicates.parquet`, row-aligned with `documents.parquet`.

Per document how much of it is repeated, of what it is a copy, and how much is left of it; per block its duplicate
share, the verdict, and where the first copy stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.reading import as_arrow
from gristmill.document import document_id
from gristmill.kept import OUTLINE, BlockColumns, block_columns, replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, ShardWriter, read_batches

pc = LazyModule("pyarrow.compute")

Verdicts = npt.NDArray[np.uint8]
Shares = npt.NDArray[np.float64]

UNIQUE, DUPLICATE, STUB = range(3)
VERDICTS = ("unique", "duplicate", "stub")
NOBODY = -1
"""The document that a text is a copy of, if it is none."""

T = TypeVar("T", bound=np.generic)

_NOT_KEPT = len(VERDICTS)
_LEFT = ("unique", "")


BLOCK_TYPE: pa.DataType = pa.struct(
    [
        # The share of the block's tokens that stand in text which is kept elsewhere.
        pa.field("share", pa.float64(), nullable=False),
        # unique, duplicate or stub; empty if cleaning did not keep the block.
        pa.field("verdict", pa.string(), nullable=False),
        # The id of the document in which most of the repeated text stands; empty if there is none.
        pa.field("copy_of", pa.string(), nullable=False),
        # The number of the block there, from 0; -1 if it is not known.
        pa.field("copy_block", pa.int32(), nullable=False),
    ],
)

DUPLICATES_SCHEMA: pa.Schema = pa.schema(
    [
        # The share of the document's text that is kept elsewhere.
        pa.field("share", pa.float64(), nullable=False),
        # The id of the document of which it is a copy as a whole; empty if there is none.
        pa.field("copy_of", pa.string(), nullable=False),
        # What is left of the document: blocks, words, characters, bytes.
        pa.field("text_blocks", pa.int32(), nullable=False),
        pa.field("words", pa.int32(), nullable=False),
        pa.field("length", pa.int32(), nullable=False),
        pa.field("text_bytes", pa.int64(), nullable=False),
        # One for each block of the document.
        pa.field("blocks", pa.list_(pa.field("item", BLOCK_TYPE, nullable=False))),
    ],
)


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found in a shard: numbers for each of its rows, and for each kept block of documents that are kept."""

    shares: Shares
    copies: Ints
    """The document of which a document is a copy, as `Ids` has it."""
    block_shares: Shares
    block_verdicts: Verdicts
    block_copies: Ints
    copy_blocks: Ints
    words: Ints
    lengths: Ints
    sizes: Ints
    """Words, characters and bytes of each block."""


_NUMBER_BITS = 40  # of a document or a block of another corpus; the bits above tell which corpus it is


def pack_elsewhere(corpus: int, numbers: Ints) -> Ints:
    """Documents or blocks of another corpus as negative numbers, below `NOBODY`; `corpus` is its place in a list.

        corpus 0, block 0   ->  -2
        corpus 0, block 7   ->  -9                 (-2 - 7)
        corpus 1, block 7   ->  -1099511627785     (-2 - (1 << 40) - 7)

    So the next block has a number that is lower by 1.
    """
    return -2 - (numbers + (np.int64(corpus) << _NUMBER_BITS))


def unpack_elsewhere(packed: Ints) -> tuple[Ints, Ints]:
    """Of each packed number which corpus it is of, and the number of the document or block there."""
    found = -2 - packed
    return found >> _NUMBER_BITS, found & ((1 << _NUMBER_BITS) - 1)


class Ids:
    """Documents as numbers, and the names they stand for.

    0 is the first document of the shards that are de-duplicated; those of `others` are packed by `pack_elsewhere`.
    """

    def __init__(
        self, shards: Sequence[str], starts: Sequence[int], others: Sequence[Ids] = (), folder: str = ""
    ) -> None:
        self._shards = list(shards)
        self._starts = np.array(starts, np.int64)
        self._others = list(others)
        self._folder = f"{folder}/" if folder else ""

    def __getitem__(self, number: int) -> str:
        if number == NOBODY:
            return ""
        if number < 0:
            corpus, document = unpack_elsewhere(np.array(number))
            return self._others[int(corpus)][int(document)]
        shard = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self._folder + document_id(self._shards[shard], int(number - self._starts[shard]))

    def column(self, numbers: Ints) -> pa.Array:
        """The names of many documents; each different one is spelled once."""
        different, places = np.unique(numbers, return_inverse=True)
        return pa.array([self[number] for number in different.tolist()], pa.string()).take(as_arrow(places))


def are_left(judged: pa.StructArray, max_duplicate: float | None = None) -> npt.NDArray[np.bool_]:
    """Which blocks are left of those that were judged.

    It is as was decided; or, if `max_duplicate` is given, all with a duplicate share of at most that. Blocks of which
    nothing is known, since cleaning did not keep them then, count as unique.
    """
    left = (
        pc.is_in(judged.field("verdict"), pa.array(_LEFT))
        if max_duplicate is None
        else pc.less_equal(judged.field("share"), max_duplicate)
    )
    flags: npt.NDArray[np.bool_] = left.to_numpy(zero_copy_only=False)
    return flags


def write_result(shard: Shard, judged: Judged, ids: Ids) -> Counter[str]:
    """Put `duplicates.parquet` in place; returns (and stores with it) how many documents, blocks and words are what."""
    names = ["documents", "duplicates", *(f"{unit}.{verdict}" for unit in ("blocks", "words") for verdict in VERDICTS)]
    counts = Counter(dict.fromkeys(names, 0))
    row = block = 0
    replaced = replaced_flags(shard)
    with ShardWriter(shard.duplicates, DUPLICATES_SCHEMA) as writer:
        for batch in read_batches(shard.documents, OUTLINE):
            columns = block_columns(batch, None if replaced is None else replaced[row : row + batch.num_rows])
            made, blocks = _batch(columns, judged, row, block, ids, counts)
            writer.write(made)
            row += batch.num_rows
            block += blocks
        writer.finish({"counts": dict(sorted(counts.items()))})
    return counts


def _batch(
    columns: BlockColumns, judged: Judged, row: int, block: int, ids: Ids, counts: Counter[str]
) -> tuple[pa.RecordBatch, int]:
    kept = columns.kept
    mine = slice(block, block + len(kept))
    rows = slice(row, row + len(columns.wanted))
    verdicts = np.full(columns.count, _NOT_KEPT, np.uint8)
    verdicts[kept] = judged.block_verdicts[mine]
    blocks = [
        _spread(judged.block_shares[mine], kept, columns.count, 0.0),
        pa.array([*VERDICTS, ""]).take(as_arrow(verdicts)),
        ids.column(_spread(judged.block_copies[mine], kept, columns.count, NOBODY)),
        _spread(judged.copy_blocks[mine].astype(np.int32), kept, columns.count, NOBODY),
    ]
    struct = pa.StructArray.from_arrays(
        [as_arrow(column) if isinstance(column, np.ndarray) else column for column in blocks], fields=list(BLOCK_TYPE)
    )
    lists = pa.ListArray.from_arrays(
        as_arrow(columns.offsets.astype(np.int32)), struct, type=DUPLICATES_SCHEMA.field("blocks").type
    )
    left = _left(judged, mine, np.searchsorted(kept, columns.offsets))
    made = [judged.shares[rows], ids.column(judged.copies[rows]), *left, lists]
    _count(counts, judged.words[mine], judged.block_verdicts[mine], columns.wanted, left[0])
    arrays = [
        (as_arrow(column) if isinstance(column, np.ndarray) else column).cast(field.type)
        for column, field in zip(made, DUPLICATES_SCHEMA, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=DUPLICATES_SCHEMA), len(kept)


def _spread(values: npt.NDArray[T], places: Ints, count: int, default: float) -> npt.NDArray[T]:
    spread = np.full(count, default, values.dtype)
    spread[places] = values
    return spread


def _left(judged: Judged, blocks: slice, offsets: Ints) -> list[Ints]:
    """Blocks, words, characters and bytes of what is left of each document; its blocks are joined by line ends.

    Sums of each document are differences of prefix sums over all blocks. With words 5 3 9, of which 3 is a duplicate's,
    and documents that begin at the blocks 0 and 2 (`offsets` 0 2 3):

        before 0 5 5 14  ->  at the offsets 0 5 14  ->  5 and 9 words are left
    """
    unique = judged.block_verdicts[blocks] == UNIQUE
    sums = []
    for values in (np.ones(len(unique), np.int64), judged.words[blocks], judged.lengths[blocks], judged.sizes[blocks]):
        before = starts_of(np.where(unique, values, 0))
        sums.append(np.diff(before[offsets]))
    line_ends = np.maximum(sums[0] - 1, 0)
    return [*sums[:2], sums[2] + line_ends, sums[3] + line_ends]


def _count(
    counts: Counter[str], words: Ints, verdicts: Verdicts, wanted: npt.NDArray[np.bool_], blocks_left: Ints
) -> None:
    counts["documents"] += int(np.count_nonzero(wanted))
    counts["duplicates"] += int(np.count_nonzero(wanted & (blocks_left == 0)))
    for code, name in enumerate(VERDICTS):
        counts[f"blocks.{name}"] += int(np.count_nonzero(verdicts == code))
        counts[f"words.{name}"] += int(words[verdicts == code].sum())
