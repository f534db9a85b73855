"""A run of the method, round by round: independent tasks, and a small merge before the next round.

1. shingling (a task a shard): the n-grams of the kept text, to disk, by bucket;
2. repeats (a task a bucket): those that occur twice;
3. order: documents by rising share of these;
4. owners and verdicts, in turn until nothing changes: which occurrence is the first in kept text, and which blocks
   repeat too much;
5. first copies (a task a bucket, then one a shard): the result;
6. the index (a task a bucket): a segment with the n-grams of what is kept, merged with others if they are small.

If shards are settled, only those after them go through these rounds, compared with the index of the settled ones.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.exact import Catalogue
from gristmill.dedup.job import Job
from gristmill.dedup.onion.buckets import BYTES_PER_NGRAM
from gristmill.dedup.onion.chains import decide_in_order
from gristmill.dedup.onion.compaction import MergeBucket, first_to_merge, merge_documents, merged
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.onion.first_copies import WriteResult
from gristmill.dedup.onion.index import Index, Segment, check_indexes, recipe
from gristmill.dedup.onion.order import CountRepeats, rank_blocks
from gristmill.dedup.onion.owners import COUNTS, Cover, TellOwners, count_repeats
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.prepare import begin, clear, estimate, find_copies, merge_outlines
from gristmill.dedup.onion.repeats import FindRepeats, Repeats
from gristmill.dedup.onion.shingling import Shingling
from gristmill.dedup.onion.stored import read_copies, read_states
from gristmill.dedup.onion.storing import StoreBucket, store_documents
from gristmill.dedup.onion.stubs import drop_stubs
from gristmill.dedup.onion.verdicts import Judge
from gristmill.dedup.reading import largest_row_group
from gristmill.engine import Task
from gristmill.errors import GristmillError, UsageError

BUCKETS = "buckets"
"""The finder of duplicate n-grams that is built in."""

STORED = "stored verdicts"
"""What a run goes by that judges nothing, but makes an index."""

BASE_MEMORY = 300_000_000
"""What a worker needs apart from n-grams of buckets: the interpreter and its libraries, and a chunk of n-grams."""

BYTES_PER_TOKEN = 10
"""Memory of a task of a shard for each of its tokens, at most: a byte or two, and 200 for each block."""

BYTES_PER_BYTE = 5
"""What reading a large document takes for each byte of its row group in `documents.parquet`."""

NGRAMS_PER_BUCKET = 1 << 20
"""N-grams in a bucket, at most, even if there is more memory: what fits into the processor's cache is sorted faster."""

MIN_ROUNDS = 4
"""Rounds of owners and verdicts that there are before documents are processed one by one.

That is done if a round after these still changed half as much as the one before, or after twice as many in any case.
One more round then finds that nothing changes.
"""

_MAX_BITS = 12
_COST_BYTES_PER_BLOCK = 100  # bytes, about


def run_onion(settings: Settings, finder: str, job: Job) -> dict[str, int]:
    """De-duplicate shards, against settled ones if there are some; returns what was counted, of these too."""
    if not job.settled:
        return Run(settings, finder, job).go()
    settled = settled_index(settings, job)
    if settled.shards != [shard.name for shard in job.settled]:  # a kill came after the last step
        settled.prune()
        clear(job.work)
        return _sums(settings, settled)
    return Run(settings, BUCKETS, job, settled).go()


def settled_index(settings: Settings, job: Job) -> Index:
    """Return the index of the settled shards, or of all if all are de-duplicated. If there is none, it is made."""
    if job.index is None:
        raise ValueError("settled shards are compared with by their index: say where it is")
    before = [shard.name for shard in job.settled]
    with suppress(GristmillError, UsageError):
        index = Index.read(job.index, same_corpus=True)
        index.check(settings)
        is_done = all(shard.duplicates.exists() for shard in job.shards)
        done = [[*before, *(shard.name for shard in job.shards)]] if is_done else []
        if index.can_grow and index.shards in (before, *done):
            return index
    job.retire_index()
    Run(settings, STORED, dataclasses.replace(job, shards=job.settled, settled=(), against=())).index_stored()
    return Index.read(job.index, same_corpus=True)


def _sums(settings: Settings, index: Index) -> dict[str, int]:
    """What was counted in all segments of an index, and n."""
    counts = Counter({"n": settings.n})
    for segment in index.segments:
        counts.update(segment.counts)
    return dict(counts)


