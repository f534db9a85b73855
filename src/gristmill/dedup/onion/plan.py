"""What all tasks of a run know: the settings, the shards, and where tasks put their results for each other.

Numbers: a *place* is a token of a shard, a *block* is numbered over all shards, and so is a *document*. Only blocks and
documents that take part are counted: those that cleaning and filters kept, and no exact copies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.shards import Shard

if TYPE_CHECKING:
    from gristmill.dedup.onion.index import Index


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of the method, as tasks need them."""

    n: int
    threshold: float
    whole_documents: bool
    punctuation: bool
    stop_words: bool
    """Whether tokens of these kinds take part."""
    rules: str = "careful"
    """Which short blocks go with duplicates: those of which another copy is kept (`careful`), or all (`tidy`); or all
    is to be as in the thesis, to the letter (`thesis`)."""

    @property
    def thesis(self) -> bool:
        """Whether the rules are those of the thesis."""
        return self.rules == "thesis"

    @property
    def fold(self) -> bool:
        """Whether tokens are compared in a folded form."""
        return not self.thesis

    @property
    def by_block(self) -> bool:
        """Whether n-grams end with their block."""
        return self.thesis and not self.whole_documents

    def is_too_much(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Whether blocks with these duplicate shares are duplicates."""
        return shares >= self.threshold if self.thesis else shares > self.threshold


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings and shards of a run, and the paths of all that its tasks write."""

    settings: Settings
    shards: tuple[Shard, ...]
    work: Path
    bits: int
    """There are two to the power of this many buckets."""
    known: tuple[Index, ...] = ()
    """Indexes of text that counts as there already: of the settled shards of the same corpus, and of other corpora."""
    found: Path | None = None
    """The duplicate n-grams, if another finder has found them already."""

    @property
    def buckets(self) -> int:
        """How many buckets n-grams are put into, by the first bits of their hashes."""
        return 1 << self.bits

    @property
    def copies(self) -> Path:
        """The first document with the same text, for each row of the corpus."""
        return self.work / "copies"

    def ngrams(self, shard: int) -> Path:
        """The n-grams of a shard, by bucket."""
        return self.work / "ngrams" / f"{shard:05d}"

    def outline(self, shard: int) -> Path:
        """The documents and blocks of a shard, and where in the file of its n-grams each bucket begins."""
        return self.work / "outlines" / f"{shard:05d}"

    @property
    def starts(self) -> Path:
        """Where each shard begins among all documents and all blocks."""
        return self.work / "starts"

    @property
    def blocks(self) -> Path:
        """The document of each block, by its row in the corpus, and the number of the block there."""
        return self.work / "blocks"

    def repeats(self, bucket: int) -> Path:
        """The duplicate n-grams of a bucket."""
        return self.work / "repeats" / f"{bucket:05d}"

    def shares(self, shard: int) -> Path:
        """The share of duplicate n-grams in each document of a shard."""
        return self.work / "shares" / f"{shard:05d}"

    @property
    def ranks(self) -> Path:
        """The rank of each block's document in the order of documents; 0 is for other corpora."""
        return self.work / "ranks"

    def messages(self, round_number: int, bucket: int) -> Path:
        """The messages of a bucket to the shards in a round."""
        return self.work / f"round-{round_number:03d}" / f"messages-{bucket:05d}"

    def judged(self, round_number: int, shard: int) -> Path:
        """What a shard finds of its blocks in a round."""
        return self.work / f"round-{round_number:03d}" / f"judged-{shard:05d}"

    def states(self, round_number: int) -> Path:
        """The state of all blocks after a round."""
        return self.work / f"round-{round_number:03d}" / "states"

    @property
    def final(self) -> Path:
        """The state of all blocks with stubs, and where the copy of each stub stands."""
        return self.work / "final"

    def stored(self, bucket: int) -> Path:
        """A file that is there when a bucket is in the index."""
        return self.work / "stored" / f"{bucket:05d}"

    def merged(self, bucket: int) -> Path:
        """A file that is there when a bucket of segments that are merged is."""
        return self.work / "merged" / f"{bucket:05d}"

    def written(self, shard: int) -> Path:
        """A file that is there when the result of a shard is."""
        return self.work / "written" / f"{shard:05d}"

    def owners(self, bucket: int) -> Path:
        """Where repeated n-grams stand first, for the shards."""
        return self.work / "owners" / f"{bucket:05d}"


@dataclass(frozen=True, slots=True)
class Outline:
    """The documents and blocks of a shard that take part."""

    rows: Array
    """Where each document stands in the shard."""
    first_blocks: Ints
    """Where each document begins among the blocks, and at the end how many there are. If documents are compared as
    wholes, each counts as one block here and in `tokens`."""
    numbers: Array
    """Which block of its document each block is."""
    lengths: Array
    sizes: Array
    """Characters and bytes of each block."""
    spared: npt.NDArray[np.bool_]
    """Whether each block may repeat others of its document."""
    classes: Array
    """The class that jusText gives each block by itself; empty if the rules are not those of the thesis."""
    ngrams: Ints
    """How many n-grams each document has."""
    short_hashes: Array
    short_blocks: Array
    """The blocks that are too short to have an n-gram: a hash of the text of each, in rising order, and its number."""
    tokens: Ints
    """Where each block begins among the tokens, and at the end how many there are."""
    offsets: Ints
    """Where each bucket begins in the file of n-grams: a row for each chunk of the file."""

    @classmethod
    def read(cls, path: Path) -> Outline:
        """Read it from a file."""
        arrays = load_arrays(path)
        return cls(**arrays)

    def only(self, documents: Ints) -> tuple[Outline, Ints, Ints]:
        """Some of the documents, as far as they are needed to judge them; and which blocks and tokens these are."""
        first, end = self.first_blocks[documents], self.first_blocks[documents + 1]
        blocks = concatenated_ranges(first, end - first)
        tokens = concatenated_ranges(self.tokens[first], self.tokens[end] - self.tokens[first])
        part = replace(
            self,
            rows=self.rows[documents],
            first_blocks=starts_of(np.diff(self.first_blocks)[documents]),
            spared=self.spared[blocks],
            tokens=starts_of(np.diff(self.tokens)[blocks]),
        )
        return part, blocks, tokens


@dataclass(frozen=True, slots=True)
class Starts:
    """Where each shard begins, and at the end how many there are of everything."""

    rows: Ints
    documents: Ints
    blocks: Ints

    @classmethod
    def read(cls, path: Path) -> Starts:
        """Read them from a file."""
        arrays = load_arrays(path)
        return cls(**{name: np.array(array) for name, array in arrays.items()})
