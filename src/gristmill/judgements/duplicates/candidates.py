"""Which pairs of documents there are to judge, in which order, and how many there are of each kind.

A pair is a candidate if de-duplication found that one document has text of the other, or if both have the same title
though it did not (as in CEDAR's review, which began with equal titles). Candidates are divided into strata by what
de-duplication said of them. In random order, each stratum has an order of its own, and the next pair is of the one of
which least was judged: so a figure for all pairs can be computed from few judged ones (`measuring.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.hashing import mix
from gristmill.dedup.evaluation import THRESHOLD, Alike, read_alike
from gristmill.document import document_id
from gristmill.errors import GristmillError
from gristmill.judgements.duplicates.kinds import FOUND, STRATA
from gristmill.judgements.duplicates.store import Pair
from gristmill.shards import Shard, read_columns

_NAMES = tuple(STRATA)
_HIGH, _LOW = 0.75, 0.25
_MIN_TITLE_CHARACTERS = 12
_MAX_SAME_TITLE = 50
"""Documents of one title that are looked at: a title that more of them have says nothing of their texts."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair to judge."""

    pair: Pair
    score: float
    """The share of text in common, from 0 to 1, as de-duplication has it."""
    stratum: str

    @property
    def found(self) -> bool:
        """Whether de-duplication calls them duplicates."""
        return self.stratum in FOUND


class _Numbering:
    """Documents of all shards numbered one after the other, and their ids."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.names = [shard.name for shard in shards]
        counts = [len(read_columns(shard.duplicates, ["share"])) for shard in shards]
        self.starts = np.cumsum([0, *counts])
        self._places = {name: place for place, name in enumerate(self.names)}

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    def id(self, number: int) -> str:
        shard = int(np.searchsorted(self.starts, number, side="right")) - 1
        return document_id(self.names[shard], number - int(self.starts[shard]))

    def number(self, identifier: str) -> int:
        """The number of a document, or -1 if there is none of that id."""
        name, _, row = identifier.rpartition("-")
        place = self._places.get(name)
        if place is None or not row.isdecimal():
            return -1
        number = int(self.starts[place]) + int(row)
        return number if number < self.starts[place + 1] else -1


class Candidates:
    """All pairs of a corpus that are worth judging."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        """Read what de-duplication found; raises if the corpus was not de-duplicated."""
        if not shards or not all(shard.duplicates.exists() for shard in shards):
            raise GristmillError("the corpus is not de-duplicated: `gristmill dedup` does it")
        self._numbering = _Numbering(shards)
        alike = read_alike(shards)
        self.heads: Ints = alike.clusters(self._numbering.count)
        """The first document of the cluster of each document."""
        first, second, scores, strata = _scored(alike)
        titled = _same_titles(shards, self.heads)
        is_new = ~np.isin(_keys(*titled, self._numbering.count), _keys(first, second, self._numbering.count))
        titled = titled[0][is_new], titled[1][is_new]
        self.first = np.concatenate([first, titled[0]])
        self.second = np.concatenate([second, titled[1]])
        self.scores = np.concatenate([scores, np.zeros(len(titled[0]))])
        self._strata = np.concatenate([strata, np.full(len(titled[0]), _NAMES.index("title"))])

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, number: int) -> Candidate:
        pair = self._numbering.id(int(self.first[number])), self._numbering.id(int(self.second[number]))
        return Candidate(pair, float(self.scores[number]), _NAMES[int(self._strata[number])])

    def find(self, pair: Pair) -> Candidate | None:
        """Find a pair of documents by their ids; None if there is no such document.

        Any two documents can be judged: a pair that is no candidate has the score 0.
        """
        if min(self._numbering.number(identifier) for identifier in pair) < 0:
            return None
        numbers = self.numbers_of([pair])
        return self[int(numbers[0])] if len(numbers) else Candidate(pair, 0.0, "")

    def numbers_of(self, pairs: Iterable[Pair]) -> Ints:
        """The numbers of those pairs that are candidates."""
        ends = [(self._numbering.number(one), self._numbering.number(other)) for one, other in pairs]
        given = np.array([pair for pair in ends if min(pair) >= 0], np.int64).reshape(-1, 2)
        wanted = _keys(given[:, 0], given[:, 1], self._numbering.count)
        keys, order = self._sorted
        places = np.searchsorted(keys, wanted)
        there = places < len(keys)
        there[there] = keys[places[there]] == wanted[there]
        return order[places[there]]

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """The keys of all pairs in order, and the numbers of the pairs."""
        keys = _keys(self.first, self.second, self._numbering.count)
        order = np.argsort(keys)
        return keys[order], order

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many candidates each stratum has."""
        counts = np.bincount(self._strata.astype(np.int64), minlength=len(_NAMES))
        return dict(zip(_NAMES, counts.tolist(), strict=True))

    def stratum(self, name: str) -> Ints:
        """The numbers of the candidates of a stratum, in random order, which is the same every time."""
        numbers = np.flatnonzero(self._strata == _NAMES.index(name))
        return numbers[np.argsort(self._lots[numbers], kind="stable")]

    @cached_property
    def _lots(self) -> npt.NDArray[np.uint64]:
        """A random number for each pair; those of pairs that there were before others came stay as they are."""
        return mix(mix(self.first.astype(np.uint64) + np.uint64(1)) ^ self.second.astype(np.uint64))

    def ordered(self, order: str) -> Ints:
        """The numbers of candidates in one of the orders."""
        scored = np.flatnonzero(self._strata != _NAMES.index("title"))
        found = np.isin(self._strata, [_NAMES.index(name) for name in FOUND])
        if order == "similar":
            return np.lexsort((self._lots, -self.scores, ~found))[: len(scored)]
        if order == "unsure":
            return scored[np.lexsort((self._lots[scored], np.abs(self.scores[scored] - THRESHOLD)))]
        if order == "below":
            below = scored[~found[scored]]
            return below[np.lexsort((self._lots[below], -self.scores[below]))]
        if order == "title":
            return self.stratum("title")
        return self._interleaved()

    def _interleaved(self) -> Ints:
        """All strata in turn, each in its random order."""
        parts = [self.stratum(name) for name in _NAMES]
        numbers = np.concatenate(parts)
        turns = np.concatenate([np.arange(len(part)) for part in parts])
        return numbers[np.argsort(turns, kind="stable")]

    def next_pair(self, order: str, judged: Iterable[Pair], after: Pair | None = None) -> Candidate | None:
        """Find the next pair in an order that is not judged; the first ones come again when the last was skipped."""
        numbers = self.ordered(order)
        last = self.numbers_of([after]) if after is not None else np.empty(0, np.int64)
        at = np.flatnonzero(np.isin(numbers, last))
        start = int(at[0]) + 1 if len(at) else 0
        turned = np.concatenate([numbers[start:], numbers[:start]])
        left = turned[~np.isin(turned, np.concatenate([self.numbers_of(judged), last]))]
        return self[int(left[0])] if len(left) else None

    def clusters(self) -> list[list[str]]:
        """The clusters of two documents and more that de-duplication found, the largest first, as ids."""
        order = np.argsort(self.heads, kind="stable")
        ends = np.flatnonzero(np.diff(self.heads[order])) + 1
        groups = [group for group in np.split(order, ends) if len(group) > 1]
        groups.sort(key=lambda group: (-len(group), int(group[0])))
        return [[self._numbering.id(int(number)) for number in group] for group in groups]

    def cluster_of(self, identifier: str) -> list[str]:
        """The ids of the documents that are in one cluster with another one."""
        number = self._numbering.number(identifier)
        if number < 0:
            return []
        return [self._numbering.id(int(member)) for member in np.flatnonzero(self.heads == self.heads[number])]


