"""What a method that compares whole documents is: it sketches each document, and matches the sketches.

A sketch is a set of 64-bit features of one document, made without looking at any other; so documents are sketched shard
by shard. Sketches are small, and are matched all together.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from gristmill.dedup.documents.driver import compare_documents
from gristmill.dedup.documents.sketches import Pairs, Sketches
from gristmill.dedup.job import Job
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError


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
    """Of the documents that share a feature, each is compared with this many neighbours.

    So no feature costs the square of their number.
    """

    may_be_zero: ClassVar[frozenset[str]] = frozenset({"min_block"})

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not 0 <= value <= 1:
                raise UsageError(f"{field.name} must be from 0 to 1, not {value}")
            least = int(field.name not in self.may_be_zero)
            if type(value) is int and value < least:
                raise UsageError(f"{field.name} must be at least {least}, not {value}")

    def check(self, job: Job) -> None:
        """Refuse other corpora to compare with; nothing but the shards is needed."""
        job.refuse_others(type(self).__name__.lower())

    def run(self, job: Job) -> dict[str, int]:
        """Find near-duplicates among all documents of a corpus and write them down."""
        return compare_documents(self, job)

    @abstractmethod
    def sketch(self, tokens: Tokens) -> Sketches:
        """Make the sketches of documents, given the tokens of each.

        A sketch must not depend on which documents come together.
        """

    @abstractmethod
    def match(self, sketches: Sketches) -> Pairs:
        """The pairs of documents that count as near-duplicates.

        Documents with the same sketch are paired with the first of them only; so pairs stay few, and clusters are what
        they would be.
        """


@dataclass(frozen=True, kw_only=True)
class SetMethod(DocumentMethod):
    """A method whose features are shingles, each for itself, so that some of them can be left out."""

    n: int = 10
    """Tokens in a shingle. A document that is shorter is one shingle."""
    drop_frequent: float = 0.0
    """Leave out this share of the distinct shingles, those in most documents (CEDAR's shingle frequency filter)."""
