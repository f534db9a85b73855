"""What words tell of an alignment: pairs of words that may be translations of each other, and what each is worth.

A pair of words comes from a dictionary, from words that are equal or alike, or from sentences that are aligned already,
in which both stand more often together than by chance. All are brought to one measure, its rate: how often the other
word is there where the rarer of the two is. What a pair is worth is the logarithm of how much more often it is there
than by chance, and a word that has no partner costs what that is worth.

    Gipfel in 4 of 400 sentences, sommet in 5; rate .75     worth log(.75 * 400 / 5) = 4.1 nats
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.alignment.vocabulary import Encoded
from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.kernel import count_together

UNIT = 1024
"""One nat."""
DISCOUNT = 1.0
"""What is taken from counts: a sentence must not tell of itself that it is translated right."""
PRIOR_STRENGTH = 2.0
"""How many sentences what is known of a pair weighs as much as."""
MIN_RATE = 0.12
MIN_WORTH = 0.7
MAX_WORTH = 7.0
MOST_PARTNERS = 8
"""Partners that a word may have."""
CERTAINTY = 0.85
"""How certain it is at most that the partner of a word is there."""
RARE_SHARE = 0.005
"""The share of sentences that a long word is in, before anything is known of it."""
BACKGROUND = 20.0
"""How many sentences that weighs as much as."""
MOST_WORDS = 40
"""Words of a side of a bead that are paired."""
MOST_FREQUENT = 0.35
"""The share of sentences that a word is in at most."""
MOST_LEARNED_BEADS = 60_000
"""Beads that a dictionary for one text is learned from; evenly spread if there are more."""
LEAST_TOGETHER = 2
"""In how many beads two words must be together to be a pair."""
PAIR_SHIFT = 31

_Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of numbers of words, each with its rate, in the order of both."""

    sources: Ints
    targets: Ints
    rates: Floats

    @classmethod
    def joined(cls, *many: Pairs) -> Pairs:
        """Join pairs; of several rates of a pair the highest counts."""
        sources = np.concatenate([pairs.sources for pairs in many]).astype(np.int64)
        targets = np.concatenate([pairs.targets for pairs in many]).astype(np.int64)
        rates = np.concatenate([pairs.rates for pairs in many]).astype(np.float64)
        keys = sources << PAIR_SHIFT | targets
        order = np.lexsort((-rates, keys))
        keys = keys[order]
        first = np.append(True, keys[1:] != keys[:-1]) if len(keys) else np.zeros(0, bool)
        order = order[first]
        return cls(sources[order], targets[order], rates[order])


@dataclass(frozen=True, slots=True)
class Learned:
    """Counts of words and pairs of words over beads."""

    keys: Ints
    counts: Floats
    source_counts: Ints
    target_counts: Ints
    beads: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Partners of words of the source and what they are worth; and what words without a partner cost, in units."""

    starts: Ints
    targets: _Int32
    weights: _Int32
    source_misses: _Int32
    target_misses: _Int32

    @property
    def sources(self) -> Ints:
        """The word of the source of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def learn(source: Encoded, target: Encoded, source_bounds: Ints, target_bounds: Ints) -> Learned:
    """Count in how many of some beads words and pairs of them are, given where each bead begins and ends."""
    beads = len(source_bounds)
    if beads > MOST_LEARNED_BEADS:
        chosen = np.arange(MOST_LEARNED_BEADS) * beads // MOST_LEARNED_BEADS
        source_bounds, target_bounds, beads = source_bounds[chosen], target_bounds[chosen], len(chosen)
    source_words, source_starts, source_counts = words_of_beads(source, source_bounds)
    target_words, target_starts, target_counts = words_of_beads(target, target_bounds)
    sizes = len(source.forms), len(target.forms)
    keys, counts = count_together(
        source_words, source_starts, target_words, target_starts, *sizes, MOST_WORDS, LEAST_TOGETHER
    )
    return Learned(keys, counts.astype(np.float64), source_counts, target_counts, beads)


def words_of_beads(
    text: Encoded, bounds: Ints, least: int = 2, most: float = MOST_FREQUENT
) -> tuple[_Int32, Ints, Ints]:
    """Give the different words of each bead that may be paired, where those of each begin, and all words' counts.

    Bounds are rows of where a bead begins and ends. Words that are in fewer beads than `least`, or in a larger share
    than `most`, are left out, as no partner could be learned for them.
    """
    firsts, ends = text.starts[bounds[:, 0]], text.starts[bounds[:, 1]]
    words = text.words[concatenated_ranges(firsts, ends - firsts)].astype(np.int64)
    rows = np.repeat(np.arange(len(bounds)), ends - firsts)
    size = len(text.frequencies)
    if (np.diff(bounds) > 1).any():
        rows, words = np.divmod(unique(rows * max(size, 1) + words), max(size, 1))
    counts = np.bincount(words, minlength=size)
    wanted = ((counts >= least) & (counts <= max(most * len(bounds), 2)))[words]
    starts = starts_of(np.bincount(rows[wanted], minlength=len(bounds)))
    return words[wanted].astype(np.int32), starts, counts


