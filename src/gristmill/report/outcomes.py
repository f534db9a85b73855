"""What became of each page and each block of a batch of documents, and why: the same words wherever it is counted.

A block is asked in the order of the stages, and what leaves it out first is its outcome: its score (`boilerplate`), its
role (`role`), a filter of blocks or of its page (by name), a later version (`replaced`), another copy (`duplicate`, or
`stub`: what stood between copies). What is left is `kept`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Array, Flags, Ints
from gristmill.columns import Coded, are_chosen
from gristmill.corpus.reader import REPLACED
from gristmill.errors import GristmillError
from gristmill.roles import ROLES
from gristmill.shards import Shard, read_batches

KEPT, BOILERPLATE, ROLE, DUPLICATE, STUB = "kept", "boilerplate", "role", "duplicate", "stub"
"""Outcomes of blocks; others are names of filters, and `replaced`."""
ROLE_NAMES = (*ROLES, "")
"""All roles; the last one is that of blocks without a known role."""
BATCH_ROWS = 1024
"""Documents that are read at a time."""
_BLOCKS = ("score", "words", "role", "dropped")
_DOCUMENTS = (
    *("url", "date", "published", "lang", "page_kind", "method", "dropped", "max_boilerplate", "roles"),
    *(f"blocks.list.element.{name}" for name in _BLOCKS),
)
_DUPLICATES = (
    *("copy_of", "text_blocks", "words"),
    *(f"blocks.list.element.{name}" for name in ("verdict", "copy_of", "copy_block")),
)


def boilerplate_of(role: str) -> str:
    """Name the outcome of blocks of a role whose scores are too high."""
    return f"{BOILERPLATE}/{role}" if role else BOILERPLATE


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of a shard and all their blocks, as columns, with what became of them.

    Blocks of two documents, the first with three: `offsets` 0, 3, 5; `owners` 0, 0, 0, 1, 1.
    """

    first: int
    """The row of the first document in its shard."""
    documents: pa.RecordBatch
    judged: pa.RecordBatch
    offsets: Ints
    owners: Ints
    """The document that each block is in."""
    score: Array
    words: Ints
    roles: Ints
    """The role of each block, as a place in `ROLE_NAMES`."""
    chosen: Flags
    """Whether the role of a block is one of those that are text in its document."""
    cleaned: Flags
    """Of each document whether it was cleaned, so that there are blocks."""
    replaced: Flags
    passed: Flags
    """Of each document whether it passed all filters."""
    pages: Coded
    """Of each document the reason why it is left out; empty if it is kept."""
    outcomes: Coded
    """Of each block what became of it."""
    verdicts: Coded
    """Of each block what de-duplication found."""

    @property
    def left(self) -> Flags:
        """Of each block whether neither a filter nor a later version nor de-duplication leaves it out.

        Whether its score and role make it text is left open: what cleaning did not keep counts as unique.
        """
        fine = self.outcomes.flags({KEPT, BOILERPLATE, ROLE}.__contains__)
        return fine & (self.passed & ~self.replaced)[self.owners] & self.verdicts.flags({"", "unique"}.__contains__)


@contextmanager
def countable(shard: Shard) -> Iterator[None]:
    """Turn what damaged columns raise into an error that says which file it is."""
    try:
        yield
    except (pa.ArrowException, LookupError, TypeError, ValueError, AttributeError) as error:
        raise GristmillError(f"can't count {shard.documents}: it is damaged ({error})") from error


def read_outcomes(shard: Shard, replaced: Sequence[int]) -> Iterator[Batch]:
    """Read a shard, some documents at a time, without their texts; `replaced` are the rows that later ones replace."""
    first, rows = 0, np.array(list(replaced), np.int64)
    for documents, judged in _side_by_side(shard):
        skip = np.isin(np.arange(first, first + documents.num_rows), rows)
        yield _batch(first, documents, judged, skip)
        first += documents.num_rows


