"""Stubs: short blocks that are left between duplicates, when it is decided what is a duplicate.

By careful rules a stub is dropped only if another copy of it is kept, so nothing is lost; by tidy rules all are. By the
rules of the thesis (3.5.2) jusText's context-sensitive classification runs again with duplicates as bad blocks, and
what it does not find good is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Bytes, Hashes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.index import known_indexes
from gristmill.dedup.onion.plan import Outline, Plan, Starts
from gristmill.dedup.onion.shingling import is_among
from gristmill.dedup.onion.short_blocks import between_duplicates
from gristmill.dedup.onion.step import BundleStep, Step
from gristmill.dedup.onion.verdicts import IS_DUPLICATE
from gristmill.dedup.result import NOBODY, pack_elsewhere


class FindCandidates(BundleStep):
    """The short blocks of a bundle that stand between duplicates, after a round that has changed nothing.

    By the rules of the thesis they are stubs already. Memory: about 50 bytes for each block.
    """

    what: ClassVar[str] = "short blocks in"

    def work(self) -> None:
        """Find them."""
        plan, outline = self.plan, Outline.read(self.plan.outline(self.number))
        first = int(Starts.read(plan.starts).blocks[self.number])
        states = load_arrays(plan.states(self.round_number))["states"][first : first + len(outline.tokens) - 1]
        if plan.settings.thesis:
            stubs = first + _by_context(outline, states)
            _save(plan, self.number, stubs, np.full(len(stubs), NOBODY))
            return
        candidate = np.zeros(len(states), np.bool_)
        duplicate = states == IS_DUPLICATE
        if duplicate.any():
            between = between_duplicates(duplicate, np.diff(outline.tokens), outline.first_blocks, plan.settings.n)
            candidate[between] = True
        save_arrays(plan.candidates(self.number), {"candidates": candidate[outline.short_blocks]})


class FindStubs(Step):
    """The stubs in a range of hashes of texts: candidates of which a copy is kept in another document, and that copy.

    If all copies of a text stand between duplicates, those in the first document are kept; by tidy rules none is.
    Memory: about 100 bytes for each short block of the range that is a candidate, or has the text of one.
    """

    what: ClassVar[str] = "stubs in range"

    def work(self) -> None:
        """Find them."""
        plan = self.plan
        candidates = self._read(None)
        keepers = candidates.first_of_each()
        others = self._read(keepers.hashes).first_of_each()
        owners = keepers.blocks.copy()
        owners[np.searchsorted(keepers.hashes, others.hashes)] = others.blocks
        for number, index in enumerate(known_indexes(plan)):
            found, _ = index.find(keepers.hashes)
            owners = np.where((found != NOBODY) & (owners >= 0), pack_elsewhere(number, found), owners)
        if plan.settings.rules == "tidy":
            owners[owners == keepers.blocks] = NOBODY
        owner = owners[np.searchsorted(keepers.hashes, candidates.hashes)]
        stays = owner == candidates.blocks
        if plan.settings.rules == "careful":
            ranks = load_arrays(plan.ranks)["ranks"]
            known = np.flatnonzero(owner >= 0)
            stays[known] |= ranks[owner[known]] == candidates.ranks[known]
        gone = np.flatnonzero(~stays)
        gone = gone[np.argsort(candidates.blocks[gone])]
        _save(plan, self.number, candidates.blocks[gone], owner[gone])

    def _read(self, texts: Hashes | None) -> _ShortBlocks:
        """Read the candidates in all bundles; or the other blocks that are kept and have one of some texts."""
        plan, shift = self.plan, 64 - self.plan.stub_bits
        low, high = np.uint64(self.number << shift), np.uint64(((self.number + 1) << shift) - 1)
        starts, states = Starts.read(plan.starts), load_arrays(plan.states(self.round_number))["states"]
        hashes, blocks = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        for bundle in range(plan.bundles):
            outline = Outline.read(plan.outline(bundle))
            here = slice(
                int(np.searchsorted(outline.short_hashes, low)),
                int(np.searchsorted(outline.short_hashes, high, side="right")),
            )
            of_texts, numbers = outline.short_hashes[here], outline.short_blocks[here] + starts.blocks[bundle]
            chosen = np.array(load_arrays(plan.candidates(bundle))["candidates"][here])
            if texts is not None:
                chosen = ~chosen & (states[numbers] == 0)
                chosen[chosen] = is_among(of_texts[chosen], texts)
            hashes.append(of_texts[chosen])
            blocks.append(numbers[chosen])
        found = np.concatenate(blocks)
        ranks = load_arrays(plan.ranks)["ranks"][found].astype(np.int64)
        return _ShortBlocks(np.concatenate(hashes), ranks, found)


def _save(plan: Plan, number: int, stubs: Ints, keepers: Ints) -> None:
    """Put down some stubs, in rising order, with the copies of these, and where each bundle begins among them."""
    offsets = np.searchsorted(stubs, Starts.read(plan.starts).blocks)
    save_arrays(plan.stubs(number), {"stubs": stubs, "keepers": keepers, "offsets": offsets})


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


def _by_context(outline: Outline, states: Bytes) -> Ints:
    """Blocks that are not good any more, now that duplicates count as bad, in documents that have some."""
    from gristmill.dedup.onion.thesis import stubs_by_context  # noqa: PLC0415 (only these rules need jusText)

    return stubs_by_context(states != 0, np.asarray(outline.classes), np.asarray(outline.numbers), outline.first_blocks)
