"""What a method that compares whole documents is: it sketches each document, and matches the sketches.

A sketch is a set of 64-bit features of one document, made without looking at any other; so documents are sketched shard
by shard. Sketches are small, and are matched all together, or by tasks if there are very many.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.dedup.documents.all_pairs import sharing_pairs
from gristmill.dedup.documents.driver import compare_documents
from gristmill.dedup.documents.frequent import drop_frequent
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.rounds import shared_features
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.documents.units import WORDS
from gristmill.dedup.job import Job
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DocumentMethod(ABC):
    """Finds documents that are alike. The parameters of a method are its fields: shares from 0 to 1, and numbers."""

    min_block: int = 0
    """Leave out blocks with fewer tokens (CEDAR's block size filter)."""
    punctuation: bool = False
    """Let punctuation marks be tokens; the papers shingle words."""
    stop_words: bool = True
    """Let stop words be tokens."""
    perfect: bool = False
    """First drop all pages that were the same as others byte for byte, before cleaning, and keep none (ukWaC)."""
    reach: int = 100
    """Of the documents that share a feature, each is compared with this many neighbours.

    So no feature costs the square of their number.
    """

    may_be_zero: ClassVar[frozenset[str]] = frozenset({"min_block"})
    unit: ClassVar[str] = WORDS
    """What a token is: words, or what `units.py` has beside them."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not 0 <= value <= 1:
                raise UsageError(f"{field.name} must be from 0 to 1, not {value}")
            least = int(field.name not in self.may_be_zero)
            if type(value) is int and value < least:
                raise UsageError(f"{field.name} must be at least {least}, not {value}")
        if self.unit != WORDS and (self.min_block or self.punctuation or not self.stop_words):
            raise UsageError(
                f"{type(self).__name__.lower()} compares {self.unit}, not words: "
                "min_block, punctuation and stop_words must be as they are by default"
            )

    def prepared(self, job: Job, work: Path) -> DocumentMethod:
        """Return what sketches the documents: this method, or one that knows what it needs of the whole collection.

        What is found out by rounds of tasks is put aside in the folder `work`.
        """
        del job, work
        return self

    def check(self, job: Job) -> None:
        """Refuse other corpora to compare with."""
        job.refuse_others(type(self).__name__.lower())

    def run(self, job: Job) -> dict[str, int]:
        """Find near-duplicates among all documents of a corpus and write them down."""
        return compare_documents(self, job)

    @abstractmethod
    def sketch(self, tokens: Tokens) -> Sketches:
        """Make the sketches of documents, given the tokens of each.

        A sketch must not depend on which documents come together.
        """

    def first_goes(self, one: Ints, other: Ints) -> Flags | None:
        """Of pairs whose documents have so many features, whether the first is dropped, or else the second.

        Nothing, as by default, if pairs are joined into clusters, of which the first document stays.
        """
        del one, other
        return None

    def all_scores(self, sketches: Sketches) -> Iterator[Pairs] | None:
        """How alike any two documents are, whether they count as near-duplicates or not.

        Each pair comes once, the earlier document first, in whatever order; those with score 0 are left out. Nothing if
        the method does not say.
        """
        del sketches
        return None

    @abstractmethod
    def match(self, sketches: Sketches) -> Pairs:
        """The pairs of documents that count as near-duplicates.

        Documents with the same sketch are paired with the first of them only; so pairs stay few, and clusters are what
        they would be.
        """


@dataclass(frozen=True, kw_only=True)
class FeatureMethod(DocumentMethod):
    """A method whose pairs are those that share enough features; large corpora are matched by tasks, see `plan.py`."""

    both: ClassVar[bool] = True
    """Whether a pair has to share what both documents need, or what the one does that needs fewer."""

    @property
    def left_out(self) -> float:
        """Which share of the distinct features is left out, the most frequent ones."""
        return 0.0

    @property
    def least_score(self) -> float:
        """The least score of a pair that shares enough features."""
        return 0.0

    def keys(self, sketches: Sketches) -> Sketches:
        """The features by which documents find each other."""
        return sketches

    @abstractmethod
    def need(self, counts: Ints) -> Ints:
        """How many features a document with so many has to share."""

    @abstractmethod
    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """How alike pairs are that share so many features, if both documents of each have so many."""

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs that share enough features."""
        kept = drop_frequent(sketches, self.left_out)
        counts = kept.counts
        found = overlaps(kept, self.need(counts), self.reach, both=self.both)
        sizes = counts[found.first], counts[found.second]
        scores = self.scores(found.shared, *sizes)
        return Pairs(found.first, found.second, scores, self.first_goes(*sizes)).only(scores >= self.least_score)

    def scored(self, sketches: Sketches) -> Sketches:
        """The features by which scores are counted."""
        return sketches

    def all_scores(self, sketches: Sketches) -> Iterator[Pairs]:
        """All pairs that share a feature."""
        kept = drop_frequent(self.scored(sketches), self.left_out)
        counts = kept.counts
        for first, second, shared in sharing_pairs(kept):
            yield Pairs(first, second, self.scores(shared, counts[first], counts[second]))

    def tables(self, count: int) -> int:
        """None: documents find each other by their features."""
        del count
        return 0

    def near(self, hashes: Hashes, table: int) -> Iterator[tuple[Ints, Ints]]:
        """Nothing, as there is no table."""
        del hashes, table
        return iter(())

    def judge(self, one: Sketches, other: Sketches) -> tuple[Flags, Scores]:
        """Tell of pairs whether they share enough features, and how alike they are."""
        first, second = self.keys(one), self.keys(other)
        shared = shared_features(first, second)
        needs = [np.maximum(self.need(keys.counts), 1) for keys in (first, second)]
        scores = self.judged_scores(shared, one, other)
        return (shared >= (np.maximum if self.both else np.minimum)(*needs)) & (scores >= self.least_score), scores

    def judged_scores(self, shared: Ints, one: Sketches, other: Sketches) -> Scores:
        """How alike pairs are, given the sketches of both documents of each."""
        return self.scores(shared, one.counts, other.counts)


@dataclass(frozen=True, kw_only=True)
class SetMethod(FeatureMethod):
    """A method whose features are shingles, each for itself, so that some of them can be left out."""

    n: int = 10
    """Tokens in a shingle. A document that is shorter is one shingle."""
    drop_frequent: float = 0.0
    """Leave out this share of the distinct shingles, those in most documents (CEDAR's shingle frequency filter)."""

    @property
    def left_out(self) -> float:
        """Which share of the distinct shingles is left out."""
        return self.drop_frequent
