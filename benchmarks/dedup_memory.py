"""What each round of de-duplication by n-grams takes of memory, beside what docs/deduplication.md says that it takes.

A corpus is made of texts of the gold standards, as for `dedup.py`, and put into one bucket, with two large documents:
one block, and the same text in its blocks. Memory is what Python and NumPy allocate at most while a task runs, by
tracemalloc; what is mapped from files is not in it, nor what Arrow takes to read a document. Ends with an error if a
task takes more than is stated.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from dedup_texts import dedup_command_line, gold_texts
from harness import print_table

from gristmill import dedup
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion import run
from gristmill.dedup.onion.buckets import Bucket
from gristmill.dedup.onion.plan import Outline, Starts
from gristmill.dedup.onion.repeats import Repeats
from gristmill.engine import Outcome, Report, Task
from gristmill.evaluation.near_duplicates import Made, MadeBlock, repeat, write_shards

_STATED = {
    "Survey": (10_000_000, "document", 200),
    "FindCopies": (1_000_000, "document", 200),
    "Shingling": (100_000_000, "bundle", 0),
    "JoinOutlines": (1_000_000, "block", 40),
    "FindRepeats": (0, "n-gram", 72),
    "CountRepeats": (20_000_000, "token", 1),
    "RankBlocks": (1_000_000, "block", 100),
    "Cover": (0, "occurrence", 72),
    "Judge": (20_000_000, "token", 3),
    "JoinStates": (1_000_000, "block", 20),
    "FindOpen": (0, "occurrence", 100),
    "DecideInOrder": (50_000_000, "token", 120),
    "FindCandidates": (1_000_000, "block", 100),
    "FindStubs": (1_000_000, "block", 100),
    "JoinFinal": (1_000_000, "block", 20),
    "TellOwners": (0, "occurrence", 72),
    "StoreBucket": (0, "n-gram", 72),
    "StoreDocuments": (1_000_000, "block", 20),
    "WriteResult": (70_000_000, "token", 8),
}
"""The stated memory of each kind of task: bytes in any case, the unit of the rest, and bytes for each unit."""


class Watching:
    """Runs tasks one by one, and notes of each kind the one that took most memory."""

    def __init__(self) -> None:
        self.most: dict[str, tuple[int, int]] = {}
        """Bytes, and for how many units."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run them here."""
        for task in tasks:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            result = task.run(report)
            taken = tracemalloc.get_traced_memory()[1] - before
            kind = type(task).__name__
            if taken > self.most.get(kind, (0, 0))[0]:
                self.most[kind] = taken, _units(task, _STATED[kind][1])
            yield Outcome(task, result)


def _units(task: Any, unit: str) -> int:
    if unit == "token":
        return int(Outline.read(task.plan.outline(task.number)).tokens[-1])
    if unit == "block":
        return int(Starts.read(task.plan.starts).blocks[-1])
    if unit == "document":
        return int(load_arrays(task.plan.survey(0))["rows"].sum())
    if unit == "n-gram":
        return len(Bucket.read(task.plan, task.number).hashes)
    return len(Repeats.read(task.plan, task.number).blocks) if unit == "occurrence" else 1


def large_documents(texts: list[list[str]], words: int, seed: int) -> Iterator[Made]:
    """A document of so many words in one block, and one that has them in the blocks that they come from."""
    blocks = tuple(block for document in repeat(texts, words, seed, 0) for block in document.blocks)
    whole = MadeBlock(" ".join(block.text for block in blocks), -1)
    yield Made("https://large.example/1", (whole,), "repeated", -1)
    yield Made("https://large.example/2", blocks, "repeated", -1)


def main() -> None:
    """Measure and print."""
    parser = dedup_command_line(__doc__ or "")
    parser.add_argument(
        "--words", type=int, default=2_000_000, metavar="N", help="size of the corpus (default: 2000000)"
    )
    parser.add_argument(
        "--duplicates", type=float, default=0.2, metavar="SHARE", help="documents that repeat others (default: 0.2)"
    )
    parser.add_argument(
        "--large", type=int, default=1_000_000, metavar="N", help="words of the large documents (default: 1000000)"
    )
    arguments = parser.parse_args()
    texts = gold_texts(arguments)
    run.NGRAMS_PER_BUCKET = (arguments.words + 2 * arguments.large) * 10
    watching = Watching()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = repeat(texts, arguments.words, arguments.seed, arguments.duplicates)
        large = large_documents(texts, arguments.large, arguments.seed + 1)
        shards = tuple(write_shards(chain(made, large), folder, per_shard=1_000_000))
        tracemalloc.start()
        job = dedup.Job(
            shards,
            folder / "work",
            engine=watching,
            memory=1000 * (arguments.words + 2 * arguments.large),
            index=folder / "ngrams",
        )
        dedup.parse("onion").run(job)
    rows: dict[str, dict[str, Any]] = {}
    for kind, (taken, units) in watching.most.items():
        fixed, unit, each = _STATED[kind]
        rows[kind] = {"taken": taken, "units": units, "unit": unit, "stated": fixed + each * units}
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print_table(["task", "MB", "stated", "for"], [_row(kind, **row) for kind, row in rows.items()])
    sys.exit(any(row["taken"] > row["stated"] for row in rows.values()))


def _row(kind: str, *, taken: int, units: int, unit: str, stated: int) -> list[str]:
    return [kind, f"{taken / 1e6:,.1f}", f"{stated / 1e6:,.1f}", f"{units:,} {unit}s"]


if __name__ == "__main__":
    main()
