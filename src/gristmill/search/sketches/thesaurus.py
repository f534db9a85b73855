"""The thesaurus: words of the same part of speech that stand in the same relations with the same words.

Similarity is that of the Sketch Engine, after Lin (1998): for the relations and collocates that two words share, the
sum of both scores, less what they differ, as a share of all scores of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats, Ids
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.sketches.base import MIN_SHARED, Base
from gristmill.search.sketches.store import Sketches
from gristmill.search.sketches.words import find_word
from gristmill.search.statistics.ranking import best
from gristmill.table import Column, Table
from gristmill.wording import plural

_COLLOCATE_BITS = 32
_TOLERANCE = 50.0
"""How much scores may differ, squared, before a shared collocate counts for nothing: the Sketch Engine's constant."""
_MAX_PAIRS = 20_000_000
"""Pairs of a shared collocate and a word that has it which are looked at, those of the best collocates first."""
_MAX_AT_ONCE = 1 << 21
_MAX_SHOWN_SHARED = 5


@dataclass(frozen=True, slots=True)
class Similar:
    """A word that is used alike: its frequency, how similar it is, and what the two share most."""

    word: str
    frequency: int
    similarity: float
    shared: int
    """Number of collocates in the same relation that both have."""
    examples: str


@dataclass(frozen=True, slots=True, repr=False)
class Thesaurus(Table):
    """Words that are used like a word, the most similar first, of all `types` that share enough with it."""

    word: str
    tag: str
    lang: str
    frequency: int
    size: int
    features: int
    """Collocates by relation that the word was compared by."""
    left_out: int
    """Collocates that were not looked at, as they are with too many words and have the lowest scores."""
    types: int
    tags: dict[str, int]
    """The parts of speech that the lemma has, and how often."""
    rows: list[Similar]

    @property
    def columns(self) -> list[Column]:
        """The word, its figures, what is shared."""
        return [
            Column("word"),
            Column("frequency"),
            Column("similarity", "similarity", "{:.3f}".format),
            Column("shared"),
            Column("examples", "shared collocates"),
        ]

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        often = f"{plural(self.frequency, 'time')} in {plural(self.size, 'token')}"
        return f"{plural(self.types, 'word')} used like {self.word} ({self.tag}), which occurs {often}"

    def notes(self) -> list[str]:
        """Say what was not compared, or that there is no such word."""
        found = []
        if not self.types:
            found.append("no other word stands in the same relations with the same words, often enough")
        if self.left_out:
            found.append(f"{plural(self.left_out, 'collocate')} of the lowest scores were not compared")
        return found


@dataclass(frozen=True, slots=True)
class _Features:
    """What a word stands with: relations and collocates that are frequent enough, the highest scores first."""

    relations: Ids
    collocates: Ids
    scores: Floats

    def take(self, places: slice | Ids) -> _Features:
        return _Features(self.relations[places], self.collocates[places], self.scores[places])


def thesaurus(
    sketches: Sketches,
    lemma: str,
    tag: str | None = None,
    *,
    min_frequency: int = 5,
    min_shared: int = 3,
    limit: int | None = 50,
) -> Thesaurus:
    """Find the words that are used like a lemma, the most similar first.

    They occur at least `min_frequency` times, and share at least `min_shared` collocates in the same relation with it,
    each of which stands twice or more with both.
    """
    word = find_word(sketches, lemma, tag)
    base = sketches.base
    every = _features(base, word.unit)
    starts, ends = _holders(base, every)
    fitting = int(np.searchsorted(np.cumsum(ends - starts), _MAX_PAIRS, side="right"))
    features = every.take(slice(fitting))
    common, shared = _compared(base, features, starts[:fitting], ends[:fitting])
    candidates = np.flatnonzero(
        (shared >= min_shared) & (base.tags == base.tags[word.unit]) & (base.frequencies >= min_frequency)
    )
    candidates = candidates[candidates != word.unit]
    whole = float(base.weights[word.unit]) + base.weights[candidates]
    similarity = common[candidates] / np.maximum(whole, 1e-9)
    chosen = best(similarity, limit)
    numbers = candidates[chosen]
    examples = _shared_examples(base, features, starts[:fitting], ends[:fitting], numbers)
    columns = [base.frequencies[numbers].tolist(), similarity[chosen].tolist(), shared[numbers].astype(int).tolist()]
    names = [name for name, _ in base.words(numbers)]
    rows = [Similar(*row) for row in zip(names, *columns, examples, strict=True)]
    left_out = len(every.scores) - fitting
    return Thesaurus(
        word.lemma,
        word.tag,
        sketches.lang,
        word.frequency,
        base.size,
        fitting,
        left_out,
        len(candidates),
        base.tags_of(word.lemma),
        rows,
    )


