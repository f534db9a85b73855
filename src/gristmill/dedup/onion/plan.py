"""What all tasks of a run know: the settings, and where tasks put their results for each other.

A *bundle* is one shard, or several small ones in a row. Numbers: a *place* is a token of a bundle, a *block* is
numbered over all bundles, and so is a *document*. Only blocks and documents that take part are counted: those that
cleaning and filters kept, and no exact copies.

A task is sent to a worker with its plan. So a plan does not grow with the corpus: it does not list shards, nor what the
indexes have that it compares with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.errors import UsageError
from gristmill.shards import Shard

MAX_BLOCKS = (1 << 32) - 2
"""Blocks of a corpus that can be numbered: some 5 TB of archives have as many."""
_BITS_PER_STUB_RANGE = 5  # so many buckets have about as many short blocks as a bucket has n-grams


def check_blocks(count: int) -> None:
    """Raise if a corpus has more blocks than can be numbered."""
    if count > MAX_BLOCKS:
        raise UsageError(
            f"{count:,} blocks are more than can be de-duplicated at once ({MAX_BLOCKS:,}): "
            "make several corpora, and compare each with those before it (gristmill dedup --against)"
        )


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
class Bundle:
    """Some shards in a row, for which one task does the work, and where they stand in the corpus."""

    number: int
    shards: tuple[Shard, ...]
    rows: tuple[int, ...]
    """The row at which each shard begins among all rows, and at the end the one after the last."""
    size: int
    """Bytes of their documents."""

    @property
    def name(self) -> str:
        """How messages call it: by its first shard and its last one."""
        first, last = self.shards[0].name, self.shards[-1].name
        return f"shard {first}" if first == last else f"shards {first} to {last}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run, how its work is divided, and the paths of all that its tasks write."""

    settings: Settings
    work: Path
    known: tuple[tuple[Path, bool], ...] = ()
    """Folders of indexes of text that counts as there already, and whether it is that of the same corpus: its settled
    shards; the others are other corpora. `known_indexes` reads them."""
    found: Path | None = None
    """The duplicate n-grams, if another finder has found them already."""
    surveys: int = 0
    """How many surveys there are, each of some shards."""
    digest_bits: int = 0
    """Documents are compared in two to the power of this many ranges, by their digests."""
    bits: int = 0
    """There are two to the power of this many buckets."""
    bundles: int = 0
    """How many bundles the shards are put together to."""

    @property
    def buckets(self) -> int:
        """How many buckets n-grams are put into, by the first bits of their hashes."""
        return 1 << self.bits

    @property
    def stub_bits(self) -> int:
        """Short blocks are compared in two to the power of this many ranges, by the hashes of their texts."""
        return max(self.bits - _BITS_PER_STUB_RANGE, 0)

    @property
    def card(self) -> Path:
        """What the run is, so that it can go on if it is stopped; it comes first into the folder."""
        return self.work / "plan.json"

    def survey(self, number: int) -> Path:
        """What some shards have, before anything is done with them."""
        return self.work / "surveys" / f"{number:05d}"

    @property
    def catalogue(self) -> Path:
        """How the work is divided, with the names of all shards, and where each begins."""
        return self.work / "catalogue.json"

    def copies(self, number: int) -> Path:
        """The documents of a range of digests: which are copies of others, and the others."""
        return self.work / "copies" / f"{number:05d}"

    def ngrams(self, bundle: int) -> Path:
        """The n-grams of a bundle, by bucket."""
        return self.work / "ngrams" / f"{bundle:05d}"

    def outline(self, bundle: int) -> Path:
        """The documents and blocks of a bundle, and where in the file of its n-grams each bucket begins."""
        return self.work / "outlines" / f"{bundle:05d}"

    @property
    def starts(self) -> Path:
        """Where each bundle begins among all documents and all blocks."""
        return self.work / "starts"

    @property
    def blocks(self) -> Path:
        """The document of each block, by its row in the corpus, and the number of the block there."""
        return self.work / "blocks"

    def repeats(self, bucket: int) -> Path:
        """The duplicate n-grams of a bucket."""
        return self.work / "repeats" / f"{bucket:05d}"

    def shares(self, bundle: int) -> Path:
        """The share of duplicate n-grams in each document of a bundle."""
        return self.work / "shares" / f"{bundle:05d}"

    @property
    def ranks(self) -> Path:
        """The rank of each block's document in the order of documents; 0 is for other corpora."""
        return self.work / "ranks"

    def messages(self, round_number: int, bucket: int) -> Path:
        """The messages of a bucket to the bundles in a round."""
        return self.work / f"round-{round_number:03d}" / f"messages-{bucket:05d}"

    def judged(self, round_number: int, bundle: int) -> Path:
        """What a bundle finds of its blocks in a round."""
        return self.work / f"round-{round_number:03d}" / f"judged-{bundle:05d}"

    def joined(self, round_number: int) -> Path:
        """What all bundles find in a round, before it is known whether that is what becomes of it."""
        return self.work / f"round-{round_number:03d}" / "joined"

    def uncertain(self, round_number: int, look: int, bucket: int) -> Path:
        """The documents that a bucket can't be sure of, at one of several looks after a round."""
        return self.work / f"round-{round_number:03d}" / f"uncertain-{look}-{bucket:05d}"

    def uncertain_of_some(self, round_number: int, look: int, number: int) -> Path:
        """The documents that some buckets can't be sure of."""
        return self.work / f"round-{round_number:03d}" / f"some-uncertain-{look}-{number:05d}"

    def unsettled(self, round_number: int, look: int) -> Path:
        """The documents of which it is not sure what becomes of them."""
        return self.work / f"round-{round_number:03d}" / f"unsettled-{look}"

    def open(self, round_number: int, bucket: int) -> Path:
        """The occurrences in a bucket that are decided one by one after a round."""
        return self.work / f"round-{round_number:03d}" / f"open-{bucket:05d}"

    def states(self, round_number: int) -> Path:
        """The state of all blocks after a round."""
        return self.work / f"round-{round_number:03d}" / "states"

    def candidates(self, bundle: int) -> Path:
        """The blocks of a bundle that may be stubs."""
        return self.work / "candidates" / f"{bundle:05d}"

    def stubs(self, number: int) -> Path:
        """The stubs in a range of hashes, and where the copy of each stands."""
        return self.work / "stubs" / f"{number:05d}"

    @property
    def final(self) -> Path:
        """The state of all blocks with stubs, and where the copy of each stub stands."""
        return self.work / "final"

    def stored(self, bucket: int) -> Path:
        """A file that is there when a bucket is in the index."""
        return self.work / "stored" / f"{bucket:05d}"

    @property
    def stored_documents(self) -> Path:
        """A file that is there when the documents are in the index."""
        return self.work / "stored-documents"

    @property
    def gone(self) -> Path:
        """The documents and blocks of segments that are merged which later versions replaced."""
        return self.work / "gone"

    @property
    def merged_documents(self) -> Path:
        """A file that is there when the documents of segments that are merged are."""
        return self.work / "merged-documents"

    def merged(self, bucket: int) -> Path:
        """A file that is there when a bucket of segments that are merged is."""
        return self.work / "merged" / f"{bucket:05d}"

    def written(self, bundle: int) -> Path:
        """A file that is there when the results of a bundle are."""
        return self.work / "written" / f"{bundle:05d}"

    def owners(self, bucket: int) -> Path:
        """Where repeated n-grams stand first, for the bundles."""
        return self.work / "owners" / f"{bucket:05d}"


@dataclass(frozen=True, slots=True)
class Outline:
    """The documents and blocks of a bundle that take part."""

    rows: Array
    """Where each document stands in the bundle."""
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
    """Where each bundle begins, and at the end how many there are of everything."""

    rows: Ints
    documents: Ints
    blocks: Ints
    ngrams: Ints

    @classmethod
    def read(cls, path: Path) -> Starts:
        """Read them from a file."""
        arrays = load_arrays(path)
        return cls(**{name: np.array(array) for name, array in arrays.items()})
