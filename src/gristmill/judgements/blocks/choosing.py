"""Which page is judged next: one that the method is least sure of (active learning), a random one, or a given one.

A method is not sure of a block whose score is near the threshold. A page is worth a look if much of its text is in such
blocks: its value is the mean entropy of its blocks, weighted by their words. Pages of one site are alike, so a page
counts for less the more pages of its site the annotator has judged. All that is computed from the columns of the
corpus, once for each shard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.corpus import CorpusReader
from gristmill.document import document_id
from gristmill.errors import UsageError
from gristmill.judgements.blocks.pages import MAX_BLOCKS
from gristmill.judgements.blocks.store import BlockStore
from gristmill.shards import Shard, read_batches

ORDERS = ("unsure", "random", "list")
"""How the next page is chosen."""
MIN_WORDS = 20
"""Words that a page needs to be chosen by itself."""
_HOST = r"^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?(?P<host>[^/?#:]+)"
_BLOCK = "blocks.list.element."
_COLUMNS = ["url", "dropped", "max_boilerplate", f"{_BLOCK}score", f"{_BLOCK}words"]
_MAX_SHARDS_CACHED = 1_000


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pages of a shard: which can be judged, how unsure the method is of each, and a number for its host."""

    fit: Flags
    uncertainty: Floats
    hosts: Ints


def choose(
    corpus: CorpusReader, store: BlockStore, annotator: str, order: str = "unsure", *, seed: int = 0, but: str = ""
) -> str:
    """Choose a page that the annotator has not finished, other than `but`; empty if there is none left.

    With the same seed, the random order is the same for all annotators, so that their judgements can be compared.
    """
    if order not in ORDERS:
        raise UsageError(f"there is no order {order!r} (there are: {', '.join(ORDERS)})")
    finished = {visit.page for visit in store.visits(annotator) if visit.finished} | {but}
    if order == "list":
        return next((page for page in store.listed() if page not in finished), "")
    shards = corpus.shards
    found = [_candidates(shard) for shard in shards]
    fits = [_left(corpus, shard, one, finished) for shard, one in zip(shards, found, strict=True)]
    if order == "random":
        values = [_random_values(shard, len(one.fit), seed) for shard, one in zip(shards, found, strict=True)]
    else:
        judged = _judged_hosts(shards, found, finished)
        values = [one.uncertainty / (1 + _times(judged, one.hosts)) for one in found]
    best = max(
        (
            (float(value[fit].max()), -number)
            for number, (value, fit) in enumerate(zip(values, fits, strict=True))
            if fit.any()
        ),
        default=None,
    )
    if best is None:
        return ""
    number = -best[1]
    row = int(np.argmax(np.where(fits[number], values[number], -1.0)))
    return document_id(shards[number].name, row)


def _left(corpus: CorpusReader, shard: Shard, found: Candidates, finished: set[str]) -> Flags:
    """Tell which pages of a shard can be chosen."""
    flags = found.fit.copy()
    flags[[row for row in corpus.replaced(shard) if row < len(flags)]] = False
    flags[_rows(shard, finished, len(flags))] = False
    return flags


def _rows(shard: Shard, pages: set[str], size: int) -> list[int]:
    numbers = (page.rpartition("-") for page in pages)
    return [int(row) for name, _, row in numbers if name == shard.name and row.isdecimal() and int(row) < size]


def _judged_hosts(shards: Sequence[Shard], found: Sequence[Candidates], finished: set[str]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for shard, one in zip(shards, found, strict=True):
        counts.update(one.hosts[_rows(shard, finished, len(one.hosts))].tolist())
    return counts


def _times(counts: Counter[int], hosts: Ints) -> Floats:
    times = np.zeros(len(hosts))
    for host, number in counts.items():
        times[hosts == host] = number
    return times


def _random_values(shard: Shard, size: int, seed: int) -> Floats:
    """Values by which the pages of a shard are in a random order, among those of other shards, too."""
    start = xxhash.xxh3_64_intdigest(f"{seed} {shard.name}".encode())
    return np.random.default_rng(start).random(size)


def _candidates(shard: Shard) -> Candidates:
    about = shard.documents.stat()
    return _computed(shard.documents, about.st_mtime_ns, about.st_size, about.st_ino)


@lru_cache(_MAX_SHARDS_CACHED)
def _computed(path: Path, *_state: int) -> Candidates:
    """Compute the candidates of a shard, again if its file is another one."""
    parts = [_of_batch(batch) for batch in read_batches(path, _COLUMNS, rows=2_000)]
    if not parts:
        return Candidates(np.zeros(0, np.bool_), np.zeros(0), np.zeros(0, np.int64))
    return Candidates(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_batch(batch: pa.RecordBatch) -> tuple[Flags, Floats, Ints]:
    lists = batch.column("blocks")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets -= offsets[0]
    counts = np.diff(offsets)
    thresholds = np.repeat(batch.column("max_boilerplate").to_numpy(), counts)
    words = values.field("words").to_numpy().astype(np.float64)
    owners = np.repeat(np.arange(len(counts)), counts)
    unsure = entropy(values.field("score").to_numpy(), thresholds)
    total = np.bincount(owners, words, len(counts))
    mean = np.bincount(owners, words * unsure, len(counts)) / np.maximum(total, 1)
    kept = pc.equal(batch.column("dropped"), "").to_numpy(zero_copy_only=False)
    fit = kept & (total >= MIN_WORDS) & (counts > 0) & (counts <= MAX_BLOCKS)
    return fit, mean, _hosts(batch.column("url"))


def entropy(scores: Floats, thresholds: Floats | float = 0.5) -> Floats:
    """How unsure a method is of blocks with these scores, in bits: 1 at the threshold, 0 at scores of 0 and 1."""
    low = np.maximum(thresholds, 1e-9)
    high = np.maximum(1 - np.asarray(thresholds), 1e-9)
    share = np.where(scores <= thresholds, 0.5 * scores / low, 0.5 + 0.5 * (scores - thresholds) / high)
    share = np.clip(share, 1e-12, 1 - 1e-12)
    bits: Floats = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return bits


def _hosts(urls: pa.StringArray) -> Ints:
    """Number the hosts of addresses: equal ones have equal numbers, in all shards."""
    found = pc.struct_field(pc.extract_regex(urls, _HOST), "host").fill_null("").dictionary_encode()
    numbers = [xxhash.xxh3_64_intdigest(host.lower().encode()) >> 1 for host in found.dictionary.to_pylist()]
    taken: Ints = np.array(numbers, np.int64)[found.indices.to_numpy()]
    return taken
