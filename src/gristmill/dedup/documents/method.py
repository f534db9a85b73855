"""What a method that compares whole documents is: it sketches each document, and matches the sketches.

A sketch is a set of 64-bit features of one document, made without looking at any other; so documents are sketched shard by shard.
Sketches are small, and are matched all together.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.dedup.tokens import Hashes, Ints, Tokens
from gristmill.errors import UsageError


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
        """Those features that are flagged."""
        before = np.append(np.int64(0), np.cumsum(flags, dtype=np.int64))
        return Sketches(self.features[flags], before[self.starts], self.sizes)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of documents that are alike, each once, with `first < second`, sorted."""

    first: Ints
    second: Ints
    scores: npt.NDArray[np.float64]
    """How alike they are, from 0 to 1, in what the method measures."""

    def only(self, flags: npt.NDArray[np.bool_]) -> Pairs:
        """Those pairs that are flagged."""
        return Pairs(self.first[flags], self.second[flags], self.scores[flags])


def join(parts: Sequence[Sketches]) -> Sketches:
    """The sketches of several batches of documents, one after the other."""
    counts = np.concatenate([np.zeros(0, np.int64), *(part.counts for part in parts)])
    features = np.concatenate([np.zeros(0, np.uint64), *(part.features for part in parts)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
    return Sketches(features, np.append(np.int64(0), np.cumsum(counts)), sizes)


@dataclass(frozen=True, kw_only=True)
class DocumentMethod(ABC):
    """Finds documents that are alike. The parameters of a method are its fields: shares from 0 to 1, and numbers."""

    min_block: int = 0
    """Leave out blocks with fewer tokens (CEDAR's block size filter)."""
    punctuation: bool = False
    """Let punctuation marks be tokens; the papers shingle words."""
    stop_words: bool = True
    """Let stop words be tokens."""
    reach: int = 100
    """Of the documents that share a feature, each is compared with this many neighbours, so that no feature costs their number squared."""

    may_be_zero: ClassVar[frozenset[str]] = frozenset({"min_block"})

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not 0 <= value <= 1:
                raise UsageError(f"{field.name} must be from 0 to 1, not {value}")
            least = int(field.name not in self.may_be_zero)
            if type(value) is int and value < least:
                raise UsageError(f"{field.name} must be at least {least}, not {value}")

    @abstractmethod
    def sketch(self, tokens: Tokens) -> Sketches:
        """The sketches of documents, of each of which the tokens are given; must not depend on which documents come together."""

    @abstractmethod
    def match(self, sketches: Sketches) -> Pairs:
        """The pairs of documents that count as near-duplicates.

        Documents with the same sketch are paired with the first of them only; so pairs stay few, and clusters are what they would be.
        """


@dataclass(frozen=True, kw_only=True)
class SetMethod(DocumentMethod):
    """A method whose features are shingles, each for itself, so that some of them can be left out."""

    n: int = 10
    """Tokens in a shingle. A document that is shorter is one shingle."""
    drop_frequent: float = 0.0
    """Leave out this share of the distinct shingles, those in most documents (CEDAR's shingle frequency filter)."""