def similarities(base: Base, units: Sequence[int]) -> Floats:
    """Compare some units with each other, as the thesaurus compares words: a matrix, with 1 for each with itself.

    A unit that is not there (-1) is like no other.
    """
    every = [_features(base, unit) for unit in units]
    owners = np.repeat(np.arange(len(units)), [len(own.scores) for own in every])
    scores = np.concatenate([np.empty(0), *(own.scores for own in every)])
    packed = [(own.relations << _COLLOCATE_BITS) | own.collocates for own in every]
    known, pairs = np.unique(np.concatenate([np.empty(0, np.int64), *packed]), return_inverse=True)
    weights = np.array([float(base.weights[unit]) if unit >= 0 else 0.0 for unit in units])
    found = np.eye(len(units))
    for one in range(len(units)):
        ours = np.full(len(known), np.nan)
        ours[pairs[owners == one]] = scores[owners == one]
        common = np.bincount(owners, np.nan_to_num(_gain(ours[pairs], scores)), len(units))
        others = np.arange(len(units)) != one
        found[one, others] = (common / np.maximum(weights[one] + weights, 1e-9))[others]
    return found


def _gain(ours: Floats, theirs: Floats) -> Floats:
    """What pairs of a relation and a collocate that two words share say for their similarity, by their scores."""
    return np.maximum(ours + theirs - (ours - theirs) ** 2 / _TOLERANCE, 0.0)


def _features(base: Base, unit: int) -> _Features:
    """What a word stands with twice or more; nothing for a unit that is not there."""
    relations, collocates, scores = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for group in base.groups(unit) if unit >= 0 else ():
        enough = np.flatnonzero(base.counts[group.places] >= MIN_SHARED)
        relations.append(np.full(len(enough), group.number))
        collocates.append(base.collocates[group.places][enough].astype(np.int64))
        scores.append(np.maximum(base.scores(group)[enough], 0.0))
    found = _Features(np.concatenate(relations), np.concatenate(collocates), np.concatenate(scores))
    return found.take(best(found.scores))


def _holders(base: Base, features: _Features) -> tuple[Ids, Ids]:
    """Where the words are that have each feature: the triples of its collocate in the dual relation."""
    duals = np.array([base.dual(number) for number in features.relations.tolist()], np.int64)
    return base.bounds_of(features.collocates, duals)


def _compared(base: Base, features: _Features, starts: Ids, ends: Ids) -> tuple[Floats, Floats]:
    """For each unit what it has in common with the word, and the number of features that both have."""
    units = len(base.units)
    common, shared = np.zeros(units), np.zeros(units)
    first = 0
    while first < len(starts):
        lengths = np.cumsum(ends[first:] - starts[first:])
        last = first + max(int(np.searchsorted(lengths, _MAX_AT_ONCE, side="right")), 1)
        counts = ends[first:last] - starts[first:last]
        places = concatenated_ranges(starts[first:last], counts)
        own = np.repeat(features.scores[first:last], counts)
        enough = base.counts[places] >= MIN_SHARED
        places, own = places[enough], own[enough]
        theirs = base.backs[places].astype(np.float64)
        gain = _gain(own, theirs)
        holders = base.collocates[places].astype(np.int64)
        common += np.bincount(holders, gain, units)
        shared += np.bincount(holders, minlength=units)
        first = last
    return common, shared


def _shared_examples(base: Base, features: _Features, starts: Ids, ends: Ids, numbers: Ids) -> list[str]:
    """The collocates with the highest scores that each of some words shares with the word."""
    found: list[dict[str, None]] = [{} for _ in numbers]
    order = np.argsort(numbers)
    names = base.words(features.collocates)
    for start, end, (name, _) in zip(starts.tolist(), ends.tolist(), names, strict=True):
        holders = base.collocates[start:end][base.counts[start:end] >= MIN_SHARED].astype(np.int64)
        places = np.minimum(np.searchsorted(numbers[order], holders), max(len(numbers) - 1, 0))
        for place in order[places[numbers[order][places] == holders]].tolist() if len(numbers) else []:
            if len(found[place]) < _MAX_SHOWN_SHARED:
                found[place][name] = None
        if all(len(some) == _MAX_SHOWN_SHARED for some in found):
            break
    return [", ".join(some) for some in found]