def _side_by_side(shard: Shard) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    pairs = zip_longest(
        read_batches(shard.documents, _DOCUMENTS, BATCH_ROWS), read_batches(shard.duplicates, _DUPLICATES, BATCH_ROWS)
    )
    for documents, judged in pairs:
        if documents is None or judged is None or not _fit(documents, judged):
            raise GristmillError(
                f"{shard.documents} and {shard.duplicates.name} beside it don't have the same documents, so one of "
                "them is damaged: delete it and run the command that made it again"
            )
        yield documents, judged


def _fit(documents: pa.RecordBatch, judged: pa.RecordBatch) -> bool:
    if documents.num_rows != judged.num_rows or "blocks" not in documents.schema.names:
        return False
    return "blocks" in judged.schema.names and len(documents["blocks"].flatten()) == len(judged["blocks"].flatten())


def _batch(first: int, documents: pa.RecordBatch, judged: pa.RecordBatch, replaced: Flags) -> Batch:
    lists = documents.column("blocks")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    offsets -= offsets[0]
    counts = np.diff(offsets)
    owners = np.repeat(np.arange(documents.num_rows), counts)
    blocks = lists.flatten()
    role = Coded.of_arrow(blocks.field("role"))
    score = blocks.field("score").to_numpy(zero_copy_only=False)
    chosen = _chosen(documents, role, counts)
    is_text = score <= np.repeat(documents.column("max_boilerplate").to_numpy(zero_copy_only=False), counts)
    dropped = Coded.of_arrow(documents.column("dropped"))
    passed = dropped.flags(lambda reason: not reason)
    verdicts = Coded.of_arrow(judged.column("blocks").flatten().field("verdict"))
    steps: list[tuple[str | Coded, Any]] = [
        (DUPLICATE, verdicts.flags(DUPLICATE.__eq__)),
        (STUB, verdicts.flags(STUB.__eq__)),
        (REPLACED, replaced[owners]),
        (dropped.take(owners), ~passed[owners]),
        (by_filter := Coded.of_arrow(blocks.field("dropped")), by_filter.flags(bool)),
        (ROLE, ~chosen),
        (BOILERPLATE, ~is_text),
    ]
    empty = judged.column("text_blocks").to_numpy(zero_copy_only=False) == 0
    places = np.array([ROLE_NAMES.index(name) if name in ROLE_NAMES else len(ROLES) for name in role.values], np.int64)
    return Batch(
        first,
        documents,
        judged,
        offsets,
        owners,
        score,
        blocks.field("words").to_numpy(zero_copy_only=False).astype(np.int64),
        places[role.codes] if len(places) else np.zeros(0, np.int64),
        chosen,
        Coded.of_arrow(documents.column("method")).flags(bool),
        replaced,
        passed,
        _overlaid("", documents.num_rows, [(DUPLICATE, empty), (REPLACED, replaced), (dropped, ~passed)]),
        _overlaid(KEPT, len(blocks), steps),
        verdicts,
    )


def _chosen(documents: pa.RecordBatch, role: Coded, counts: Ints) -> Flags:
    """Tell of each block whether its role is among those of its document."""
    if not len(role):
        return np.ones(len(role), np.bool_)
    wanted = Coded.of_arrow(documents.column("roles"))
    table = np.stack([are_chosen(tuple(role.values), names) for names in wanted.values])
    flags: Flags = table[np.repeat(wanted.codes, counts), role.codes]
    return flags


def _overlaid(default: str, length: int, steps: Sequence[tuple[str | Coded, Flags]]) -> Coded:
    """Put values over a default where flags say so, the last ones on top; empty values of a column change nothing."""
    codes = np.zeros(length, np.int32)
    numbers = {default: 0}
    for what, flags in steps:
        column = Coded.same(what, length) if isinstance(what, str) else what
        known = np.array([numbers.setdefault(value, len(numbers)) for value in column.values], np.int32)
        if len(known):
            codes[flags] = known[column.codes[flags]]
    return Coded(list(numbers), codes)
