"""What rounds would settle one document at a time, settled by going through the documents.

Rounds settle most of a corpus at once, but where each document repeats a part of the one before it, they settle one document a round. After
some rounds, then, the documents from the first one on that is not settled are gone through one by one, as Algorithm 3.1 does it. The next
round finds that this is right and changes nothing, or goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gristmill.arrays import load_arrays
from gristmill.dedup.onion.buckets import Bytes, Words, over_span
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.repeats import Repeats
from gristmill.dedup.onion.verdicts import IN_OTHER, IN_OWN, IS_DUPLICATE, count_covered, judge
from gristmill.dedup.tokens import Ints

BYTES_PER_OCCURRENCE = 120


@dataclass(frozen=True, slots=True)
class _Open:
    """Occurrences of n-grams that nobody owns yet, in the order of documents and places."""

    groups: Ints
    ranks: Words
    blocks: Ints
    ends: Ints
    """The blocks in which they begin and end."""
    places: Ints

    def documents(self) -> Iterator[_Open]:
        """Those of each document."""
        edges = [0, *(np.flatnonzero(np.diff(self.ranks)) + 1).tolist(), len(self.ranks)] if len(self.ranks) else []
        for start, end in pairwise(edges):
            here = slice(start, end)
            yield _Open(self.groups[here], self.ranks[here], self.blocks[here], self.ends[here], self.places[here])


def settle_rest(plan: Plan, turn: int, states: Bytes, changed: Bytes, room: int) -> Bytes:
    """The states of all blocks, settled from the first document on that has changed; as they are if that does not fit into memory."""
    starts = Starts.read(plan.starts)
    ranks = load_arrays(plan.ranks)["ranks"]
    lowest = int(ranks[np.flatnonzero(changed)].min())
    found = _find_open(plan, ranks, states, lowest, room // BYTES_PER_OCCURRENCE)
    if found is None:
        return states
    settled = states.copy()
    owned: set[int] = set()
    pages = _Pages(plan, turn, starts)
    for document in found.documents():
        blocks, verdicts = pages.judge(document, owned)
        settled[blocks] = verdicts
        gone = np.append(np.int64(0), np.cumsum(verdicts != 0))
        first = blocks.start
        kept = gone[document.ends - first + 1] == gone[document.blocks - first]
        owned.update(document.groups[kept].tolist())
    return settled


def _find_open(plan: Plan, ranks: Words, states: Bytes, lowest: int, most: int) -> _Open | None:
    """Occurrences from that rank on of n-grams that have no owner before; nothing if there are too many."""
    parts: list[tuple[Ints, Words, Ints, Ints, Ints]] = []
    count = 0
    for bucket in range(plan.buckets):
        repeats = Repeats.read(plan, bucket)
        if not len(repeats.blocks):
            continue
        of_occurrence = ranks[repeats.blocks.astype(np.intp)]
        late = of_occurrence >= lowest
        has_owner = np.logical_or.reduceat(~late & (over_span(repeats.blocks, repeats.spans, states) == 0), repeats.groups[:-1])
        if len(repeats.elsewhere):
            has_owner |= repeats.elsewhere != 0
        sizes = np.diff(repeats.groups)
        chosen = np.flatnonzero(late & np.repeat(~has_owner, sizes))
        groups = np.repeat(np.arange(len(sizes)), sizes)[chosen] + (np.int64(bucket) << 32)
        blocks = repeats.blocks[chosen].astype(np.int64)
        parts.append((groups, of_occurrence[chosen], blocks, blocks + repeats.spans[chosen], repeats.places[chosen].astype(np.int64)))
        count += len(chosen)
        if count > most:
            return None
    if not parts:
        nothing = np.empty(0, np.int64)
        return _Open(nothing, nothing.astype(np.uint32), nothing, nothing, nothing)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.lexsort((columns[4], columns[1]))
    return _Open(*(column[order] for column in columns))


class _Pages:
    """The documents of all shards, with what is known of them."""

    def __init__(self, plan: Plan, turn: int, starts: Starts) -> None:
        self._plan = plan
        self._turn = turn
        self._starts = starts.blocks
        self._shard = -1
        self._outline: Outline
        self._marks: Bytes

    def judge(self, document: _Open, owned: set[int]) -> tuple[slice, Bytes]:
        """The blocks of a document and what becomes of them, if these n-grams are owned by earlier documents."""
        self._turn_to(int(document.blocks[0]))
        offset = int(self._starts[self._shard])
        number = int(np.searchsorted(self._outline.first_blocks, document.blocks[0] - offset, side="right")) - 1
        part, blocks, tokens = self._outline.only(np.array([number]))
        marks = self._marks[tokens[0] : tokens[-1] + 1].copy()
        places = document.places - tokens[0]
        is_owned = np.array([group in owned for group in document.groups.tolist()], np.bool_)
        marks[places] = np.where(is_owned, IN_OTHER, 0)
        _, verdicts = judge(marks & IN_OTHER, part, self._plan.settings)
        first = int(blocks[0]) + offset
        if not self._plan.settings.whole_documents:
            _judge_within(document, first, places, marks, part, verdicts, self._plan.settings)
        return slice(first, first + len(verdicts)), verdicts

    def _turn_to(self, block: int) -> None:
        shard = int(np.searchsorted(self._starts, block, side="right")) - 1
        if shard != self._shard:
            self._shard = shard
            self._outline = Outline.read(self._plan.outline(shard))
            self._marks = load_arrays(self._plan.judged(self._turn, shard))["marks"]


def _judge_within(document: _Open, first: int, places: Ints, marks: Bytes, outline: Outline, verdicts: Bytes, settings: Settings) -> None:
    """Go through the blocks of a document in their order, for those that repeat earlier ones of the same document."""
    groups, tokens = document.groups.tolist(), outline.tokens
    if len(set(groups)) == len(groups):
        return
    begins = np.searchsorted(document.blocks - first, np.arange(len(verdicts) + 1))
    ends_in = np.argsort(document.ends, kind="stable")
    end_edges = np.searchsorted((document.ends - first)[ends_in], np.arange(len(verdicts) + 1))
    inside: set[int] = set()
    for block in range(len(verdicts)):
        for at in range(begins[block], begins[block + 1]):
            if groups[at] in inside:
                marks[places[at]] |= IN_OWN
        start, end = max(int(tokens[block]) - settings.n + 1, 0), int(tokens[block + 1])
        if verdicts[block] == 0 and end > tokens[block] and not outline.spared[block]:
            covered = count_covered(marks[start:end], np.array([tokens[block] - start, end - start]), settings.n)
            if settings.is_too_much(covered / (end - tokens[block]))[0]:
                verdicts[block] = IS_DUPLICATE
        for at in ends_in[end_edges[block] : end_edges[block + 1]].tolist():
            if not verdicts[int(document.blocks[at]) - first : block + 1].any():
                inside.add(groups[at])
