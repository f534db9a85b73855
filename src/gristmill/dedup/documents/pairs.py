"""Which documents share features, and how many: a join of all documents, in which few pairs are ever looked at.

Documents with the same sketch go as one. Of a document that must share `need` of its features, all but `need - 1` are
enough to find its partners, and the rarest ones find the fewest wrong ones (prefix filtering: Chaudhuri, Ganti and
Kaushik 2006, Bayardo, Ma and Srikant 2007). Partners are looked for among the documents that have such a feature too,
and what they share is then counted.

Memory, beside the sketches: 40 bytes a feature, 60 if it is in several documents; and 60 bytes a pair that is looked
at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.ragged import chunks, is_new, spread
from gristmill.dedup.documents.digest import twins
from gristmill.dedup.documents.neighbours import distinct_pairs, neighbours
from gristmill.dedup.documents.sketches import Sketches


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of documents with `first < second`, sorted, and how many features they share."""

    first: Ints
    second: Ints
    shared: Ints


def overlaps(sketches: Sketches, need: Ints, reach: int, *, both: bool = True) -> Overlaps:
    """The pairs that share as many features as both of them need, or as the one that needs fewer.

    All such pairs are found as long as no feature by which one is looked for is in more than `reach + 1` different
    sketches; where there are more, each is compared with the largest one, the smallest one, and its neighbours by size.
    Documents with the same sketch are paired with the first of them.
    """
    counts, need = sketches.counts, np.maximum(need, 1)
    same = twins(sketches)
    is_first = same == np.arange(len(counts))
    index = _Index.of(sketches.only(np.repeat(is_first, counts)))
    found = distinct_pairs(_candidates(index, counts, need, reach, both))
    first, second = np.divmod(found, max(len(counts), 1))
    copies = np.flatnonzero(~is_first)
    shared = np.concatenate([index.shared(first, second), counts[copies]])
    first, second = np.concatenate([first, same[copies]]), np.concatenate([second, copies])
    needed = (np.maximum if both else np.minimum)(need[first], need[second])
    enough = np.flatnonzero(shared >= needed)
    order = enough[np.lexsort((second[enough], first[enough]))]
    return Overlaps(first[order], second[order], shared[order])


@dataclass(frozen=True, slots=True)
class _Index:
    """The features that several documents have, numbered from the rarest to the most frequent.

    With three features (`width` 3), documents 0, 1 and 2 of the features 0 2, none, and 0 1 2:

        keys    0 2 6 7 8     document * width + feature
        starts  0   2 2     5
    """

    keys: Ints
    """A document times `width`, plus a feature of it; sorted."""
    starts: Ints
    width: int

    @classmethod
    def of(cls, sketches: Sketches) -> Self:
        repeated, frequencies = _repeated(sketches.features)
        places = np.searchsorted(repeated, sketches.features)
        places[places == len(repeated)] = 0
        is_repeated = repeated[places] == sketches.features if len(repeated) else np.zeros(len(places), np.bool_)
        kept, places = sketches.only(is_repeated), places[is_repeated]
        ranks = np.empty(len(repeated), np.int64)
        ranks[np.argsort(frequencies, kind="stable")] = np.arange(len(repeated))
        keys = np.repeat(np.arange(len(kept.sizes)), kept.counts) * len(repeated) + ranks[places]
        keys.sort()
        return cls(keys, kept.starts, len(repeated))

    def shared(self, first: Ints, second: Ints) -> Ints:
        """How many features each pair has in common."""
        counts = np.diff(self.starts)
        swap = counts[first] > counts[second]
        small, large = np.where(swap, second, first), np.where(swap, first, second)
        shared = np.zeros(len(first), np.int64)
        for part in chunks(counts[small]):
            rows, places = spread(self.starts[small[part]], counts[small[part]])
            wanted = self.keys[places] + ((large[part] - small[part]) * self.width)[rows]
            found = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            hits = rows[self.keys[found] == wanted]
            shared[part] = np.bincount(hits, minlength=part.stop - part.start)
        return shared


def _repeated(features: Hashes) -> tuple[Hashes, Ints]:
    """The features that are there more than once, in rising order, and how often they are."""
    ordered = np.sort(features)
    starts = np.flatnonzero(is_new(ordered))
    frequencies = np.diff(np.append(starts, len(ordered)))
    several = frequencies > 1
    return ordered[starts[several]], frequencies[several]


def _candidates(index: _Index, counts: Ints, need: Ints, reach: int, both: bool) -> Iterator[Ints]:
    """Pairs that may share enough, as first * number of documents + second."""
    places, probes, bounds = _postings(index, counts, need, both)
    by_size = _by_size(counts)
    for left, right in neighbours(bounds, reach):
        one, other = by_size[places[left]], by_size[places[right]]
        fits = (counts[one] >= need[other]) & (counts[other] >= need[one]) if both else probes[left] | probes[right]
        one, other = one[fits], other[fits]
        yield np.minimum(one, other) * len(counts) + np.maximum(one, other)


def _postings(index: _Index, counts: Ints, need: Ints, both: bool) -> tuple[Ints, Flags, Ints]:
    """The postings of each feature: the documents that have it, from the largest to the smallest.

    Returns documents as places in the order of size, whether each looks for partners by the feature, and where features
    begin. They are sorted by a key of three parts. With 10 documents:

        feature 4, place 7, looks for partners  ->  (4 * 10 + 7) * 2 + 1 = 95
    """
    repeated = np.diff(index.starts)
    owners = np.repeat(np.arange(len(counts)), repeated)
    ids = index.keys - owners * index.width
    is_probe = np.arange(len(ids)) - index.starts[owners] <= (repeated - need)[owners]
    used = is_probe
    if not both:
        probed = np.zeros(index.width, np.bool_)
        probed[ids[is_probe]] = True
        used = probed[ids]
    places = np.empty(len(counts), np.int64)
    places[_by_size(counts)] = np.arange(len(counts))
    keys = ((ids * len(counts) + places[owners]) * 2 + is_probe)[used]
    keys.sort()
    ids, places = np.divmod(keys >> 1, max(len(counts), 1))
    bounds = np.flatnonzero(is_new(ids))
    return places, (keys & 1).astype(np.bool_), np.append(bounds, len(ids))


def _by_size(counts: Ints) -> Ints:
    """Documents from the largest to the smallest, those of the same size in source order."""
    return np.argsort(-counts, kind="stable")
