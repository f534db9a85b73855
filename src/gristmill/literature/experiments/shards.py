"""What all experiments share: the texts of blocks beside what became of them, and tasks whose results come in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.columns import Coded
from gristmill.dedup.tokens import Tokens, tokenise_joined
from gristmill.engine import InlineEngine, LocalEngine, Report, Task
from gristmill.errors import GristmillError
from gristmill.report.outcomes import BATCH_ROWS, DUPLICATE, KEPT, STUB, Batch, countable, read_outcomes
from gristmill.shards import Shard, read_batches

COPY = "copy"
"""The outcome of blocks that are repeated because their whole document is a copy of another one."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A task that reads one shard; `replaced` are the rows of its documents that later versions replace."""

    shard: Shard
    replaced: tuple[int, ...]

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return self.shard.documents.stat().st_size


def results_of(tasks: Sequence[Task], workers: int | None, report: Report) -> list[Any]:
    """Run tasks, and return their results in the order of the tasks; with one worker all happens in this process."""
    engine = InlineEngine() if workers == 1 or len(tasks) == 1 else LocalEngine(workers)
    found = {}
    for outcome in engine.run(tasks, report):
        if outcome.error:
            raise GristmillError(f"{outcome.task.name}: {outcome.error}")
        found[outcome.task.name] = outcome.result
    return [found[task.name] for task in tasks]


def outcomes_with_copies(batch: Batch) -> Coded:
    """Return what became of each block; what is repeated as part of a whole copy is a `copy`."""
    whole = Coded.of_arrow(batch.judged.column("copy_of")).flags(bool)[batch.owners]
    repeated = batch.outcomes.flags({DUPLICATE, STUB}.__contains__) & whole
    names = [*batch.outcomes.values, COPY]
    return Coded(names, np.where(repeated, len(names) - 1, batch.outcomes.codes))


def before_deduplication(batch: Batch, *, copies: bool = False) -> Flags:
    """Tell of each block whether it is text that filters and later versions leave; with `copies` also in whole copies.

    The thesis removes exact duplicates before it looks at n-grams and pairs (Pomikálek 2011, 3.6.1).
    """
    wanted = {KEPT, DUPLICATE, STUB, *([COPY] if copies else [])}
    return outcomes_with_copies(batch).flags(wanted.__contains__)


def kept(batch: Batch) -> Flags:
    """Tell of each block whether it is kept to the end."""
    return batch.outcomes.flags(KEPT.__eq__)


def read_texts(shard: Shard, replaced: Sequence[int]) -> Iterator[tuple[Batch, pa.StringArray]]:
    """Read a shard, some documents at a time, each batch with the texts of its blocks."""
    texts = read_batches(shard.documents, ["blocks.list.element.text"], BATCH_ROWS)
    with countable(shard):
        for batch, more in zip_longest(read_outcomes(shard, replaced), texts):
            if batch is None or more is None:
                raise GristmillError(f"can't count {shard.documents}: it is damaged")
            yield batch, more.column("blocks").flatten().field("text")


def tokens_of(texts: pa.StringArray, chosen: Ints, *, punctuation: bool = True) -> Tokens:
    """Tokenise the chosen ones of some texts, as de-duplication does."""
    some = texts.take(pa.array(chosen)).to_pylist()
    lengths = np.fromiter(map(len, some), np.int64, len(some))
    return tokenise_joined("".join(some), lengths, punctuation=punctuation)
