"""What becomes of the blocks of a shard, by how much of each is repeated."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import Bytes
from gristmill.dedup.onion.mail import read_mail
from gristmill.dedup.onion.plan import Outline, Settings
from gristmill.dedup.onion.step import Step
from gristmill.dedup.tokens import Ints

Counts = npt.NDArray[np.int32]

IS_DUPLICATE, IS_STUB = np.uint8(1), np.uint8(2)
IN_OTHER, IN_OWN = np.uint8(1), np.uint8(2)
"""Marks of an n-gram that repeats one in another document, or one in its own."""


class Judge(Step):
    """The state of each block of a shard, after the buckets have said which n-grams are repeated."""

    what: ClassVar[str] = "verdicts in shard"

    def work(self) -> None:
        """Judge it anew if something was said to it."""
        plan = self.plan
        path = plan.judged(self.turn, self.number)
        before = plan.judged(self.turn - 1, self.number)
        mail = read_mail(plan, lambda bucket: plan.mail(self.turn, bucket), self.number, "mail", "bits")
        told = [(np.array(places), np.array(bits)) for places, bits in mail]  # copies: a map would hold the file of each bucket open
        if self.turn > 1 and not told:
            save_arrays(path, load_arrays(before))
            return
        outline = Outline.read(plan.outline(self.number))
        marks = np.array(load_arrays(before)["marks"]) if self.turn > 1 else np.zeros(outline.tokens[-1], np.uint8)
        for places, bits in told:
            marks[places.astype(np.intp)] ^= bits
        if self.turn == 1:
            covered, states = judge(marks, outline, plan.settings)
        else:
            covered, states = (np.array(load_arrays(before)[name]) for name in ("covered", "states"))
            _judge_again(marks, outline, plan.settings, np.concatenate([places for places, _ in told]), covered, states)
        save_arrays(path, {"marks": marks, "covered": covered, "states": states})


def _judge_again(marks: Bytes, outline: Outline, settings: Settings, places: Ints, covered: Counts, states: Bytes) -> None:
    """Judge the documents that have a mark changed, and leave the others."""
    hit = np.zeros(len(outline.rows), np.bool_)
    hit[np.searchsorted(outline.tokens[outline.first_blocks], places, side="right") - 1] = True
    part, blocks, tokens = outline.only(np.flatnonzero(hit))
    covered[blocks], states[blocks] = judge(marks[tokens], part, settings)


def judge(marks: Bytes, outline: Outline, settings: Settings) -> tuple[Counts, Bytes]:
    """How many tokens of each block are repeated, and what becomes of it.

    First Algorithm 3.1's decision by what other documents have; then, of what is left, blocks that repeat others of their own document,
    but for those that are spared.
    """
    tokens = np.maximum(np.diff(outline.tokens), 1)
    in_others = count_covered(marks & IN_OTHER, outline.tokens, settings.n)
    covered = in_others
    if not settings.whole_documents and (marks & IN_OWN).any():
        covered = np.where(outline.spared, in_others, count_covered(marks, outline.tokens, settings.n))
    return covered, np.where(settings.is_too_much(covered / tokens), IS_DUPLICATE, np.uint8(0))


def count_covered(marks: Bytes, blocks: Ints, n: int) -> Counts:
    """How many tokens of each block stand in an n-gram that is marked at its first token."""
    before = np.zeros(len(marks) + n, np.int32)
    np.cumsum(marks != 0, dtype=np.int32, out=before[n:])
    is_covered = before[n:] != before[:-n]
    sums = np.zeros(len(marks) + 1, np.int32)
    np.cumsum(is_covered, dtype=np.int32, out=sums[1:])
    return np.diff(sums[blocks])
