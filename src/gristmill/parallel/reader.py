"""Read a parallel corpus: its two languages, the pairs of pages, and the beads that a selection keeps of them.

corpus = ParallelCorpus("pairs")                # made by `gristmill parallel corpus en de -o pairs`
for batch in corpus.beads():                    # batches of Arrow, with the columns of `FOUND_SCHEMA`
    ...
corpus.directed("de", "en").beads()             # the same beads with German as the source
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ints
from gristmill.corpus.reader import CorpusReader, folder_of, opened
from gristmill.errors import GristmillError, UsageError
from gristmill.parallel.records import BEADS_SCHEMA, DESCRIPTION, SIDES, beads_of, pairs_of
from gristmill.parallel.selection import PairSelection
from gristmill.shards import Shard, read_batches, read_columns

_CODE = re.compile(r"[A-Za-z0-9]{1,12}(?:-[A-Za-z0-9]{1,12}){0,4}")
_BATCH_BEADS = 4096
"""Beads that are read together."""
_RATIO_STEPS = 64
"""Steps of an octave in which ratios of lengths are counted, to find the median without having all in memory."""
_RATIO_OCTAVES = 12

_OF_PAIR = {"page_score": pa.float32()}
_OF_SIDE = {"document": pa.string(), "id": pa.string(), "url": pa.string()}
FOUND_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        *BEADS_SCHEMA,
        *(pa.field(name, kind, nullable=False) for name, kind in _OF_PAIR.items()),
        *(pa.field(f"{side}_{name}", kind, nullable=False) for side in SIDES for name, kind in _OF_SIDE.items()),
    ]
)
"""A bead with where it is from.

