"""A run of the method, round by round: tasks that do not depend on each other, and a small merge before the next round.

1. shingling (a task a shard): the n-grams of the kept text, to disk, by bucket;
2. repeats (a task a bucket): those that occur twice;
3. order: documents by rising share of these;
4. owners and verdicts, in turn until nothing changes: which occurrence is the first in kept text, and which blocks
   repeat too much;
5. first copies (a task a bucket, then one a shard): the result.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.job import Job
from gristmill.dedup.onion.buckets import BYTES_PER_NGRAM
from gristmill.dedup.onion.chains import settle_rest
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.onion.first_copies import WriteResult
from gristmill.dedup.onion.index import StoreBucket, check_indexes, store_card
from gristmill.dedup.onion.order import CountRepeats, rank_blocks
from gristmill.dedup.onion.owners import COUNTS, Cover, TellOwners
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.prepare import begin, clear, estimate, find_copies, merge_outlines
from gristmill.dedup.onion.repeats import FindRepeats
from gristmill.dedup.onion.shingling import Shingling
from gristmill.dedup.onion.stubs import drop_stubs
from gristmill.dedup.onion.verdicts import Judge
from gristmill.dedup.reading import largest_row_group
from gristmill.engine import Task

BUCKETS = "buckets"
"""The finder of duplicate n-grams that is built in."""

BASE_MEMORY = 300_000_000
"""What a worker needs apart from n-grams of buckets: the interpreter and its libraries, and a chunk of n-grams."""

BYTES_PER_TOKEN = 10
"""What a round that has a task a shard takes of memory, at most, for each token of the shard: a byte or two, and 200 for each block."""

BYTES_PER_BYTE = 5
"""What reading a large document takes for each byte of its row group in `documents.parquet`."""

NGRAMS_PER_BUCKET = 1 << 20
"""More are not put into a bucket, even if there is memory: what does not fit into the processor's cache is sorted more slowly."""

PATIENCE = 4
"""So many rounds there are in any case. If the last one still changed half as much as the one before, or after as many
more that changed something, documents are processed one by one, and one more round finds that nothing changes."""

_MOST_BITS = 12
_BLOCK_COST = 100  # bytes, about


