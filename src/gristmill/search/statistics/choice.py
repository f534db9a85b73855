"""The tokens that are counted: all, or those of a subcorpus, of a part of speech, that have an attribute, or all of it.

They are gone through block by block, so that memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.search.coverage import COUNTED, RATES, Coverage, Missing
from gristmill.search.hits import Hits
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

    def __init__(
        self,
        index: Index,
        subcorpus: Subcorpus | None = None,
        tag: str | None = None,
        names: Iterable[str] = (),
        *,
        then: str = COUNTED,
    ) -> None:
        """Choose the tokens of a subcorpus, or those whose whole tag a regular expression matches, or both.

        If the taggers of some of these tokens do not provide the attributes that are named, only the others are
        counted; if none has them, all are. `then` is what is said to follow of that.
        """
        if subcorpus is not None and subcorpus.index is not index:
            raise UsageError("the subcorpus is of another index")
        self.index = index
        self.subcorpus = subcorpus
        self._coverage = Coverage(index, names, subcorpus, then)
        self._tag = tag
        self._tags: Mask | None = None
        if tag is not None:
            tags = index.attribute("tag").lexicon
            self._tags = np.zeros(len(tags), np.bool_)
            self._tags[tags.matching(tag)] = True

    def knowing(self, names: Iterable[str]) -> Choice:
        """Choose those of the tokens that have some attributes: rates relate to these. All of them, if none has."""
        return Choice(self.index, self.subcorpus, self._tag, names, then=RATES)

    @property
    def everything(self) -> bool:
        """Whether all tokens are counted."""
        return not self.is_part and self._tags is None

    @property
    def is_part(self) -> bool:
        """Whether only some tokens of the index are counted, of whatever part of speech."""
        return self.subcorpus is not None or self._coverage.is_partial

    @property
    def missing(self) -> Missing:
        """What is missing of the attributes that were named."""
        return self._coverage.missing

    @property
    def size(self) -> int:
        """Tokens of the corpus or subcorpus that have the attributes, of whatever part of speech."""
        return self.missing.rated

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
        """Where tokens of a stretch stand among those of the part that is counted, from 0; None if all are counted.

        If the second and third of four tokens are in it, their places are 0 and 1; those of others mean nothing.
        """
        if not self.is_part:
            return None
        return np.cumsum(self._mask(start, stop)) - 1 if stop > start else np.empty(0, np.int64)

    @property
    def by_ranges(self) -> bool:
        """Whether all tokens of a part are counted, so that it can be read range by range."""
        return self.is_part and self._tags is None

    def is_rest_of(self, other: Choice) -> bool:
        """Whether each token of the index is either in this choice or in the other, both of them subcorpora."""
        if self.subcorpus is None or other.subcorpus is None or not (self.by_ranges and other.by_ranges):
            return False
        if self._coverage.is_partial or other._coverage.is_partial:
            return False
        return self.index is other.index and bool(np.all(self.subcorpus.chosen != other.subcorpus.chosen))

    def ranges(self) -> Iterator[tuple[int, int, Ids, Ids]]:
        """Ranges of the part by stretches of the stream: where the stretch begins and ends, and the ranges in it.

        A range that is longer than a stretch is divided: the range from 5 to 12, with stretches of 10, is 5 to 10 and
        10 to 12.
        """
        if self._coverage.is_partial:
            starts, ends = self._coverage.ranges
        elif self.subcorpus is not None:
            starts, ends = self.subcorpus.ranges
        else:
            return
        for start in range(0, self.index.size, BLOCK_TOKENS):
            stop = min(start + BLOCK_TOKENS, self.index.size)
            first, last = int(np.searchsorted(ends, start, side="right")), int(np.searchsorted(starts, stop))
            if first < last:
                yield start, stop, starts[first:last].clip(start, stop), ends[first:last].clip(start, stop)

    def block(self, start: int, stop: int) -> Block:
        """One stretch of the stream."""
        mask = self._mask(start, stop) if self.is_part else None
        if self._tags is not None:
            tagged = self._tags[self.index.attribute("tag").ids[start:stop]]
            mask = tagged if mask is None else mask & tagged
        return Block(start, stop, mask)

    def _mask(self, start: int, stop: int) -> Mask:
        """Whether the tokens of a stretch are in the part that is counted, of whatever part of speech."""
        if self._coverage.is_partial or self.subcorpus is None:
            return self._coverage.mask(start, stop)
        return self.subcorpus.mask(start, stop)

    def restrict(self, hits: Hits) -> Hits:
        """Take the hits that begin in the part that is counted."""
        if self._coverage.is_partial:
            return hits[self._coverage.holds(hits.starts)]
        return hits if self.subcorpus is None else self.subcorpus.restrict(hits)

    def holds(self, positions: Ids) -> Mask | None:
        """Tell which of these tokens have the attributes that were named; None if all tokens count in this."""
        return self._coverage.holds(positions) if self._coverage.is_partial else None

    def counts(self, positions: Ids) -> Mask:
        """Tell which of these tokens, in any order, are in the part that is counted, of whatever part of speech."""
        if self._coverage.is_partial:
            return self._coverage.holds(positions)
        return np.ones(len(positions), np.bool_) if self.subcorpus is None else self.subcorpus.holds(positions)

    def stretches(self, bounds: Ids) -> tuple[Ids, Ids]:
        """Give the structures between bounds that are counted: where each begins and ends.

        Where only some of its tokens have the attributes that were named, it is cut there.
        """
        if self._coverage.is_partial:
            return self._coverage.cut(bounds)
        starts, ends = bounds[:-1], bounds[1:]
        if self.subcorpus is None:
            return starts, ends
        held = self.subcorpus.holds(starts)
        return starts[held], ends[held]

    @cached_property
    def document_lengths(self) -> Ids:
        """Tokens of each document of the index, as far as they have the attributes that were named."""
        bounds = self.index.structure("doc").bounds.astype(np.int64)
        return np.diff(self._coverage.before(bounds) if self._coverage.is_partial else bounds)
