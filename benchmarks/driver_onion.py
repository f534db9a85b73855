"""Measure what the driver of de-duplication by n-grams does itself, and what it would take at ten billion tokens.

Corpora of several sizes, in shards of several sizes, are de-duplicated by an engine that runs the tasks one by one and
counts their time apart. All other time is the driver's: it is given to the kind of tasks that come next. Sending tasks
to workers is measured too, by pickling them. What each step takes is fitted to the numbers of tokens, shards and tasks.

A corpus of ten billion tokens can't be made here. But the driver can be let through all of its rounds, by an engine
that runs no task and only leaves files of the right names behind.

Corpora are of invented words. A fifth of the blocks are those of earlier documents, one in twenty documents is an exact
copy, and some documents are chains, each of which repeats most of the one before it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from harness import print_table, tell

from gristmill import dedup
from gristmill.arrays.dtypes import Array
from gristmill.arrays.storing import save_arrays
from gristmill.dedup.onion.owners import COUNTS
from gristmill.document import Block, Document
from gristmill.engine import Outcome, Report, Task
from gristmill.shards import Shard, document_writer

_WORDS_PER_BLOCK = 40
_BLOCKS_PER_DOCUMENT = 13
_WORDS = 50_000
_CHAIN_DOCUMENTS = 20
_AFTER = "end"
_TOKENS, _SHARDS = 10_000_000_000, 10_000
"""What is asked for: the tokens and shards of a corpus."""

Rates = npt.NDArray[np.float64]


def _zeros() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass
class Measured:
    """What one run took, by step; a step is named by the tasks that come after it."""

    tokens: int
    shards: int
    seconds: defaultdict[str, float] = field(default_factory=_zeros)
    """CPU seconds of the driver itself."""
    memory: Counter[str] = field(default_factory=Counter)
    """Bytes that it allocates at most, beyond what there was at the beginning of the step."""
    tasks: Counter[str] = field(default_factory=Counter)
    task_seconds: defaultdict[str, float] = field(default_factory=_zeros)
    pickled: Counter[str] = field(default_factory=Counter)
    """Bytes of all tasks of a kind, as they are sent to workers."""
    pickling: float = 0.0
    """CPU seconds that making these takes."""
    most: Counter[str] = field(default_factory=Counter)
    """Bytes that a task of each kind allocates at most."""


class Apart:
    """Runs tasks one by one, and counts apart what they take and what is done between them."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        self._memory = tracemalloc.is_tracing()
        self._begin()

    def _begin(self) -> None:
        self._since = time.process_time()
        if self._memory:
            tracemalloc.reset_peak()
            self._before, _ = tracemalloc.get_traced_memory()

    def end_step(self, name: str) -> None:
        """Note what the driver has taken since the last tasks."""
        self._measured.seconds[name] += time.process_time() - self._since
        if self._memory:
            taken = tracemalloc.get_traced_memory()[1] - self._before
            self._measured.memory[name] = max(self._measured.memory[name], taken)

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run them here."""
        kind = type(tasks[0]).__name__
        self.end_step(kind)
        for task in tasks:
            begun = time.process_time()
            data = pickle.dumps(task)
            self._measured.pickling += time.process_time() - begun
            if self._memory:
                tracemalloc.reset_peak()
                before, _ = tracemalloc.get_traced_memory()
            begun = time.process_time()
            self._work(task, data, report)
            self._measured.task_seconds[kind] += time.process_time() - begun
            self._measured.tasks[kind] += 1
            self._measured.pickled[kind] += len(data)
            if self._memory:
                taken = tracemalloc.get_traced_memory()[1] - before
                self._measured.most[kind] = max(self._measured.most[kind], taken)
            yield Outcome(task)
        self._begin()

    def _work(self, task: Task, data: bytes, report: Report) -> None:
        del task
        pickle.loads(data).run(report)  # noqa: S301 (made by this process)


def write_corpus(folder: Path, tokens: int, per_shard: int, seed: int) -> tuple[Shard, ...]:
    """Make shards of so many tokens each."""
    draw = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(_WORDS)]
    size = _WORDS_PER_BLOCK * _BLOCKS_PER_DOCUMENT
    documents, count, shards, chain = tokens // size, max(tokens // per_shard, 1), [], ""
    stock: list[Document] = []
    for number in range(count):
        shard = Shard.of(folder, f"{number:05d}")
        with document_writer(shard) as writer:
            for at in range(documents * number // count, documents * (number + 1) // count):
                picked = draw.integers(0, _WORDS, size).tolist()
                texts = [
                    " ".join([words[word] for word in picked[start : start + _WORDS_PER_BLOCK]])
                    for start in range(0, size, _WORDS_PER_BLOCK)
                ]
                if stock:
                    earlier = stock[at % len(stock)]
                    for block in np.flatnonzero(draw.random(len(texts)) < 0.2).tolist():
                        texts[block] = earlier.blocks[block].text
                if at % 1000 < _CHAIN_DOCUMENTS:  # each has a half of what is before it, and something else
                    half = chain.split()[_WORDS_PER_BLOCK // 2 - 4 :] if at % 1000 else []
                    chain = " ".join((half + texts[0].split())[:_WORDS_PER_BLOCK])
                    texts = [chain]
                if at % 20 == 19 and stock:
                    writer.write(stock[-1])
                    continue
                made = Document(
                    blocks=[Block(text, "p", "", 0, 0, _WORDS_PER_BLOCK, 0, 0, 0, 0.0) for text in texts], lang="en"
                )
                made.measure()
                writer.write(made)
                if len(texts) > 1:
                    stock = [*stock[-500:], made]
            writer.finish({})
        shards.append(shard)
    return tuple(shards)


def measure(shards: tuple[Shard, ...], tokens: int, *, memory: bool) -> Measured:
    """De-duplicate shards, with an index, and see what the driver takes: time, or memory, which takes more time."""
    found = Measured(tokens, len(shards))
    with tempfile.TemporaryDirectory(dir=shards[0].folder.parents[1]) as name:
        if memory:
            tracemalloc.start()
        engine = Apart(found)
        dedup.parse("onion").run(
            dedup.Job(shards, Path(name) / "work", engine=engine, memory=2_000_000_000, index=Path(name) / "ngrams")
        )
        engine.end_step(_AFTER)
        if memory:
            tracemalloc.stop()
    return found


class Pretend(Apart):
    """Runs no task of a corpus that is too large to be made, but leaves files as if it had, with what the driver reads.

    So the driver does all that it would do. There are five rounds, chains after the fourth, and four looks at these.
    """

    _CHANGED = (0, 60_000_000, 6_000_000, 1_000_000, 600_000, 0)

    def __init__(self, measured: Measured, documents: int, blocks: int) -> None:
        self._documents, self._blocks = documents, blocks
        super().__init__(measured)

    def _work(self, task: Any, data: bytes, report: Report) -> None:
        del data, report
        plan, kind = task.plan, type(task).__name__
        arrays: dict[str, Array] = {}
        if kind == "Survey":
            count = len(task.shards)
            sizes = {
                "rows": self._documents // self._measured.shards,
                "ngrams": self._measured.tokens // self._measured.shards,
                "largest": 10_000_000,
                "bytes": 3 * self._measured.tokens // self._measured.shards,
            }
            arrays = {name: np.full(count, size) for name, size in sizes.items()}
        elif kind == "JoinOutlines":
            totals = {"documents": self._documents, "blocks": self._blocks, "ngrams": self._measured.tokens}
            arrays = {name: np.linspace(0, total, plan.bundles + 1).astype(int) for name, total in totals.items()}
            arrays["rows"] = arrays["documents"]
        elif kind in ("JoinStates", "DecideInOrder"):
            arrays = {"count": np.array([self._CHANGED[task.round_number]])}
        elif kind == "Settle":
            arrays = {"count": np.array([self._documents // 10**task.look])}
        elif kind == "StoreDocuments":
            task.segment.folder.mkdir(parents=True)
        elif kind == "TellOwners":
            arrays = {"counts": np.zeros(len(COUNTS), np.int64)}
        save_arrays(_result(task), arrays)


def _result(task: Any) -> Path:
    """The file that is there when a task is done."""
    plan, in_round = task.plan, getattr(task, "round_number", 0)
    number = getattr(task, "number", -1)
    paths: dict[str, Callable[[], Path]] = {
        "Survey": lambda: plan.survey(number),
        "FindCopies": lambda: plan.copies(number),
        "Shingling": lambda: plan.outline(task.bundle.number),
        "JoinOutlines": lambda: plan.starts,
        "FindRepeats": lambda: plan.repeats(number),
        "CountRepeats": lambda: plan.shares(number),
        "RankBlocks": lambda: plan.ranks,
        "Cover": lambda: plan.messages(in_round, number),
        "Judge": lambda: plan.judged(in_round, number),
        "JoinStates": lambda: plan.joined(in_round),
        "FindUncertain": lambda: plan.uncertain(in_round, task.look, number),
        "JoinUncertain": lambda: plan.uncertain_of_some(in_round, task.look, number),
        "Settle": lambda: plan.unsettled(in_round, task.look),
        "FindOpen": lambda: plan.open(in_round, number),
        "DecideInOrder": lambda: plan.states(in_round),
        "FindCandidates": lambda: plan.candidates(number),
        "FindStubs": lambda: plan.stubs(number),
        "JoinFinal": lambda: plan.final,
        "TellOwners": lambda: plan.owners(number),
        "WriteResult": lambda: plan.written(number),
        "StoreBucket": lambda: plan.stored(number),
        "StoreDocuments": lambda: plan.stored_documents,
    }
    return paths[type(task).__name__]()


def pretend(tokens: int, count: int, *, memory: bool) -> Measured:
    """Let the driver go through all rounds of a corpus of so many tokens in so many shards, without any task."""
    found = Measured(tokens, count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = tuple(Shard.of(folder, f"{number:05d}") for number in range(count))
        for shard in shards:
            shard.folder.mkdir(parents=True)
            shard.documents.touch()
        if memory:
            tracemalloc.start()
        engine = Pretend(found, tokens // 500, tokens // 40)
        work, index = folder / "work", folder / "ngrams"
        dedup.parse("onion").run(dedup.Job(shards, work, workers=64, engine=engine, memory=64_000_000_000, index=index))
        engine.end_step(_AFTER)
        if memory:
            tracemalloc.stop()
    return found


def fitted(runs: Sequence[Measured], values: Sequence[float]) -> Rates:
    """What a step takes in any case, for each million tokens and for each shard: least squares, not below 0."""
    given = np.array([(1, run.tokens / 1e6, run.shards) for run in runs], float)
    wanted = np.array(values, float)
    weights = 1 / np.maximum(wanted, max(wanted.max(), 1e-9) / 100)
    best, least = np.zeros(3), np.inf
    for chosen in ([0, 1, 2], [0, 1], [0, 2], [1, 2], [0], [1], [2]):
        found, *_ = np.linalg.lstsq(given[:, chosen] * weights[:, None], wanted * weights, rcond=None)
        rest = float(np.square((given[:, chosen] @ found - wanted) * weights).sum())
        if (found >= 0).all() and rest < least:
            best, least = np.zeros(3), rest
            best[chosen] = found
    return best


def at_scale(rates: Rates) -> float:
    """What a step takes at ten billion tokens in ten thousand shards."""
    return float(rates @ (1, _TOKENS / 1e6, _SHARDS))


def main() -> None:
    """Measure, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", default="1,3,10", metavar="A,B", help="sizes in million tokens (default: 1,3,10)")
    parser.add_argument(
        "--shards", default="50,400", metavar="A,B", help="sizes of shards in thousand tokens (default: 50,400)"
    )
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="runs; the best counts (default: 2)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where corpora are made and stay (default: nowhere)")
    parser.add_argument(
        "--pretend",
        default="10000,10000",
        metavar="A,B",
        help="million tokens and shards of a corpus whose tasks are not run (default: 10000,10000)",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    arguments = parser.parse_args()
    runs: list[Measured] = []
    with tempfile.TemporaryDirectory() as scratch:
        for tokens in [round(float(size) * 1e6) for size in arguments.tokens.split(",")]:
            for per_shard in [round(float(size) * 1e3) for size in arguments.shards.split(",")]:
                folder = (arguments.folder or Path(scratch)) / f"{tokens}-{per_shard}"
                shards = tuple(Shard.all_in(folder)) if folder.exists() else write_corpus(folder, tokens, per_shard, 0)
                tell(f"{tokens:,} tokens in {len(shards):,} shards")
                timed = [measure(shards, tokens, memory=False) for _ in range(arguments.repeat)]
                best = min(timed, key=lambda run: sum(run.seconds.values()) + run.pickling)
                traced = measure(shards, tokens, memory=True)
                best.memory, best.most = traced.memory, traced.most
                runs.append(best)
    million, count = (int(number) for number in arguments.pretend.split(","))
    tell(f"{million:,} million tokens in {count:,} shards, without tasks")
    large = pretend(million * 1_000_000, count, memory=False)
    traced = pretend(million * 1_000_000, count, memory=True)
    large.memory = traced.memory
    if arguments.json:
        print(json.dumps([vars(run) for run in (*runs, large)], indent=2))
        return
    steps = list(dict.fromkeys(step for run in runs for step in run.seconds))
    rows = []
    for step in steps:
        seconds = fitted(runs, [run.seconds[step] for run in runs])
        memory = fitted(runs, [run.memory[step] / 1e6 for run in runs])
        rows.append(
            [
                f"before {step}",
                *(f"{run.seconds[step]:.3f}" for run in (*runs, large)),
                f"{at_scale(seconds):,.1f}",
                *(f"{run.memory[step] / 1e6:.1f}" for run in (*runs, large)),
                f"{at_scale(memory):,.0f}",
            ]
        )
    names = [f"{run.tokens / 1e6:g}M/{run.shards}" for run in (*runs, large)]
    seconds_of, megabytes_of = [f"s {name}" for name in names], [f"MB {name}" for name in names]
    print_table(["step of the driver", *seconds_of, "s 10G", *megabytes_of, "MB 10G"], rows)
    print()
    kinds = list(dict.fromkeys(kind for run in (*runs, large) for kind in run.tasks))
    rows = [
        [
            kind,
            *(f"{run.tasks[kind]:,}" for run in (*runs, large)),
            *(f"{run.task_seconds[kind]:.2f}" for run in runs),
            *(f"{run.most[kind] / 1e6:.1f}" for run in runs),
            *(f"{run.pickled[kind] / max(run.tasks[kind], 1) / 1e3:.1f}" for run in (*runs, large)),
        ]
        for kind in kinds
    ]
    counts, sent = [f"n {name}" for name in names], [f"kB {name}" for name in names]
    print_table(["tasks", *counts, *seconds_of[:-1], *megabytes_of[:-1], *sent], rows)
    tell("sending tasks, s: " + ", ".join(f"{run.pickling:.3f}" for run in (*runs, large)))
    whole = sum(large.seconds.values()) + large.pickling
    tell(f"the driver at {names[-1]}: {whole:.1f} s, at most {max(large.memory.values()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
