"""The order in which documents are gone through: by rising share of duplicate n-grams (thesis, 3.5).

So the articles come before the index page that shows the beginning of each, and it is there that the copies are.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.messages import read_messages
from gristmill.dedup.onion.plan import Outline, Plan, Starts
from gristmill.dedup.onion.step import Step
from gristmill.dedup.onion.verdicts import count_between


class CountRepeats(Step):
    """The share of duplicate n-grams in each document of a shard."""

    what: ClassVar[str] = "duplicate n-grams in shard"
    is_of_shard: ClassVar[bool] = True

    def work(self) -> None:
        """Count them."""
        outline = Outline.read(self.plan.outline(self.number))
        marks = np.zeros(outline.tokens[-1], np.bool_)
        for (places,) in read_messages(self.plan, self.plan.repeats, self.number, "message_places"):
            marks[places.astype(np.intp)] = True
        counts = count_between(outline.tokens[outline.first_blocks], lambda start, end: marks[start:end])
        save_arrays(self.plan.shares(self.number), {"shares": counts / np.maximum(outline.ngrams, 1)})


def rank_blocks(plan: Plan) -> None:
    """Put all documents in order, and note for each block the rank of its document, from 1 (0 comes before all).

    Memory: 28 bytes a document and 4 a block.
    """
    starts = Starts.read(plan.starts)
    shards = range(len(plan.shards))
    shares = np.concatenate([np.empty(0), *(np.array(load_arrays(plan.shares(shard))["shares"]) for shard in shards)])
    ranks = np.empty(len(shares), np.uint32)
    ranks[np.argsort(shares, kind="stable")] = np.arange(1, len(shares) + 1, dtype=np.uint32)
    of_blocks = [np.empty(0, np.uint32)]
    for shard in shards:
        counts = np.diff(Outline.read(plan.outline(shard)).first_blocks)
        of_blocks.append(np.repeat(ranks[starts.documents[shard] : starts.documents[shard + 1]], counts))
    save_arrays(plan.ranks, {"ranks": np.concatenate(of_blocks)})
