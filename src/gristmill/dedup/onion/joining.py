"""What is known of the blocks of all bundles, in one file each, in which any block can be looked up.

One task writes such a file, bundle by bundle, so memory does not grow with the corpus. On disk: 12 bytes for each block
(its document, and its number there), 2 for its state and whether that has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Bytes, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import ArrayFile, Stream, load_arrays, save_arrays
from gristmill.dedup.onion.plan import Outline, Starts, check_blocks
from gristmill.dedup.onion.step import WholeStep
from gristmill.dedup.onion.verdicts import IS_STUB
from gristmill.dedup.result import NOBODY

_BYTE = np.dtype(np.uint8)


@dataclass(frozen=True, kw_only=True)
class JoinOutlines(WholeStep):
    """Where bundles begin among all blocks, and which block is which."""

    rows: tuple[int, ...]
    """Where bundles begin among all rows."""

    what: ClassVar[str] = "blocks of"

    def work(self) -> None:
        """Go through the outlines: to count, for the rows, and for the numbers."""
        plan = self.plan
        counts = np.zeros((3, plan.bundles), np.int64)
        for bundle, outline in enumerate(self._outlines()):
            counts[:, bundle] = len(outline.rows), len(outline.tokens) - 1, outline.ngrams.sum()
        starts = {name: starts_of(count) for name, count in zip(("documents", "blocks", "ngrams"), counts, strict=True)}
        blocks = int(starts["blocks"][-1])
        check_blocks(blocks)
        save_arrays(
            plan.blocks,
            {
                "rows": Stream(np.dtype(np.int64), blocks, self._rows()),
                "numbers": Stream(np.dtype(np.int32), blocks, self._numbers()),
            },
        )
        save_arrays(plan.starts, {"rows": np.array(self.rows, np.int64)} | starts)

    def _outlines(self) -> Iterator[Outline]:
        return (Outline.read(self.plan.outline(bundle)) for bundle in range(self.plan.bundles))

    def _rows(self) -> Iterator[Ints]:
        """The row of each block's document."""
        for outline, start in zip(self._outlines(), self.rows, strict=False):
            yield np.repeat(outline.rows + start, np.diff(outline.first_blocks))

    def _numbers(self) -> Iterator[Array]:
        """Which block of its document each block is."""
        for outline in self._outlines():
            yield np.full(len(outline.rows), NOBODY) if self.plan.settings.whole_documents else outline.numbers


class JoinStates(WholeStep):
    """The states of all blocks after a round, whether each has changed, how many have, and the lowest rank of these."""

    what: ClassVar[str] = "states of blocks of"

    def work(self) -> None:
        """Go through what bundles have found: to count, for the states, and for the changes."""
        plan, count, lowest = self.plan, 0, np.iinfo(np.int64).max
        blocks = Starts.read(plan.starts).blocks
        ranks = load_arrays(plan.ranks)["ranks"]
        for start, changed in zip(blocks.tolist(), self._changed(blocks), strict=False):
            here = np.flatnonzero(changed)
            count += len(here)
            lowest = min(lowest, int(ranks[start + here].min()) if len(here) else lowest)
        save_arrays(
            plan.joined(self.round_number),
            states_of_round(int(blocks[-1]), self._states(), self._changed(blocks), count)
            | {"lowest": np.array([lowest])},
        )

    def _states(self) -> Iterator[Bytes]:
        for bundle in range(self.plan.bundles):
            yield load_arrays(self.plan.judged(self.round_number, bundle))["states"]

    def _changed(self, blocks: Ints) -> Iterator[Bytes]:
        before = load_arrays(self.plan.states(self.round_number - 1))["states"] if self.round_number > 1 else None
        for states, (start, end) in zip(self._states(), pairwise(blocks.tolist()), strict=True):
            yield (states != (0 if before is None else before[start:end])).astype(np.uint8)


def states_of_round(
    blocks: int, states: Iterator[Bytes], changed: Iterator[Bytes], count: int
) -> dict[str, Array | Stream]:
    """What is stored of all blocks after a round: states, whether each has changed in it, and how many have."""
    return {
        "states": Stream(_BYTE, blocks, states),
        "changed": Stream(_BYTE, blocks, changed),
        "count": np.array([count]),
    }


@dataclass(frozen=True, kw_only=True)
class JoinFinal(WholeStep):
    """The final states of all blocks, with the stubs, and where the copy of each stub stands, in rising order."""

    stub_files: int
    """How many files of stubs there are; each is in rising order."""

    what: ClassVar[str] = "final states of"

    def work(self) -> None:
        """Go through the bundles: for the states, for the stubs, and for their copies."""
        plan, blocks = self.plan, int(Starts.read(self.plan.starts).blocks[-1])
        stubs = sum(len(found) for found, _ in self._stubs())
        arrays = {
            "states": Stream(_BYTE, blocks, self._states()),
            "stubs": Stream(np.dtype(np.int64), stubs, (found for found, _ in self._stubs())),
            "keepers": Stream(np.dtype(np.int64), stubs, (keepers for _, keepers in self._stubs())),
        }
        save_arrays(plan.final, arrays)

    def _states(self) -> Iterator[Bytes]:
        starts = Starts.read(self.plan.starts).blocks.tolist()
        for bundle, ((start, end), (stubs, _)) in enumerate(zip(pairwise(starts), self._stubs(), strict=True)):
            if self.round_number:
                states = np.array(load_arrays(self.plan.states(self.round_number))["states"][start:end])
            else:
                states = np.array(load_arrays(self.plan.judged(0, bundle))["states"])
            states[stubs - start] = IS_STUB
            yield states

    def _stubs(self) -> Iterator[tuple[Ints, Ints]]:
        """The stubs of each bundle, and their copies."""
        for bundle in range(self.plan.bundles):
            found, keepers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
            for number in range(self.stub_files):
                with ArrayFile(self.plan.stubs(number)) as file:
                    start, end = file.read("offsets", bundle, bundle + 2).tolist()
                    if start < end:
                        found.append(file.read("stubs", start, end))
                        keepers.append(file.read("keepers", start, end))
            stubs = np.concatenate(found)
            order = np.argsort(stubs)
            yield stubs[order], np.concatenate(keepers)[order]
