"""Samples of sentence pairs: random ones, or balanced ones as PRESEMT's bilingual corpora were made.

A balanced sample has sentences of varied length from many sites: as many from each tenth of all lengths, and of these
always one of the site that has the fewest in the sample so far. It has 1-1 beads of high score alone, unless the
selection says otherwise. A sample depends on the texts and on the seed, not on how the corpus was divided.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.hashing import BASE, mix
from gristmill.corpus.attributes import host_of
from gristmill.errors import UsageError
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.parallel.repeats import pair_hashes
from gristmill.parallel.selection import PairSelection

LENGTH_CLASSES = 10
"""Parts of equal size into which beads are divided by their length."""
MIN_BALANCED_SCORE = 0.7
"""The score that the beads of a balanced sample have at least, if the selection has the default."""
_MAX_CHARACTERS = 10_000
"""Longer texts are counted as this long."""
_MAX_UINT64 = 0xFFFFFFFFFFFFFFFF

Chosen = dict[str, Ints]
"""Rows of `beads.parquet` that are in a sample, ascending, by the names of the shards."""


def sample_beads(
    corpus: ParallelCorpus,
    selection: PairSelection,
    count: int,
    *,
    balanced: bool = False,
    seed: int = 0,
    why: Counter[str] | None = None,
) -> Chosen:
    """Choose so many beads of those that a selection keeps; all, if there are no more."""
    if count < 1:
        raise UsageError(f"a sample has at least one sentence pair, not {count}")
    if balanced:
        return _by_shard(_balanced(corpus, selection, count, seed, why))
    return _by_shard(_random(corpus, selection, count, seed, why))


def for_balance(selection: PairSelection) -> PairSelection:
    """Make a selection stricter where it has the defaults: 1-1 beads, of high score."""
    plain = PairSelection()
    return dataclasses.replace(
        selection,
        kinds=selection.kinds or ("1-1",),
        min_score=MIN_BALANCED_SCORE if selection.min_score == plain.min_score else selection.min_score,
    )


@dataclass(frozen=True, slots=True, order=True)
class _Candidate:
    """A bead that may get into a sample: the smaller the number, the sooner."""

    number: int
    shard: str
    row: int


def _random_numbers(found: FoundBeads, seed: int) -> Hashes:
    """Give a pseudo-random number for each bead, by its texts."""
    hashes = pair_hashes(found.beads.column("source_text"), found.beads.column("target_text"))
    return mix(hashes ^ np.uint64((seed + 1) * BASE & _MAX_UINT64))


def _each(corpus: ParallelCorpus, selection: PairSelection, why: Counter[str] | None) -> Iterator[FoundBeads]:
    for shard in corpus.shards:
        yield from corpus.shard_beads(shard, selection, why)


def _random(
    corpus: ParallelCorpus, selection: PairSelection, count: int, seed: int, why: Counter[str] | None
) -> list[_Candidate]:
    best: list[_Candidate] = []
    for found in _each(corpus, selection, why):
        best = heapq.nsmallest(count, [*best, *_candidates(found, _random_numbers(found, seed), count)])
    return best


def _candidates(found: FoundBeads, numbers: Hashes, count: int) -> list[_Candidate]:
    """Make candidates of the beads with the smallest numbers."""
    order = np.argsort(numbers, kind="stable")[:count]
    rows = found.numbers[order].tolist()
    return [
        _Candidate(number, found.shard.name, row) for number, row in zip(numbers[order].tolist(), rows, strict=True)
    ]


def _balanced(
    corpus: ParallelCorpus, selection: PairSelection, count: int, seed: int, why: Counter[str] | None
) -> list[_Candidate]:
    """Read all beads twice: for the bounds of the classes of length, then for the candidates of each class and site.

    In memory there are no more than `count` candidates of each.
    """
    bounds = _length_bounds(corpus, selection, why)
    waiting: dict[tuple[int, str], list[_Candidate]] = defaultdict(list)
    for found in _each(corpus, selection, None):
        classes = np.searchsorted(bounds, _lengths(found), side="left")
        hosts = np.array(_hosts(found), object)
        numbers = _random_numbers(found, seed)
        for place in np.argsort(numbers, kind="stable").tolist():
            own = waiting[int(classes[place]), hosts[place]]
            own.append(_Candidate(int(numbers[place]), found.shard.name, int(found.numbers[place])))
        for key, own in waiting.items():
            if len(own) > count:
                waiting[key] = heapq.nsmallest(count, own)
    return _by_turns(waiting, count)


def _by_turns(waiting: dict[tuple[int, str], list[_Candidate]], count: int) -> list[_Candidate]:
    """Take from each class of length in turn, and there the next one of the site of which the fewest were taken."""
    taken: Counter[str] = Counter()
    queues: dict[int, dict[str, list[_Candidate]]] = defaultdict(dict)
    for (length, host), own in sorted(waiting.items()):
        queues[length][host] = sorted(own, reverse=True)  # the next one is the last
    heaps = {length: _Sites(sites, taken) for length, sites in queues.items()}
    found: list[_Candidate] = []
    while heaps and len(found) < count:
        for length in sorted(heaps):
            if len(found) == count:
                break
            candidate = heaps[length].next()
            if candidate is None:
                del heaps[length]
            else:
                found.append(candidate)
    return found


class _Sites:
    """The sites of one class of length, the one of which the fewest were taken first; equal ones by their numbers."""

    def __init__(self, sites: dict[str, list[_Candidate]], taken: Counter[str]) -> None:
        self._sites, self._taken = sites, taken
        self._heap = [(taken[host], own[-1].number, host) for host, own in sites.items()]
        heapq.heapify(self._heap)

    def next(self) -> _Candidate | None:
        """Take the next candidate; None if there is none. What was taken elsewhere meanwhile moves a site back."""
        while self._heap:
            count, number, host = self._heap[0]
            if count != self._taken[host]:
                heapq.heapreplace(self._heap, (self._taken[host], number, host))
                continue
            own = self._sites[host]
            candidate = own.pop()
            self._taken[host] += 1
            if own:
                heapq.heapreplace(self._heap, (self._taken[host], own[-1].number, host))
            else:
                heapq.heappop(self._heap)
            return candidate
        return None


def _lengths(found: FoundBeads) -> Ints:
    lengths = pc.utf8_length(found.beads.column("source_text")).to_numpy(zero_copy_only=False)
    counted: Ints = np.minimum(lengths, _MAX_CHARACTERS).astype(np.int64)
    return counted


def _hosts(found: FoundBeads) -> list[str]:
    coded = found.beads.column("source_url").dictionary_encode()
    hosts = list(map(host_of, coded.dictionary.to_pylist()))
    return [hosts[code] for code in coded.indices.to_pylist()]


def _length_bounds(corpus: ParallelCorpus, selection: PairSelection, why: Counter[str] | None) -> Ints:
    """Find the longest length of each class but the last, so that all have about as many beads."""
    counts = np.zeros(_MAX_CHARACTERS + 1, np.int64)
    for found in _each(corpus, selection, why):
        counts += np.bincount(_lengths(found), minlength=len(counts))
    before = np.cumsum(counts)
    wanted = np.arange(1, LENGTH_CLASSES) * before[-1] / LENGTH_CLASSES
    bounds: Ints = np.searchsorted(before, wanted)
    return bounds


def _by_shard(chosen: list[_Candidate]) -> Chosen:
    rows: dict[str, list[int]] = defaultdict(list)
    for candidate in chosen:
        rows[candidate.shard].append(candidate.row)
    return {shard: np.sort(np.array(own, np.int64)) for shard, own in rows.items()}
