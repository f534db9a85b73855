"""Heintze's fingerprints (1996; Pomikálek 2011, section 3.2.4): a hundred substrings of every document.

Unlike sif, which chooses by a property of a hash, it leaves no document without a fingerprint. There are two ways to
choose: the hundred substrings with the lowest hashes; or those that begin with the rarest five letters, as what is rare
in the collection finds fewer wrong partners. For that, letters are counted in the whole collection first.

How long substrings are and how much two documents have to share is left open there: 50 characters as in sif, and half.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import distinct, is_new
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.documents.method import Scores, SetMethod
from gristmill.dedup.documents.prefixes import PREFIX, prefix_counts, prefix_places
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Sketches
from gristmill.dedup.documents.threshold import needed
from gristmill.dedup.documents.units import CHARACTERS
from gristmill.dedup.job import Job
from gristmill.dedup.tokens import Tokens
from gristmill.errors import UsageError
from gristmill.registry import part

_CHOICES = ("lowest", "rarest")
_MAX_RARITY = (1 << 24) - 1


@part("de-duplication method", "heintze")
@dataclass(frozen=True, kw_only=True)
class Heintze(SetMethod):
    """Compares a hundred substrings of each document.

    A pair's score is the share of the substrings of the document with fewer that both have.
    """

    n: int = 50
    """Characters in a substring. A document that is shorter is one substring."""
    count: int = 100
    """Substrings of a document, or all different ones if there are fewer."""
    choose: str = "lowest"
    """`lowest` takes those with the lowest hashes, `rarest` those that begin with the rarest five letters."""
    threshold: float = 0.5
    """Least share of the substrings of the document that has fewer."""

    both: ClassVar[bool] = False
    unit: ClassVar[str] = CHARACTERS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.choose not in _CHOICES:
            raise UsageError(f"choose must be one of {', '.join(_CHOICES)}, not {self.choose!r}")
        if self.choose == "rarest" and self.n < PREFIX:
            raise UsageError(f"n must be at least {PREFIX}, the letters that are counted, not {self.n}")

    def prepared(self, job: Job, work: Path) -> Heintze:
        """Count five letters in all documents, if substrings are chosen by these."""
        return self if self.choose == "lowest" else _Rarest.of(self, prefix_counts(job, work))

    def sketch(self, tokens: Tokens) -> Sketches:
        """The chosen substrings, distinct ones, 8 bytes each."""
        shingles = all_shingles(tokens, self.n)
        hashes, starts = distinct(shingles.hashes, shingles.starts)
        places = np.arange(len(hashes)) - np.repeat(starts[:-1], np.diff(starts))
        return Sketches(hashes, starts, tokens.counts).only(places < self.count)

    def need(self, counts: Ints) -> Ints:
        """The least share of the substrings."""
        return needed(counts, self.threshold)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the substrings of the document with fewer that both have."""
        return np.asarray(shared / np.minimum(one, other))


@dataclass(frozen=True, kw_only=True)
class _Rarest(Heintze):
    """Chooses by letters that are counted."""

    table: Path
    """The file of how often each five letters are in the collection."""

    @classmethod
    def of(cls, method: Heintze, table: Path) -> Self:
        """The same method, which knows the counts."""
        return cls(**{item.name: getattr(method, item.name) for item in dataclasses.fields(method)}, table=table)

    def sketch(self, tokens: Tokens) -> Sketches:
        """The substrings with the rarest beginnings; of equally rare ones those with the lowest hashes.

        They are sorted by a key of both: how often the beginning is there, in 24 bits, and 40 bits of the hash.
        """
        shingles = all_shingles(tokens, self.n)
        prefixes = all_shingles(tokens, PREFIX)
        begins = np.repeat(prefixes.starts[:-1] - shingles.starts[:-1], np.diff(shingles.starts))
        places = prefix_places(prefixes.hashes[np.arange(len(shingles.hashes)) + begins])
        rarity = np.minimum(load_arrays(self.table)["counts"][places], _MAX_RARITY).astype(np.uint64)
        keys = (rarity << np.uint64(40)) | (shingles.hashes >> np.uint64(24))
        order = np.empty(len(keys), np.int64)
        for start, end in itertools.pairwise(shingles.starts.tolist()):
            order[start:end] = start + np.argsort(keys[start:end])
        first = is_new(keys[order])
        first[shingles.starts[:-1][np.diff(shingles.starts) > 0]] = True
        found = Sketches(shingles.hashes[order], shingles.starts, tokens.counts).only(first)
        ranks = np.arange(len(found.features)) - np.repeat(found.starts[:-1], found.counts)
        chosen = found.only(ranks < self.count)
        return Sketches(*distinct(chosen.features, chosen.starts), tokens.counts)
