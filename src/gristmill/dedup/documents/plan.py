"""How the sketches of a large corpus are matched by tasks, none of which sees all of them.

Documents are numbered, and those of neighbouring shards are a *span*. Features are divided by their hashes into
*buckets*. A round of tasks, one for each span or one for each bucket, reads the files of the round before:

    span    store       the sketches of its documents
    span    digests     a digest of each sketch                            by bucket of the digest
    bucket  twins       documents whose sketch an earlier document has
    span    features    the features of documents that are no twins       by bucket of the feature
    bucket  counted     in how many documents each of them is
    span    probes      the rare features by which a document looks for others
    bucket  pairs       documents that share such a feature                by span of the first document
    span    found       which of these pairs are alike, and what of it matters

If a share of the features is to be left out because they are frequent, those of all documents are counted first (`all`,
`frequent`) and the others are stored (`kept`). What comes out is what `match` of a method finds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from gristmill.arrays.dtypes import Array, Flags, Hashes, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.documents.sketches import Sketches
from gristmill.engine import Report


class Divisible(Protocol):
    """What tasks need to know of a method, beside how it sketches."""

    @property
    def reach(self) -> int:
        """With how many neighbours each of the documents is compared that share a feature."""

    @property
    def both(self) -> bool:
        """Whether a pair has to share what both documents need, or what one of them does."""

    @property
    def left_out(self) -> float:
        """Which share of the distinct features is left out, the most frequent ones."""

    def keys(self, sketches: Sketches) -> Sketches:
        """The features by which documents find each other."""

    def need(self, counts: Ints) -> Ints:
        """How many of so many features a document has to share."""

    def tables(self, count: int) -> int:
        """In how many tables so many hashes are looked for; 0 if documents find each other by their features."""

    def near(self, hashes: Hashes, table: int) -> Iterator[tuple[Ints, Ints]]:
        """Pairs of hashes that a table finds."""

    def first_goes(self, one: Ints, other: Ints) -> Flags | None:
        """Which document of each pair is dropped, given how many features both have; nothing if clusters are made."""

    def judge(self, one: Sketches, other: Sketches) -> tuple[Flags, Any]:
        """Tell of pairs whether they are alike, and how much; `one` has the first document of each pair."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where files are, and how documents and features are divided."""

    folder: Path
    bounds: tuple[int, ...]
    """The first document of each span, and at the end how many there are."""
    buckets: int
    settled: int = 0
    """How many documents, the first ones, are settled."""
    store: str = "store"
    """The round whose files have the sketches."""

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return len(self.bounds) - 1

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self.bounds[-1]

    def path(self, kind: str, number: int) -> Path:
        """The file of a round with that number."""
        return self.folder / kind / f"{number:05d}"

    def load(self, kind: str, number: int) -> dict[str, Array]:
        """Map a file of a round into memory."""
        return load_arrays(self.path(kind, number))

    def sketches(self, span: int) -> Sketches:
        """The sketches of a span."""
        arrays = self.load(self.store, span)
        return Sketches(arrays["features"], arrays["starts"], arrays["sizes"])

    def rows(self, documents: Ints) -> Ints:
        """The rows of documents in the corpus."""
        found = np.empty(len(documents), np.int64)
        order = np.argsort(documents, kind="stable")
        edges = np.searchsorted(documents[order], self.bounds)
        for span, (start, end) in enumerate(pairwise(edges.tolist())):
            if end > start:
                chosen = order[start:end]
                found[chosen] = self.load(self.store, span)["rows"][documents[chosen] - self.bounds[span]]
        return found

    def parts(self, kind: str, number: int, *, of_spans: bool) -> Iterator[dict[str, Array]]:
        """What the files of a round of spans (or of buckets) have for a bucket (or a span), one file after the other.

        Such a file has all for number 0 first, and so on; its `bounds` say where each begins.
        """
        for place in range(self.spans if of_spans else self.buckets):
            arrays = self.load(kind, place)
            start, end = arrays["bounds"][number : number + 2]
            yield {name: array[start:end] for name, array in arrays.items() if name not in _WHOLE}


_WHOLE = {"bounds", "counts", "histogram"}
"""Arrays of files that are not divided."""


def divided(values: Hashes, buckets: int) -> tuple[Ints, Ints]:
    """Order values by bucket: their places in that order, and where each bucket begins.

    Values go by what `mix` makes of them, as methods take the least hashes of documents, which are small ones. Equal
    values are neighbours.
    """
    mixed = mix(values)
    order = np.argsort(mixed, kind="stable")
    edges = np.array([(number << 64) // buckets for number in range(1, buckets)], np.uint64)
    return order, np.concatenate([[0], np.searchsorted(mixed[order], edges), [len(order)]])


def joined(parts: Sequence[Mapping[str, Array]], name: str, kind: type[np.generic]) -> Any:
    """One array of several parts."""
    return np.concatenate([np.empty(0, kind), *(part[name] for part in parts)])


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """A task of a round, which writes one file."""

    kind: ClassVar[str]
    plan: Plan
    method: Divisible
    """A `Divisible` one."""
    number: int
    cost: int
    """Bytes that it reads, about."""

    @property
    def name(self) -> str:
        """The round, and the span or bucket."""
        return f"{self.kind} {self.number}"

    @property
    def result(self) -> Path:
        """The file."""
        return self.plan.path(self.kind, self.number)

    def run(self, report: Report) -> None:
        """Write the file."""
        save_arrays(self.result, self.arrays())
        report(self.cost)

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """What is in the file."""