def _scored(alike: Alike) -> tuple[Ints, Ints, npt.NDArray[np.float64], Ints]:
    """Pairs that de-duplication has a score for, and their strata."""
    pairs = alike.pairs
    count = int(max(pairs.second.max(initial=0), alike.whole.second.max(initial=0))) + 1
    is_whole = np.isin(_keys(pairs.first, pairs.second, count), _keys(alike.whole.first, alike.whole.second, count))
    by_score = np.select(
        [pairs.scores > _HIGH, pairs.scores > THRESHOLD, pairs.scores > _LOW],
        [_NAMES.index("high"), _NAMES.index("above"), _NAMES.index("below")],
        _NAMES.index("low"),
    )
    return pairs.first, pairs.second, pairs.scores, np.where(is_whole, _NAMES.index("copy"), by_score)


def _keys(first: Ints, second: Ints, count: int) -> Ints:
    """A number for each pair, with `count` documents in all."""
    return first * np.int64(max(count, 1)) + second


def _same_titles(shards: Sequence[Shard], heads: Ints) -> tuple[Ints, Ints]:
    """Pairs of documents with the same title that are not in one cluster: each with the first one of that title."""
    columns = [read_columns(shard.documents, ["title", "dropped"]) for shard in shards]
    titles = pc.utf8_lower(pc.utf8_trim_whitespace(_joined([table["title"] for table in columns])))
    kept = pc.equal(_joined([table["dropped"] for table in columns]), "").to_numpy(zero_copy_only=False)
    long = pc.greater_equal(pc.utf8_length(titles), _MIN_TITLE_CHARACTERS).to_numpy(zero_copy_only=False)
    numbers = titles.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    candidates = np.flatnonzero(kept & long)
    order = candidates[np.argsort(numbers[candidates], kind="stable")]
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    firsts = np.repeat(order[starts], sizes)
    wanted = np.repeat(sizes <= _MAX_SAME_TITLE, sizes) & (heads[firsts] != heads[order])
    return firsts[wanted], order[wanted]


def _joined(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string()).combine_chunks()
