"""What becomes of the blocks of a bundle, by how much of each is repeated.

Memory: two bytes for each token of the bundle, and 16 for each of some that are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.messages import read_messages
from gristmill.dedup.onion.plan import Outline, Settings
from gristmill.dedup.onion.step import BundleStep

Counts = npt.NDArray[np.int32]

IS_DUPLICATE, IS_STUB, IS_OWN_DUPLICATE = np.uint8(1), np.uint8(2), np.uint8(4)
"""States of blocks that are dropped: duplicates of other documents, stubs, repeats within a document. 0 is kept."""
IN_OTHER, IN_OWN = np.uint8(1), np.uint8(2)
"""Marks of an n-gram that repeats one in another document, or one in its own."""

PART_TOKENS = 1 << 19
"""Tokens that are looked at together, so that memory does not grow with the bundle."""


class Judge(BundleStep):
    """The state of each block of a bundle, after the buckets have said which n-grams are repeated."""

    what: ClassVar[str] = "verdicts in"

    def work(self) -> None:
        """Judge it anew if something was said to it."""
        plan = self.plan
        path = plan.judged(self.round_number, self.number)
        before = plan.judged(self.round_number - 1, self.number)
        messages = read_messages(
            plan, lambda bucket: plan.messages(self.round_number, bucket), self.number, "message_places", "bits"
        )
        told = next(messages, None)
        if self.round_number > 1 and told is None:
            save_arrays(path, load_arrays(before))
            return
        outline = Outline.read(plan.outline(self.number))
        marks = (
            np.array(load_arrays(before)["marks"]) if self.round_number > 1 else np.zeros(outline.tokens[-1], np.uint8)
        )
        documents = outline.tokens[outline.first_blocks]
        hit = np.zeros(len(outline.rows), np.bool_)
        while told is not None:
            places, bits = told
            marks[places.astype(np.intp)] ^= bits
            hit[np.searchsorted(documents, places, side="right") - 1] = True
            told = next(messages, None)
        if self.round_number == 1:
            covered, states = judge(marks, outline, plan.settings)
        else:
            covered, states = (np.array(load_arrays(before)[name]) for name in ("covered", "states"))
            for group in _groups(np.flatnonzero(hit), np.diff(documents)):
                part, blocks, tokens = outline.only(group) if len(group) > 1 else _one(outline, int(group[0]))
                covered[blocks], states[blocks] = judge(marks[tokens], part, plan.settings)
        save_arrays(path, {"marks": marks, "covered": covered, "states": states})


def _groups(documents: Ints, sizes: Ints) -> Iterator[Ints]:
    """Some documents, so many at a time as have about `PART_TOKENS` tokens together; a larger one is by itself."""
    ends = np.cumsum(sizes[documents])
    is_large = sizes[documents] > PART_TOKENS
    edges = np.flatnonzero((np.diff(ends // PART_TOKENS) > 0) | is_large[1:] | is_large[:-1]) + 1
    return (group for group in np.split(documents, edges) if len(group))


def _one(outline: Outline, document: int) -> tuple[Outline, slice, slice]:
    """What `Outline.only` gives, for one document, of which all numbers would be too many."""
    blocks = slice(*outline.first_blocks[document : document + 2].tolist())
    tokens = outline.tokens[blocks.start : blocks.stop + 1]
    part = replace(
        outline,
        rows=outline.rows[document : document + 1],
        first_blocks=np.array([0, blocks.stop - blocks.start]),
        spared=outline.spared[blocks],
        tokens=tokens - tokens[0],
    )
    return part, blocks, slice(int(tokens[0]), int(tokens[-1]))


def judge(marks: Bytes, outline: Outline, settings: Settings) -> tuple[Counts, Bytes]:
    """How many tokens of each block are repeated, and what becomes of it.

    First Algorithm 3.1's decision by what other documents have; then, of what is left, blocks that repeat others of
    their own document, but for those that are spared.
    """
    tokens = np.maximum(np.diff(outline.tokens), 1)
    in_others = count_covered(marks, outline.tokens, settings.n, IN_OTHER)
    states = np.where(settings.is_too_much(in_others / tokens), IS_DUPLICATE, np.uint8(0))
    if settings.whole_documents or marks.max(initial=0) < IN_OWN:
        return in_others, states
    covered = np.where(outline.spared, in_others, count_covered(marks, outline.tokens, settings.n))
    states[settings.is_too_much(covered / tokens) & (states == 0)] = IS_OWN_DUPLICATE
    return covered, states


def count_covered(marks: Bytes, blocks: Ints, n: int, kinds: np.uint8 = IN_OTHER | IN_OWN) -> Counts:
    """How many tokens of each block stand in an n-gram that has a mark of these kinds at its first token.

    n 3, marks . . x . . . . x . .  ->  covered . . x x x . . x x x; blocks of tokens 0-3 and 4-9: 2 and 4
    """

    def covered(start: int, end: int) -> npt.NDArray[np.bool_]:
        first = max(start - n + 1, 0)  # n-grams that begin before may run in here
        before = np.zeros(end - first + n, np.int32)
        np.cumsum(marks[first:end] & kinds != 0, dtype=np.int32, out=before[n:])
        flags: npt.NDArray[np.bool_] = before[n + start - first :] != before[start - first : -n]
        return flags

    return count_between(blocks, covered)


def count_between(edges: Ints, flags: Callable[[int, int], npt.NDArray[np.bool_]]) -> Counts:
    """How many tokens from each place to the next are flagged.

    Flags of tokens from one to before another are asked for in parts.
    """
    before = np.zeros(len(edges), np.int64)
    total, last = 0, int(edges[-1])
    for start in range(int(edges[0]), last, PART_TOKENS):
        end = min(start + PART_TOKENS, last)
        sums = np.cumsum(flags(start, end), dtype=np.int32)
        here = slice(*np.searchsorted(edges, (start, end), side="right").tolist())
        before[here] = total + sums[edges[here] - start - 1]
        total += int(sums[-1])
    return np.diff(before).astype(np.int32)
