"""Stubs: short blocks that are left between duplicates, when it is decided what is a duplicate.

By careful rules a stub is dropped only if another copy of it is kept, so nothing is lost; by tidy rules all are. By the
rules of the thesis (3.5.2) jusText's context-sensitive classification runs again with duplicates as bad blocks, and
what it does not find good is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Hashes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.plan import Outline, Plan, Starts
from gristmill.dedup.onion.shingling import is_among
from gristmill.dedup.onion.short_blocks import between_duplicates
from gristmill.dedup.onion.verdicts import IS_DUPLICATE, IS_STUB
from gristmill.dedup.result import NOBODY, pack_elsewhere


def drop_stubs(plan: Plan, round_number: int) -> None:
    """Put down the final state of all blocks, after a round that has changed nothing.

    Memory: a byte per block, and about 100 bytes for each short block that stands between duplicates.
    """
    states = np.array(load_arrays(plan.states(round_number))["states"])
    stubs, keepers = np.empty(0, np.int64), np.empty(0, np.int64)
    if plan.settings.thesis and not plan.settings.whole_documents:
        stubs = _by_context(plan, states)
        keepers = np.full(len(stubs), NOBODY)
    elif not plan.settings.whole_documents:
        stubs, keepers = _kept_elsewhere(plan, states)
    states[stubs] = IS_STUB
    save_arrays(plan.final, {"states": states, "stubs": stubs, "keepers": keepers})


@dataclass(frozen=True, slots=True)
class _ShortBlocks:
    """Some short blocks, with numbers for their texts and the ranks of their documents."""

    hashes: Hashes
    ranks: Ints
    blocks: Ints

    def first_of_each(self) -> _ShortBlocks:
        """Of those with the same text the first in the order of documents."""
        order = np.lexsort((self.blocks, self.ranks, self.hashes))
        hashes = self.hashes[order]
        first = order[np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])]
        return _ShortBlocks(self.hashes[first], self.ranks[first], self.blocks[first])


def _kept_elsewhere(plan: Plan, states: Bytes) -> tuple[Ints, Ints]:
    """Short blocks between duplicates of which a copy is kept in another document, and that copy, in rising order.

    If all copies of a text stand between duplicates, those in the first document are kept; by tidy rules none is.
    """
    starts = Starts.read(plan.starts)
    candidate = np.zeros(len(states), np.bool_)
    for shard in range(len(plan.shards)):
        outline, first = Outline.read(plan.outline(shard)), int(starts.blocks[shard])
        duplicate = states[first : first + len(outline.tokens) - 1] == IS_DUPLICATE
        if duplicate.any():
            candidate[
                first + between_duplicates(duplicate, np.diff(outline.tokens), outline.first_blocks, plan.settings.n)
            ] = True
    candidates = _read_short(plan, starts, candidate)
    keepers = candidates.first_of_each()
    others = _read_short(plan, starts, ~candidate & (states == 0), keepers.hashes).first_of_each()
    owners = keepers.blocks.copy()
    owners[np.searchsorted(keepers.hashes, others.hashes)] = others.blocks
    for number, index in enumerate(plan.known):
        found, _ = index.find(keepers.hashes)
        owners = np.where((found != NOBODY) & (owners >= 0), pack_elsewhere(number, found), owners)
    if plan.settings.rules == "tidy":
        owners[owners == keepers.blocks] = NOBODY
    owner = owners[np.searchsorted(keepers.hashes, candidates.hashes)]
    stays = owner == candidates.blocks
    if plan.settings.rules == "careful":
        ranks = load_arrays(plan.ranks)["ranks"]
        stays |= (owner >= 0) & (ranks[np.maximum(owner, 0)] == candidates.ranks)
    gone = np.flatnonzero(~stays)
    gone = gone[np.argsort(candidates.blocks[gone])]
    return candidates.blocks[gone], owner[gone]


def _read_short(plan: Plan, starts: Starts, wanted: npt.NDArray[np.bool_], texts: Hashes | None = None) -> _ShortBlocks:
    """Read the short blocks of all shards that are wanted, or those that have one of some texts, in rising order."""
    ranks = load_arrays(plan.ranks)["ranks"]
    hashes, blocks = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for shard in range(len(plan.shards)):
        outline = Outline.read(plan.outline(shard))
        here = outline.short_blocks + starts.blocks[shard]
        chosen = wanted[here]
        if texts is not None:
            chosen[chosen] = is_among(outline.short_hashes[chosen], texts)
        hashes.append(outline.short_hashes[chosen])
        blocks.append(here[chosen])
    found = np.concatenate(blocks)
    return _ShortBlocks(np.concatenate(hashes), ranks[found].astype(np.int64), found)


def _by_context(plan: Plan, states: Bytes) -> Ints:
    """Blocks that are not good any more, now that duplicates count as bad, in documents that have some."""
    from gristmill.dedup.onion.thesis import stubs_by_context  # noqa: PLC0415 (only these rules need jusText)

    starts = Starts.read(plan.starts)
    found = [np.empty(0, np.int64)]
    for shard in range(len(plan.shards)):
        outline, first = Outline.read(plan.outline(shard)), int(starts.blocks[shard])
        duplicate = states[first : first + len(outline.tokens) - 1] != 0
        found.append(
            first
            + stubs_by_context(
                duplicate, np.asarray(outline.classes), np.asarray(outline.numbers), outline.first_blocks
            )
        )
    return np.concatenate(found)
