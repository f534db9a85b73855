"""Repeated n-grams within one domain and across domains: Table 3.3 of Pomikálek 2011 (3.6.3).

An n-gram that occurs at least twice, all on pages of one domain, hints at copied text; one that is repeated on several
domains may be a phrase that people use. From the length on at which the number of the latter no longer falls, hardly
any n-gram is repeated by chance.

N-grams are counted in the text of documents that are no whole copies, before blocks are removed, as in the thesis; in
`kept` text on demand. They go across blocks, and not across documents. A domain is a host. What the thesis leaves open:
tokens are those of de-duplication, in their folded form (without capitals).

All n-grams of one length are held in memory if they are at most `MAX_NGRAMS`. If there are more, those whose hashes are
divisible by a number m stand for all: with each of them all its occurrences are seen, so it is judged rightly, and m
times their number estimates that of all (Broder 1997 samples shingles so).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import xxhash

from gristmill.arrays.dtypes import Array, Flags, Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.columns import Coded
from gristmill.corpus.attributes import host_of
from gristmill.corpus.reader import CorpusReader
from gristmill.curves import Axis, Curve, Panel
from gristmill.dedup.tokens import Tokens, shingle, without_stop_words
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
from gristmill.notebook import Value
from gristmill.registry import part
from gristmill.report.outcomes import Batch
from gristmill.scratch import scratch_folder
from gristmill.table import Column

LENGTHS = tuple(range(3, 13))
"""The lengths of n-grams in Table 3.3."""
STRATEGIES = ("all", "words", "content")
"""All tokens; without punctuation; without punctuation and stop words."""
MAX_NGRAMS = 16_000_000
_TITLES = {"all": "all tokens", "words": "no punctuation", "content": "no punct. and stop words"}
_LEGEND = "all: all tokens; words: without punctuation; content: without punctuation and stop words."
_COLUMNS = (
    Column("n"),
    *(
        Column(f"{kind}_{strategy}", f"{strategy}: {kind}" if kind == "cross" else kind)
        for strategy in STRATEGIES
        for kind in ("cross", "single")
    ),
)


def labelled(hashes: Hashes, domains: Ints) -> tuple[int, int]:
    """Count the different n-grams that occur at least twice: those on several domains, and those on a single one.

    N-grams a, b, a, c, b on the domains 1, 1, 2, 1, 1: a is cross-domain, b is single-domain, c is not repeated.
    """
    order = np.argsort(hashes, kind="stable")
    hashes, domains = hashes[order], domains[order]
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.zeros(0, np.int64)
    if not len(starts):
        return 0, 0
    repeated = np.diff(np.append(starts, len(hashes))) > 1
    single = np.minimum.reduceat(domains, starts) == np.maximum.reduceat(domains, starts)
    return int(np.count_nonzero(repeated & ~single)), int(np.count_nonzero(repeated & single))


@dataclass(frozen=True, slots=True)
class _TokenTask(ReadTask):
    """Puts the tokens of a shard aside, by all strategies, with the domain of each document."""

    folder: Path
    only_kept: bool

    def run(self, report: Report) -> dict[str, int]:
        """Write the tokens, and return how many there are."""
        parts: dict[str, list[Array]] = {}
        for batch, texts in read_texts(self.shard, self.replaced):
            chosen = kept(batch) if self.only_kept else before_deduplication(batch)
            parts.setdefault("domains", []).append(_domains(batch))
            for strategy, tokens in _by_strategy(batch, texts, chosen):
                parts.setdefault(strategy, []).append(tokens.hashes)
                parts.setdefault(f"{strategy}_counts", []).append(tokens.counts)
        arrays = {name: np.concatenate(items) for name, items in parts.items()}
        save_arrays(self.folder / f"{self.shard.name}.arrays", arrays)
        report(self.cost)
        return {strategy: len(arrays.get(strategy, ())) for strategy in STRATEGIES}


def _domains(batch: Batch) -> Ints:
    """Return a number for the host of each document, the same in all shards."""
    hosts = Coded.of(map(host_of, batch.documents.column("url").to_pylist()))
    numbers = [xxhash.xxh3_64_intdigest(host.encode()) >> 1 for host in hosts.values]
    found: Ints = np.array(numbers, np.int64)[hosts.codes] if numbers else np.zeros(0, np.int64)
    return found


def _by_strategy(batch: Batch, texts: pa.StringArray, chosen: Flags) -> Iterator[tuple[str, Tokens]]:
    """Tokenise the chosen blocks by each strategy; the tokens of a document are one text."""
    places = np.flatnonzero(chosen)
    documents = batch.documents.num_rows
    edges = np.searchsorted(batch.owners[places], np.arange(documents + 1))
    every, words = (_joined(tokens_of(texts, places, punctuation=flag), edges) for flag in (True, False))
    yield "all", every
    yield "words", words
    yield "content", without_stop_words(words, batch.documents.column("lang").to_pylist())


def _joined(tokens: Tokens, edges: Ints) -> Tokens:
    """Make one text of the blocks of each document; `edges` are the numbers of its first block and the one behind."""
    return Tokens(tokens.hashes, tokens.starts[edges], tokens.lettered)


@dataclass(frozen=True, slots=True)
class _CountTask:
    """Counts the repeated n-grams of one length and strategy, of all shards."""

    folder: Path
    shards: tuple[str, ...]
    strategy: str
    n: int
    every: int
    """One of so many n-grams is looked at."""
    cost: int

    @property
    def name(self) -> str:
        return f"{self.n}-grams, {self.strategy}"

    def run(self, report: Report) -> tuple[int, int]:
        hashes, domains = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for name in self.shards:
            some, where = _sampled(load_arrays(self.folder / f"{name}.arrays"), self.strategy, self.n, self.every)
            hashes.append(some)
            domains.append(where)
        report(self.cost)
        cross, single = labelled(np.concatenate(hashes), np.concatenate(domains))
        return cross * self.every, single * self.every


def _sampled(arrays: dict[str, Array], strategy: str, n: int, every: int) -> tuple[Hashes, Ints]:
    """Return the n-grams of a shard whose hashes are divisible, and the domain of each."""
    counts = arrays.get(f"{strategy}_counts", np.zeros(0, np.int64))
    starts = np.append(0, np.cumsum(counts))
    found = shingle(Tokens(arrays.get(strategy, np.zeros(0, np.uint64)), starts), n)
    domains = np.repeat(arrays.get("domains", np.zeros(0, np.int64)), np.diff(found.starts))
    if every == 1:
        return found.hashes, domains
    chosen = mix(found.hashes) % np.uint64(every) == 0
    return found.hashes[chosen], domains[chosen]


@part("experiment", "ngrams", draws=True, of_kept_text=True)
def ngrams(
    corpus: CorpusReader,
    *,
    lengths: Sequence[int] = LENGTHS,
    only_kept: bool = False,
    max_ngrams: int = MAX_NGRAMS,
    workers: int | None = 1,
    report: Report = silent,
) -> Experiment:
    """Count different repeated n-grams of some lengths by three strategies: on several domains, and on one."""
    if not lengths or min(lengths) < 1:
        raise UsageError("the lengths of n-grams are numbers from 1 on")
    replaced = {shard.name: tuple(sorted(corpus.replaced(shard))) for shard in corpus.shards}
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as temporary:
        folder = Path(temporary)
        reading = [_TokenTask(shard, replaced[shard.name], folder, only_kept) for shard in corpus.shards]
        counted = results_of(reading, workers, report)
        tokens = {strategy: sum(counts[strategy] for counts in counted) for strategy in STRATEGIES}
        every = {strategy: max(1, -(-number // max(max_ngrams, 1))) for strategy, number in tokens.items()}
        tasks = [
            _CountTask(folder, tuple(replaced), strategy, n, every[strategy], tokens[strategy])
            for n in lengths
            for strategy in STRATEGIES
        ]
        found = results_of(tasks, workers, silent)
    pairs = {(task.n, task.strategy): pair for task, pair in zip(tasks, found, strict=True)}
    rows: list[list[Value]] = [
        [n, *(number for strategy in STRATEGIES for number in pairs[n, strategy])] for n in lengths
    ]
    text = "kept text" if only_kept else "text before de-duplication"
    sampled = [f"{_TITLES[name]}: 1 of {number}" for name, number in every.items() if number > 1]
    return Experiment(
        "ngrams",
        "Repeated n-grams within and across domains",
        [Section("ngrams", f"Different repeated n-grams across domains and in a single one ({text})", _COLUMNS, rows)],
        {"tokens": tokens, "sampled": every, "text": "kept" if only_kept else "before"},
        [_panel(strategy, lengths, pairs) for strategy in STRATEGIES],
        " ".join([_LEGEND, *([f"Estimated from some of the n-grams ({'; '.join(sampled)})."] if sampled else [])]),
    )


def _panel(strategy: str, lengths: Sequence[int], pairs: dict[tuple[int, str], tuple[int, int]]) -> Panel:
    curves = [
        Curve(name, [(n, pairs[n, strategy][place]) for n in sorted(lengths)])
        for place, name in enumerate(("cross-domain", "single-domain"))
    ]
    return Panel(_TITLES[strategy], Axis("n"), Axis("different repeated n-grams", logarithmic=True), curves)
