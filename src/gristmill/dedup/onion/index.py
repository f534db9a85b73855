"""The n-gram index of a corpus, as it is read: which n-grams its kept text has, and where each stands first.

It lets text be de-duplicated against a corpus that is not read again: other corpora (`--against`), or what is added to
the same one. It is a list of *segments*, each of which has the n-grams of some shards in a row, in the order of the
corpus. Segments never change. A card, `ngrams.json`, lists them: replacing the card makes a change, and what it does
not list does not count.

On disk: 13 bytes for each different n-gram of a segment, 12 for each block and 24 for each document. It is read
through a memory map, in the order of the hashes that are looked for.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Array, Bytes, Hashes, Ints
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.job import INDEX, INDEX_CARD
from gristmill.dedup.onion.plan import Plan, Settings
from gristmill.dedup.result import NOBODY, Ids
from gristmill.errors import GristmillError, UsageError
from gristmill.kept import replaced_by
from gristmill.shapes import check_format, misfit
from gristmill.shards import Shard, write_atomically

FORMAT = 3
"""Changes when what is in the files does."""
_RECIPE = ("n", "punctuation", "stop_words", "fold", "by_block")
_SEGMENT_SHAPE = {
    "name": str,
    "bits": int,
    "shards": [str],
    "rows": [int],
    "first_block": int,
    "blocks": int,
    "estimate": int,
    "counts": {str: int},
}
_SHAPE = {**dict.fromkeys(_RECIPE, Any), "segments": [_SEGMENT_SHAPE]}
_SEGMENT_NAME = re.compile(r"[0-9]{5,}-[0-9]{5,}")
_MAX_BITS = 16


@dataclass(frozen=True)
class Segment:
    """A part of an index: the n-grams of some shards.

    Its folder has a file for each bucket of n-grams (`00000`, ...), one of documents and one of blocks. Rows and blocks
    are numbered through all segments of the index, so that they stay the same when segments are merged.
    """

    folder: Path
    bits: int
    """N-grams are in two to the power of this many files, by the first bits of their hashes."""
    shards: tuple[str, ...]
    rows: tuple[int, ...]
    """The row of the corpus at which each shard begins, and at the end the one after the last."""
    first_block: int
    """The number of its first block, of those that took part in de-duplication."""
    blocks: int
    """How many blocks there are."""
    estimate: int
    """About how many n-grams its shards have; by this it is decided which segments are merged."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What was counted when its shards were de-duplicated."""

    @classmethod
    def name_of(cls, shards: Sequence[str]) -> str:
        """The name of the folder for some shards in a row: that of the first one and that of the last one."""
        return f"{shards[0]}-{shards[-1]}" if shards else "00000-00000"

    def without_shards(self) -> Segment:
        """What tasks that write it need of it: not the names of all its shards, which may be many."""
        return replace(self, shards=(), rows=self.rows[:1], counts={})

    @classmethod
    def from_table(cls, index: Path, entry: Mapping[str, Any]) -> Segment:
        """Make a segment of what the card of an index says of it."""
        shards, rows = tuple(entry["shards"]), tuple(entry["rows"])
        numbers = {name: entry[name] for name in ("bits", "first_block", "blocks", "estimate", "counts")}
        return cls(index / entry["name"], shards=shards, rows=rows, **numbers)

    def to_table(self) -> dict[str, Any]:
        """What the card says of it."""
        table = {name: getattr(self, name) for name in _SEGMENT_SHAPE if name != "name"}
        return {"name": self.folder.name} | table

    @property
    def buckets(self) -> int:
        """How many files of n-grams it has."""
        return 1 << self.bits

    def bucket(self, number: int) -> Path:
        """A file of n-grams: `hashes` in rising order, the number of the `blocks` in which each begins, and `spans`."""
        return self.folder / f"{number:05d}"

    @cached_property
    def gone(self) -> Ints:
        """The rows of its documents that later versions replaced since; their n-grams count no more."""
        corpus = self.folder.parents[1]
        rows = [
            np.array(sorted(replaced_by(Shard.of(corpus, shard))), np.int64) + start
            for shard, start in zip(self.shards, self.rows, strict=False)
        ]
        return np.concatenate([np.empty(0, np.int64), *rows])

    @cached_property
    def gone_blocks(self) -> Ints:
        """The blocks of these documents."""
        if not len(self.gone):
            return np.empty(0, np.int64)
        of_blocks = self.load_blocks()["rows"]
        first, end = np.searchsorted(of_blocks, self.gone), np.searchsorted(of_blocks, self.gone, side="right")
        return concatenated_ranges(first, end - first) + self.first_block

    @property
    def is_whole(self) -> bool:
        """Whether all files are there and have their length: a disk may damage them, and somebody may delete them."""
        names = ("documents", "blocks", *(self.bucket(number).name for number in range(self.buckets)))
        try:
            for name in names:
                load_arrays(self.folder / name)
        except GristmillError:
            return False
        return True

    def find(self, hashes: Hashes) -> tuple[Ints, Bytes]:
        """For each of some sorted hashes the block in which the n-gram begins, and how many more blocks it runs into.

        The block is `NOBODY` if the n-gram is not there.
        """
        blocks, spans = np.full(len(hashes), NOBODY, np.int64), np.zeros(len(hashes), np.uint8)
        shift = 64 - self.bits
        first, last = (int(hashes[0]) >> shift, int(hashes[-1]) >> shift) if len(hashes) else (0, -1)
        edges = [int(np.searchsorted(hashes, np.uint64(bucket << shift))) for bucket in range(first, last + 1)]
        for bucket, (start, end) in enumerate(pairwise([*edges, len(hashes)]), first):
            arrays = load_arrays(self.bucket(bucket)) if start < end else {}
            if not arrays or not len(arrays["hashes"]):
                continue
            places = np.minimum(np.searchsorted(arrays["hashes"], hashes[start:end]), len(arrays["hashes"]) - 1)
            hits = np.flatnonzero(arrays["hashes"][places] == hashes[start:end])
            if len(self.gone_blocks):
                hits = hits[~np.isin(arrays["blocks"][places[hits]], self.gone_blocks)]
            blocks[start + hits] = arrays["blocks"][places[hits]]
            spans[start + hits] = arrays["spans"][places[hits]]
        return blocks, spans

    def copies(self, digests: Hashes) -> Ints:
        """For each of some digests the row of the document with the same text; `NOBODY` if there is none."""
        there = load_arrays(self.folder / "documents")
        known = there["digests"]
        if not len(known):
            return np.full(len(digests), NOBODY)
        places = np.minimum(np.searchsorted(known[:, 0], digests[:, 0]), len(known) - 1)
        same = (known[places] == digests).all(axis=1) & ~np.isin(there["rows"][places], self.gone)
        return np.where(same, there["rows"][places], NOBODY)

    def load_blocks(self) -> dict[str, Array]:
        """The row (`rows`) of each block's document, and the number of the block there (`numbers`)."""
        return load_arrays(self.folder / "blocks")


