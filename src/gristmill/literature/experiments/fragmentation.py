"""Into how many pieces the text of documents is broken, before and after de-duplication.

A fragment is a run of kept blocks of a document without a gap (Pomikálek 2011, 2.9.10: average and median length of a
fragment in characters, average number of fragments per document). The thesis finds that block-level de-duplication of
ClueWeb09 raised the number from 3.56 to 3.85 per document (3.6.5). Documents that are whole copies are left out before,
as they are there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.corpus.reader import CorpusReader
from gristmill.engine import Report, silent
from gristmill.experiment import SHARE, Experiment, Section
from gristmill.literature.experiments.shards import ReadTask, before_deduplication, kept, read_texts, results_of
from gristmill.notebook import Value
from gristmill.registry import part
from gristmill.table import Column

_LABELS = ("before de-duplication", "after de-duplication")
_COLUMNS = (
    Column("text"),
    Column("documents"),
    Column("fragments"),
    Column("per_document", "per document"),
    Column("mean", show="{:,.1f}".format),
    Column("median", show="{:,.1f}".format),
)
_COUNT_COLUMNS = (
    Column("fragments", "fragments each"),
    Column("before", "documents before"),
    Column("before_share", "of all", SHARE),
    Column("after", "documents after"),
    Column("after_share", "of all", SHARE),
)


@dataclass(slots=True)
class _Fragments:
    """Documents by how many fragments they have, and fragments by their lengths in characters."""

    per_document: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, other: _Fragments) -> None:
        self.per_document.update(other.per_document)
        self.lengths.update(other.lengths)

    @property
    def mean(self) -> float | None:
        total = self.lengths.total()
        return sum(length * count for length, count in self.lengths.items()) / total if total else None

    @property
    def median(self) -> float | None:
        """The middle length, or the mean of the two in the middle."""
        total = self.lengths.total()
        if not total:
            return None
        lengths = sorted(self.lengths)
        ends = np.cumsum([self.lengths[length] for length in lengths])
        lower, upper = (lengths[int(np.searchsorted(ends, place, "right"))] for place in ((total - 1) // 2, total // 2))
        return (lower + upper) / 2


def measured(owners: Ints, lengths: Ints, chosen: Flags) -> tuple[Ints, Ints]:
    """Find the fragments of some documents: the document of each, and its length with a space between two blocks.

    Blocks of the documents 0, 0, 0, 1 with 5, 9, 4 and 7 characters, all but the second chosen: fragments in 0, 0 and
    1, of 5, 4 and 7 characters. If all are chosen: one in 0, of 5 + 1 + 9 + 1 + 4 = 20, and one in 1, of 7.
    """
    goes_on = np.zeros(len(owners), np.bool_)
    goes_on[1:] = chosen[1:] & chosen[:-1] & (owners[1:] == owners[:-1])
    starts = np.flatnonzero(chosen & ~goes_on)
    if not len(starts):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    sums = np.add.reduceat(np.where(chosen, lengths, 0) + goes_on, starts)
    return owners[starts], sums.astype(np.int64)


@dataclass(frozen=True, slots=True)
class _FragmentTask(ReadTask):
    def run(self, report: Report) -> list[_Fragments]:
        """Count the fragments of a shard, before and after de-duplication."""
        found = [_Fragments(), _Fragments()]
        for batch, texts in read_texts(self.shard, self.replaced):
            lengths = _characters(texts)
            seen = lengths > 0  # an empty block is no gap
            for fragments, chosen in zip(found, (before_deduplication(batch), kept(batch)), strict=True):
                owners, sums = measured(batch.owners[seen], lengths[seen], chosen[seen])
                counts = np.bincount(owners, minlength=1)
                fragments.per_document.update(Counter(counts[counts > 0].tolist()))
                fragments.lengths.update(Counter(sums.tolist()))
        report(self.cost)
        return found


def _characters(texts: pa.StringArray) -> Ints:
    """Count the characters of each text, with white space as it stands."""
    found: Ints = pc.utf8_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


@part("experiment", "fragments")
def fragments(corpus: CorpusReader, *, workers: int | None = 1, report: Report = silent) -> Experiment:
    """Count the fragments of documents and their lengths, before and after de-duplication."""
    total = [_Fragments(), _Fragments()]
    tasks = [_FragmentTask(shard, tuple(sorted(corpus.replaced(shard)))) for shard in corpus.shards]
    for found in results_of(tasks, workers, report):
        for all_of_them, more in zip(total, found, strict=True):
            all_of_them.add(more)
    rows: list[list[Value]] = []
    for label, found in zip(_LABELS, total, strict=True):
        documents, number = found.per_document.total(), found.lengths.total()
        rows.append([label, documents, number, number / documents if documents else None, found.mean, found.median])
    before, after = (found.per_document for found in total)
    counts: list[list[Value]] = [
        [
            number,
            before[number],
            before[number] / max(before.total(), 1),
            after[number],
            after[number] / max(after.total(), 1),
        ]
        for number in sorted({*before, *after})
    ]
    sections = [
        Section("fragmentation", "Fragments of documents, and their lengths in characters", _COLUMNS, rows),
        Section("counts", "Documents by the number of their fragments", _COUNT_COLUMNS, counts, 10),
    ]
    return Experiment("fragments", "Fragmentation", sections)
