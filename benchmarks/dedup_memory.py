"""What each round of de-duplication by n-grams takes of memory, beside what docs/deduplication.md says that it takes.

A corpus is made of texts of the gold standards, as for `dedup.py`, and put into one bucket. Memory is what Python and NumPy allocate at
most while a task runs, by tracemalloc; what is mapped from files is not in it. Ends with an error if a task takes more than is stated.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dedup_texts import dedup_command_line, gold_texts
from harness import print_table

from gristmill import dedup
from gristmill.dedup.onion import run
from gristmill.dedup.onion.buckets import Bucket
from gristmill.dedup.onion.plan import Outline
from gristmill.dedup.onion.repeats import Repeats
from gristmill.engine import Outcome, Report, Task
from gristmill.evaluate.near_duplicates import repeat, write_shards

_STATED = {
    "Shingling": ("shard", 100_000_000),
    "FindRepeats": ("n-gram", 72),
    "CountRepeats": ("token", 16),
    "Cover": ("occurrence", 72),
    "Judge": ("token", 32),
    "TellOwners": ("occurrence", 72),
    "StoreBucket": ("n-gram", 72),
    "WriteResult": ("token", 40),
}
"""For each kind of task what its memory is in proportion to, and bytes for each of these."""


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
                self.most[kind] = taken, _units(task, _STATED[kind][0])
            yield Outcome(task, result)


def _units(task: Any, unit: str) -> int:
    if unit == "token":
        return int(Outline.read(task.plan.outline(task.number)).tokens[-1])
    if unit == "n-gram":
        return len(Bucket.read(task.plan, task.number).hashes)
    return len(Repeats.read(task.plan, task.number).blocks) if unit == "occurrence" else 1


def main() -> None:
    """Measure and print."""
    parser = dedup_command_line(__doc__ or "")
    parser.add_argument("--words", type=int, default=2_000_000, metavar="N", help="size of the corpus (default: 2000000)")
    parser.add_argument("--duplicates", type=float, default=0.2, metavar="SHARE", help="documents that repeat others (default: 0.2)")
    arguments = parser.parse_args()
    texts = gold_texts(arguments)
    run.NGRAMS_PER_BUCKET = arguments.words * 10
    watching = Watching()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = tuple(write_shards(repeat(texts, arguments.words, arguments.seed, arguments.duplicates), folder, per_shard=1_000_000))
        tracemalloc.start()
        job = dedup.Job(shards, folder / "work", engine=watching, memory=1000 * arguments.words, index=folder / "ngrams")
        dedup.parse("onion").run(job)
    rows = {kind: (taken / units, *_STATED[kind]) for kind, (taken, units) in watching.most.items()}
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print_table(
            ["task", "bytes", "stated", "for each"],
            [[kind, f"{found:,.1f}", f"{stated:,}", unit] for kind, (found, unit, stated) in rows.items()],
        )
    sys.exit(any(found > stated for found, _, stated in rows.values()))


if __name__ == "__main__":
    main()