@dataclass(frozen=True)
class Index:
    """An n-gram index, as its card was when it was read."""

    folder: Path
    recipe: Mapping[str, Any]
    """The settings that its n-grams were made with."""
    segments: tuple[Segment, ...]
    name: str = ""
    """What the ids of its documents begin with: the name of its corpus, or nothing if it is the same corpus."""

    @classmethod
    def read(cls, folder: Path, *, same_corpus: bool = False) -> Index:
        """Read the card in the folder of an index."""
        corpus = folder.parent
        try:
            card = json.loads((folder / INDEX_CARD).read_text("utf-8"))
        except FileNotFoundError:
            raise UsageError(f"there is no n-gram index of {corpus}: make it with `gristmill dedup {corpus}`") from None
        except (OSError, ValueError) as error:
            raise GristmillError(f"can't read {folder / INDEX_CARD}: {error}") from error
        what, remedy = f"the n-gram index of {corpus}", f"make it anew with `gristmill dedup {corpus}`"
        check_format(card.get("format") if isinstance(card, dict) else None, FORMAT, what, remedy)
        fault = misfit(card, _SHAPE, INDEX_CARD) or next(filter(None, map(_fault, card["segments"])), "")
        if fault:
            raise GristmillError(f"{what} is damaged ({fault}): {remedy}")
        name = "" if same_corpus else corpus.resolve().name
        segments = tuple(Segment.from_table(folder, entry) for entry in card["segments"])
        return cls(folder, {key: card[key] for key in _RECIPE}, segments, name)

    def commit(self) -> None:
        """Let its segments be those of the index, and take away what others there are."""
        card = dict(self.recipe) | {"format": FORMAT, "segments": [segment.to_table() for segment in self.segments]}
        write_atomically(self.folder / INDEX_CARD, json.dumps(card).encode())
        self.prune()

    def prune(self) -> None:
        """Take away what is no part of it: segments that were merged, or never finished."""
        listed = {INDEX_CARD, *(segment.folder.name for segment in self.segments)}
        for path in self.folder.iterdir():
            if path.name not in listed:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def check(self, settings: Settings) -> None:
        """Raise if its n-grams were made in another way than with these settings."""
        for name, value in recipe(settings).items():
            if self.recipe[name] != value:
                raise UsageError(
                    f"{self.folder.parent} was de-duplicated with {name} = {self.recipe[name]}, not {value}: "
                    "use the same for both"
                )

    @property
    def is_whole(self) -> bool:
        """Whether all files of its segments are there."""
        return all(segment.is_whole for segment in self.segments)

    @property
    def shards(self) -> list[str]:
        """The names of all shards whose n-grams it has."""
        return [shard for segment in self.segments for shard in segment.shards]

    @property
    def rows(self) -> int:
        """How many rows there are in all shards."""
        return self.segments[-1].rows[-1] if self.segments else 0

    @property
    def blocks(self) -> int:
        """How many blocks there are in all segments."""
        return self.segments[-1].first_block + self.segments[-1].blocks if self.segments else 0

    @property
    def ids(self) -> Ids:
        """The names of its documents."""
        starts = [0, *(row for segment in self.segments for row in segment.rows[1:])]
        return Ids(self.shards, starts, folder=self.name)

    def find(self, hashes: Hashes) -> tuple[Ints, Bytes]:
        """For each of some sorted hashes the block in which the n-gram begins first, and how many more it runs into.

        The block is `NOBODY` if the n-gram is in no segment.
        """
        blocks, spans = np.full(len(hashes), NOBODY, np.int64), np.zeros(len(hashes), np.uint8)
        for segment in self.segments:
            missing = np.flatnonzero(blocks == NOBODY)
            blocks[missing], spans[missing] = segment.find(hashes[missing])
        return blocks, spans

    def copies(self, digests: Hashes) -> Ints:
        """For each of some digests the row of the first document with the same text; `NOBODY` if there is none."""
        found = np.full(len(digests), NOBODY, np.int64)
        for segment in self.segments:
            missing = np.flatnonzero(found == NOBODY)
            found[missing] = segment.copies(digests[missing])
        return found

    def whereabouts(self, blocks: Ints) -> tuple[Ints, Ints]:
        """The row of the document of each of some blocks, and the number of the block there."""
        rows, numbers = np.empty(len(blocks), np.int64), np.empty(len(blocks), np.int64)
        for segment, here in self._by_segment(blocks, [segment.first_block for segment in self.segments]):
            there = segment.load_blocks()
            rows[here] = there["rows"][blocks[here] - segment.first_block]
            numbers[here] = there["numbers"][blocks[here] - segment.first_block]
        return rows, numbers

    def blocks_of(self, rows: Ints) -> Iterator[tuple[dict[str, Array], Ints]]:
        """What is known of blocks, segment by segment, and which of some documents have their blocks there."""
        for segment, here in self._by_segment(rows, [segment.rows[0] for segment in self.segments]):
            yield segment.load_blocks(), here

    def _by_segment(self, numbers: Ints, starts: list[int]) -> Iterator[tuple[Segment, Ints]]:
        """Each segment, and which of some numbers are its own, given at which number each begins."""
        of_number = np.searchsorted(np.array(starts, np.int64), numbers, side="right") - 1
        for segment in np.unique(of_number).tolist():
            yield self.segments[segment], np.flatnonzero(of_number == segment)


