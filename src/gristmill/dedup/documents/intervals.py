"""Valid intervals, by which the plagiarism detection of Masaryk University works (Pomikálek 2011, section 3.2.6).

Documents are compared by their chunks, which are 5-grams of tokens. Pairs that share at least 20 chunks are looked at.
A valid interval is a part of a document in which chunks of the other one come so densely that never more than 50 tokens
are between two. Two valid intervals match if the same chunks are dense in both, and are then a plagiarised part.

The system shows such parts. To drop documents one has to say how much of a document may be in them, which is left open
there: half of the document that has fewer tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import chunks, distinct, is_new, spread, starts_of
from gristmill.dedup.documents.all_pairs import sharing_pairs
from gristmill.dedup.documents.method import FeatureMethod, Scores
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.sketches import Pairs, Sketches, taken
from gristmill.dedup.tokens import Tokens
from gristmill.registry import part

_MAX_ROUNDS = 30
"""How often chunks are cut at gaps in both documents; what is natural is cut in two or three rounds."""


@part("de-duplication method", "intervals")
@dataclass(frozen=True, kw_only=True)
class Intervals(FeatureMethod):
    """Compares chunks and where they stand.

    A pair's score is the share of the shorter document that is in plagiarised parts.
    """

    n: int = 5
    """Tokens in a chunk. A document that is shorter is one chunk."""
    least: int = 20
    """Least number of different chunks that a pair shares."""
    gap: int = 50
    """Tokens between two chunks of a valid interval, at most."""
    threshold: float = 0.5
    """Least share of the tokens of the shorter document that is in plagiarised parts."""

    may_be_zero = FeatureMethod.may_be_zero | {"gap"}

    def sketch(self, tokens: Tokens) -> Sketches:
        """All chunks in the order of the text, 8 bytes each: where a chunk stands is its place."""
        shingles = all_shingles(tokens, self.n)
        return Sketches(shingles.hashes, shingles.starts, tokens.counts)

    @property
    def least_score(self) -> float:
        """The least share."""
        return self.threshold

    def keys(self, sketches: Sketches) -> Sketches:
        """The different chunks."""
        return Sketches(*distinct(np.asarray(sketches.features), sketches.starts), sketches.sizes)

    def need(self, counts: Ints) -> Ints:
        """The same number of chunks for all."""
        return np.full(len(counts), self.least)

    def scores(self, shared: Ints, one: Ints, other: Ints) -> Scores:
        """The share of the chunks, if nothing is known of where they stand."""
        return np.asarray(shared / np.minimum(one, other))

    def judged_scores(self, shared: Ints, one: Sketches, other: Sketches) -> Scores:
        """The share of the shorter document that is in plagiarised parts."""
        del shared
        parts = plagiarised(one, other, self.n, self.gap)
        shares = [
            np.minimum(parts.covered(number, len(side.sizes)) / np.maximum(side.sizes, 1), 1)
            for number, side in enumerate((one, other))
        ]
        return np.where(one.sizes <= other.sizes, *shares)

    def match(self, sketches: Sketches) -> Pairs:
        """The pairs that share enough chunks, and enough of whose text is in plagiarised parts."""
        keys = self.keys(sketches)
        found = overlaps(keys, self.need(keys.counts), self.reach)
        pairs = self._scored(sketches, found.first, found.second)
        return pairs.only(pairs.scores >= self.threshold)

    def all_scores(self, sketches: Sketches) -> Iterator[Pairs]:
        """The pairs that share enough chunks: others are not looked at."""
        for first, second, shared in sharing_pairs(self.keys(sketches)):
            enough = shared >= self.least
            yield self._scored(sketches, first[enough], second[enough])

    def _scored(self, sketches: Sketches, first: Ints, second: Ints) -> Pairs:
        scores = np.zeros(len(first))
        for piece in chunks(sketches.counts[first] + sketches.counts[second]):
            one, other = taken(sketches, first[piece]), taken(sketches, second[piece])
            scores[piece] = self.judged_scores(first[piece], one, other)
        return Pairs(first, second, scores)


@dataclass(frozen=True, slots=True)
class Parts:
    """Plagiarised parts of the documents of pairs: a valid interval of the one, and the one that matches it."""

    pairs: Ints
    """Of which pair each is."""
    starts: tuple[Ints, Ints]
    ends: tuple[Ints, Ints]
    """For both documents the token at which it begins, and the one behind its end."""

    def covered(self, side: int, count: int) -> Ints:
        """How many tokens of one document are in such parts, for each of so many pairs; parts may overlap.

        Each counts from where those before it have ended: 0-5, 3-9, 4-6 and 20-22 are 5, 4, 0 and 2 tokens.
        """
        starts, ends = self.starts[side], self.ends[side]
        order = np.lexsort((starts, self.pairs))
        width = int(ends.max(initial=0)) + 1
        before = self.pairs[order] * width
        reached = np.maximum.accumulate(before + ends[order])
        begins = before + starts[order]
        begins[1:] = np.maximum(begins[1:], reached[:-1])
        return np.bincount(self.pairs[order], np.maximum(reached - begins, 0), count).astype(np.int64)


def plagiarised(one: Sketches, other: Sketches, n: int, gap: int) -> Parts:
    """The plagiarised parts of pairs of documents, whose chunks of n tokens are given in the order of the text.

    Common chunks are cut where there is a gap in the one document, what is left where there is one in the other, and so
    on until nothing is cut. With chunks of 1 token and gaps of up to 1:

        a b x c y z d     a 0, b 1, c 3, d 6: cut between c and d
        d q a b c         a 2, b 3, c 4; d 0: nothing is cut. The parts are 0-4 and 2-5, and 6-7 and 0-1
    """
    rows, places = _common(one, other)
    at = [place - side.starts[rows] for place, side in zip(places, (one, other), strict=True)]
    labels, parts = rows, -1
    for _ in range(_MAX_ROUNDS):
        for side in range(2):
            order = np.lexsort((at[side], labels))
            rows, at = rows[order], [values[order] for values in at]
            begins = is_new(labels[order])
            begins[1:] |= np.diff(at[side]) - n > gap
            labels = np.cumsum(begins)
        before, parts = parts, int(labels[-1]) if len(labels) else 0
        if parts == before:
            break
    first = np.flatnonzero(is_new(labels))
    if not len(first):
        return Parts(first, (first, first), (first, first))
    starts = [np.minimum.reduceat(values, first) for values in at]
    ends = [np.maximum.reduceat(values, first) + n for values in at]
    return Parts(rows[first], (starts[0], starts[1]), (ends[0], ends[1]))


def _common(one: Sketches, other: Sketches) -> tuple[Ints, tuple[Ints, Ints]]:
    """The common chunks of pairs: the pair, and the places of a chunk in both.

    The first place of a chunk in the one document belongs to the first in the other, the second to the second, and so
    on; if it stands more often in the one, the last place in the other belongs to all that are left.
    """
    sides = (one, other)
    rows = np.concatenate([np.repeat(np.arange(len(side.sizes)), side.counts) for side in sides])
    features = np.concatenate([side.features for side in sides])
    order = np.lexsort((features, rows))  # those of `one` are first among equals, each side in the order of its text
    border = len(one.features)
    begins = np.flatnonzero(is_new(rows[order]) | is_new(features[order]))
    sizes = np.diff(np.append(begins, len(order)))
    ours = np.diff(starts_of(order < border)[np.append(begins, len(order))])
    common = (ours > 0) & (ours < sizes)
    begins, ours, theirs = begins[common], ours[common], (sizes - ours)[common]
    chunk, number = spread(np.zeros(len(begins), np.int64), np.maximum(ours, theirs))
    first = order[begins[chunk] + np.minimum(number, ours[chunk] - 1)]
    second = order[begins[chunk] + ours[chunk] + np.minimum(number, theirs[chunk] - 1)] - border
    return rows[first], (first, second)
