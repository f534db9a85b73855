"""Who owns an n-gram: the first of its occurrences in kept text. All others repeat it.

This is Algorithm 3.1 of the thesis said in another way. There, documents are gone through one by one, and n-grams of
what is kept are put into a set. Here it is asked of each n-gram whether an earlier occurrence of it was kept, which can
be asked of all at once as soon as it is known what was kept before. It is not, so it is guessed: at first that
everything is kept; then bundles judge by what is repeated, and the next guess is what they keep. What the first
document is judged to be is right after one round, since it depends on no other; what a document is judged to be is
right as soon as those before it are. When a round changes nothing, all is right.

An n-gram may run over the end of a block: it is kept if all blocks that it touches are. What is repeated within a
document is asked when it is known what earlier documents leave of it: then its blocks are gone through in their order,
and an n-gram that begins in a block repeats one that ends in an earlier block, if that is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Bytes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import over_span
from gristmill.dedup.onion.messages import bundle_order
from gristmill.dedup.onion.plan import Starts
from gristmill.dedup.onion.positions import Words
from gristmill.dedup.onion.repeats import Repeats
from gristmill.dedup.onion.step import Step
from gristmill.dedup.onion.verdicts import IN_OWN

COUNTS = ("repeated_types", "repeated", "left_types", "left")
"""Duplicate n-grams, each counted once, and all their occurrences; the same in the text that is kept."""

_ALL_KEPT = {"states": np.empty(0, np.uint8)}
_NO_OWNER = np.uint64((1 << 64) - 1)
_LOW = np.uint64(32)


class Cover(Step):
    """Which occurrences in a bucket repeat an earlier one, if the last round was right about what is kept."""

    what: ClassVar[str] = "owners in bucket"

    def work(self) -> None:
        """Tell the bundles where that has changed."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        repeats = Repeats.read(plan, self.number)
        states = load_arrays(plan.states(self.round_number - 1)) if self.round_number > 1 else _ALL_KEPT
        before = (
            load_arrays(plan.messages(self.round_number - 1, self.number))["covered"] if self.round_number > 1 else None
        )
        covered = np.array(before) if before is not None else np.zeros(len(repeats.blocks), np.uint8)
        looked_at = np.arange(len(covered))
        if before is not None:
            repeats, looked_at = repeats.only(_touched(repeats, states["changed"]))
        ranks = load_arrays(plan.ranks)["ranks"][repeats.blocks.astype(np.intp)]
        now = owners(repeats, ranks, states["states"]).covers(ranks, repeats)
        differs = now ^ covered[looked_at]
        covered[looked_at] = now
        changed = np.flatnonzero(differs != 0)
        order, offsets = bundle_order(repeats.blocks[changed], starts)
        messages = {
            "message_places": repeats.places[changed][order],
            "bits": differs[changed][order],
            "message_offsets": offsets,
        }
        save_arrays(plan.messages(self.round_number, self.number), {"covered": covered} | messages)


