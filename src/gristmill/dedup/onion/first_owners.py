"""For each block of a bundle the block that has its first copy, by what the buckets say of its n-grams.

Where an n-gram stands first is known by the block in which it begins. A block belongs to the one that owns most of its
repeated n-grams; a block into which repeated n-grams only run has its copy as many blocks further on. The tokens of a
bundle are gone through in parts; n-grams of a block that is longer than a part are counted on from part to part.
Memory: 9 bytes for each of four million tokens, of which the buckets are asked together (or for a sixteenth of the
bundle, if that is more), and 50 for each of a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Array, Bytes, Ints
from gristmill.dedup.onion.plan import Outline
from gristmill.dedup.onion.verdicts import IN_OTHER, IN_OWN, PART_TOKENS
from gristmill.dedup.result import NOBODY

Told = Callable[[], Iterable[tuple[Array, ...]]]
"""Reads the messages of all buckets about repeated n-grams: places, blocks in which each stands first, and spans."""

_ASKED_TOKENS = 1 << 22  # about which the messages are read together
_MAX_READINGS = 16  # times that all messages are read


def first_owners(told: Told, judged: Mapping[str, Array], outline: Outline, n: int) -> Ints:
    """For each block the one that has most of what is repeated in it, of several the lowest; `NOBODY` if nothing is."""
    found = np.full(len(outline.tokens) - 1, NOBODY, np.int64)
    if not judged["covered"].any():
        return found
    count = int(outline.tokens[-1])
    size = max(_ASKED_TOKENS, count // _MAX_READINGS)
    unfinished = _Shares(*(np.empty(0, np.int64) for _ in range(3)))
    for begin in range(0, count, size):
        owners = _Owners.read(told(), max(begin - n + 1, 0), min(begin + size, count), asked_again=size < count)
        for start in range(begin, owners.end, PART_TOKENS):
            end = min(start + PART_TOKENS, owners.end)
            _find_run_in(found, owners, judged, outline, (start, end, n))
            unfinished = _find_own(found, owners, judged, outline, (start, end), unfinished)
    return found


@dataclass(frozen=True, slots=True)
class _Owners:
    """What the buckets say of a range of tokens."""

    start: int
    end: int
    blocks: Ints
    spans: Bytes

    @classmethod
    def read(cls, told: Iterable[tuple[Array, ...]], start: int, end: int, *, asked_again: bool) -> _Owners:
        """Gather it; if they are asked only once, all that they say is of this range."""
        found = cls(start, end, np.full(end - start, NOBODY, np.int64), np.zeros(end - start, np.uint8))
        for places, blocks, spans in told:
            here = np.flatnonzero((places >= start) & (places < end)) if asked_again else slice(None)
            at = places[here].astype(np.intp) - start
            found.blocks[at], found.spans[at] = blocks[here], spans[here]
        return found


@dataclass(frozen=True, slots=True)
class _Shares:
    """How many n-grams of a block are owned by another one."""

    blocks: Ints
    owners: Ints
    counts: Ints

    def add(self, blocks: Ints, owners: Ints) -> _Shares:
        """Count further n-grams too, given in the order in which they stand; many in a row have one owner."""
        begins = np.flatnonzero(np.append(True, (np.diff(blocks) != 0) | (np.diff(owners) != 0))[: len(blocks)])
        counts = np.append(self.counts, np.diff(begins, append=len(blocks)))
        blocks, owners = np.append(self.blocks, blocks[begins]), np.append(self.owners, owners[begins])
        if not len(blocks):
            return self
        order = np.lexsort((owners, blocks))
        blocks, owners = blocks[order], owners[order]
        begins = np.flatnonzero(np.append(True, (np.diff(blocks) != 0) | (np.diff(owners) != 0)))
        return _Shares(blocks[begins], owners[begins], np.add.reduceat(counts[order], begins))

    def largest(self) -> tuple[Ints, Ints]:
        """The blocks, each once, and for each the owner of most of its n-grams; of several the lowest."""
        order = np.lexsort((self.owners, -self.counts, self.blocks))
        blocks = self.blocks[order]
        first = np.flatnonzero(np.append(True, np.diff(blocks) != 0)[: len(blocks)])
        return blocks[first], self.owners[order][first]

    def of(self, block: int) -> _Shares:
        """The counts of one block."""
        here = self.blocks == block
        return _Shares(self.blocks[here], self.owners[here], self.counts[here])


def _find_own(
    found: Ints,
    owners: _Owners,
    judged: Mapping[str, Array],
    outline: Outline,
    tokens: tuple[int, int],
    unfinished: _Shares,
) -> _Shares:
    """Find the owners of blocks in which repeated n-grams begin, by the n-grams of a range of tokens.

    `unfinished` is what is known of the first block, which may have begun before. Returns what is known of the last
    block, which may go on.
    """
    start, end = tokens
    first = int(np.searchsorted(outline.tokens, start, side="right")) - 1
    last = int(np.searchsorted(outline.tokens, end))
    counts: Ints = np.diff(np.minimum(np.maximum(outline.tokens[first : last + 1], start), end))
    places = np.flatnonzero(judged["marks"][start:end])
    of_block = np.repeat(np.arange(first, last), counts)[places]
    kinds = np.where(outline.spared[of_block], IN_OTHER, IN_OTHER | IN_OWN)
    counted = judged["marks"][start:end][places] & kinds != 0
    places, of_block = places[counted], of_block[counted]
    shares = unfinished.add(of_block, owners.blocks[places + (start - owners.start)])
    blocks, largest = shares.largest()
    found[blocks] = largest
    return shares.of(last - 1)


def _find_run_in(
    found: Ints, owners: _Owners, judged: Mapping[str, Array], outline: Outline, tokens: tuple[int, int, int]
) -> None:
    """Find the owners of blocks that begin in a range of tokens, by the last repeated n-gram that runs into each.

    Those that have repeated n-grams of their own get another owner later.
    """
    start, end, n = tokens
    first, last = np.searchsorted(outline.tokens[:-1], (start, end)).tolist()
    low = max(start - n + 1, 0)
    marks = judged["marks"][low:end]
    hit = first + np.flatnonzero(judged["covered"][first:last] != 0)
    for spared, kinds in ((False, IN_OTHER | IN_OWN), (True, IN_OTHER)):
        blocks = hit[outline.spared[hit] == spared]
        places = np.flatnonzero(marks & kinds) + low if len(blocks) else hit[:0]
        if not len(places):
            continue
        at = np.searchsorted(places, outline.tokens[blocks]) - 1
        before = places[np.maximum(at, 0)]
        runs_in = (at >= 0) & (before + n > outline.tokens[blocks])
        blocks, before = blocks[runs_in], before[runs_in]
        further = blocks - (np.searchsorted(outline.tokens, before, side="right") - 1)
        told = before - owners.start
        steps = np.minimum(further, owners.spans[told])
        found[blocks] = owners.blocks[told] + np.where(owners.blocks[told] >= 0, steps, -steps)  # packed numbers fall
