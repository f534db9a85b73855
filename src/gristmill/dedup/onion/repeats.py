"""Second round: the duplicate n-grams of each bucket, and where all their occurrences stand.

Memory: `BYTES_PER_NGRAM` for each n-gram of the bucket. On disk: 13 bytes for each occurrence of a duplicate n-gram,
and 4 for the shards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Bytes, Hashes, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import Bucket, Words, sort
from gristmill.dedup.onion.index import Index
from gristmill.dedup.onion.mail import shard_order
from gristmill.dedup.onion.plan import Plan, Starts
from gristmill.dedup.onion.step import Step


class FindRepeats(Step):
    """The duplicate n-grams of a bucket: those that occur twice, or in a corpus that this one is compared with."""

    what: ClassVar[str] = "duplicate n-grams of bucket"

    def work(self) -> None:
        """Find them, and tell the shards."""
        plan = self.plan
        starts = Starts.read(plan.starts)
        bucket = Bucket.read(plan, self.number)
        found = sort(bucket.hashes, plan.bits)
        elsewhere = _elsewhere(plan, bucket.hashes[found.order]) if plan.against else np.empty(0, np.int64)
        is_repeat = np.zeros(len(found.order), np.bool_)
        is_repeat[1:] |= found.equal
        is_repeat[:-1] |= found.equal
        if len(elsewhere):
            is_repeat |= elsewhere != 0
        begins = np.flatnonzero(np.append(True, ~found.equal)[: len(is_repeat)][is_repeat])
        order = found.order[is_repeat]
        stand = bucket.stand(starts, order)
        by_shard, offsets = shard_order(stand.blocks, starts)
        arrays = {
            "groups": np.append(begins, len(order)),
            "blocks": stand.blocks,
            "places": stand.places,
            "spans": stand.spans,
            "elsewhere": elsewhere[is_repeat][begins] if len(elsewhere) else elsewhere,
            "mail": stand.places[by_shard],
            "mail_offsets": offsets,
        }
        save_arrays(plan.repeats(self.number), arrays)


def _elsewhere(plan: Plan, hashes: Hashes) -> Ints:
    """For each n-gram where it stands in another corpus, as a negative number; 0 if it does not."""
    found = np.zeros(len(hashes), np.int64)
    for number, folder in enumerate(plan.against):
        missing = np.flatnonzero(found == 0)
        found[missing] = Index(folder).find(hashes[missing], number)
    return found


@dataclass(frozen=True, slots=True)
class Repeats:
    """The duplicate n-grams of a bucket. Occurrences of the same one are a group, in the order of the corpus."""

    groups: Ints
    """Where each group begins, and at the end how many occurrences there are."""
    blocks: Words
    places: Words
    spans: Bytes
    elsewhere: Ints
    """For each group where it stands in another corpus; empty if there is none to compare with."""

    @classmethod
    def read(cls, plan: Plan, bucket: int) -> Repeats:
        """From a file."""
        arrays = load_arrays(plan.repeats(bucket))
        return cls(**{name: arrays[name] for name in ("groups", "blocks", "places", "spans", "elsewhere")})

    def only(self, groups: Ints) -> tuple[Repeats, Ints]:
        """Some of the groups, and which occurrences these are."""
        begin, end = self.groups[groups], self.groups[groups + 1]
        chosen = concatenated_ranges(begin, end - begin)
        elsewhere = self.elsewhere[groups] if len(self.elsewhere) else self.elsewhere
        return Repeats(
            starts_of(end - begin), self.blocks[chosen], self.places[chosen], self.spans[chosen], elsewhere
        ), chosen