`id` is the shard and the row of the bead; `page_score` is the score of its pair of pages. Of each side there are the id
of the document in the parallel corpus (`source_document`) and in the corpus that this is of (`source_id`), and `url`.
"""


@dataclass(frozen=True, slots=True)
class FoundBeads:
    """Some beads of a shard, one after the other, with the rows of their documents."""

    shard: Shard
    beads: pa.RecordBatch
    """Columns of `FOUND_SCHEMA`."""
    numbers: Ints
    """The row of each bead in `beads.parquet`."""
    rows: tuple[Ints, Ints]
    """The row of the document of each bead in its shard: of the source, of the target."""

    def take(self, places: Ints) -> FoundBeads:
        """Take some of them."""
        source, target = self.rows
        return FoundBeads(
            self.shard, self.beads.take(pa.array(places)), self.numbers[places], (source[places], target[places])
        )

    def __len__(self) -> int:
        return int(self.beads.num_rows)


class ParallelCorpus:
    """A parallel corpus on disk, read in one of its two directions."""

    def __init__(self, folder: str | os.PathLike[str], languages: Sequence[str] | None = None) -> None:
        """Open a parallel corpus; raises if the folder is none.

        `languages` are the source and the target, if these should not be as they were when it was made.
        """
        self.reader: CorpusReader = opened(folder)
        self.stored_languages = languages_of(self.folder)
        """The source and the target as they are in the files."""
        self.languages = self.stored_languages if languages is None else self._checked(languages)
        """The source and the target."""

    def _checked(self, languages: Sequence[str]) -> tuple[str, str]:
        given = tuple(languages)
        if given not in {self.stored_languages, self.stored_languages[::-1]}:
            raise UsageError(
                f"the pairs in {self.folder} are of {' and '.join(self.stored_languages)}, not of {' and '.join(given)}"
            )
        return given[0], given[1]

    def __repr__(self) -> str:
        return f"<ParallelCorpus {self.folder}: {'-'.join(self.languages)}>"

    def __fspath__(self) -> str:
        """Return the folder: a parallel corpus can stand wherever the folder of a corpus can."""
        return str(self.folder)

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.reader.folder

    @property
    def shards(self) -> list[Shard]:
        """Its shards, in order."""
        return self.reader.shards

    @cached_property
    def counts(self) -> dict[str, Any]:
        """How many pairs of pages, beads, candidates that lost, and pages without a pair, these by reason."""
        return dict(description_of(self.folder).get("counts", {}))

    @property
    def swapped(self) -> bool:
        """Whether it is read in the other direction than the one in which it is stored."""
        return self.languages != self.stored_languages

    def directed(self, source: str, target: str) -> ParallelCorpus:
        """Return the same corpus, read from one of its languages to the other."""
        return ParallelCorpus(self.reader, (source, target))

    def pairs(self, *, dropped: bool = False) -> Iterator[pa.RecordBatch]:
        """Yield the pairs of pages, in batches of `PAIRS_SCHEMA`; with `dropped`, candidates that lost, too."""
        for shard in self.shards:
            for batch in read_batches(pairs_of(shard), rows=_BATCH_BEADS):
                kept = batch if dropped else batch.filter(pc.equal(batch.column("dropped"), ""))
                yield _swapped(kept) if self.swapped else kept

    def beads(
        self, selection: PairSelection | None = None, why: Counter[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the beads that a selection keeps, in batches of the columns of `FOUND_SCHEMA`.

        `why` counts the beads that are left out, by the thresholds that leave them out.
        """
        for shard in self.shards:
            for found in self.shard_beads(shard, selection, why):
                yield found.beads

    def shard_beads(
        self, shard: Shard, selection: PairSelection | None = None, why: Counter[str] | None = None
    ) -> Iterator[FoundBeads]:
        """Yield the beads of one shard that a selection keeps, with the rows of their documents."""
        selection = self.judged(selection or PairSelection())
        pairs = _PagePairs.of(shard)
        row = 0
        for batch in read_batches(beads_of(shard), rows=_BATCH_BEADS):
            numbers = batch.column("pair").to_numpy().astype(np.int64)
            completed = pairs.completed(batch, numbers, shard.name, row)
            places = np.arange(row, row + batch.num_rows)
            row += batch.num_rows
            if self.swapped:
                completed = _swapped(completed)
            source, target = pairs.sources[numbers], pairs.targets[numbers]
            found = FoundBeads(shard, completed, places, (target, source) if self.swapped else (source, target))
            kept, reasons = selection.judge(completed)
            if why is not None:
                why.update(reasons)
            if kept.all():
                yield found
            elif kept.any():
                yield found.take(np.flatnonzero(kept))

    def judged(self, selection: PairSelection) -> PairSelection:
        """Tell a selection what it has to know of this corpus: its languages, and how long translations usually are."""
        if selection.expected:
            return selection
        return dataclasses.replace(selection, expected=self.languages, usual_ratio=self.usual_ratio)

    @property
    def usual_ratio(self) -> float:
        """How many characters of the target stand for one of the source: the median over all 1-1 beads."""
        return 1 / self._stored_ratio if self.swapped else self._stored_ratio

    @cached_property
    def _stored_ratio(self) -> float:
        """Find the median by counting ratios in steps of an octave's 64th, which is exact to a hundredth."""
        counts = np.zeros(2 * _RATIO_OCTAVES * _RATIO_STEPS + 1, np.int64)
        for shard in self.shards:
            table = read_columns(beads_of(shard), ["length_ratio", "source_count", "target_count"])
            ratios, sources, targets = (table.column(name).to_numpy() for name in table.schema.names)
            ratios = ratios[(sources == 1) & (targets == 1) & (ratios > 0)].astype(np.float64)
            steps = np.rint(np.log2(ratios).clip(-_RATIO_OCTAVES, _RATIO_OCTAVES) * _RATIO_STEPS)
            counts += np.bincount((steps + _RATIO_OCTAVES * _RATIO_STEPS).astype(np.int64), minlength=len(counts))
        before = np.cumsum(counts)
        if not before[-1]:
            return 1.0
        middle = int(np.searchsorted(before, (before[-1] + 1) // 2))
        return float(2.0 ** ((middle - _RATIO_OCTAVES * _RATIO_STEPS) / _RATIO_STEPS))


@dataclass(frozen=True, slots=True)
class _PagePairs:
    """What is known of the pairs of pages of a shard, as columns."""

    sources: Ints
    targets: Ints
    columns: pa.RecordBatch
    """The columns that beads get from their pairs."""

    @classmethod
    def of(cls, shard: Shard) -> _PagePairs:
        table = read_columns(pairs_of(shard), ["source", "target", "source_id", "target_id", "score"])
        documents = read_columns(shard.documents, ["id", "url"])
        rows = [table.column(side).to_numpy().astype(np.int64) for side in SIDES]
        columns = {"page_score": table.column("score").combine_chunks()}
        for side, places in zip(SIDES, rows, strict=True):
            taken = documents.take(pa.array(np.maximum(places, 0)))  # candidates that lost may be in no shard
            columns[f"{side}_document"] = taken.column("id").combine_chunks()
            columns[f"{side}_id"] = table.column(f"{side}_id").combine_chunks()
            columns[f"{side}_url"] = taken.column("url").combine_chunks()
        return cls(rows[0], rows[1], pa.RecordBatch.from_pydict(columns))

    def completed(self, batch: pa.RecordBatch, numbers: Ints, shard: str, first: int) -> pa.RecordBatch:
        """Add to beads what is known of their pairs, and their ids."""
        ids = pa.array([f"{shard}-{row:06d}" for row in range(first, first + batch.num_rows)], pa.string())
        more = self.columns.take(pa.array(numbers))
        known = {"id": ids, **dict(zip(batch.schema.names, batch.columns, strict=True))}
        known |= dict(zip(more.schema.names, more.columns, strict=True))
        return pa.RecordBatch.from_arrays([known[name] for name in FOUND_SCHEMA.names], schema=FOUND_SCHEMA)


def description_of(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what a parallel corpus says of itself; raises if the folder holds none."""
    place = folder_of(folder)
    try:
        return tomllib.loads((place / DESCRIPTION).read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"the corpus in {place} has no pairs of pages and sentences: make some with "
            f"`gristmill parallel {place} en de -o pairs`, and give that folder"
        ) from None
    except (OSError, ValueError) as error:
        raise GristmillError(f"can't read {place / DESCRIPTION}: {error}") from error


def languages_of(folder: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the source and the target of the parallel corpus in a folder; raises if it is none."""
    languages, place = description_of(folder).get("languages"), folder_of(folder)
    if not (isinstance(languages, list) and len(languages) == len(SIDES) and all(map(_is_code, languages))):
        raise GristmillError(f"{place / DESCRIPTION} does not say which two languages the pairs are of")
    return languages[0], languages[1]


def _is_code(lang: object) -> bool:
    """Tell whether something can be the code of a language: files are named by it."""
    return isinstance(lang, str) and _CODE.fullmatch(lang) is not None


def check_languages(corpus: CorpusReader, languages: tuple[str, str]) -> None:
    """Raise if two languages are one, or a corpus has no documents in one of them."""
    if languages[0] == languages[1]:
        raise UsageError(f"these must be two languages, not {languages[0]} twice")
    there = corpus.size["languages"]
    for lang in languages:
        if lang not in there:
            known = ", ".join(f"{name} {count:,}" for name, count in there.items()) or "none"
            raise UsageError(f"the corpus in {corpus.folder} has no documents in {lang!r} (it has: {known})")


def is_parallel(folder: str | os.PathLike[str]) -> bool:
    """Tell whether a corpus is a parallel one."""
    return (folder_of(folder) / DESCRIPTION).is_file()


def refuse_parallel(folder: Path) -> None:
    """Raise if a corpus is a parallel one, to which nothing can be added."""
    if is_parallel(folder):
        raise UsageError(f"{folder} is a parallel corpus: add to the corpus that it is of, and pair its pages anew")


def _swapped(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Make the source the target, and the other way round: columns stay in their places."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns = {_other_side(name): column for name, column in columns.items()}
    if "length_ratio" in columns:
        ratios = columns["length_ratio"].to_numpy()
        inverse = np.divide(1, ratios, out=np.zeros(len(ratios), np.float32), where=ratios > 0)
        columns["length_ratio"] = pa.array(inverse, pa.float32())
    return pa.RecordBatch.from_arrays([columns[name] for name in batch.schema.names], schema=batch.schema)


def _other_side(name: str) -> str:
    for one, other in (SIDES, SIDES[::-1]):
        if name == one or name.startswith(f"{one}_"):
            return other + name.removeprefix(one)
    return name
