"""A run of the method, round by round: independent tasks, each of which reads and writes files.

1. survey (a task for some shards): how large they are, by which small shards are put together to bundles; then exact
   copies (a task a range of digests);
2. shingling (a task a bundle): the n-grams of the kept text, to disk, by bucket;
3. repeats (a task a bucket): those that occur twice;
4. order: documents by rising share of these;
5. owners and verdicts, in turn until nothing changes: which occurrence is the first in kept text, and which blocks
   repeat too much;
6. stubs, then first copies (a task a bucket, then one a bundle): the result;
7. the index (a task a bucket): a segment with the n-grams of what is kept, merged with others if they are small.

Between these, single tasks put together what is known of all blocks. If shards are settled, only those after them go
through these rounds, compared with the index of the settled ones.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import ArrayFile, load_arrays, save_arrays
from gristmill.dedup.job import INDEX, Job
from gristmill.dedup.onion.buckets import BYTES_PER_NGRAM
from gristmill.dedup.onion.chains import DecideInOrder, fits
from gristmill.dedup.onion.compaction import FindGone, MergeBucket, MergeDocuments, first_to_merge, merged
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.onion.first_copies import WriteResult
from gristmill.dedup.onion.index import Index, Segment, check_indexes, recipe
from gristmill.dedup.onion.joining import JoinFinal, JoinOutlines, JoinStates
from gristmill.dedup.onion.order import CountRepeats, RankBlocks
from gristmill.dedup.onion.owners import COUNTS, CountLeft, Cover, TellOwners
from gristmill.dedup.onion.plan import Bundle, Plan, Settings, Starts, check_blocks
from gristmill.dedup.onion.prepare import begin, clear, divide
from gristmill.dedup.onion.repeats import FindRepeats
from gristmill.dedup.onion.same_texts import FindCopies, ranges
from gristmill.dedup.onion.settling import FindOpen, FindUncertain, JoinUncertain, Settle, joins
from gristmill.dedup.onion.shingling import Shingling
from gristmill.dedup.onion.step import BundleStep, WholeStep
from gristmill.dedup.onion.stored import ReadStates
from gristmill.dedup.onion.storing import StoreBucket, StoreDocuments
from gristmill.dedup.onion.stubs import FindCandidates, FindStubs
from gristmill.dedup.onion.survey import COST_BYTES as SURVEY_COST
from gristmill.dedup.onion.survey import Sizes, Survey, batches
from gristmill.dedup.onion.verdicts import Judge
from gristmill.drafts import move
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

MAX_LOOKS = 4
"""How often it is looked which documents are settled, before the others are processed one by one."""

_MAX_BITS = 12
_COST_BYTES_PER_BLOCK = 100  # bytes, about
_COST_BYTES_PER_JOINED_BLOCK = 5  # for a task that only joins files
_TOKENS_PER_BLOCK = 40  # about


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
        if index.is_whole and index.shards in (before, *done):
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
    """A run over some shards, and the means that it has.

    What this process does itself does not grow with documents or blocks, only with shards, bundles and buckets.
    """

    plan: Plan
    """How the work is divided, when the shards are surveyed."""

    def __init__(self, settings: Settings, finder: str, job: Job, settled: Index | None = None) -> None:
        check_indexes(job.against, settings)
        others = finder in FINDERS
        known = (*([(settled.folder, True)] if settled else []), *((corpus / INDEX, False) for corpus in job.against))
        self.plan = Plan(settings, job.work, known, job.work / "found" if others else None)
        self._job = job
        self._finder = finder
        self._settled = settled
        self._index = None if others else job.index  # the others leave out what occurs once

    def go(self) -> dict[str, int]:
        """De-duplicate; what is there of an earlier run of the same kind is not done again."""
        with self._job:
            return self._go()

    def _go(self) -> dict[str, int]:
        self._begin(stored=False)
        plan = self.plan
        self._find_repeats()
        self._rank()
        round_number = self._decide()
        self._drop_stubs(round_number)
        cost = self._cost(plan.buckets)
        self._each([TellOwners(plan, bucket, cost, round_number) for bucket in range(plan.buckets)], plan.owners)
        self._of_bundles(WriteResult, plan.written, round_number)
        counts = self._counts()
        if self._index:
            counts = _sums(plan.settings, self._store(self._index, counts))
        clear(plan.work)
        return {"n": plan.settings.n} | counts

    def index_stored(self) -> None:
        """Make the index anew by what is kept as `duplicates.parquet` says: nothing is judged."""
        with self._job:
            self._begin(stored=True)
            plan = self.plan
            self._find_repeats()
            self._of_bundles(ReadStates, lambda bundle: plan.judged(0, bundle))
            self._whole(JoinFinal, plan.final, stub_files=0)
            cost = self._cost(plan.buckets)
            self._each([CountLeft(plan, bucket, cost) for bucket in range(plan.buckets)], plan.owners)
            if self._index:
                self._store(self._index, self._counts())
            clear(plan.work)

    def _begin(self, *, stored: bool) -> None:
        """Survey the shards, divide the work, find exact copies and write n-grams; `stored` copies are as they are."""
        job, shards = self._job, self._job.shards
        begin(self.plan, self._finder, self._settled, job)
        surveys = [
            Survey(self.plan, number, SURVEY_COST * len(some), shards=some, stored=stored)
            for number, some in enumerate(batches(shards))
        ]
        self._each(surveys, self.plan.survey)
        sizes = Sizes.read(dataclasses.replace(self.plan, surveys=len(surveys)))
        self._bundles = sizes.bundles(shards)
        self._estimate = int(sizes.ngrams.sum())
        self._rows = starts_of(sizes.rows).tolist()
        workers, self._room = means(job, sizes, self._bundles)
        self._job = job.at_most(workers)
        self.plan = plan = dataclasses.replace(
            self.plan,
            surveys=len(surveys),
            digest_bits=ranges(self._rows[-1]),
            bits=_bits(self._estimate, min(self._room // BYTES_PER_NGRAM, NGRAMS_PER_BUCKET)),
            bundles=len(self._bundles),
        )
        divide(plan, self._bundles, self._settled, job)
        cost = self._rows[-1] * _COST_BYTES_PER_BLOCK >> plan.digest_bits
        copies = [FindCopies(plan, number, cost, stored=stored) for number in range(1 << plan.digest_bits)]
        self._each(copies, plan.copies)
        self._shingle()
        rows = (*(bundle.rows[0] for bundle in self._bundles), self._rows[-1])
        cost = self._estimate // _TOKENS_PER_BLOCK * _COST_BYTES_PER_JOINED_BLOCK
        self._each([JoinOutlines(plan, 0, cost, rows=rows)], lambda _: plan.starts)

    def _store(self, folder: Path, counts: Mapping[str, int]) -> Index:
        """Add a segment to the index with the n-grams of what is kept, merge small segments, and commit."""
        plan, settled = self.plan, self._settled or Index(folder, recipe(self.plan.settings), ())
        names = tuple(shard.name for shard in self._job.shards)
        blocks = int(Starts.read(plan.starts).blocks[-1])
        check_blocks(settled.blocks + blocks)
        segment = Segment(
            folder / Segment.name_of(names),
            _bits(self._estimate, NGRAMS_PER_BUCKET),
            names,
            tuple(start + settled.rows for start in self._rows),
            settled.blocks,
            blocks,
            self._estimate,
            dict(counts),
        )
        cost, buckets = self._cost(segment.buckets), range(segment.buckets)
        made = segment.without_shards()
        self._each([StoreBucket(plan, bucket, cost, segment=made) for bucket in buckets], plan.stored)
        self._whole(StoreDocuments, plan.stored_documents, segment=made)
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
        self._whole(FindGone, self.plan.gone, segments=small)
        given: dict[str, Any] = {
            "segments": tuple(segment.without_shards() for segment in small),
            "made": made.without_shards(),
        }
        tasks = [MergeBucket(self.plan, bucket, cost, **given) for bucket in range(made.buckets)]
        self._each(tasks, self.plan.merged)
        self._whole(MergeDocuments, self.plan.merged_documents, **given)
        return (*segments[:first], made)

    def _shingle(self) -> None:
        plan = self.plan
        tasks = [Shingling(plan, bundle) for bundle in self._bundles]
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
        plan, cost = self.plan, self._cost(self.plan.buckets)
        self._each([FindRepeats(plan, bucket, cost) for bucket in range(plan.buckets)], plan.repeats)

    def _rank(self) -> None:
        """Put documents in order, by their shares of duplicate n-grams."""
        self._of_bundles(CountRepeats, self.plan.shares)
        self._whole(RankBlocks, self.plan.ranks)

    def _decide(self) -> int:
        """Rounds of owners and verdicts until one changes nothing; returns its number."""
        plan = self.plan
        round_number = max(
            (int(states.parent.name.removeprefix("round-")) for states in plan.work.glob("round-*/states")), default=0
        )
        changed = _count(plan.states(round_number)) if round_number else int(Starts.read(plan.starts).blocks[-1])
        while round_number == 0 or changed:
            round_number += 1
            changed = self._round(round_number, changed)
        return round_number

    def _round(self, round_number: int, changed: int) -> int:
        """One more round, after one that has changed so many blocks; returns how many this one changes."""
        plan, cost = self.plan, self._cost(self.plan.buckets, changed)
        covers = [Cover(plan, bucket, cost, round_number) for bucket in range(plan.buckets)]
        self._each(covers, lambda bucket: plan.messages(round_number, bucket))
        self._of_bundles(Judge, lambda bundle: plan.judged(round_number, bundle), round_number, changed)
        self._whole(JoinStates, plan.joined(round_number), round_number)
        count = _count(plan.joined(round_number))
        if count and round_number >= MIN_ROUNDS and (2 * count > changed or round_number >= 2 * MIN_ROUNDS):
            self._decide_chains(round_number)
        else:
            move(plan.joined(round_number), plan.states(round_number))
        shutil.rmtree(plan.states(round_number - 1).parent, ignore_errors=True)
        return _count(plan.states(round_number))

    def _decide_chains(self, round_number: int) -> None:
        """Process documents one by one, after a round; of a large corpus only those of which nothing is sure."""
        plan, starts = self.plan, Starts.read(self.plan.starts)
        buckets, cost = range(plan.buckets), self._cost(plan.buckets)
        look, left = 0, int(starts.documents[-1])
        while look < MAX_LOOKS and not fits(int(starts.ngrams[-1]), self._room):
            look, before = look + 1, left
            uncertain = [FindUncertain(plan, bucket, cost, round_number, look=look) for bucket in buckets]
            self._each(uncertain, partial(plan.uncertain, round_number, look))
            some = [JoinUncertain(plan, number, cost, round_number, look=look) for number in range(joins(plan))]
            self._each(some, partial(plan.uncertain_of_some, round_number, look))
            self._whole(Settle, plan.unsettled(round_number, look), round_number, look=look)
            left = _count(plan.unsettled(round_number, look))
            if 2 * left > before:
                break
        tasks = [FindOpen(plan, bucket, cost, round_number, look=look) for bucket in buckets]
        self._each(tasks, partial(plan.open, round_number))
        self._whole(DecideInOrder, plan.states(round_number), round_number, room=self._room)

    def _drop_stubs(self, round_number: int) -> None:
        """Find short blocks between duplicates that go with these, and put down the final states of all blocks."""
        plan, files = self.plan, 0
        if plan.settings.thesis and not plan.settings.whole_documents:
            files = plan.bundles
            self._of_bundles(FindCandidates, plan.stubs, round_number)
        elif not plan.settings.whole_documents:
            files = 1 << plan.stub_bits
            self._of_bundles(FindCandidates, plan.candidates, round_number)
            cost = self._cost(files)
            self._each([FindStubs(plan, number, cost, round_number) for number in range(files)], plan.stubs)
        self._whole(JoinFinal, plan.final, round_number, stub_files=files)

    def _counts(self) -> dict[str, int]:
        """How many n-grams there are, and how many duplicate ones before and after, as `COUNTS` names them."""
        plan = self.plan
        of_buckets = (load_arrays(plan.owners(bucket))["counts"] for bucket in range(plan.buckets))
        repeated = np.sum([np.zeros(len(COUNTS), np.int64), *of_buckets], axis=0).tolist()
        return {"ngrams": int(Starts.read(plan.starts).ngrams[-1])} | dict(zip(COUNTS, repeated, strict=True))

    def _each(self, tasks: Sequence[Task], path: Callable[[int], Path]) -> None:
        """Run those of numbered tasks whose result is not there yet; all results are in one folder.

        The folder is listed once: to ask for each of many files takes long on a file system that machines share.
        """
        folder = path(0).parent
        there = {found.name for found in folder.iterdir()} if folder.is_dir() else set()
        self._job.run([task for number, task in enumerate(tasks) if path(number).name not in there])

    def _of_bundles(
        self, kind: type[BundleStep], path: Callable[[int], Path], round_number: int = 0, blocks: int | None = None
    ) -> None:
        """Run a task of a kind for each bundle, all of which go over so many blocks together."""
        cost = self._cost(len(self._bundles), blocks)
        self._each([kind(self.plan, some.number, cost, round_number, bundle=some) for some in self._bundles], path)

    def _whole(self, kind: type[WholeStep], path: Path, round_number: int = 0, **given: Any) -> None:
        """Run a task that goes through what is known of all blocks."""
        cost = int(Starts.read(self.plan.starts).blocks[-1]) * _COST_BYTES_PER_JOINED_BLOCK
        self._each([kind(self.plan, 0, max(1, cost), round_number, **given)], lambda _: path)

    def _cost(self, tasks: int, blocks: int | None = None) -> int:
        """What each of some tasks costs that go over all blocks, or some of them, together."""
        count = int(Starts.read(self.plan.starts).blocks[-1]) if blocks is None else blocks
        return max(1, count * _COST_BYTES_PER_BLOCK // max(tasks, 1))


def means(job: Job, sizes: Sizes, bundles: Sequence[Bundle]) -> tuple[int, int]:
    """How many workers there is memory for, and how many bytes each has for n-grams of buckets."""
    edges = np.cumsum([0, *(len(bundle.shards) for bundle in bundles)])
    ngrams = int(np.diff(starts_of(sizes.ngrams)[edges]).max(initial=0))
    largest = int(sizes.largest.max(initial=0))
    needed = max(BASE_MEMORY, BASE_MEMORY // 2 + max(BYTES_PER_TOKEN * ngrams, BYTES_PER_BYTE * largest))
    workers = max(1, min(job.workers, job.memory // needed))
    return workers, job.memory // workers - BASE_MEMORY // 2


def _count(path: Path) -> int:
    """The number that was counted of what is in a file."""
    with ArrayFile(path) as file:
        return int(file.read("count", 0, 1)[0])


def _bits(ngrams: int, per_bucket: int) -> int:
    """The bits that tell so many buckets apart that each has no more than so many n-grams."""
    return min((ngrams // per_bucket).bit_length(), _MAX_BITS)
