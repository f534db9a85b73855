"""The size of a corpus after each stage, in documents, words, tokens and bytes, and the time that stages took.

These are Table 3.8 and Table 3.7 of Pomikálek 2011 (3.6.5) and Table 2 of PRESEMT D3.1.3 (section 7). Words are what
stands between white space, as `wc -w` counts them (in scripts without spaces they are estimated); tokens are words,
numbers and marks, as de-duplication finds them. There are no words before a page is cleaned: the thesis's "original
corpus" is all text of the pages that were cleaned. The order is ours: languages are told before texts are compared, and
what other filters left out has a row of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ints
from gristmill.corpus.reader import REPLACED, CorpusReader
from gristmill.engine import Report, silent
from gristmill.experiment import SHARE, Experiment, Section
from gristmill.literature.experiments.shards import (
    COPY,
    ReadTask,
    outcomes_with_copies,
    read_texts,
    results_of,
    tokens_of,
)
from gristmill.notebook import Value
from gristmill.registry import part
from gristmill.report.outcomes import BOILERPLATE, DUPLICATE, KEPT, ROLE, STUB, Batch
from gristmill.shards import read_columns
from gristmill.stages.times import times_of
from gristmill.table import Column

_UNREAD, _CLEANING, _LANGUAGE, _FILTERS, _VERSIONS, _COPIES, _BLOCKS, _END = range(8)
"""The steps at which a block can be left out; what is kept comes to the end."""
_STEPS = {
    BOILERPLATE: _CLEANING,
    ROLE: _CLEANING,
    "language": _LANGUAGE,
    "foreign": _LANGUAGE,
    REPLACED: _VERSIONS,
    COPY: _COPIES,
    DUPLICATE: _BLOCKS,
    STUB: _BLOCKS,
    KEPT: _END,
}
_LABELS = {
    _UNREAD: "all text of cleaned pages",
    _CLEANING: "after removing boilerplate",
    _LANGUAGE: "after language filtering",
    _FILTERS: "after other filters",
    _VERSIONS: "after removing older versions",
    _COPIES: "after removing whole copies",
    _BLOCKS: "after removing repeated blocks",
}
_UNITS = ("blocks", "words", "tokens", "bytes")
_COLUMNS = (
    Column("stage"),
    Column("documents"),
    Column("words"),
    Column("share", "of before", SHARE),
    Column("tokens"),
    Column("bytes"),
)
_TIME_COLUMNS = (
    Column("stage"),
    Column("seconds", show="{:,.1f}".format),
    Column("workers"),
    Column("done"),
    Column("units"),
    Column("ended"),
)


@dataclass(slots=True)
class Sizes:
    """How much was left out at each step: a row a step, and columns for blocks, words, tokens and bytes."""

    amounts: Array = field(default_factory=lambda: np.zeros((_END + 1, len(_UNITS)), np.int64))
    documents: Array = field(default_factory=lambda: np.zeros(_END + 1, np.int64))
    """Documents by the last step that a block of theirs came to."""
    pages: int = 0
    volume: int = 0
    """Pages, and bytes of all pages as they were fetched."""
    archives: int = 0
    """Bytes of the files that were read."""

    def add(self, other: Sizes) -> None:
        """Add those of other shards."""
        self.amounts += other.amounts
        self.documents += other.documents
        self.pages += other.pages
        self.volume += other.volume
        self.archives += other.archives


@dataclass(frozen=True, slots=True)
class _SizeTask(ReadTask):
    def run(self, report: Report) -> Sizes:
        """Add up the blocks of a shard by the step at which they are left out."""
        sizes = Sizes()
        for batch, texts in read_texts(self.shard, self.replaced):
            _add(sizes, batch, texts)
        sizes.volume = pc.sum(read_columns(self.shard.documents, ["size"])["size"]).as_py() or 0
        listed = read_columns(self.shard.sources, ["size", "start"])
        sizes.archives = (pc.sum(listed["size"]).as_py() or 0) - (pc.sum(listed["start"]).as_py() or 0)
        report(self.cost)
        return sizes


def _add(sizes: Sizes, batch: Batch, texts: pa.StringArray) -> None:
    outcomes = outcomes_with_copies(batch)
    steps = np.array([_STEPS.get(name, _FILTERS) for name in outcomes.values], np.int64)[outcomes.codes]
    tokens = tokens_of(texts, np.arange(len(texts))).counts
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    for unit, amount in enumerate((np.ones(len(texts)), batch.words, tokens, lengths)):
        sizes.amounts[:, unit] += np.bincount(steps, amount, _END + 1).astype(np.int64)
    last = np.where(batch.cleaned, _CLEANING, _UNREAD)
    np.maximum.at(last, batch.owners, steps)
    sizes.documents += np.bincount(last, minlength=_END + 1)
    sizes.pages += batch.documents.num_rows


@part("experiment", "stages")
def stages(corpus: CorpusReader, *, workers: int | None = 1, report: Report = silent) -> Experiment:
    """Show documents, words, tokens and bytes after each stage, each with its share of the stage before."""
    tasks = [_SizeTask(shard, tuple(sorted(corpus.replaced(shard)))) for shard in corpus.shards]
    total = Sizes()
    for sizes in results_of(tasks, workers, report):
        total.add(sizes)
    rows = _rows(total, corpus.counts["records"])
    times = [
        (time.stage, time.seconds, time.workers or None, time.done, time.units, time.ended)
        for time in times_of(corpus.folder)
    ]
    repeated = {name: value for name, value in corpus.manifest.dedup.items() if name not in {"blocks", "words"}}
    return Experiment(
        "stages",
        "Size after each stage",
        [
            Section("stages", "Size after each stage", _COLUMNS, rows),
            Section("times", "Time of the stages, on this machine", _TIME_COLUMNS, times),
        ],
        {"deduplication": repeated},
        note="" if times else "No time of a stage is known here: times are of the machine on which a stage ran.",
    )


def _rows(total: Sizes, records: int) -> list[list[Value]]:
    """Take what each step left out from what there was; steps at which nothing could be left out are passed over."""
    left: Ints = total.amounts.sum(axis=0)
    documents = int(total.documents[_CLEANING:].sum())
    rows: list[list[Value]] = [
        ["records read", records, None, None, None, total.archives],
        ["pages read", total.pages, None, None, None, total.volume],
    ]
    for step, label in _LABELS.items():
        before = int(left[1])
        left = left - total.amounts[step]
        documents = documents if step == _UNREAD else documents - int(total.documents[step])
        if step == _VERSIONS and not total.amounts[step].any():
            continue
        share = None if step == _UNREAD or not before else int(left[1]) / before
        rows.append([label, documents, int(left[1]), share, int(left[2]), int(left[3])])
    return rows
