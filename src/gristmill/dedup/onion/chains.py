"""Chains of documents, each of which repeats a part of the one before, decided by processing documents one by one.

Rounds decide most of a corpus at once, but of a chain only one document each. So where rounds make little progress, the
documents from the first undecided one on are processed in their order, as Algorithm 3.1 does it. The next round finds
nothing to change.

Only *open* n-grams matter: those that no document before owns. Their occurrences are put into order in parts that fit
into memory. Between parts, a bit for each duplicate n-gram says whether it has an owner by now.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.onion.buckets import over_span
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.positions import Words
from gristmill.dedup.onion.repeats import Repeats
from gristmill.dedup.onion.verdicts import IN_OTHER, IN_OWN, IS_DUPLICATE, IS_OWN_DUPLICATE, count_covered

BYTES_PER_OCCURRENCE = 120
"""What processing takes for each occurrence of an open n-gram of a part."""
BYTES_PER_TOKEN = 32
"""What processing takes for each token of the documents of a part."""


_RECORD = np.dtype([("group", "<i8"), ("rank", "<u4"), ("block", "<u4"), ("place", "<u4"), ("span", "u1")])


def decide_in_order(plan: Plan, round_number: int, states: Bytes, changed: Bytes, room: int) -> Bytes:
    """The states of all blocks, decided one by one from the first document on that has changed in this round."""
    ranks = load_arrays(plan.ranks)["ranks"]
    found = _Open(plan, ranks, states, int(ranks[np.flatnonzero(changed)].min()))
    decided = states.copy()
    owned = np.zeros((found.groups + 7) // 8, np.uint8)
    with tempfile.TemporaryDirectory(dir=plan.work, prefix="chains-") as folder:
        for part in found.parts(max(room - len(owned), room // 2), Path(folder)):
            _decide_part(_Part.of(plan, round_number, part, states, changed), decided, owned, plan.settings)
    return decided


class _Open:
    """The occurrences of open n-grams from some rank on."""

    def __init__(self, plan: Plan, ranks: Words, states: Bytes, lowest: int) -> None:
        self._plan, self._ranks, self._states, self._lowest = plan, ranks, states, lowest
        counts = [len(load_arrays(plan.repeats(bucket))["groups"]) - 1 for bucket in range(plan.buckets)]
        self._first_groups = starts_of(np.array(counts, np.int64))
        """Duplicate n-grams are numbered through all buckets."""
        self.groups = int(self._first_groups[-1])

    def _of_buckets(self) -> Iterator[npt.NDArray[np.void]]:
        """Read the occurrences of each bucket that has some."""
        for bucket in np.flatnonzero(np.diff(self._first_groups)).tolist():
            repeats = Repeats.read(self._plan, bucket)
            ranks = self._ranks[repeats.blocks.astype(np.intp)]
            late = ranks >= self._lowest
            has_owner = np.logical_or.reduceat(
                ~late & (over_span(repeats.blocks, repeats.spans, self._states) == 0), repeats.groups[:-1]
            )
            if len(repeats.elsewhere):
                has_owner |= repeats.elsewhere != 0
            sizes = np.diff(repeats.groups)
            chosen = np.flatnonzero(late & np.repeat(~has_owner, sizes))
            found = np.empty(len(chosen), _RECORD)
            found["group"] = np.repeat(np.arange(len(sizes)), sizes)[chosen] + self._first_groups[bucket]
            found["rank"] = ranks[chosen]
            for name, values in (("block", repeats.blocks), ("place", repeats.places), ("span", repeats.spans)):
                found[name] = values[chosen]
            yield found

    def parts(self, room: int, folder: Path) -> Iterator[npt.NDArray[np.void]]:
        """All of them in parts that fit into memory, in the order of documents and places."""
        edges = self._edges(room)
        if len(edges) == 2:
            yield _in_order(np.concatenate([np.empty(0, _RECORD), *self._of_buckets()]))
            return
        paths = [folder / str(number) for number in range(len(edges) - 1)]
        for found in self._of_buckets():
            numbers = np.searchsorted(edges, found["rank"], side="right") - 1
            for number in np.unique(numbers).tolist():
                with paths[number].open("ab") as file:
                    file.write(found[numbers == number].tobytes())
        for path in paths:
            yield _in_order(np.fromfile(path, _RECORD))
            path.unlink()

    def _edges(self, room: int) -> Ints:
        """The ranks at which parts begin, and one beyond the last."""
        last = int(self._ranks.max())
        costs = np.zeros(last + 2, np.int64)
        for found in self._of_buckets():
            costs += np.bincount(found["rank"], minlength=last + 2) * BYTES_PER_OCCURRENCE
        starts = Starts.read(self._plan.starts)
        for shard in range(len(self._plan.shards)):
            outline = Outline.read(self._plan.outline(shard))
            some = np.flatnonzero(np.diff(outline.first_blocks))
            of_rank = self._ranks[outline.first_blocks[some] + starts.blocks[shard]].astype(np.int64)
            costs[of_rank] += (
                (costs[of_rank] > 0) * np.diff(outline.tokens[outline.first_blocks])[some] * BYTES_PER_TOKEN
            )
        edges, spent = [self._lowest], 0
        for rank in np.flatnonzero(costs).tolist():
            if spent and spent + costs[rank] > room:
                edges.append(rank)
                spent = 0
            spent += int(costs[rank])
        return np.array([*edges, last + 1], np.int64)


def _in_order(found: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    return found[np.lexsort((found["place"], found["rank"]))]


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
    """Where each begins among the blocks of the corpus, and among the tokens of its shard."""
    blocks: Ints
    tokens: Ints
    spared: Flags
    marks: Bytes

    @classmethod
    def read(cls, plan: Plan, round_number: int, some_blocks: Ints) -> _Texts:
        """Go over the shards once, whatever the order of documents is."""
        starts = Starts.read(plan.starts).blocks
        shards = np.searchsorted(starts, some_blocks, side="right") - 1
        counts = np.zeros(
            (4, len(some_blocks)), np.int64
        )  # first block, first token, blocks and tokens of each document
        for shard in np.unique(shards).tolist():
            outline, here = Outline.read(plan.outline(shard)), np.flatnonzero(shards == shard)
            number = np.searchsorted(outline.first_blocks, some_blocks[here] - starts[shard], side="right") - 1
            first, end = outline.first_blocks[number], outline.first_blocks[number + 1]
            counts[:, here] = (
                first + starts[shard],
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
        for shard in np.unique(shards).tolist():
            outline, here = Outline.read(plan.outline(shard)), np.flatnonzero(shards == shard)
            from_blocks = concatenated_ranges(counts[0, here], counts[2, here]) - starts[shard]
            from_tokens = concatenated_ranges(counts[1, here], counts[3, here])
            to_blocks = concatenated_ranges(blocks[here], counts[2, here])
            sizes[to_blocks], spared[to_blocks] = np.diff(outline.tokens)[from_blocks], outline.spared[from_blocks]
            to_tokens = concatenated_ranges(tokens[here], counts[3, here])
            marks[to_tokens] = load_arrays(plan.judged(round_number, shard))["marks"][from_tokens]
        return cls(counts[0], counts[1], blocks, starts_of(sizes), spared, marks)


def _decide_part(part: _Part, decided: Bytes, owned: Bytes, settings: Settings) -> None:
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
            first = int(part.first_blocks[number])
            decided[first : first + len(gone)] = np.where(in_others, IS_DUPLICATE, gone * IS_OWN_DUPLICATE)
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
