"""The tokens that are counted: all, or those of a subcorpus, of a part of speech, or both.

They are gone through block by block, so that memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus

BLOCK_TOKENS = 1 << 20
"""Tokens that are looked at together."""


class Block(NamedTuple):
    """A stretch of the token stream, and which of its tokens are counted; None if all are."""

    start: int
    stop: int
    mask: Mask | None


class Choice:
    """The tokens of an index that are counted."""

    def __init__(self, index: Index, subcorpus: Subcorpus | None = None, tag: str | None = None) -> None:
        """Choose the tokens of a subcorpus, or those whose whole tag a regular expression matches, or both."""
        if subcorpus is not None and subcorpus.index is not index:
            raise UsageError("the subcorpus is of another index")
        self.index = index
        self.subcorpus = subcorpus
        self._tags: Mask | None = None
        if tag is not None:
            tags = index.attribute("tag").lexicon
            self._tags = np.zeros(len(tags), np.bool_)
            self._tags[tags.matching(tag)] = True

    @property
    def everything(self) -> bool:
        """Whether all tokens are counted."""
        return self.subcorpus is None and self._tags is None

    @property
    def size(self) -> int:
        """Tokens of the corpus or subcorpus, of whatever part of speech."""
        return self.index.size if self.subcorpus is None else self.subcorpus.size

    @property
    def documents(self) -> int:
        """Documents of the corpus or subcorpus."""
        return self.index.documents if self.subcorpus is None else self.subcorpus.documents

    def blocks(self) -> Iterator[Block]:
        """All blocks with a token that is counted, in order."""
        for start in range(0, self.index.size, BLOCK_TOKENS):
            block = self.block(start, min(start + BLOCK_TOKENS, self.index.size))
            if block.mask is None or block.mask.any():
                yield block

    def places(self, start: int, stop: int) -> Ids | None:
        """Where tokens of a stretch stand among those of the subcorpus there, from 0; None if there is no subcorpus.

        If the second and third of four tokens are in it, their places are 0 and 1; those of others mean nothing.
        """
        if self.subcorpus is None:
            return None
        return np.cumsum(self.subcorpus.mask(start, stop)) - 1 if stop > start else np.empty(0, np.int64)

    @property
    def by_ranges(self) -> bool:
        """Whether all tokens of a subcorpus are counted, so that it can be read range by range."""
        return self.subcorpus is not None and self._tags is None

    def is_rest_of(self, other: Choice) -> bool:
        """Whether each token of the index is either in this choice or in the other, both of them subcorpora."""
        if self.subcorpus is None or other.subcorpus is None or not (self.by_ranges and other.by_ranges):
            return False
        return self.index is other.index and bool(np.all(self.subcorpus.chosen != other.subcorpus.chosen))

    def ranges(self) -> Iterator[tuple[int, int, Ids, Ids]]:
        """Ranges of the subcorpus by stretches of the stream: where the stretch begins and ends, and the ranges in it.

        A range that is longer than a stretch is divided: the range from 5 to 12, with stretches of 10, is 5 to 10 and
        10 to 12.
        """
        if self.subcorpus is None:
            return
        starts, ends = self.subcorpus.ranges
        for start in range(0, self.index.size, BLOCK_TOKENS):
            stop = min(start + BLOCK_TOKENS, self.index.size)
            first, last = int(np.searchsorted(ends, start, side="right")), int(np.searchsorted(starts, stop))
            if first < last:
                yield start, stop, starts[first:last].clip(start, stop), ends[first:last].clip(start, stop)

    def block(self, start: int, stop: int) -> Block:
        """One stretch of the stream."""
        mask = None if self.subcorpus is None else self.subcorpus.mask(start, stop)
        if self._tags is not None:
            tagged = self._tags[self.index.attribute("tag").ids[start:stop]]
            mask = tagged if mask is None else mask & tagged
        return Block(start, stop, mask)
