"""Last round: the results of the shards of a bundle.

Memory: a byte for each token of the bundle, about 200 for each block, and what finding the first copies takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion.first_owners import first_owners
from gristmill.dedup.onion.index import known_indexes
from gristmill.dedup.onion.messages import read_messages
from gristmill.dedup.onion.plan import Outline, Starts
from gristmill.dedup.onion.same_texts import read_first
from gristmill.dedup.onion.step import BundleStep, mark_done
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


class WriteResult(BundleStep):
    """Put what was found about shards beside their documents."""

    what: ClassVar[str] = "result of"

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
        begin, end = self.bundle.rows[0], self.bundle.rows[-1]
        first = read_first(plan, begin, end)
        copies = np.where(first == np.arange(begin, end), NOBODY, first)
        rows, words = self._kept_blocks()
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
        catalogue = json.loads(plan.catalogue.read_bytes())
        ids = Ids(catalogue["names"], catalogue["rows"], [index.ids for index in known_indexes(plan)])
        for shard, (first_row, end_row) in zip(self.bundle.shards, pairwise(self.bundle.rows), strict=True):
            write_result(shard, _of_rows(result, rows, first_row - begin, end_row - begin), ids)
        mark_done(plan.written(self.number))

    def _kept_blocks(self) -> tuple[Ints, Ints]:
        """The blocks that cleaning kept in all shards: row of the document in the bundle, and words."""
        found = [kept_blocks(shard) for shard in self.bundle.shards]
        firsts = [row - self.bundle.rows[0] for row in self.bundle.rows]
        rows = [rows + first for (rows, _), first in zip(found, firsts, strict=False)]
        return np.concatenate(rows), np.concatenate([words for _, words in found])

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
        for corpus, index in enumerate(known_indexes(self.plan)):
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
        for corpus, index in enumerate(known_indexes(self.plan)):
            copies = np.flatnonzero((result.copies < NOBODY) & (corpora == corpus))
            for there, which in index.blocks_of(originals[copies]):
                _number_blocks(result, rows, copies[which], originals[copies[which]], there)


def _of_rows(result: Judged, rows: Ints, first: int, end: int) -> Judged:
    """What was found about some rows in a row, and about their blocks; `rows` has the row of each block."""
    documents, blocks = slice(first, end), slice(*np.searchsorted(rows, (first, end)).tolist())
    of_documents = {name: getattr(result, name)[documents] for name in ("shares", "copies")}
    of_blocks = {name: getattr(result, name)[blocks] for name in Judged.__slots__ if name not in of_documents}
    return Judged(**of_documents, **of_blocks)


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
