"""Annotated blocks and their tokens as columns of numbers, as `tokens.parquet` stores them, for the index of a shard.

A document, in row 5 of its shard, with blocks 0 and 2 of three and two tokens, and two sentences in the first:

    keys       5|0, 5|2          row of the document | number of the block
    counts     3, 2              tokens of each block
    taggers    hanta, hanta      by which each block was annotated
    sentences  1, 2, 2           tokens of each sentence
    starts     0, 4, 7, 0, 3     where each token begins in the text of its block
    heads      0, 1, 0, 0, -1    how many tokens further on the head of each stands
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.corpus.attributes import TOKEN_ATTRIBUTES
from gristmill.errors import GristmillError
from gristmill.shards import Shard, open_parquet

_NUMBERS = ("blocks", "tokens", "sentences")
_COLUMNS = [*_NUMBERS, "taggers", "start", "head", *TOKEN_ATTRIBUTES]


@dataclass(frozen=True, slots=True)
class Stored:
    """Some annotated blocks, one after the other."""

    keys: Ids
    """Which block each is, packed by `key`; ascending if they are stored."""
    counts: Ids
    """Tokens of each block."""
    taggers: pa.Array
    """By which tagger each block was annotated, as text."""
    sentences: Ids
    """Tokens of each sentence; a sentence lies within a block."""
    starts: npt.NDArray[np.int32]
    """Where each token begins in the text of its block."""
    heads: npt.NDArray[np.int32]
    """How many tokens further on the head of each stands; 0 of roots, and where none is known."""
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
            lists["taggers"].flatten(),
            numbers["sentences"],
            lists["start"].flatten().to_numpy(),
            lists["head"].flatten().to_numpy(),
            tokens,
        )

    def __add__(self, other: Stored) -> Stored:
        return Stored(
            np.append(self.keys, other.keys),
            np.append(self.counts, other.counts),
            pa.concat_arrays([self.taggers, other.taggers]),
            np.append(self.sentences, other.sentences),
            np.append(self.starts, other.starts),
            np.append(self.heads, other.heads),
            {name: _joined(self.tokens[name], other.tokens[name]) for name in TOKEN_ATTRIBUTES},
        )

    def glued(self) -> npt.NDArray[np.bool_]:
        """Tell of each token whether it begins where the one before it in its block ends: there is no space between.

        `Go on.` has tokens of 2, 2 and 1 characters that begin at 0, 3 and 5: only 3 + 2 is the next start, so only the
        last one is glued.
        """
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
        """Number the sentences that begin in some blocks, in the order of the blocks.

        Blocks of 3 and 2 tokens are bounded by 0, 3 and 5; sentences of 1, 2 and 2 tokens begin at 0, 1 and 3. Before
        the bounds begin 0, 2 and 3 sentences, so the blocks have 2 and 1.
        """
        begins = np.cumsum(self.sentences) - self.sentences
        bounds = starts_of(self.counts)
        return _members(np.diff(np.searchsorted(begins, bounds)), blocks)


def key(rows: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> Ids:
    """Pack where blocks are into one number each: the row of the document above, the number in it in the lower 32 bits.

    Block 3 of the document in row 2 has the key 2 << 32 | 3. Keys are in the order of the shard.
    """
    return rows << 32 | numbers


def _members(counts: Ids, blocks: Ids) -> Ids:
    """Number the members (tokens or sentences) of some blocks, given how many each of all blocks has.

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
            table = self._coded.read_row_group(group, columns=_COLUMNS, use_threads=False)
        except pa.ArrowNotImplementedError:
            table = self._plain.read_row_group(group, columns=_COLUMNS, use_threads=False)
        return Stored.of(table, self.ends[group] - table.num_rows + np.arange(table.num_rows))


@contextmanager
def open_tokens(shard: Shard) -> Iterator[TokenFile]:
    """Open the tokens of a shard; raises if they are not of its documents."""
    with ExitStack() as stack:
        plain, documents = (stack.enter_context(open_parquet(file)) for file in (shard.tokens, shard.documents))
        if plain.metadata.num_rows != documents.metadata.num_rows:
            raise GristmillError(
                f"{shard.tokens} is not of these documents: annotate the corpus with `gristmill annotate`"
            )
        leaves = [f"{name}.list.element" for name in TOKEN_ATTRIBUTES]
        yield TokenFile(
            plain,
            stack.enter_context(
                pq.ParquetFile(
                    shard.tokens, metadata=plain.metadata, read_dictionary=leaves, page_checksum_verification=True
                )
            ),
        )
