"""Second round: the duplicate n-grams of each bucket, and where all their occurrences stand.

Memory: `BYTES_PER_NGRAM` for each n-gram of the bucket. On disk: 13 bytes for each occurrence of a duplicate n-gram,
and 4 for the bundles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Bytes, Hashes, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import Bucket, sort
from gristmill.dedup.onion.index import known_indexes
from gristmill.dedup.onion.messages import bundle_order
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.positions import Words
from gristmill.dedup.onion.step import Step
from gristmill.dedup.result import NOBODY, pack_elsewhere


class FindRepeats(Step):
    """The duplicate n-grams of a bucket: those that occur twice, or in a corpus that this one is compared with."""

    what: ClassVar[str] = "duplicate n-grams of bucket"

    def work(self) -> None:
        """Find them, and tell the bundles."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        bucket = Bucket.read(plan, self.number)
        found = sort(bucket.hashes, plan.bits)
        elsewhere, elsewhere_spans = _elsewhere(plan, bucket.hashes[found.order])
        is_repeat = np.zeros(len(found.order), np.bool_)
        is_repeat[1:] |= found.equal
        is_repeat[:-1] |= found.equal
        if len(elsewhere):
            is_repeat |= elsewhere != 0
        begins = np.flatnonzero(np.append(True, ~found.equal)[: len(is_repeat)][is_repeat])
        order = found.order[is_repeat]
        positions = bucket.positions(starts, order)
        by_bundle, offsets = bundle_order(positions.blocks, starts)
        arrays = {
            "groups": np.append(begins, len(order)),
            "blocks": positions.blocks,
            "places": positions.places,
            "spans": positions.spans,
            "elsewhere": elsewhere[is_repeat][begins] if len(elsewhere) else elsewhere,
            "elsewhere_spans": elsewhere_spans[is_repeat][begins] if len(elsewhere) else elsewhere_spans,
            "message_places": positions.places[by_bundle],
            "message_offsets": offsets,
        }
        save_arrays(plan.repeats(self.number), arrays)


def _elsewhere(plan: Plan, hashes: Hashes) -> tuple[Ints, Bytes]:
    """For each n-gram where it stands in text that is there already, and how many more blocks it runs into there.

    Where it stands is packed by `pack_elsewhere`; 0 if it does not. Both are empty if there is nothing to compare with.
    """
    count = len(hashes) if plan.known else 0
    found, spans = np.zeros(count, np.int64), np.zeros(count, np.uint8)
    for number, index in enumerate(known_indexes(plan)):
        missing = np.flatnonzero(found == 0)
        blocks, more = index.find(hashes[missing])
        found[missing] = np.where(blocks == NOBODY, 0, pack_elsewhere(number, blocks))
        spans[missing] = more
    return found, spans


@dataclass(frozen=True, slots=True)
class Repeats:
    """The duplicate n-grams of a bucket. Occurrences of the same one are a group, in the order of the corpus.

    Two n-grams, of which the first occurs in blocks 0 and 5, the second in blocks 2, 5 and 9:

        groups  0   2     5
        blocks  0 5 2 5 9
    """

    groups: Ints
    """Where each group begins, and at the end how many occurrences there are."""
    blocks: Words
    places: Words
    spans: Bytes
    elsewhere: Ints
    """For each group where it stands in text that is there already; empty if there is nothing to compare with."""
    elsewhere_spans: Bytes
    """How many more blocks it runs into there."""

    @classmethod
    def read(cls, plan: Plan, bucket: int) -> Repeats:
        """Read them from a file."""
        arrays = load_arrays(plan.repeats(bucket))
        return cls(
            **{name: arrays[name] for name in ("groups", "blocks", "places", "spans", "elsewhere", "elsewhere_spans")}
        )

    def only(self, groups: Ints) -> tuple[Repeats, Ints]:
        """Some of the groups, and which occurrences these are."""
        begin, end = self.groups[groups], self.groups[groups + 1]
        chosen = concatenated_ranges(begin, end - begin)
        known = groups if len(self.elsewhere) else slice(0)
        part = Repeats(
            starts_of(end - begin),
            self.blocks[chosen],
            self.places[chosen],
            self.spans[chosen],
            self.elsewhere[known],
            self.elsewhere_spans[known],
        )
        return part, chosen
