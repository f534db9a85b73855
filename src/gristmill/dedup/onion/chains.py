"""Chains of documents, each of which repeats a part of the one before, decided by processing documents one by one.

Rounds decide most of a corpus at once, but of a chain only one document each. So where rounds make little progress, the
documents that are not settled are processed in their order, as Algorithm 3.1 does it. The next round finds nothing to
change.

Only *open* n-grams matter: those that no settled document before owns. Their occurrences are put into order in parts
that fit into memory. Between parts, a bit for each open n-gram says whether it has an owner by now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Bytes, Flags, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.buckets import over_span
from gristmill.dedup.onion.joining import states_of_round
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.step import WholeStep
from gristmill.dedup.onion.verdicts import IN_OTHER, IN_OWN, IS_DUPLICATE, IS_OWN_DUPLICATE, count_covered

BYTES_PER_OCCURRENCE = 120
"""What processing takes for each occurrence of an open n-gram of a part."""
BYTES_PER_TOKEN = 32
"""What processing takes for each token of the documents of a part."""


_RECORD = np.dtype([("group", "<i8"), ("rank", "<u4"), ("block", "<u4"), ("place", "<u4"), ("span", "u1")])


def fits(ngrams: int, room: int) -> bool:
    """Whether all occurrences of so many n-grams could be processed together, if all were open."""
    return ngrams * BYTES_PER_OCCURRENCE <= room


@dataclass(frozen=True, kw_only=True)
class DecideInOrder(WholeStep):
    """The states of all blocks after a round, where unsettled documents are processed one by one.

    Memory: what it is given, 8 bytes for each document, and for each open n-gram a bit.
    """

    room: int
    """Bytes that there are for a part."""

    what: ClassVar[str] = "chains of"

    def work(self) -> None:
        """Decide what becomes of them, and change the states that the round has found."""
        plan = self.plan
        joined, found = load_arrays(plan.joined(self.round_number)), _Open(plan, self.round_number)
        owned = np.zeros((found.groups + 7) // 8, np.uint8)
        decided = _Decided()
        for records in found.parts(max(self.room - len(owned), self.room // 2)):
            part = _Part.of(plan, self.round_number, records, joined["states"], joined["changed"])
            _decide_part(part, decided, owned, plan.settings)
        blocks = Starts.read(plan.starts).blocks
        before = load_arrays(plan.states(self.round_number - 1))["states"] if self.round_number > 1 else None
        decisions = decided.in_order()

        def states() -> Iterator[Bytes]:
            return (decisions.of(joined["states"], start, end) for start, end in pairwise(blocks.tolist()))

        def changed() -> Iterator[Bytes]:
            for now, (start, end) in zip(states(), pairwise(blocks.tolist()), strict=True):
                yield (now != (0 if before is None else before[start:end])).astype(np.uint8)

        count = sum(int(np.count_nonzero(flags)) for flags in changed())
        save_arrays(plan.states(self.round_number), states_of_round(int(blocks[-1]), states(), changed(), count))


class _Decided:
    """What was decided of the blocks of documents that were judged again."""

    def __init__(self) -> None:
        self._blocks: list[Ints] = [np.empty(0, np.int64)]
        self._states: list[Bytes] = [np.empty(0, np.uint8)]

    def add(self, first_block: int, states: Bytes) -> None:
        """Note the states of the blocks of a document."""
        self._blocks.append(np.arange(first_block, first_block + len(states)))
        self._states.append(states)

    def in_order(self) -> _Decisions:
        """All of it in the order of the blocks."""
        blocks = np.concatenate(self._blocks)
        order = np.argsort(blocks)
        return _Decisions(blocks[order], np.concatenate(self._states)[order])


@dataclass(frozen=True, slots=True)
class _Decisions:
    """The states of some blocks, in rising order."""

    blocks: Ints
    states: Bytes

    def of(self, states: Bytes, start: int, end: int) -> Bytes:
        """The states of blocks from one to before another, changed as was decided."""
        found = np.array(states[start:end])
        here = slice(*np.searchsorted(self.blocks, (start, end)).tolist())
        found[self.blocks[here] - start] = self.states[here]
        return found


class _Open:
    """The occurrences of open n-grams of all buckets."""

    def __init__(self, plan: Plan, round_number: int) -> None:
        self._plan, self._round_number = plan, round_number
        counts = [int(self._load(bucket)["groups"][0]) for bucket in range(plan.buckets)]
        self._first_groups = starts_of(np.array(counts, np.int64))
        """Open n-grams are numbered through all buckets."""
        self.groups = int(self._first_groups[-1])

    def _load(self, bucket: int) -> dict[str, Array]:
        return load_arrays(self._plan.open(self._round_number, bucket))

    def parts(self, room: int) -> Iterator[npt.NDArray[np.void]]:
        """All of them in parts that fit into memory, in the order of documents and places."""
        for lowest, beyond in pairwise(self._edges(room).tolist()):
            found = np.concatenate([np.empty(0, _RECORD), *self._between(lowest, beyond)])
            yield found[np.lexsort((found["place"], found["rank"]))]

    def _between(self, lowest: int, beyond: int) -> Iterator[npt.NDArray[np.void]]:
        """Read the occurrences in documents of some ranks, of each bucket that has some."""
        for bucket in np.flatnonzero(np.diff(self._first_groups)).tolist():
            arrays = self._load(bucket)
            here = slice(*np.searchsorted(arrays["rank"], (lowest, beyond)).tolist())
            found = np.empty(here.stop - here.start, _RECORD)
            for name in _RECORD.names or ():
                found[name] = arrays[name][here]
            found["group"] += self._first_groups[bucket]
            yield found

    def _edges(self, room: int) -> Ints:
        """The ranks at which parts begin, and one beyond the last."""
        starts = Starts.read(self._plan.starts)
        last = int(starts.documents[-1])
        costs = np.zeros(last + 2, np.int64)
        for bucket in np.flatnonzero(np.diff(self._first_groups)).tolist():
            ranks, counts = np.unique(self._load(bucket)["rank"], return_counts=True)
            costs[ranks] += counts * BYTES_PER_OCCURRENCE
        all_ranks = load_arrays(self._plan.ranks)["ranks"]
        for bundle in range(self._plan.bundles):
            outline = Outline.read(self._plan.outline(bundle))
            some = np.flatnonzero(np.diff(outline.first_blocks))
            of_rank = all_ranks[outline.first_blocks[some] + starts.blocks[bundle]].astype(np.int64)
            costs[of_rank] += (
                (costs[of_rank] > 0) * np.diff(outline.tokens[outline.first_blocks])[some] * BYTES_PER_TOKEN
            )
        edges, spent = [0], 0
        for rank in np.flatnonzero(costs).tolist():
            if spent and spent + costs[rank] > room:
                edges.append(rank)
                spent = 0
            spent += int(costs[rank])
        return np.array([*edges, last + 1], np.int64)


@dataclass(frozen=True, slots=True)
class _Part:
    """The documents of some open n-grams, in their order, with all that is needed to judge them."""

    groups: Ints
    """The n-gram of each occurrence."""
    documents: Ints
    """Where each document begins among the occurrences, and at the end how many there are."""
    begins: Ints
    ends: Ints
    """The blocks in which each occurrence begins and ends, from the first one of its document."""
    places: Ints
    """The token at which it begins, from the first one of its document."""
    kept: Flags
    """Whether all blocks that it touches are kept, as far as is known."""
    first_blocks: Ints
    """The first block of each document among all of the corpus."""
    blocks: Ints
    """Where each document begins among the blocks here."""
    tokens: Ints
    """Where each block begins among the tokens here, and at the end how many there are."""
    marks: Bytes
    """What this round says of each token."""
    spared: Flags
    changed: Flags
    """Whether each document has changed in this round."""

    @classmethod
    def of(cls, plan: Plan, round_number: int, found: npt.NDArray[np.void], states: Bytes, changed: Bytes) -> _Part:
        """Read what is known of the documents."""
        documents = np.append(np.flatnonzero(np.append(True, np.diff(found["rank"]) != 0)[: len(found)]), len(found))
        texts = _Texts.read(plan, round_number, found["block"][documents[:-1]].astype(np.int64))
        of_document = np.repeat(np.arange(len(documents) - 1), np.diff(documents))
        begins = found["block"] - texts.first_blocks[of_document]
        in_part = concatenated_ranges(texts.first_blocks, np.diff(texts.blocks))
        some = starts_of(changed[in_part].astype(np.int64))[texts.blocks]
        return cls(
            found["group"],
            documents,
            begins,
            begins + found["span"],
            found["place"] - texts.first_tokens[of_document],
            over_span(found["block"], found["span"], states) == 0,
            texts.first_blocks,
            texts.blocks,
            texts.tokens,
            texts.marks,
            texts.spared,
            np.diff(some) > 0,
        )


@dataclass(frozen=True, slots=True)
class _Texts:
    """Documents, given by one block of each, with their blocks and marks."""

    first_blocks: Ints
    first_tokens: Ints
    """Where each begins among the blocks of the corpus, and among the tokens of its bundle."""
    blocks: Ints
    tokens: Ints
    spared: Flags
    marks: Bytes

    @classmethod
    def read(cls, plan: Plan, round_number: int, some_blocks: Ints) -> _Texts:
        """Go over the bundles once, whatever the order of documents is."""
        starts = Starts.read(plan.starts).blocks
        bundles = np.searchsorted(starts, some_blocks, side="right") - 1
        counts = np.zeros(
            (4, len(some_blocks)), np.int64
        )  # first block, first token, blocks and tokens of each document
        for bundle in np.unique(bundles).tolist():
            outline, here = Outline.read(plan.outline(bundle)), np.flatnonzero(bundles == bundle)
            number = np.searchsorted(outline.first_blocks, some_blocks[here] - starts[bundle], side="right") - 1
            first, end = outline.first_blocks[number], outline.first_blocks[number + 1]
            counts[:, here] = (
                first + starts[bundle],
                outline.tokens[first],
                end - first,
                outline.tokens[end] - outline.tokens[first],
            )
        blocks, tokens = starts_of(counts[2]), starts_of(counts[3])
        sizes, spared, marks = (
            np.empty(blocks[-1], np.int64),
            np.empty(blocks[-1], np.bool_),
            np.empty(tokens[-1], np.uint8),
        )
        for bundle in np.unique(bundles).tolist():
            outline, here = Outline.read(plan.outline(bundle)), np.flatnonzero(bundles == bundle)
            from_blocks = concatenated_ranges(counts[0, here], counts[2, here]) - starts[bundle]
            from_tokens = concatenated_ranges(counts[1, here], counts[3, here])
            to_blocks = concatenated_ranges(blocks[here], counts[2, here])
            sizes[to_blocks], spared[to_blocks] = np.diff(outline.tokens)[from_blocks], outline.spared[from_blocks]
            to_tokens = concatenated_ranges(tokens[here], counts[3, here])
            marks[to_tokens] = load_arrays(plan.judged(round_number, bundle))["marks"][from_tokens]
        return cls(counts[0], counts[1], blocks, starts_of(sizes), spared, marks)


def _decide_part(part: _Part, decided: _Decided, owned: Bytes, settings: Settings) -> None:
    """Process the documents of a part in their order; n-grams that are owned then are marked as such.

    A document is judged again if it has changed in this round, or if its n-grams have other owners than the round took
    them to have.
    """
    groups, of_part = np.unique(part.groups, return_inverse=True)
    taken = (owned[groups >> 3] >> (groups & 7).astype(np.uint8) & 1).astype(np.bool_)
    of_document = np.repeat(np.arange(len(part.documents) - 1), np.diff(part.documents))
    tokens = part.tokens[part.blocks]
    marked = part.marks[part.places + tokens[:-1][of_document]] & IN_OTHER != 0
    repeats = _with_repeats(of_document, of_part)
    for number, (start, end) in enumerate(pairwise(part.documents.tolist())):
        here, kept = of_part[start:end], part.kept[start:end]
        covered = taken[here]
        if part.changed[number] or not np.array_equal(covered, marked[start:end]):
            blocks = slice(int(part.blocks[number]), int(part.blocks[number + 1]))
            text = _Text(part.tokens[blocks.start : blocks.stop + 1] - tokens[number], part.spared[blocks])
            marks = part.marks[tokens[number] : tokens[number + 1]] & IN_OTHER
            marks[part.places[start:end]] = covered
            begins, ends = part.begins[start:end], part.ends[start:end]
            in_others = text.judge(marks, settings)
            gone = in_others.copy()
            if number in repeats and not settings.whole_documents:
                text.judge_within(here.tolist(), begins, ends, part.places[start:end], marks, gone, settings)
            decided.add(int(part.first_blocks[number]), np.where(in_others, IS_DUPLICATE, gone * IS_OWN_DUPLICATE))
            before = starts_of(gone.astype(np.int64))
            kept = before[ends + 1] == before[begins]
        taken[here[kept]] = True
    newly = groups[taken]
    np.bitwise_or.at(owned, newly >> 3, np.uint8(1) << (newly & 7).astype(np.uint8))


def _with_repeats(documents: Ints, groups: Ints) -> set[int]:
    """The documents in which some n-gram occurs twice."""
    order = np.lexsort((groups, documents))
    same = (np.diff(documents[order]) == 0) & (np.diff(groups[order]) == 0)
    return set(documents[order[:-1][same]].tolist())


@dataclass(frozen=True, slots=True)
class _Text:
    """One document, to be judged."""

    tokens: Ints
    """Where each block begins among its tokens, and at the end how many there are."""
    spared: Flags

    def judge(self, marks: Bytes, settings: Settings) -> Flags:
        """Which blocks repeat too much of other documents."""
        return settings.is_too_much(count_covered(marks, self.tokens, settings.n) / np.maximum(np.diff(self.tokens), 1))

    def judge_within(
        self, groups: list[int], begins: Ints, ends: Ints, places: Ints, marks: Bytes, gone: Flags, settings: Settings
    ) -> None:
        """Go through the blocks in their order, for those that repeat earlier ones of the same document."""
        tokens, count = self.tokens, len(gone)
        first_in = np.searchsorted(begins, np.arange(count + 1))
        by_end = np.argsort(ends, kind="stable")
        first_out = np.searchsorted(ends[by_end], np.arange(count + 1))
        inside: set[int] = set()
        for block in range(count):
            for at in range(first_in[block], first_in[block + 1]):
                if groups[at] in inside:
                    marks[places[at]] |= IN_OWN
            start, end = max(int(tokens[block]) - settings.n + 1, 0), int(tokens[block + 1])
            if not gone[block] and end > tokens[block] and not self.spared[block]:
                covered = count_covered(marks[start:end], np.array([tokens[block] - start, end - start]), settings.n)
                gone[block] = settings.is_too_much(covered / (end - tokens[block]))[0]
            for at in by_end[first_out[block] : first_out[block + 1]].tolist():
                if not gone[begins[at] : block + 1].any():
                    inside.add(groups[at])
