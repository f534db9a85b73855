"""How many pairs of documents are alike to which degree: Figure 3.6 of Pomikálek 2011 (3.6.2).

The resemblance of two documents is the share of their different shingles that both have (Broder 1997; thesis, 3.2.1),
here 10-grams of tokens without punctuation, between all pairs of documents that are no exact duplicates. The thesis
shows that pairs of an intermediate degree are far more frequent than nearly identical ones: those above 0.5 about ten
times as many as those above 0.9.

All pairs of at most `MAX_DOCUMENTS` are compared (the thesis had 19,703). Of a larger corpus that many documents are
drawn by a hash of their ids, and the number of pairs is an estimate: what was found, times the square of how many
documents stand behind each that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Array, Flags, Floats, Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.corpus.reader import CorpusReader
from gristmill.curves import Axis, Curve, Panel
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.experiment import Experiment, Section
from gristmill.literature.experiments.shards import (
    ReadTask,
    before_deduplication,
    kept,
    read_texts,
    results_of,
    tokens_of,
)
from gristmill.registry import part
from gristmill.report.outcomes import Batch
from gristmill.table import Column

NGRAM = 10
"""Tokens of a shingle."""
MAX_DOCUMENTS = 20_000
_STEPS = 100
"""Thresholds that are told apart, from 0 to 1."""
_COLUMNS = (Column("above", "resemblance above"), Column("pairs"))
_SHOWN = frozenset(range(0, _STEPS, 10)) | {5, 95, 99}


def resemblances(documents: Ints, shingles: Hashes, sizes: Ints) -> Iterator[Floats]:
    """Yield for each document its resemblances to those behind it with which it shares a shingle.

    `documents` and `shingles` are pairs of a document and a shingle in it, each once; `sizes` says how many shingles
    each document has. Shingles that occur in just the same documents are counted together: a passage that many pages
    share costs as much as one shingle.

    Documents 0 with the shingles a b c, 1 with b c d and 2 with d: a stands in one document and is passed over; b and c
    stand in 0 and 1 and count twice, d in 1 and 2. So 0 and 1 share 2 of 3 + 3 - 2 = 4 shingles, 1 and 2 share 1 of 3.
    """
    lists, owners, weights = _posting_lists(documents, shingles)
    starts = starts_of(lists)
    by_owner = np.argsort(owners, kind="stable")
    edges = np.searchsorted(owners[by_owner], np.arange(len(sizes) + 1))
    list_of = np.repeat(np.arange(len(lists)), lists)
    for document in range(len(sizes)):
        mine = by_owner[edges[document] : edges[document + 1]]
        # What stands behind the document in each of its lists, which are sorted.
        groups = list_of[mine]
        counts = starts[groups + 1] - mine - 1
        others = owners[concatenated_ranges(mine + 1, counts)]
        if not len(others):
            continue
        shared = np.bincount(others, np.repeat(weights[groups], counts), len(sizes))
        found = np.flatnonzero(shared)
        yield shared[found] / (sizes[document] + sizes[found] - shared[found])


def _posting_lists(documents: Ints, shingles: Hashes) -> tuple[Ints, Ints, Ints]:
    """Return lists of documents that share shingles: how long each is, the documents, and how many shingles have it."""
    order = np.lexsort((documents, shingles))
    documents, shingles = documents[order], shingles[order]
    starts = np.flatnonzero(np.append(True, shingles[1:] != shingles[:-1])) if len(shingles) else np.zeros(0, np.int64)
    lengths = np.diff(np.append(starts, len(shingles)))
    several = lengths > 1
    starts, lengths = starts[several], lengths[several]
    if not len(starts):
        empty = np.zeros(0, np.int64)
        return empty, empty, empty
    # A list is known by the sum of the hashes of its documents, and its length.
    sums = starts_of(np.zeros(len(documents), np.int64)).astype(np.uint64)
    np.cumsum(mix(documents.astype(np.uint64)), out=sums[1:])
    keys = mix(sums[starts + lengths] - sums[starts]) ^ lengths.astype(np.uint64)
    _, first, weights = np.unique(keys, return_index=True, return_counts=True)
    return lengths[first], documents[concatenated_ranges(starts[first], lengths[first])], weights


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Documents of a shard: a random number, the hash of the text, and the shingles of each."""

    order: Hashes
    digests: Array
    counts: Ints
    shingles: Hashes


@dataclass(frozen=True, slots=True)
class _OrderTask(ReadTask):
    """Lists the documents of a shard that have text to compare, by their random numbers."""

    only_kept: bool

    def run(self, report: Report) -> Hashes:
        found = [np.zeros(0, np.uint64)]
        for batch, _ in read_texts(self.shard, self.replaced):
            chosen = kept(batch) if self.only_kept else before_deduplication(batch)
            found.append(_order(self.shard.name, batch)[np.unique(batch.owners[chosen])])
        report(self.cost)
        return np.sort(np.concatenate(found))


def _order(shard: str, batch: Batch) -> Hashes:
    """Return a random number for each document, always the same."""
    seed = np.frombuffer(shard.encode().ljust(8, b" ")[-8:], np.uint64)
    return mix(mix(np.arange(batch.first, batch.first + batch.documents.num_rows, dtype=np.uint64)) ^ mix(seed))


@dataclass(frozen=True, slots=True)
class _ShingleTask(ReadTask):
    """Shingles the documents of a shard whose random numbers are not above a limit."""

    only_kept: bool
    limit: int

    def run(self, report: Report) -> _Drawn:
        parts = []
        for batch, texts in read_texts(self.shard, self.replaced):
            chosen = kept(batch) if self.only_kept else before_deduplication(batch)
            order = _order(self.shard.name, batch)
            chosen &= (order <= np.uint64(self.limit))[batch.owners]
            parts.append(_shingled(batch, texts, chosen, order))
        report(self.cost)
        return _Drawn(*(np.concatenate(items) for items in zip(*parts, strict=True))) if parts else _nothing()


