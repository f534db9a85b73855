"""What is not settled after a round: the documents that are to be processed one by one, and their open n-grams.

All documents before the first one that has changed in the round are settled: what became of them is right. In a large
corpus that leaves nearly all documents, though few hang on what has changed. So it is looked which others are settled:

- an occurrence of an n-gram is *certain* if a settled document before it has the n-gram in kept text, so that it is a
  repetition whatever becomes of the others; or if only settled documents before it have the n-gram at all;
- a document is settled if it has not changed in the round, and all that it has is certain.

Each look finds documents that hang on those which the look before has found. What it finds is right: a settled document
was judged in this round by what settled documents were in the round before, they had not changed since, and so nothing
will change it. Documents that are left when it is looked no more are decided one by one, however many these are.

Memory: 100 bytes for each occurrence of a bucket, and a byte for each document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Bytes, Flags, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import over_span
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.positions import Words
from gristmill.dedup.onion.repeats import Repeats
from gristmill.dedup.onion.step import Step, WholeStep

BUCKETS_TOGETHER = 64
"""Buckets whose findings one task puts together."""

_NEVER = np.uint32((1 << 32) - 1)


@dataclass(frozen=True, slots=True)
class _Open:
    """The open occurrences of a bucket: in unsettled documents, with no settled owner before them."""

    repeats: Repeats
    ranks: Words
    groups: Ints
    """The group of each occurrence of the bucket."""
    chosen: Ints
    """Which occurrences are open."""
    first: Words
    """For each group the lowest rank of an unsettled document that has it."""

    @classmethod
    def read(cls, plan: Plan, round_number: int, look: int, bucket: int) -> _Open:
        """Find them, by what an earlier look has found to be unsettled."""
        repeats = Repeats.read(plan, bucket)
        joined = load_arrays(plan.joined(round_number))
        ranks: Words = load_arrays(plan.ranks)["ranks"][repeats.blocks.astype(np.intp)]
        sizes = np.diff(repeats.groups)
        groups = np.repeat(np.arange(len(sizes)), sizes)
        if not len(ranks):
            return cls(repeats, ranks, groups, np.empty(0, np.int64), ranks)
        unsettled = _unsettled(plan, round_number, look)(ranks)
        kept = over_span(repeats.blocks, repeats.spans, joined["states"]) == 0
        owner = np.minimum.reduceat(np.where(~unsettled & kept, ranks, _NEVER), repeats.groups[:-1])
        if len(repeats.elsewhere):
            owner[repeats.elsewhere != 0] = 0
        first = np.minimum.reduceat(np.where(unsettled, ranks, _NEVER), repeats.groups[:-1])
        return cls(repeats, ranks, groups, np.flatnonzero(unsettled & (ranks < owner[groups])), first)


def _unsettled(plan: Plan, round_number: int, look: int) -> Callable[[Words], Flags]:
    """Tell whether documents of some ranks are unsettled, as a look has found; 0 is before the first look."""
    if look == 0:
        lowest = int(load_arrays(plan.joined(round_number))["lowest"][0])
        return lambda ranks: ranks >= lowest
    bits: Bytes = load_arrays(plan.unsettled(round_number, look))["bits"]
    return lambda ranks: (bits[(ranks >> 3).astype(np.intp)] >> (ranks & 7).astype(np.uint8) & 1).astype(np.bool_)


@dataclass(frozen=True, kw_only=True)
class FindOpen(Step):
    """The open occurrences of a bucket, in the order of documents and places; their n-grams are numbered from 0."""

    what: ClassVar[str] = "open n-grams of bucket"

    look: int
    """The look that has found what is unsettled; 0 is before the first."""

    def work(self) -> None:
        """Find them."""
        found = _Open.read(self.plan, self.round_number, self.look, self.number)
        repeats, chosen = found.repeats, found.chosen
        groups, of_chosen = np.unique(found.groups[chosen], return_inverse=True)
        order = np.lexsort((repeats.places[chosen], found.ranks[chosen]))
        chosen = chosen[order]
        arrays: dict[str, Array] = {
            "group": of_chosen[order].astype(np.uint32),
            "rank": found.ranks[chosen],
            "block": repeats.blocks[chosen],
            "place": repeats.places[chosen],
            "span": repeats.spans[chosen],
            "groups": np.array([len(groups)]),
        }
        save_arrays(self.plan.open(self.round_number, self.number), arrays)


@dataclass(frozen=True, kw_only=True)
class FindUncertain(Step):
    """The documents that have an occurrence in a bucket which is not certain, by their ranks."""

    what: ClassVar[str] = "uncertain n-grams of bucket"

    look: int
    """Which look this is, from 1."""

    def work(self) -> None:
        """Find them among those that the look before has left."""
        found = _Open.read(self.plan, self.round_number, self.look - 1, self.number)
        ranks = found.ranks[found.chosen]
        uncertain = np.unique(ranks[ranks > found.first[found.groups[found.chosen]]])
        save_arrays(self.plan.uncertain(self.round_number, self.look, self.number), {"ranks": uncertain})


@dataclass(frozen=True, kw_only=True)
class JoinUncertain(Step):
    """The documents that some buckets can't be sure of, a bit for each rank."""

    what: ClassVar[str] = "uncertain documents"

    look: int
    """Which look this is, from 1."""

    def work(self) -> None:
        """Put them together."""
        plan = self.plan
        flags = _no_flags(plan)
        first = self.number * BUCKETS_TOGETHER
        for bucket in range(first, min(first + BUCKETS_TOGETHER, plan.buckets)):
            flags[load_arrays(plan.uncertain(self.round_number, self.look, bucket))["ranks"].astype(np.intp)] = True
        bits = np.packbits(flags, bitorder="little")
        save_arrays(plan.uncertain_of_some(self.round_number, self.look, self.number), {"bits": bits})


@dataclass(frozen=True, kw_only=True)
class Settle(WholeStep):
    """The documents that are unsettled: those that some bucket can't be sure of, or that have changed."""

    what: ClassVar[str] = "unsettled documents of"

    look: int
    """Which look this is, from 1."""

    def work(self) -> None:
        """Put them together, and count them."""
        plan = self.plan
        flags, ranks = _no_flags(plan), load_arrays(plan.ranks)["ranks"]
        changed = load_arrays(plan.joined(self.round_number))["changed"]
        for start, end in pairwise(Starts.read(plan.starts).blocks.tolist()):
            flags[ranks[start:end][changed[start:end] != 0].astype(np.intp)] = True
        bits = np.packbits(flags, bitorder="little")
        for number in range(joins(plan)):
            bits |= load_arrays(plan.uncertain_of_some(self.round_number, self.look, number))["bits"]
        count = np.count_nonzero(np.unpackbits(bits))
        save_arrays(plan.unsettled(self.round_number, self.look), {"bits": bits, "count": np.array([count])})


def joins(plan: Plan) -> int:
    """How many tasks put together what the buckets can't be sure of."""
    return -(-plan.buckets // BUCKETS_TOGETHER)


def _no_flags(plan: Plan) -> Flags:
    """A flag for each document, by its rank, which is not set."""
    return np.zeros(int(Starts.read(plan.starts).documents[-1]) + 1, np.bool_)
