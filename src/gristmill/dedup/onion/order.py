"""The order in which documents are gone through: by rising share of duplicate n-grams (thesis, 3.5).

So the articles come before the index page that shows the beginning of each, and it is there that the copies are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.arrays.storing import Stream, load_arrays, save_arrays
from gristmill.dedup.onion.messages import read_messages
from gristmill.dedup.onion.plan import Outline, Starts
from gristmill.dedup.onion.positions import Words
from gristmill.dedup.onion.step import BundleStep, WholeStep
from gristmill.dedup.onion.verdicts import count_between


class CountRepeats(BundleStep):
    """The share of duplicate n-grams in each document of a bundle."""

    what: ClassVar[str] = "duplicate n-grams in"

    def work(self) -> None:
        """Count them."""
        outline = Outline.read(self.plan.outline(self.number))
        marks = np.zeros(outline.tokens[-1], np.bool_)
        for (places,) in read_messages(self.plan, self.plan.repeats, self.number, "message_places"):
            marks[places.astype(np.intp)] = True
        counts = count_between(outline.tokens[outline.first_blocks], lambda start, end: marks[start:end])
        save_arrays(self.plan.shares(self.number), {"shares": counts / np.maximum(outline.ngrams, 1)})


class RankBlocks(WholeStep):
    """The rank of each block's document among all documents, from 1 (0 comes before all).

    Of documents with the same share the first in the corpus comes first. With shares .5 0 .5 | 0 .5 of two bundles:

        all shares, sorted     0 0 .5 .5 .5
        of the first bundle    2 0 2  are found there  ->  ranks 3 1 4, as .5 has been seen before the second .5
        of the second bundle   0 2    are found there  ->  ranks 2 5, as 0 has been seen once and .5 twice

    Memory: 12 bytes a document.
    """

    what: ClassVar[str] = "order of documents of"

    def work(self) -> None:
        """Sort all shares, and look up those of each bundle."""
        shares = np.concatenate([np.empty(0), *map(self._shares, range(self.plan.bundles))])
        shares.sort()
        blocks = int(Starts.read(self.plan.starts).blocks[-1])
        save_arrays(self.plan.ranks, {"ranks": Stream(np.dtype(np.uint32), blocks, self._ranks(shares))})

    def _shares(self, bundle: int) -> Floats:
        return load_arrays(self.plan.shares(bundle))["shares"]

    def _ranks(self, all_shares: Floats) -> Iterator[Words]:
        """The ranks of the blocks of each bundle."""
        seen = np.zeros(len(all_shares), np.uint32)  # of each different share, where the first of it stands
        for bundle in range(self.plan.bundles):
            different, which, counts = np.unique(self._shares(bundle), return_inverse=True, return_counts=True)
            first = np.searchsorted(all_shares, different)
            ranks = np.empty(len(which), np.uint32)
            ranks[np.argsort(which, kind="stable")] = concatenated_ranges(first + seen[first] + 1, counts)
            seen[first] += counts.astype(np.uint32)
            yield np.repeat(ranks, np.diff(Outline.read(self.plan.outline(bundle)).first_blocks))