def _nothing() -> _Drawn:
    numbers = np.zeros(0, np.uint64)
    return _Drawn(numbers, numbers, np.zeros(0, np.int64), numbers)


def _shingled(batch: Batch, texts: pa.StringArray, chosen: Flags, order: Hashes) -> tuple[Array, Array, Array, Array]:
    """Return random numbers, hashes of texts, numbers of different shingles, and the shingles."""
    places = np.flatnonzero(chosen)
    rows = np.unique(batch.owners[places])
    edges = np.append(np.searchsorted(batch.owners[places], rows), len(places))
    blocks = tokens_of(texts, places, punctuation=False)
    tokens = Tokens(blocks.hashes, blocks.starts[edges])
    found = shingle(tokens, NGRAM)
    owners = np.repeat(np.arange(len(rows)), np.diff(found.starts))
    sorted_ = np.lexsort((found.hashes, owners))
    owners, hashes = owners[sorted_], found.hashes[sorted_]
    fresh = np.append(True, (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1]))[: len(hashes)]
    counts = np.bincount(owners[fresh], minlength=len(rows))
    return order[rows], _digests(tokens), counts, hashes[fresh]


def _digests(tokens: Tokens) -> Hashes:
    """Return a hash of all tokens of each text."""
    places = np.arange(len(tokens.hashes), dtype=np.uint64) - np.repeat(tokens.starts[:-1], tokens.counts).astype(
        np.uint64
    )
    sums = starts_of(np.zeros(len(tokens.hashes), np.int64)).astype(np.uint64)
    np.cumsum(mix(tokens.hashes ^ mix(places)), out=sums[1:])
    return np.diff(sums[tokens.starts])


@part("experiment", "resemblance", draws=True, of_kept_text=True)
def resemblance(
    corpus: CorpusReader,
    *,
    only_kept: bool = False,
    max_documents: int = MAX_DOCUMENTS,
    workers: int | None = 1,
    report: Report = silent,
) -> Experiment:
    """Count the pairs of documents above each resemblance, before de-duplication or in the kept text."""
    if max_documents < 1:
        raise UsageError("at least one document must be compared")
    replaced = [(shard, tuple(sorted(corpus.replaced(shard)))) for shard in corpus.shards]
    orders = results_of([_OrderTask(shard, rows, only_kept) for shard, rows in replaced], workers, report)
    total, limit = _limit(orders, max_documents)
    tasks = [_ShingleTask(shard, rows, only_kept, limit) for shard, rows in replaced]
    drawn = results_of(tasks, workers, silent)
    compared, pairs, highest = _distribution(drawn)
    number = sum(len(shard.order) for shard in drawn)
    factor = (total / number) ** 2 if number else 1.0
    rows = [[step / _STEPS, round(int(pairs[step]) * factor)] for step in range(_STEPS)]
    text = "kept text" if only_kept else "text before de-duplication"
    points = [(above, float(count)) for above, count in rows]
    note = f"Estimated from {number:,} of {total:,} documents." if number < total else ""
    return Experiment(
        "resemblance",
        "Resemblance of documents",
        [
            Section(
                "thresholds",
                f"Pairs of documents ({text})",
                _COLUMNS,
                [row for step, row in enumerate(rows) if step in _SHOWN],
            ),
        ],
        {
            "documents": total,
            "drawn": number,
            "compared": compared,
            "highest": highest,
            "text": "kept" if only_kept else "before",
            "above": [count for _, count in rows],
        },
        [
            Panel(
                f"Pairs of documents ({text})",
                Axis("resemblance above", 0.0, 1.0),
                Axis("pairs", logarithmic=True),
                [Curve("pairs", points)],
            )
        ],
        note,
    )


def _limit(orders: list[Hashes], most: int) -> tuple[int, int]:
    """Return how many documents there are, and the random number up to which so many are drawn."""
    total = sum(map(len, orders))
    if total <= most:
        return total, 2**64 - 1
    lowest = np.zeros(0, np.uint64)
    for order in orders:
        lowest = np.sort(np.concatenate([lowest, order[:most]]))[:most]
    return total, int(lowest[-1])


def _distribution(drawn: list[_Drawn]) -> tuple[int, Ints, float]:
    """Compare all pairs: how many documents, how many pairs above each threshold, and the highest resemblance.

    Of documents with equal texts the first counts.
    """
    counts = np.concatenate([np.zeros(0, np.int64), *(shard.counts for shard in drawn)])
    shingles = np.concatenate([np.zeros(0, np.uint64), *(shard.shingles for shard in drawn)])
    digests = np.concatenate([np.zeros(0, np.uint64), *(shard.digests for shard in drawn)])
    _, first = np.unique(digests, return_index=True)
    first = np.sort(first)
    places = concatenated_ranges(starts_of(counts)[first], counts[first])
    sizes = counts[first]
    owners = np.repeat(np.arange(len(first)), sizes)
    bins, highest = np.zeros(_STEPS + 1, np.int64), 0.0
    for found in resemblances(owners, shingles[places], sizes):
        # Above step / 100 are those whose upper hundredth is more than the step: 0.5 is in bin 50, 0.501 in bin 51.
        bins += np.bincount(np.minimum(np.ceil(found * _STEPS - 1e-9).astype(np.int64), _STEPS), minlength=_STEPS + 1)
        highest = max(highest, float(found.max()))
    above: Ints = bins[::-1].cumsum()[::-1]
    return len(first), np.append(above[1:], 0), highest
