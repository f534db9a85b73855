"""What methods that compare whole documents pass on: features of documents, and pairs of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.ragged import spread, starts_of


@dataclass(frozen=True, slots=True)
class Sketches:
    """Features of documents, those of a document in a row, in the order of the documents."""

    features: Hashes
    starts: Ints
    """Where each document begins among the features, and at the end where the last one ends."""
    sizes: Ints
    """How much each document is, in what the method counts (tokens, distinct shingles)."""

    @property
    def counts(self) -> Ints:
        """How many features each document has."""
        return np.diff(self.starts)

    def only(self, flags: npt.NDArray[np.bool_]) -> Sketches:
        """Keep only the features that are flagged."""
        if flags.all():
            return self
        before = starts_of(flags)
        return Sketches(self.features[flags], before[self.starts], self.sizes)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of documents that are alike, each once, with `first < second`, sorted."""

    first: Ints
    second: Ints
    scores: npt.NDArray[np.float64]
    """How alike they are, from 0 to 1, in what the method measures."""
    first_goes: npt.NDArray[np.bool_] | None = None
    """Of each pair whether its first document is dropped, else its second one is, whatever becomes of the other.

    If there is nothing, pairs are joined into clusters, and the first document of a cluster stays.
    """

    def only(self, flags: npt.NDArray[np.bool_]) -> Pairs:
        """Keep only the pairs that are flagged."""
        goes = None if self.first_goes is None else self.first_goes[flags]
        return Pairs(self.first[flags], self.second[flags], self.scores[flags], goes)


def join(parts: Sequence[Sketches]) -> Sketches:
    """The sketches of several batches of documents, one after the other."""
    counts = np.concatenate([np.zeros(0, np.int64), *(part.counts for part in parts)])
    features = np.concatenate([np.zeros(0, np.uint64), *(part.features for part in parts)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
    return Sketches(features, starts_of(counts), sizes)


def join_pairs(parts: Sequence[Pairs], first_goes: npt.NDArray[np.bool_] | None) -> Pairs:
    """The pairs of several parts, one after the other; `first_goes` is that of no pairs, for where there is no part."""
    columns = [
        np.concatenate([np.empty(0, kind), *(getattr(part, name) for part in parts)])
        for name, kind in (("first", np.int64), ("second", np.int64), ("scores", np.float64))
    ]
    told = [part.first_goes for part in parts if part.first_goes is not None]
    goes = None if first_goes is None else np.concatenate([first_goes, *told])
    return Pairs(columns[0], columns[1], columns[2], goes)


def taken(sketches: Sketches, numbers: Ints) -> Sketches:
    """The sketches of some documents, in that order."""
    counts = sketches.counts[numbers]
    _, places = spread(sketches.starts[:-1][numbers], counts)
    return Sketches(sketches.features[places], starts_of(counts), sketches.sizes[numbers])
