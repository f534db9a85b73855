"""Which documents repeat a document: `duplicates.parquet` in the other direction.

All of it has to be gone through for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ints
from gristmill.corpus.copies import Relative, ranked
from gristmill.corpus.lookup import row_groups
from gristmill.corpus.reader import CorpusReader
from gristmill.document import document_id
from gristmill.shards import DOCUMENTS, DUPLICATES


def repeaters_of(corpus: CorpusReader, identifier: str) -> list[Relative]:
    """Documents whose first copies stand in one document, those with the most words first.

    `duplicates.parquet` of all shards is gone through, but only by the columns that tell; documents are read only where
    these point.
    """
    return ranked(
        relative for shard in corpus.shards for relative in _in_shard(shard, identifier) if relative.id != identifier
    )


def _in_shard(shard: Path, identifier: str) -> Iterator[Relative]:
    """Documents of a shard whose first copies stand in one document."""
    whole, blocks = _pointing_blocks(shard, identifier)
    rows = np.union1d(whole, blocks.owners)
    if not len(rows):
        return
    for first, table in row_groups(shard / DOCUMENTS, ("url", "words", "text_blocks", "blocks.words"), rows):
        here = rows[(rows >= first) & (rows < first + table.num_rows)] - first
        counts, words = blocks.measure(first, table["blocks"].combine_chunks())
        as_whole = counts == 0  # a copy as a whole, of which no block tells where it comes from
        counts = np.where(as_whole, table["text_blocks"].to_numpy(), counts)
        words = np.where(as_whole, table["words"].to_numpy(), words)
        for row, url in zip(here.tolist(), table["url"].take(here).to_pylist(), strict=True):
            yield Relative(document_id(shard.name, first + row), url, int(counts[row]), round(float(words[row])))


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Blocks of a shard whose first copy stands in some document.

    `owners` are the rows of their documents, `places` their numbers there, and `shares` their duplicate shares.
    """

    owners: Ints
    places: Ints
    shares: npt.NDArray[np.float64]

    def measure(self, first: int, documents: pa.Array) -> tuple[Ints, npt.NDArray[np.float64]]:
        """Number of these blocks, and of words in them by their duplicate shares, for each of some documents in a row.

        The blocks of all documents are one list of words (a ragged array); `offsets` says where those of each document
        start:

            documents of 3 and 2 blocks: offsets [0, 3, 5], words [8, 4, 9, 7, 6]
            owners [0, 1], places [2, 1]: words at 0 + 2 and 3 + 1, which are 9 and 6
        """
        mine = (self.owners >= first) & (self.owners < first + len(documents))
        owners = self.owners[mine] - first
        all_words = documents.values.field("words").to_numpy()
        words = all_words[documents.offsets.to_numpy()[owners] + self.places[mine]] * self.shares[mine]
        counts = np.bincount(owners, minlength=len(documents)).astype(np.int64)
        return counts, np.bincount(owners, weights=words, minlength=len(documents)).astype(np.float64)


def _pointing_blocks(shard: Path, identifier: str) -> tuple[Ints, _Blocks]:
    """Rows of documents that are copies of a document as a whole, and the blocks whose first copy is in it."""
    whole, owners, places = ([np.empty(0, np.int64)] for _ in range(3))
    shares = [np.empty(0, np.float64)]
    for start, table in row_groups(shard / DUPLICATES, ("copy_of", "blocks.copy_of", "blocks.share")):
        whole.append(np.flatnonzero(pc.equal(table["copy_of"], identifier).to_numpy()) + start)
        lists = table["blocks"].combine_chunks()
        offsets = lists.offsets.to_numpy()
        found = np.flatnonzero(pc.equal(lists.values.field("copy_of"), identifier).to_numpy(zero_copy_only=False))
        rows = np.searchsorted(offsets, found, side="right") - 1
        owners.append(rows + start)
        places.append(found - offsets[rows])
        shares.append(lists.values.field("share").to_numpy()[found])
    return np.concatenate(whole), _Blocks(np.concatenate(owners), np.concatenate(places), np.concatenate(shares))
