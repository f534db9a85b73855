"""onion: text that is there already is found by duplicate n-grams, block by block (Pomikálek 2011, sections 3.4 to 3.5).

Rounds of independent tasks, a small merge between them:

1. shingling (a task a shard): the n-grams of the kept text, to disk, by bucket;
2. repeats (a task a bucket): those that occur twice;
3. order: documents by rising share of these;
4. owners and verdicts, in turn until nothing changes: which occurrence is the first in kept text, and which blocks repeat too much;
5. first copies (a task a shard): the result.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from gristmill.arrays import load_arrays, save_arrays
from gristmill.dedup.exact import Catalogue, first_copies, read_catalogue
from gristmill.dedup.job import Job
from gristmill.dedup.onion import spex, suffix  # noqa: F401 (they register themselves)
from gristmill.dedup.onion.buckets import BYTES_PER_NGRAM
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.onion.first_copies import WriteResult
from gristmill.dedup.onion.index import StoreBucket, check_indexes, store_card
from gristmill.dedup.onion.order import CountRepeats, rank_blocks
from gristmill.dedup.onion.owners import COUNTS, Cover, TellOwners
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.repeats import FindRepeats
from gristmill.dedup.onion.shingling import Shingling
from gristmill.dedup.onion.verdicts import Judge
from gristmill.dedup.registry import METHODS
from gristmill.dedup.result import NOBODY
from gristmill.engine import Task
from gristmill.errors import UsageError
from gristmill.shards import DOCUMENTS, read_columns, write_atomically

BUCKETS = "buckets"

BASE_MEMORY = 300_000_000
"""What a worker needs apart from n-grams of buckets: the interpreter and its libraries, and a chunk of n-grams."""

NGRAMS_PER_BUCKET = 1 << 20
"""More are not put into a bucket, even if there is memory: what does not fit into the processor's cache is sorted more slowly."""

_LEVELS = ("block", "document")
_EXCLUDABLE = ("punctuation", "stopwords")
_UNSPACED = frozenset("zh ja th lo my km".split())
_MOST_BITS = 12
_CARD = "plan.json"


@METHODS.register("onion")
@dataclass(frozen=True, kw_only=True)
class Onion:
    """Drops blocks most of whose text stands in earlier ones, and the stubs between them."""

    n: int = 10
    """Tokens of an n-gram."""
    threshold: float = 0.5
    """Blocks with a higher share of repeated tokens are duplicates."""
    level: str = "block"
    """`block`, or `document` to keep or drop documents as wholes."""
    exclude: str = ""
    """Tokens that are left out: `punctuation`, `stopwords`, or `punctuation+stopwords`."""
    finder: str = BUCKETS
    """Who finds the duplicate n-grams: `buckets`; or `spex` or `suffix`, which find the same and exist to be compared."""

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 255:
            raise UsageError(f"onion: n must be from 1 to 255, not {self.n}")
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"onion: threshold must be between 0 and 1, not {self.threshold}")
        if self.level not in _LEVELS:
            raise UsageError(f"onion: level must be one of {', '.join(_LEVELS)}, not {self.level!r}")
        for part in filter(None, self.exclude.split("+")):
            if part not in _EXCLUDABLE:
                raise UsageError(f"onion: exclude must be made of {', '.join(_EXCLUDABLE)}, joined by +, not {self.exclude!r}")

        if self.finder not in (BUCKETS, *FINDERS):
            raise UsageError(f"onion: finder must be one of {', '.join((BUCKETS, *FINDERS))}, not {self.finder!r}")

    def check(self, job: Job) -> None:
        """It needs some memory, and of other corpora the indexes."""
        if self.finder != BUCKETS:
            job.refuse_others(f"the finder {self.finder}")
        if job.memory < BASE_MEMORY:
            raise UsageError(f"de-duplication needs at least {BASE_MEMORY // 1_000_000} MB of memory, not {job.memory // 1_000_000}")
        check_indexes(job.against, self._settings())

    def run(self, job: Job) -> dict[str, int]:
        """De-duplicate; what an interrupted run has done is not done again."""
        self.check(job)
        return _Run(self._settings(), self.finder, job).go()

    def _settings(self) -> Settings:
        left_out = self.exclude.split("+")
        return Settings(self.n, self.threshold, self.level == "document", "punctuation" not in left_out, "stopwords" not in left_out)