class Run:
    """A run over some shards, and the means that it has."""

    def __init__(self, settings: Settings, finder: str, job: Job, settled: Index | None = None) -> None:
        known = (*filter(None, [settled]), *check_indexes(job.against, settings))
        sizes = list(map(estimate, job.shards))
        largest = max(map(largest_row_group, job.shards), default=0)
        needed = max(
            BASE_MEMORY, BASE_MEMORY // 2 + max(BYTES_PER_TOKEN * max(sizes, default=0), BYTES_PER_BYTE * largest)
        )
        self._job = dataclasses.replace(job, workers=max(1, min(job.workers, job.memory // needed)))
        self._room = job.memory // self._job.workers - BASE_MEMORY // 2
        self._finder = finder
        self._settled = settled
        self._estimate = sum(sizes)
        others = finder in FINDERS
        self._index = None if others else job.index  # the others leave out what occurs once
        bits = _bits(self._estimate, min(self._room // BYTES_PER_NGRAM, NGRAMS_PER_BUCKET))
        self.plan = Plan(settings, job.shards, job.work, bits, known, job.work / "found" if others else None)

    def go(self) -> dict[str, int]:
        """De-duplicate; what is there of an earlier run of the same kind is not done again."""
        with self._job:
            return self._go()

    def _go(self) -> dict[str, int]:
        plan = self.plan
        begin(plan, self._finder, self._settled, self._job)
        catalogue = find_copies(plan)
        self._shingle(catalogue.starts)
        merge_outlines(plan, catalogue.starts)
        self._find_repeats()
        self._rank()
        round_number = self._decide()
        if not plan.final.exists():
            drop_stubs(plan, round_number)
        cost = self._cost(plan.buckets)
        self._each([TellOwners(plan, bucket, cost, round_number) for bucket in range(plan.buckets)], plan.owners)
        shards = range(len(plan.shards))
        self._each([WriteResult(plan, shard, self._cost(len(shards)), round_number) for shard in shards], plan.written)
        counts = self._counts([load_arrays(plan.owners(bucket))["counts"] for bucket in range(plan.buckets)])
        if self._index:
            counts = _sums(plan.settings, self._store(self._index, catalogue, counts))
        clear(plan.work)
        return {"n": plan.settings.n} | counts

    def index_stored(self) -> None:
        """Make the index anew by what is kept as `duplicates.parquet` says: nothing is judged."""
        plan = self.plan
        with self._job:
            begin(plan, self._finder, None, self._job)
            catalogue = read_copies(plan)
            self._shingle(catalogue.starts)
            merge_outlines(plan, catalogue.starts)
            self._find_repeats()
            if not plan.final.exists():
                read_states(plan)
            states = load_arrays(plan.final)["states"]
            counts = self._counts([count_repeats(Repeats.read(plan, bucket), states) for bucket in range(plan.buckets)])
            if self._index:
                self._store(self._index, catalogue, counts)
            clear(plan.work)

    def _store(self, folder: Path, catalogue: Catalogue, counts: Mapping[str, int]) -> Index:
        """Add a segment to the index with the n-grams of what is kept, merge small segments, and commit."""
        plan, settled = self.plan, self._settled or Index(folder, recipe(self.plan.settings), ())
        names = tuple(shard.name for shard in plan.shards)
        segment = Segment(
            folder / Segment.name_of(names),
            _bits(self._estimate, NGRAMS_PER_BUCKET),
            names,
            tuple(start + settled.rows for start in catalogue.starts),
            settled.blocks,
            int(Starts.read(plan.starts).blocks[-1]),
            self._estimate,
            dict(counts),
        )
        cost, buckets = self._cost(segment.buckets), range(segment.buckets)
        self._each([StoreBucket(plan, bucket, cost, segment=segment) for bucket in buckets], plan.stored)
        store_documents(plan, segment, catalogue)
        index = dataclasses.replace(settled, segments=self._merge((*settled.segments, segment)))
        index.commit()
        return index

    def _merge(self, segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        """Segments, of which the last ones are merged if they are small."""
        first = first_to_merge(segments)
        small = segments[first:]
        if len(small) == 1:
            return segments
        made = merged(small, _bits(sum(segment.estimate for segment in small), NGRAMS_PER_BUCKET))
        cost = made.estimate * BYTES_PER_NGRAM // made.buckets
        tasks = [MergeBucket(self.plan, bucket, cost, segments=small, made=made) for bucket in range(made.buckets)]
        self._each(tasks, self.plan.merged)
        merge_documents(small, made)
        return (*segments[:first], made)

    def _shingle(self, rows: Sequence[int]) -> None:
        plan = self.plan
        tasks = [Shingling(plan, shard, start, end - start) for shard, (start, end) in enumerate(pairwise(rows))]
        if plan.found and not plan.found.exists():
            find = FINDERS[self._finder]
            found = find(
                lambda: chain.from_iterable(task.tokens() for task in tasks),
                plan.settings.n,
                self._job.memory,
                plan.work,
            )
            save_arrays(plan.found, {"hashes": found})
        self._each(tasks, plan.outline)

    def _find_repeats(self) -> None:
        plan = self.plan
        self._each(
            [FindRepeats(plan, bucket, self._cost(plan.buckets)) for bucket in range(plan.buckets)], plan.repeats
        )

    def _rank(self) -> None:
        """Put documents in order, by their shares of duplicate n-grams."""
        plan = self.plan
        shards = len(plan.shards)
        self._each([CountRepeats(plan, shard, self._cost(shards)) for shard in range(shards)], plan.shares)
        if not plan.ranks.exists():
            rank_blocks(plan)

    def _decide(self) -> int:
        """Rounds of owners and verdicts until one changes nothing; returns its number."""
        plan = self.plan
        blocks = int(Starts.read(plan.starts).blocks[-1])
        round_number = max(
            (int(states.parent.name.removeprefix("round-")) for states in plan.work.glob("round-*/states")), default=0
        )
        if round_number == 0:
            save_arrays(plan.states(0), {"states": np.zeros(blocks, np.uint8), "changed": np.zeros(blocks, np.uint8)})
        changed = (
            blocks if round_number == 0 else int(np.count_nonzero(load_arrays(plan.states(round_number))["changed"]))
        )
        while round_number == 0 or changed:
            round_number += 1
            changed = self._round(round_number, changed)
        return round_number

    def _round(self, round_number: int, changed: int) -> int:
        """One more round, after one that has changed so many blocks; returns how many this one changes."""
        plan, shards = self.plan, len(self.plan.shards)
        covers = [
            Cover(plan, bucket, self._cost(plan.buckets, changed), round_number) for bucket in range(plan.buckets)
        ]
        self._each(covers, lambda bucket: plan.messages(round_number, bucket))
        judges = [Judge(plan, shard, self._cost(shards, changed), round_number) for shard in range(shards)]
        self._each(judges, lambda shard: plan.judged(round_number, shard))
        found = [np.array(load_arrays(plan.judged(round_number, shard))["states"]) for shard in range(shards)]
        states, before = (
            np.concatenate([np.empty(0, np.uint8), *found]),
            load_arrays(plan.states(round_number - 1))["states"],
        )
        differs = (states != before).astype(np.uint8)
        count = np.count_nonzero(differs)
        if count and round_number >= MIN_ROUNDS and (2 * count > changed or round_number >= 2 * MIN_ROUNDS):
            states = decide_in_order(plan, round_number, states, differs, self._room)
            differs = (states != before).astype(np.uint8)
        save_arrays(plan.states(round_number), {"states": states, "changed": differs})
        shutil.rmtree(plan.states(round_number - 1).parent, ignore_errors=True)
        return int(np.count_nonzero(differs))

    def _counts(self, of_buckets: Iterable[Ints]) -> dict[str, int]:
        """How many n-grams there are, and how many duplicate ones before and after, as `COUNTS` names them."""
        plan = self.plan
        ngrams = sum(int(Outline.read(plan.outline(shard)).ngrams.sum()) for shard in range(len(plan.shards)))
        repeated = np.sum([np.zeros(len(COUNTS), np.int64), *of_buckets], axis=0).tolist()
        return {"ngrams": ngrams} | dict(zip(COUNTS, repeated, strict=True))

    def _each(self, tasks: Sequence[Task], path: Callable[[int], Path]) -> None:
        """Run those of numbered tasks whose result is not there yet."""
        self._job.run(tasks, path)

    def _cost(self, tasks: int, blocks: int | None = None) -> int:
        """What each of some tasks costs that go over all blocks, or some of them, together."""
        count = int(Starts.read(self.plan.starts).blocks[-1]) if blocks is None else blocks
        return max(1, count * _COST_BYTES_PER_BLOCK // max(tasks, 1))


def _bits(ngrams: int, per_bucket: int) -> int:
    """The bits that tell so many buckets apart that each has no more than so many n-grams."""
    return min((ngrams // per_bucket).bit_length(), _MAX_BITS)