def recipe(settings: Settings) -> dict[str, Any]:
    """The settings that decide what n-grams are."""
    return {name: getattr(settings, name) for name in _RECIPE}


def check_indexes(corpora: Sequence[Path], settings: Settings) -> tuple[Index, ...]:
    """The indexes of other corpora, if they were made with the same settings."""
    indexes = tuple(Index.read(corpus / INDEX) for corpus in corpora)
    for index in indexes:
        index.check(settings)
    return indexes


def known_indexes(plan: Plan) -> tuple[Index, ...]:
    """The indexes of text that counts as there already, as a plan lists them. A process reads them once for a run."""
    if not plan.known:
        return ()
    status = plan.card.stat()
    return _known_indexes(plan.known, plan.card, status.st_mtime_ns)


@lru_cache(1)
def _known_indexes(known: tuple[tuple[Path, bool], ...], card: Path, written: int) -> tuple[Index, ...]:
    """Read indexes, for the run whose card was written at some time: by the next run they may have changed."""
    del card, written
    return tuple(Index.read(folder, same_corpus=same_corpus) for folder, same_corpus in known)


def _fault(entry: Mapping[str, Any]) -> str:
    """What is wrong with a segment that a card lists, or nothing; its name may lead out of the index."""
    if not _SEGMENT_NAME.fullmatch(entry["name"]):
        return f"{entry['name']!r} can't be the name of a segment"
    if len(entry["rows"]) != len(entry["shards"]) + 1:
        return "the rows and the shards of a segment don't fit together"
    return "" if 0 <= entry["bits"] <= _MAX_BITS else f"{entry['bits']} can't be a number of bits"
