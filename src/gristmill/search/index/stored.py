"""Annotated blocks and their tokens as columns of numbers: as they are stored, or were just made."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.corpus.attributes import TOKEN_ATTRIBUTES
from gristmill.errors import GristmillError
from gristmill.shards import DOCUMENTS, TOKENS, open_parquet

_NUMBERS = ("blocks", "tokens", "sentences")
_COLUMNS = (*_NUMBERS, "start", *TOKEN_ATTRIBUTES)


@dataclass(frozen=True, slots=True)
class Stored:
    """Some annotated blocks, one after the other."""

    keys: Ids
    """Which block each is, packed by `key`; ascending if they are stored."""
    counts: Ids
    """Tokens of each block."""
    sentences: Ids
    """Tokens of each sentence; a sentence lies within a block."""
    starts: npt.NDArray[np.int32]
    """Where each token begins in the text of its block."""
    tokens: dict[str, pa.Array]
    """The attributes of all tokens, as numbers in dictionaries."""

    @classmethod
    def of(cls, table: pa.Table, rows: Ids) -> Stored:
        """Read columns as they are in `tokens.parquet`, of documents that stand in these rows of their shard."""
        lists = {name: table.column(name).combine_chunks() for name in _COLUMNS}
        numbers = {name: lists[name].flatten().to_numpy().astype(np.int64) for name in _NUMBERS}
        owners = np.repeat(rows, lists["blocks"].value_lengths().to_numpy())
        tokens = {name: _as_dictionary(lists[name].flatten()) for name in TOKEN_ATTRIBUTES}
        return cls(
            key(owners, numbers["blocks"]),
            numbers["tokens"],
            numbers["sentences"],
            lists["start"].flatten().to_numpy(),
            tokens,
        )

    def __add__(self, other: Stored) -> Stored:
        return Stored(
            np.append(self.keys, other.keys),
            np.append(self.counts, other.counts),
            np.append(self.sentences, other.sentences),
            np.append(self.starts, other.starts),
            {name: _joined(self.tokens[name], other.tokens[name]) for name in TOKEN_ATTRIBUTES},
        )

    def glued(self) -> npt.NDArray[np.bool_]:
        """Tell of each token whether it begins where the one before it in its block ends."""
        word = self.tokens["word"]
        sizes = pc.utf8_length(word.dictionary).to_numpy()[word.indices.to_numpy()]
        glued = np.zeros(len(self.starts), np.bool_)
        glued[1:] = self.starts[1:] == self.starts[:-1] + sizes[:-1]
        glued[(np.cumsum(self.counts) - self.counts)[self.counts > 0]] = False
        return glued

    def tokens_of(self, blocks: Ids) -> Ids:
        """Number the tokens of some blocks, in the order of the blocks."""
        return _members(self.counts, blocks)

    def sentences_of(self, blocks: Ids) -> Ids:
        """Number the sentences that begin in some blocks, in the order of the blocks."""
        begins = np.cumsum(self.sentences) - self.sentences
        bounds = starts_of(self.counts)
        return _members(np.diff(np.searchsorted(begins, bounds)), blocks)


def key(rows: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> Ids:
    """Pack a block into one number: the row of its document in the shard above, its number in the document in the lower 32 bits.

    Block 3 of the document in row 2 has the key 2 << 32 | 3. Keys are in the order of the shard.
    """
    return rows << 32 | numbers


def _members(counts: Ids, blocks: Ids) -> Ids:
    """Number the members of some blocks, if all blocks have so many each.

    Of blocks with 2, 3 and 1 tokens, the third and first have the tokens 5, 0, 1.
    """
    return concatenated_ranges((np.cumsum(counts) - counts)[blocks], counts[blocks])


def _as_dictionary(values: pa.Array) -> pa.Array:
    return values if pa.types.is_dictionary(values.type) else values.dictionary_encode()


def _joined(*arrays: pa.Array) -> pa.Array:
    return pa.chunked_array(arrays).unify_dictionaries().combine_chunks()


class TokenFile:
    """The file of the tokens of a shard, to be read by row groups."""

    def __init__(self, plain: pq.ParquetFile, coded: pq.ParquetFile) -> None:
        self._plain = plain
        self._coded = coded
        metadata = plain.metadata
        self.ends = list(accumulate(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)))
        """The row after the last of each group."""

    def group_of(self, row: int) -> int:
        """Find the group that a row is in."""
        return bisect_right(self.ends, row)

    def read(self, group: int) -> Stored:
        """Read the annotated blocks of a group.

        Several groups at once, or one with more than a dictionary, can't be read as numbers.
        """
        try:
            table = self._coded.read_row_group(group, columns=list(_COLUMNS), use_threads=False)
        except pa.ArrowNotImplementedError:
            table = self._plain.read_row_group(group, columns=list(_COLUMNS), use_threads=False)
        return Stored.of(table, self.ends[group] - table.num_rows + np.arange(table.num_rows))


@contextmanager
def open_tokens(shard: Path) -> Iterator[TokenFile]:
    """Open the tokens of a shard; raises if they are not of its documents."""
    with ExitStack() as stack:
        plain, documents = (stack.enter_context(open_parquet(shard / name)) for name in (TOKENS, DOCUMENTS))
        if plain.metadata.num_rows != documents.metadata.num_rows:
            raise GristmillError(
                f"{shard / TOKENS} is not of these documents: annotate the corpus with `gristmill annotate`"
            )
        leaves = [f"{name}.list.element" for name in TOKEN_ATTRIBUTES]
        yield TokenFile(
            plain,
            stack.enter_context(
                pq.ParquetFile(
                    shard / TOKENS, metadata=plain.metadata, read_dictionary=leaves, page_checksum_verification=True
                )
            ),
        )