def weigh(source: Encoded, target: Encoded, known: Pairs, learned: Learned | None) -> Evidence:
    """Say what pairs of words are worth: those that are known, and those that were learned."""
    sentences, others = max(len(source.starts) - 1, 1), max(len(target.starts) - 1, 1)
    if learned is None:
        pairs = known
        source_shares = shares_of(source, source.frequencies, sentences)
        target_shares = shares_of(target, target.frequencies, others)
        rates = known.rates
    else:
        pairs, rates = _joined(known, learned)
        source_shares = shares_of(source, learned.source_counts, learned.beads)
        target_shares = shares_of(target, learned.target_counts, learned.beads)
    more, less = source_shares[pairs.sources], target_shares[pairs.targets]
    more, less = np.maximum(more, less), np.minimum(more, less)
    worths = np.log(np.maximum(rates, 1e-9) / np.maximum(more, 1e-9))
    kept = np.flatnonzero((worths >= MIN_WORTH) & (rates >= MIN_RATE))
    kept = kept[_best(pairs.sources[kept], worths[kept] + np.log(rates[kept]))]
    kept = kept[_best(pairs.targets[kept], worths[kept] + np.log(rates[kept]))]
    kept = kept[np.lexsort((pairs.targets[kept], pairs.sources[kept]))]
    sources, targets, rates = pairs.sources[kept], pairs.targets[kept], rates[kept]
    joint = rates * less[kept]
    weights = np.round(np.minimum(worths[kept], MAX_WORTH) * UNIT).astype(np.int32)
    return Evidence(
        starts_of(np.bincount(sources, minlength=len(source.forms))),
        targets.astype(np.int32),
        weights,
        _misses(sources, joint / source_shares[sources], len(source.forms)),
        _misses(targets, joint / target_shares[targets], len(target.forms)),
    )


def shares_of(text: Encoded, counts: Ints, sentences: int) -> Floats:
    """Estimate the share of sentences that have each word.

    A word that is in one of five sentences is not in a fifth of all: longer words and numbers are rare in any text.
    """
    found = np.maximum(counts, 0.5)
    return np.where(text.long, (found + BACKGROUND * RARE_SHARE) / (sentences + BACKGROUND), found / max(sentences, 1))


def _joined(known: Pairs, learned: Learned) -> tuple[Pairs, Floats]:
    """Join what is known of pairs with what was learned."""
    known_keys = known.sources << PAIR_SHIFT | known.targets
    least = np.minimum(
        learned.source_counts[learned.keys >> PAIR_SHIFT], learned.target_counts[learned.keys & ((1 << PAIR_SHIFT) - 1)]
    )
    possible = (learned.counts > DISCOUNT) & (learned.counts - DISCOUNT >= MIN_RATE * least)
    possible |= np.isin(learned.keys, known_keys, kind="sort")
    keys = unique(np.concatenate([known_keys, learned.keys[possible]]))
    priors, counts = np.zeros(len(keys)), np.zeros(len(keys))
    priors[np.searchsorted(keys, known_keys)] = known.rates
    counts[np.searchsorted(keys, learned.keys[possible])] = learned.counts[possible]
    sources, targets = keys >> PAIR_SHIFT, keys & ((1 << PAIR_SHIFT) - 1)
    least = np.minimum(learned.source_counts[sources], learned.target_counts[targets])
    rates = (np.maximum(counts - DISCOUNT, 0) + PRIOR_STRENGTH * priors) / (
        np.maximum(least - DISCOUNT, 0) + PRIOR_STRENGTH
    )
    return Pairs(sources, targets, rates), rates


def unique(keys: Ints) -> Ints:
    """The different ones of some numbers, in order: NumPy's own function hashes them, which takes far longer."""
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def _best(words: Ints, values: Floats) -> Ints:
    """Choose for each word the pairs with the highest values, as many as it may have."""
    order = np.lexsort((-values, words))
    ordered = words[order]
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    rank = np.arange(len(ordered)) - np.repeat(firsts, np.diff(np.append(firsts, len(ordered))))
    return np.sort(order[rank < MOST_PARTNERS])


def _misses(words: Ints, chances: Floats, size: int) -> _Int32:
    """What it costs that no partner of a word is there, by the chance that the best one is; 0 for words without."""
    highest = np.zeros(size)
    np.maximum.at(highest, words, chances)
    return np.round(np.log1p(-CERTAINTY * np.minimum(highest, 1.0)) * UNIT).astype(np.int32)
