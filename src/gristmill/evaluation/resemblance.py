"""The resemblance of all pairs of some documents by their shingles, and how well it tells which belong together.

After CEDAR (Gibson, Wellner and Lubar 2008, sections 2.2 and 6): word shingles, with the block size filter and the
shingle frequency filter. It is exact and quadratic in the number of documents: for experiments with some thousand of
them. De-duplication itself is in `gristmill.dedup`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Floats, Hashes, Ints
from gristmill.evaluation.clusters import Labels

_COLUMNS_AT_ONCE = 20_000  # shingles whose documents are multiplied at a time
_BASE = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Filters:
    """What of a document counts."""

    shingle: int = 2
    """Words of a shingle."""
    min_block: int = 1
    """Blocks with fewer words are left out."""
    drop_frequent: float = 0.0
    """The share of the distinct shingles that is left out: those in most documents."""


class Area(NamedTuple):
    """An area under a ROC curve, and its standard deviation (Hanley and McNeil 1982)."""

    area: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.area:.5f} ± {self.deviation:.5f}"


Document = Sequence[Sequence[int]]
"""The words of each block of a document, as numbers."""


def resemblances(documents: Sequence[Document], filters: Filters) -> Floats:
    """Return the resemblance of each pair of documents, shared shingles over all shingles of both, as a matrix."""
    rows, shingles = _shingles(documents, filters)
    number = len(documents)
    distinct, places, counts = np.unique(shingles, return_inverse=True, return_counts=True)
    dropped = round(filters.drop_frequent * len(distinct))
    if dropped:
        frequent = np.zeros(len(distinct), np.bool_)
        frequent[np.lexsort((distinct, -counts))[:dropped]] = True
        keep = ~frequent[places]
        rows, places = rows[keep], places[keep]
    sizes = np.bincount(rows, minlength=number)
    shared = _shared(rows, places, counts, number)
    np.fill_diagonal(shared, sizes)
    union = sizes[:, None] + sizes[None, :] - shared
    return shared / np.maximum(1, union)


def _shingles(documents: Sequence[Document], filters: Filters) -> tuple[Ints, Hashes]:
    """Return the distinct shingles of all documents with the numbers of the documents; they don't go over blocks.

    A document that is shorter than a shingle, or a block, has one shingle of all its words.
    """
    rows, found = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for at, document in enumerate(documents):
        blocks = [block for block in document if len(block) >= max(1, filters.min_block)]
        own = np.unique(_hashes(blocks, filters.shingle))
        rows.append(np.full(len(own), at))
        found.append(own)
    return np.concatenate(rows), np.concatenate(found)


def _hashes(blocks: Document, length: int) -> Hashes:
    """Hash each run of so many words of a block: the sum of the words times powers of a base.

    All blocks are done at once: a run ends with its block, and one that is cut short counts only if it is the block.
    """
    lengths = np.fromiter(map(len, blocks), np.int64, len(blocks))
    words = np.fromiter(chain.from_iterable(blocks), np.uint64, int(lengths.sum())) + np.uint64(1)
    starts = np.cumsum(lengths) - lengths
    left = np.repeat(starts + lengths, lengths) - np.arange(len(words))
    hashes = np.zeros(len(words), np.uint64)
    with np.errstate(over="ignore"):
        values = words * (words ^ _BASE)
        for at in range(min(length, len(words))):
            so_far = hashes[: len(words) - at]
            np.copyto(so_far, so_far * _BASE + values[at:], where=left[: len(words) - at] > at)
    keep = left >= length
    keep[starts] = True
    return hashes[keep]


def _shared(rows: Ints, places: Ints, counts: Ints, number: int) -> Floats:
    """Count the shingles that each two documents share: the product of a matrix of 0 and 1 with itself, in parts.

    Shingles of one document alone are shared by none, and left out.
    """
    several = counts[places] > 1
    rows = rows[several]
    columns = np.unique(places[several], return_inverse=True)[1]
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    shared = np.zeros((number, number), np.float32)
    last = int(columns[-1]) + 1 if len(columns) else 0
    for start in range(0, last, _COLUMNS_AT_ONCE):
        first, end = np.searchsorted(columns, (start, start + _COLUMNS_AT_ONCE))
        table = np.zeros((number, min(_COLUMNS_AT_ONCE, last - start)), np.float32)
        table[rows[first:end], columns[first:end] - start] = 1
        shared += table @ table.T
    return shared.astype(np.float64)


def area(matrix: Floats, true: Labels) -> Area:
    """Return the probability that a pair that belongs together resembles each other more than one that does not.

    Over all pairs of documents; ties count half. The deviation is that of Hanley and McNeil, with the numbers of pairs.
    """
    above = np.triu_indices(len(matrix), 1)
    scores = matrix[above]
    labels = np.asarray(true)
    together = labels[above[0]] == labels[above[1]]
    right, wrong = np.sort(scores[together]), np.sort(scores[~together])
    if not len(right) or not len(wrong):
        return Area(math.nan, math.nan)
    below, not_above = np.searchsorted(wrong, right, "left"), np.searchsorted(wrong, right, "right")
    found = float((below + not_above).sum()) / 2 / len(right) / len(wrong)
    one, two = found / (2 - found), 2 * found**2 / (1 + found)
    variance = found * (1 - found) + (len(right) - 1) * (one - found**2) + (len(wrong) - 1) * (two - found**2)
    return Area(found, math.sqrt(max(0.0, variance) / len(right) / len(wrong)))