class TellOwners(Step):
    """Where the first copy of each repeated n-gram of a bucket stands, when all is decided."""

    what: ClassVar[str] = "first copies in bucket"

    def work(self) -> None:
        """Tell the bundles."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        repeats = Repeats.read(plan, self.number)
        ranks = load_arrays(plan.ranks)["ranks"][repeats.blocks.astype(np.intp)]
        states = load_arrays(plan.states(self.round_number))["states"]
        found = owners(repeats, ranks, states)
        covered = np.flatnonzero(load_arrays(plan.messages(self.round_number, self.number))["covered"] != 0)
        blocks, spans = found.blocks(ranks, repeats)
        order, offsets = bundle_order(repeats.blocks[covered], starts)
        told = covered[order]
        arrays: dict[str, Array] = {
            "message_places": repeats.places[told],
            "owners": blocks[told],
            "spans": spans[told],
            "message_offsets": offsets,
        }
        save_arrays(
            plan.owners(self.number), arrays | {"counts": count_repeats(repeats, load_arrays(plan.final)["states"])}
        )


class CountLeft(Step):
    """What `COUNTS` names, for a bucket, if it is decided already what is kept."""

    what: ClassVar[str] = "counts of bucket"

    def work(self) -> None:
        """Count it."""
        states = load_arrays(self.plan.final)["states"]
        save_arrays(
            self.plan.owners(self.number), {"counts": count_repeats(Repeats.read(self.plan, self.number), states)}
        )


def count_repeats(repeats: Repeats, states: Bytes) -> Ints:
    """What `COUNTS` names, for a bucket, given the final state of all blocks."""
    if not len(repeats.blocks):
        return np.zeros(len(COUNTS), np.int64)
    left = np.add.reduceat(over_span(repeats.blocks, repeats.spans, states) == 0, repeats.groups[:-1], dtype=np.int64)
    still = left + (repeats.elsewhere != 0 if len(repeats.elsewhere) else 0) > 1
    return np.array(
        [len(repeats.groups) - 1, len(repeats.blocks), np.count_nonzero(still), left[still].sum()], np.int64
    )


def _touched(repeats: Repeats, changed: Bytes) -> Ints:
    """The groups of which some occurrence stands in a block that has changed."""
    here = np.flatnonzero(over_span(repeats.blocks, repeats.spans, changed) != 0)
    groups = np.searchsorted(repeats.groups, here, side="right") - 1
    return groups[np.flatnonzero(np.diff(groups, prepend=-1))]


@dataclass(frozen=True, slots=True)
class Owners:
    """The first kept occurrences of n-grams: in the corpus, and within each document in which one occurs again.

    They are found as the least of keys that have a number in the upper 32 bits, and the occurrence in the lower ones.
    With ranks 9 4 4 of the occurrences 0 1 2 of an n-gram, all of them kept:

        keys   (9 << 32) + 0   (4 << 32) + 1   (4 << 32) + 2
        least  (4 << 32) + 1, so occurrence 1 owns it, and occurrence 0, of higher rank, repeats it
    """

    first: npt.NDArray[np.uint64]
    """For each group the key of the lowest rank; 0 if the n-gram is in text that was there before."""
    again: Ints
    """Occurrences whose document has another one of the same n-gram."""
    first_again: npt.NDArray[np.uint64]
    """For each of these the key of the first kept one in the document: the block where it ends, and the occurrence."""

    def covers(self, ranks: Words, repeats: Repeats) -> Bytes:
        """For each occurrence whether it repeats one in another document, and whether it repeats one in its own."""
        covered = (np.repeat((self.first >> _LOW).astype(np.uint32), np.diff(repeats.groups)) < ranks).view(np.uint8)
        here = (self.first_again >> _LOW) < repeats.blocks[self.again]
        covered[self.again[here]] |= IN_OWN
        return covered

    def blocks(self, ranks: Words, repeats: Repeats) -> tuple[Ints, Bytes]:
        """For each occurrence the block in which the one that it repeats begins, and how many more blocks that touches.

        The block is packed by `pack_elsewhere` if it is in text that is there already.
        """
        which = np.repeat(self.first.astype(np.uint32), np.diff(repeats.groups)).astype(np.int64)
        here = self.again[
            np.repeat((self.first >> _LOW).astype(np.uint32), np.diff(repeats.groups))[self.again] >= ranks[self.again]
        ]
        in_document = np.zeros(len(ranks), np.int64)
        in_document[self.again] = self.first_again.astype(np.uint32)
        which[here] = in_document[here]
        which = np.minimum(which, max(len(ranks) - 1, 0))  # that of an n-gram which nobody owns is asked of none
        blocks, spans = repeats.blocks[which].astype(np.int64), repeats.spans[which]
        if len(repeats.elsewhere):
            sizes = np.diff(repeats.groups)
            elsewhere = np.repeat(repeats.elsewhere, sizes)
            there = elsewhere != 0
            blocks[there], spans[there] = elsewhere[there], np.repeat(repeats.elsewhere_spans, sizes)[there]
        return blocks, spans


def owners(repeats: Repeats, ranks: Words, states: Bytes) -> Owners:
    """Find the first kept occurrences, given the rank of each occurrence's document, and the state of all blocks.

    No states mean that all blocks are kept.
    """
    if not len(ranks):
        empty = np.empty(0, np.uint64)
        return Owners(empty, np.empty(0, np.int64), empty)
    numbers = np.arange(len(ranks), dtype=np.uint64)
    keys = ranks.astype(np.uint64) << _LOW
    keys |= numbers
    states = over_span(repeats.blocks, repeats.spans, states) if states.any() else np.zeros(len(ranks), np.uint8)
    keys[states != 0] = _NO_OWNER
    first = np.minimum.reduceat(keys, repeats.groups[:-1])
    if len(repeats.elsewhere):
        first[repeats.elsewhere != 0] = 0
    follows = np.zeros(len(ranks) + 1, np.bool_)
    follows[1:-1] = ranks[1:] == ranks[:-1]
    follows[repeats.groups] = False
    again = np.flatnonzero(follows[:-1] | follows[1:])
    if not len(again):
        return Owners(first, again, np.empty(0, np.uint64))
    ends = repeats.blocks[again].astype(np.uint64) + repeats.spans[again]
    keys = np.where(states[again] == 0, ends << _LOW | numbers[again], _NO_OWNER)
    runs = np.flatnonzero(~follows[again])
    first_again = np.repeat(np.minimum.reduceat(keys, runs), np.diff(np.append(runs, len(again))))
    return Owners(first, again, first_again)
