"""Last round: the result of a shard.

Memory: a byte for each token of the shard, about 200 for each block, and what finding the first copies takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion.first_owners import first_owners
from gristmill.dedup.onion.messages import read_messages
from gristmill.dedup.onion.plan import Outline, Starts
from gristmill.dedup.onion.step import Step, mark_done
from gristmill.dedup.onion.verdicts import IS_DUPLICATE, IS_OWN_DUPLICATE, IS_STUB
from gristmill.dedup.reading import kept_blocks
from gristmill.dedup.result import (
    DUPLICATE,
    NOBODY,
    STUB,
    UNIQUE,
    Ids,
    Judged,
    Shares,
    pack_elsewhere,
    unpack_elsewhere,
    write_result,
)

_VERDICTS = np.full(IS_OWN_DUPLICATE + 1, UNIQUE, np.uint8)
_VERDICTS[[IS_DUPLICATE, IS_OWN_DUPLICATE]], _VERDICTS[IS_STUB] = DUPLICATE, STUB


class WriteResult(Step):
    """Put what was found about a shard beside its documents."""

    what: ClassVar[str] = "result of shard"
    is_of_shard: ClassVar[bool] = True

    def work(self) -> None:
        """Write it."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        outline = Outline.read(plan.outline(self.number))
        judged = load_arrays(plan.judged(self.round_number, self.number))
        tokens = np.diff(outline.tokens)
        final = load_arrays(plan.final)
        blocks = slice(int(starts.blocks[self.number]), int(starts.blocks[self.number + 1]))
        verdicts = _VERDICTS[final["states"][blocks]]
        covered, owners = np.array(judged["covered"]), first_owners(self._told, judged, outline, plan.settings.n)
        first_stub, end_stub = np.searchsorted(final["stubs"], (blocks.start, blocks.stop))
        stubs, keepers = final["stubs"][first_stub:end_stub] - blocks.start, final["keepers"][first_stub:end_stub]
        kept = keepers != NOBODY
        covered[stubs[kept]], owners[stubs[kept]] = tokens[stubs[kept]], keepers[kept]
        documents, numbers = self._whereabouts(_not_stubs(owners, final))
        # From the blocks that took part to all that cleaning kept, of exact copies too.
        first = load_arrays(plan.copies)["first"][starts.rows[self.number] : starts.rows[self.number + 1]]
        copies = np.where(first == np.arange(starts.rows[self.number], starts.rows[self.number + 1]), NOBODY, first)
        rows, words = kept_blocks(plan.shards[self.number])
        result = Judged(
            _document_shares(covered, outline, copies),
            copies,
            np.ones(len(rows)),
            np.full(len(rows), DUPLICATE, np.uint8),
            copies[rows],
            np.full(len(rows), NOBODY),
            words,
            np.zeros(len(rows), np.int64),  # of copies nothing is left
            np.zeros(len(rows), np.int64),
        )
        took_part = np.flatnonzero(copies[rows] == NOBODY)
        unit = self._units(outline, rows[took_part])
        result.block_shares[took_part] = (covered / np.maximum(tokens, 1))[unit]
        result.block_verdicts[took_part] = verdicts[unit]
        result.block_copies[took_part] = documents[unit]
        result.copy_blocks[took_part] = numbers[unit]
        result.lengths[took_part], result.sizes[took_part] = outline.lengths, outline.sizes
        self._number_copies(result, rows)
        known = [index.ids for index in plan.known]
        write_result(
            plan.shards[self.number], result, Ids([shard.name for shard in plan.shards], starts.rows.tolist(), known)
        )
        mark_done(plan.written(self.number))

    def _told(self) -> Iterator[tuple[Array, ...]]:
        """Where repeated n-grams stand first."""
        return read_messages(self.plan, self.plan.owners, self.number, "message_places", "owners", "spans")

    def _whereabouts(self, blocks: Ints) -> tuple[Ints, Ints]:
        """The document of each of some blocks, and its number there."""
        documents, numbers = np.full(len(blocks), NOBODY, np.int64), np.full(len(blocks), NOBODY, np.int64)
        here = load_arrays(self.plan.blocks)
        mine = blocks >= 0
        documents[mine], numbers[mine] = here["rows"][blocks[mine]], here["numbers"][blocks[mine]]
        corpora, found = unpack_elsewhere(blocks)
        for corpus, index in enumerate(self.plan.known):
            theirs = np.flatnonzero((blocks < NOBODY) & (corpora == corpus))
            rows, numbers[theirs] = index.whereabouts(found[theirs])
            documents[theirs] = pack_elsewhere(corpus, rows)
        if self.plan.settings.whole_documents:
            numbers[:] = NOBODY
        return documents, numbers

    def _units(self, outline: Outline, rows: Ints) -> Ints:
        """The unit that each block of a document which took part was judged in."""
        return np.searchsorted(outline.rows, rows) if self.plan.settings.whole_documents else np.arange(len(rows))

    def _number_copies(self, result: Judged, rows: Ints) -> None:
        """Number the blocks of exact copies: they are those of the originals, with other boilerplate between them."""
        if self.plan.settings.whole_documents:
            return
        copies = np.flatnonzero(result.copies >= 0)
        _number_blocks(result, rows, copies, result.copies[copies], load_arrays(self.plan.blocks))
        corpora, originals = unpack_elsewhere(result.copies)
        for corpus, index in enumerate(self.plan.known):
            copies = np.flatnonzero((result.copies < NOBODY) & (corpora == corpus))
            for there, which in index.blocks_of(originals[copies]):
                _number_blocks(result, rows, copies[which], originals[copies[which]], there)


def _number_blocks(result: Judged, rows: Ints, copies: Ints, originals: Ints, there: Mapping[str, Array]) -> None:
    """Note for the blocks of some copies which blocks of the originals they are; `rows` has the row of each block."""
    starts, ends = np.searchsorted(rows, copies), np.searchsorted(rows, copies + 1)
    first, last = np.searchsorted(there["rows"], originals), np.searchsorted(there["rows"], originals + 1)
    same = ends - starts == last - first
    counts = (ends - starts)[same]
    numbers = there["numbers"][concatenated_ranges(first[same], counts)]
    result.copy_blocks[concatenated_ranges(starts[same], counts)] = numbers


def _not_stubs(blocks: Ints, final: Mapping[str, Array]) -> Ints:
    """Blocks, with those that are stubs replaced by what is kept of the same text."""
    if not len(final["stubs"]):
        return blocks
    places = np.minimum(np.searchsorted(final["stubs"], blocks), len(final["stubs"]) - 1)
    is_stub = (final["stubs"][places] == blocks) & (final["keepers"][places] != NOBODY)
    return np.where(is_stub, final["keepers"][places], blocks)


def _document_shares(covered: Ints, outline: Outline, copies: Ints) -> Shares:
    shares: Shares = (copies != NOBODY).astype(np.float64)
    sums = starts_of(covered)
    tokens = np.diff(outline.tokens[outline.first_blocks])
    shares[outline.rows] = np.diff(sums[outline.first_blocks]) / np.maximum(tokens, 1)
    return shares