class Run:
    """One run."""

    def __init__(self, settings: Settings, finder: str, job: Job) -> None:
        self._indexes = check_indexes(job.against, settings)
        sizes = list(map(estimate, job.shards))
        largest = max(map(largest_row_group, job.shards), default=0)
        needed = max(
            BASE_MEMORY, BASE_MEMORY // 2 + max(BYTES_PER_TOKEN * max(sizes, default=0), BYTES_PER_BYTE * largest)
        )
        self._job = dataclasses.replace(job, workers=max(1, min(job.workers, job.memory // needed)))
        self._room = job.memory // self._job.workers - BASE_MEMORY // 2
        self._finder = finder
        self._index = job.index if finder == BUCKETS else None  # the others leave out what occurs once
        found = None if finder == BUCKETS else job.work / "found"
        self.plan = Plan(settings, job.shards, job.work, self._bits(sum(sizes)), job.against, found)

    def go(self) -> dict[str, int]:
        """De-duplicate; what is there of an earlier run of the same kind is not done again."""
        with self._job:
            return self._go()

    def _go(self) -> dict[str, int]:
        plan = self.plan
        begin(plan, self._finder, self._indexes, self._job)
        catalogue = find_copies(plan, self._indexes)
        self._shingle(catalogue.starts)
        merge_outlines(plan, catalogue.starts)
        self._find_repeats()
        turn = self._decide()
        if not plan.final.exists():
            drop_stubs(plan, turn)
        cost = self._cost(plan.buckets)
        self._each([TellOwners(plan, bucket, cost, turn) for bucket in range(plan.buckets)], plan.owners)
        if self._index:
            self._each(
                [StoreBucket(plan, bucket, cost, turn, self._index) for bucket in range(plan.buckets)], plan.stored
            )
            store_card(plan, self._index, catalogue)
        shards = range(len(plan.shards))
        self._each([WriteResult(plan, shard, self._cost(len(shards)), turn) for shard in shards], plan.written)
        counts = self._counts()
        clear(plan.work)
        return counts

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
        shards = len(plan.shards)
        self._each([CountRepeats(plan, shard, self._cost(shards)) for shard in range(shards)], plan.shares)
        if not plan.ranks.exists():
            rank_blocks(plan)

    def _decide(self) -> int:
        """Rounds of owners and verdicts until one changes nothing; returns its number."""
        plan = self.plan
        blocks = int(Starts.read(plan.starts).blocks[-1])
        turn = max(
            (int(states.parent.name.removeprefix("round-")) for states in plan.work.glob("round-*/states")), default=0
        )
        if turn == 0:
            save_arrays(plan.states(0), {"states": np.zeros(blocks, np.uint8), "changed": np.zeros(blocks, np.uint8)})
        changed = blocks if turn == 0 else int(np.count_nonzero(load_arrays(plan.states(turn))["changed"]))
        while turn == 0 or changed:
            turn += 1
            changed = self._round(turn, changed)
        return turn

    def _round(self, turn: int, changed: int) -> int:
        """One more round, after one that has changed so many blocks; returns how many this one changes."""
        plan, shards = self.plan, len(self.plan.shards)
        covers = [Cover(plan, bucket, self._cost(plan.buckets, changed), turn) for bucket in range(plan.buckets)]
        self._each(covers, lambda bucket: plan.mail(turn, bucket))
        judges = [Judge(plan, shard, self._cost(shards, changed), turn) for shard in range(shards)]
        self._each(judges, lambda shard: plan.judged(turn, shard))
        found = [np.array(load_arrays(plan.judged(turn, shard))["states"]) for shard in range(shards)]
        states, before = np.concatenate([np.empty(0, np.uint8), *found]), load_arrays(plan.states(turn - 1))["states"]
        differs = (states != before).astype(np.uint8)
        count = np.count_nonzero(differs)
        if count and turn >= PATIENCE and (2 * count > changed or turn >= 2 * PATIENCE):
            states = settle_rest(plan, turn, states, differs, self._room)
            differs = (states != before).astype(np.uint8)
        save_arrays(plan.states(turn), {"states": states, "changed": differs})
        shutil.rmtree(plan.states(turn - 1).parent, ignore_errors=True)
        return int(np.count_nonzero(differs))

    def _counts(self) -> dict[str, int]:
        """How many n-grams there are, and how many occurrences of duplicate ones before and after."""
        plan = self.plan
        counts = Counter({"n": plan.settings.n})
        for shard in range(len(plan.shards)):
            counts["ngrams"] += int(Outline.read(plan.outline(shard)).ngrams.sum())
        for bucket in range(plan.buckets):
            counts.update(dict(zip(COUNTS, load_arrays(plan.owners(bucket))["counts"].tolist(), strict=True)))
        return dict(counts)

    def _each(self, tasks: Sequence[Task], path: Callable[[int], Path]) -> None:
        """Run those of numbered tasks whose result is not there yet."""
        self._job.run(tasks, path)

    def _cost(self, tasks: int, blocks: int | None = None) -> int:
        """What each of some tasks costs that go over all blocks, or some of them, together."""
        count = int(Starts.read(self.plan.starts).blocks[-1]) if blocks is None else blocks
        return max(1, count * _BLOCK_COST // max(tasks, 1))

    def _bits(self, ngrams: int) -> int:
        """How many buckets it takes for one to fit into memory."""
        buckets = ngrams // min(self._room // BYTES_PER_NGRAM, NGRAMS_PER_BUCKET)
        return min(int(buckets).bit_length(), _MOST_BITS)