class _Run:
    """One run, round by round."""

    def __init__(self, settings: Settings, finder: str, job: Job) -> None:
        self._indexes = check_indexes(job.against, settings)
        self._job = job
        self._workers = max(1, min(job.workers, job.memory // BASE_MEMORY))
        self._finder = finder
        self._index = job.index if finder == BUCKETS else None  # the others leave out what occurs once
        self.plan = Plan(settings, job.shards, job.work, self._bits(), job.against, None if finder == BUCKETS else job.work / "found")

    def go(self) -> dict[str, int]:
        plan, job = self.plan, self._job
        self._begin()
        catalogue = self._exact_copies()
        ends = zip(catalogue.starts, catalogue.starts[1:], strict=False)
        shingling = [Shingling(plan, shard, start, end - start) for shard, (start, end) in enumerate(ends)]
        if plan.found and not plan.found.exists():
            found = FINDERS[self._finder](
                lambda: chain.from_iterable(task.tokens() for task in shingling), plan.settings.n, job.memory, plan.work
            )
            save_arrays(plan.found, {"hashes": found})
        self._each(shingling, plan.outline)
        self._merge(catalogue)
        self._cost = max(1, int(Starts.read(plan.starts).blocks[-1]) * 100 // max(plan.buckets, len(plan.shards)))
        buckets, shards = range(plan.buckets), range(len(plan.shards))
        self._each([FindRepeats(plan, bucket, self._cost) for bucket in buckets], plan.repeats)
        self._each([CountRepeats(plan, shard, self._cost) for shard in shards], plan.shares)
        if not plan.ranks.exists():
            rank_blocks(plan)
        turn = self._decide()
        self._each([TellOwners(plan, bucket, turn, self._cost) for bucket in buckets], plan.owners)
        if self._index:
            job.run([StoreBucket(plan, bucket, turn, self._index, self._cost) for bucket in buckets])
            rows = np.flatnonzero(catalogue.kept & (load_arrays(plan.copies)["first"] == np.arange(len(catalogue.kept))))
            store_card(plan, self._index, catalogue.digests[rows], rows, load_arrays(plan.blocks))
        job.run([WriteResult(plan, shard, turn, self._cost) for shard in shards])
        counts = self._counts()
        shutil.rmtree(plan.work)
        return counts

    def _counts(self) -> dict[str, int]:
        """How many n-grams there are, and how many occurrences of duplicate ones before and after."""
        plan = self.plan
        offsets = (Outline.read(plan.outline(shard)).offsets for shard in range(len(plan.shards)))
        counts = Counter({"n": plan.settings.n, "ngrams": sum(int(chunks[-1, -1]) for chunks in offsets if len(chunks))})
        for bucket in range(plan.buckets):
            counts.update(dict(zip(COUNTS, load_arrays(plan.owners(bucket))["counts"].tolist(), strict=True)))
        return dict(counts)

    def _decide(self) -> int:
        """Rounds of owners and verdicts until one changes nothing; returns its number."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        blocks = int(starts.blocks[-1])
        if not plan.states(0).exists():
            save_arrays(plan.states(0), {"states": np.zeros(blocks, np.uint8), "changed": np.zeros(blocks, np.uint8)})
        done = [turn for turn in range(self._last_round() + 1) if plan.states(turn).exists()]
        turn = done[-1]
        while turn == 0 or load_arrays(plan.states(turn))["changed"].any():
            turn += 1
            self._each(
                [Cover(plan, bucket, turn, self._cost) for bucket in range(plan.buckets)], lambda bucket, turn=turn: plan.mail(turn, bucket)
            )
            self._each(
                [Judge(plan, shard, turn, self._cost) for shard in range(len(plan.shards))],
                lambda shard, turn=turn: plan.judged(turn, shard),
            )
            states = np.concatenate(
                [np.empty(0, np.uint8), *(load_arrays(plan.judged(turn, shard))["states"] for shard in range(len(plan.shards)))]
            )
            before = load_arrays(plan.states(turn - 1))["states"]
            save_arrays(plan.states(turn), {"states": states, "changed": (states != before).astype(np.uint8)})
            shutil.rmtree(plan.states(turn - 1).parent, ignore_errors=True)
        return turn

    def _last_round(self) -> int:
        return max((int(folder.name.removeprefix("round-")) for folder in self.plan.work.glob("round-*")), default=0)

    def _each(self, tasks: Sequence[Task], path: Any) -> None:
        """Run those of numbered tasks whose result is not there yet."""
        self._job.run([task for number, task in enumerate(tasks) if not path(number).exists()])

    def _begin(self) -> None:
        """Clear away what another kind of run left."""
        plan = self.plan
        card = json.dumps(
            {
                "finder": self._finder,
                "settings": [getattr(plan.settings, name) for name in Settings.__slots__],
                "bits": plan.bits,
                "shards": [[shard.name, *_stamp(shard / DOCUMENTS)] for shard in plan.shards],
                "against": [[str(index.folder), *_stamp(index.folder / "blocks")] for index in self._indexes],
            },
        )
        path = plan.work / _CARD
        if path.exists() and path.read_text() == card:
            return
        shutil.rmtree(plan.work, ignore_errors=True)
        plan.work.mkdir(parents=True)
        write_atomically(path, card.encode())

    def _bits(self) -> int:
        """How many buckets it takes for one to fit into memory."""
        room = (self._job.memory // self._workers - BASE_MEMORY // 2) // BYTES_PER_NGRAM
        buckets = sum(map(_estimate, self._job.shards)) // min(room, NGRAMS_PER_BUCKET)
        return min(int(buckets).bit_length(), _MOST_BITS)

    def _exact_copies(self) -> Catalogue:
        catalogue = read_catalogue(self._job.shards)
        if not self.plan.copies.exists():
            first = first_copies(catalogue.digests, catalogue.kept)
            for number, index in enumerate(self._indexes):
                rows = np.flatnonzero(catalogue.kept & (first == np.arange(len(first))))
                found = index.copies(catalogue.digests[rows], number)
                first[rows[found != NOBODY]] = found[found != NOBODY]
                first = np.where(first >= 0, first[np.maximum(first, 0)], first)  # copies of a copy
            save_arrays(self.plan.copies, {"first": first})
        return catalogue

    def _merge(self, catalogue: Catalogue) -> None:
        """Where shards begin among all blocks, and which block is which."""
        plan = self.plan
        if plan.starts.exists():
            return
        outlines = [Outline.read(plan.outline(shard)) for shard in range(len(plan.shards))]
        rows = [
            np.repeat(outline.rows + start, np.diff(outline.first_blocks))
            for outline, start in zip(outlines, catalogue.starts, strict=False)
        ]
        whole = plan.settings.whole_documents
        numbers = [(np.zeros(len(outline.rows)) if whole else outline.numbers).astype(np.int32) for outline in outlines]
        save_arrays(
            plan.blocks,
            {"rows": np.concatenate([np.empty(0, np.int64), *rows]), "numbers": np.concatenate([np.empty(0, np.int32), *numbers])},
        )
        counts = [[len(outline.rows), len(outline.tokens) - 1] for outline in outlines]
        starts = np.append(np.zeros((1, 2), np.int64), np.cumsum(np.array(counts, np.int64).reshape(-1, 2), axis=0), axis=0)
        save_arrays(plan.starts, {"rows": np.array(catalogue.starts, np.int64), "documents": starts[:, 0], "blocks": starts[:, 1]})


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _estimate(shard: Path) -> int:
    """About how many n-grams a shard has: rather too many."""
    table = read_columns(shard / DOCUMENTS, ["dropped", "lang", "length"])
    table = table.filter(pc.equal(table["dropped"], ""))
    lengths = table["length"].to_numpy()
    unspaced = np.array([lang in _UNSPACED for lang in table["lang"].to_pylist()], np.bool_)
    return int(np.where(unspaced, lengths, lengths // 5).sum())
