"""The method `words`: lengths, words that are equal or alike, and a dictionary learned from the texts themselves.

The first pass aligns by lengths, numbers, names and cognates, and a given dictionary. From its beads a dictionary is
learned, which the next passes use, too: the idea of hunalign (Varga et al. 2005) and of Moore (2002), in one model.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.alignment import bands
from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.evidence import UNIT, Evidence, Learned, Pairs, learn, weigh
from gristmill.alignment.known_pairs import known_pairs
from gristmill.alignment.lengths import VARIANCE, costs_of_lengths, lengths_of, squared_deltas
from gristmill.alignment.likelihood import likelihoods
from gristmill.alignment.texts import Beads, Sentences
from gristmill.alignment.vocabulary import Encoded, encode
from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.kernel import Texts, find_beads, measure_beads

KINDS = np.array([[1, 1], [2, 1], [1, 2], [2, 2], [3, 1], [1, 3], [3, 2], [2, 3]], np.int32)
"""Kinds of beads with both sides: sentences of the source and of the target."""
SHARES = (0.86, 0.04, 0.04, 0.01, 0.008, 0.008, 0.002, 0.002)
"""How frequent each kind is taken to be: round numbers, not the counts of any text."""
GAP_SHARE = 0.02
"""How frequent sentences without a translation are behind one that has a translation."""
NEXT_GAP_SHARE = 0.6
"""How frequent they are behind one that has none: most are whole passages."""
LENGTH_GAIN = 0.9
"""What it is worth, in nats, to know the length of a sentence from that of its translation."""
WORDS_WEIGHT = 0.6
"""How much words count, as what they tell is not independent."""
INNER_BORDER, ONE_BORDER, BOTH_BORDERS, OTHER_KIND = 4.0, 1.5, 0.7, 1.0
"""What borders of blocks cost inside of a bead and at the beginning of one side only, what is gained if a block begins
on both sides, and what it costs if blocks are of different kinds; in nats."""
FORBIDDEN = 1_000_000
"""As how many borders of blocks one counts that must not be inside of a bead."""
SIZE_SCALE = 64
"""Words of a sentence of mean size, in the scale of sizes."""
MAX_SIZE = 1 << 14
SHORT = 4000
"""Sentences of both sides of texts that are short."""
SHORT_PASSES, LONG_PASSES = 2, 1
"""Passes with what was learned from the one before."""
TOLERATED = 0.01
"""The share of rows in which the path of any but the last pass may touch the border of its band."""
MIN_LEARNED_BEADS = 8
HEAD = 1000
"""Sentences from which a dictionary is learned first where long texts have too few anchors."""
GROWTH = 4
"""How many times as many sentences it is learned from next."""
WIDE_BAND = 64
"""Cells of a band for each sentence, if there are too few anchors."""
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Fit:
    """What was learned of two texts: how long translations are, how much that varies, and counts of words."""

    ratio: float
    variance: float
    learned: Learned | None


@dataclass(frozen=True, slots=True)
class _Side:
    counts: Ints
    encoded: Encoded
    lengths: Floats
    borders: Ints
    kinds: npt.NDArray[np.uint8]

    def head(self, sentences: int) -> _Side:
        """The first sentences alone; words have the same numbers."""
        counts = self.counts[:sentences]
        return _Side(
            counts,
            self.encoded.head(sentences),
            self.lengths[:sentences],
            self.borders[:sentences],
            self.kinds[:sentences],
        )


def align_by_words(
    source: Sentences,
    target: Sentences,
    dictionary: Dictionary | None = None,
    parts: tuple[Ints, Ints] | None = None,
) -> Beads:
    """Align two texts by lengths and words, in several passes, with what is learned from the one before.

    If they were put together of many, `parts` says how many sentences each of these has, in the source and in the
    target; between two of them is one sentence more. Then no bead has sentences of two.
    """
    left, right = _side(source, parts and parts[0]), _side(target, parts and parts[1])
    size = len(source), len(target)
    known = known_pairs(left.encoded.forms, right.encoded.forms, dictionary)
    fit = Fit(first_ratio(left.lengths, right.lengths), VARIANCE, None)
    evidence = weigh(left.encoded, right.encoded, known, None)
    boxes = bands.boxes(*parts) if parts else None
    band = boxes or choose_band(left.encoded, right.encoded, evidence, size, None)
    if not boxes and min(size) > 2 * HEAD and band.cells > WIDE_BAND * sum(size):
        fit = fit_to_heads(left, right, known, fit)
        evidence = weigh(left.encoded, right.encoded, known, fit.learned)
        band = choose_band(left.encoded, right.encoded, evidence, size, None)
    tolerated, at_last = (1.0, 1.0) if boxes else (TOLERATED, 0.0)  # boxes are never widened
    texts = make_texts(left, right, evidence, fit)
    path = search(texts, band, size, tolerated)
    passes = SHORT_PASSES if sum(size) <= SHORT else LONG_PASSES
    for number in range(passes):
        better = fit_to(left, right, path, fit)
        if better is fit:
            break
        fit, before = better, path
        evidence = weigh(left.encoded, right.encoded, known, fit.learned)
        band = boxes or choose_band(left.encoded, right.encoded, evidence, size, path)
        texts = make_texts(left, right, evidence, fit)
        path = search(texts, band, size, at_last if number == passes - 1 else tolerated)
        if all(map(np.array_equal, before, path)):
            break
    measured = measure_beads(texts, *path)
    deltas = squared_deltas(left.lengths * fit.ratio, right.lengths, path, fit.variance)
    return Beads.of_counts(np.diff(path[0]), np.diff(path[1]), likelihoods(path, measured, deltas))


def fit_to(source: _Side, target: _Side, path: tuple[Ints, Ints], fit: Fit) -> Fit:
    """Learn from the beads of a path that have sentences on both sides; nothing new if they are too few."""
    chosen = np.flatnonzero((np.diff(path[0]) > 0) & (np.diff(path[1]) > 0))
    if len(chosen) < MIN_LEARNED_BEADS:
        return fit
    bounds = [np.stack([side[chosen], side[chosen + 1]], axis=1) for side in path]
    learned = learn(source.encoded, target.encoded, *bounds)
    return Fit(*fitted(source.lengths, target.lengths, bounds[0], bounds[1], fit.ratio), learned)


def fit_to_heads(source: _Side, target: _Side, known: Pairs, fit: Fit) -> Fit:
    """Learn from the beginning of two long texts that have few words in common, so that anchors are found in the rest.

    What is learned from the first sentences finds anchors in four times as many, and so on.
    """
    sentences = HEAD
    while sentences * 2 < max(len(source.counts), len(target.counts)):
        heads = source.head(sentences), target.head(sentences)
        size = len(heads[0].counts), len(heads[1].counts)
        evidence = weigh(heads[0].encoded, heads[1].encoded, known, fit.learned)
        band = choose_band(heads[0].encoded, heads[1].encoded, evidence, size, None)
        path = search(make_texts(*heads, evidence, fit), band, size, tolerated=1.0)
        # Where one head ends, the other one may go on: the last beads are not right.
        inside = (path[0] < size[0] - size[0] // 8) & (path[1] < size[1] - size[1] // 8)
        fit = fit_to(*heads, (path[0][inside], path[1][inside]), fit)
        sentences *= GROWTH
    return fit


def _side(text: Sentences, parts: Ints | None = None) -> _Side:
    borders = np.ones(len(text), np.int64)
    if len(text):
        borders[1:] = text.blocks[1:] != text.blocks[:-1]
        if parts is not None:
            between = np.cumsum(parts + 1)[:-1] - 1
            borders[between] = FORBIDDEN
            borders[1:][between[between + 1 < len(text)]] = FORBIDDEN
    kinds = {kind: min(number, 255) for number, kind in enumerate(["p", "h", "l"])}
    codes = np.fromiter((kinds.get(kind, 0) for kind in text.kinds), np.uint8, len(text))
    return _Side(text.counts, encode(text.words, text.counts), lengths_of(text), borders, codes)


def first_ratio(source: Floats, target: Floats) -> float:
    """How long the target is for each letter of the source, before anything is known."""
    total = float(np.sum(source))
    return min(max(float(np.sum(target)) / total, 0.8), 1.25) if total else 1.0


def make_texts(source: _Side, target: _Side, evidence: Evidence, fit: Fit) -> Texts:
    """Give two texts the form in which they are searched: words that have no partner are left out."""
    source_words, source_starts = _with_partner(source.encoded, np.diff(evidence.starts) > 0)
    has_partner = np.zeros(len(target.encoded.forms), np.bool_)
    has_partner[evidence.targets] = True
    target_words, target_starts = _with_partner(target.encoded, has_partner)
    return Texts(
        source_words,
        source_starts,
        target_words,
        target_starts,
        evidence.starts,
        evidence.targets,
        evidence.weights,
        evidence.source_misses,
        evidence.target_misses,
        _sizes(source.counts),
        _sizes(target.counts),
        _size_costs(),
        starts_of(np.round(np.minimum(source.lengths * fit.ratio, _LONGEST)).astype(np.int64)),
        starts_of(np.round(np.minimum(target.lengths, _LONGEST)).astype(np.int64)),
        costs_of_lengths(fit.variance, UNIT),
        starts_of(source.borders),
        starts_of(target.borders),
        source.kinds,
        target.kinds,
    )


@functools.cache
def _size_costs() -> npt.NDArray[np.int32]:
    """What a hit is worth less by the size of the text that it is in."""
    sizes = np.maximum(np.arange(MAX_SIZE), 1)
    return np.round(np.clip(np.log(sizes / SIZE_SCALE), -1.5, None) * UNIT).astype(np.int32)


def _with_partner(text: Encoded, has_partner: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int32], Ints]:
    kept = has_partner[text.words]
    return text.words[kept], starts_of(kept)[text.starts]


def _sizes(counts: Ints) -> Ints:
    mean = max(float(np.mean(counts)), 1.0) if len(counts) else 1.0
    return starts_of(np.round(np.minimum(counts / mean * SIZE_SCALE, MAX_SIZE)).astype(np.int64))


def choose_band(
    source: Encoded, target: Encoded, evidence: Evidence, size: tuple[int, int], path: tuple[Ints, Ints] | None
) -> bands.Band:
    """Choose the cells that are searched: around anchors, and around the path of the pass before."""
    if bands.is_small(*size):
        return bands.whole(*size)
    pairs = evidence.sources, evidence.targets.astype(np.int64), evidence.weights.astype(np.int64)
    wanted = np.diff(evidence.starts) > 0, np.bincount(pairs[1], minlength=len(target.forms)) > 0
    postings = bands.Postings.of(source, wanted[0]), bands.Postings.of(target, wanted[1])
    anchors = bands.find_anchors(*postings, pairs, size)
    band = bands.band_of(anchors, *size)
    if path is None:
        return band
    joined = bands.union(band, bands.band_around(*path))
    return joined if bands.fits(joined, *size) else band


def search(texts: Texts, band: bands.Band, size: tuple[int, int], tolerated: float) -> tuple[Ints, Ints]:
    """Find the best path, and widen the band where the path touches its border."""
    costs = np.array([_cost(share) for share in SHARES], np.int32) - round(LENGTH_GAIN * UNIT)
    nats = INNER_BORDER, ONE_BORDER, BOTH_BORDERS, OTHER_KIND

    def find(band: bands.Band) -> tuple[Ints, Ints]:
        sources, targets = find_beads(
            texts,
            band.lows,
            band.highs,
            KINDS,
            costs.astype(np.int32),
            _cost(GAP_SHARE),
            _cost(NEXT_GAP_SHARE),
            False,
            round(WORDS_WEIGHT * 256),
            *(round(value * UNIT) for value in nats),
        )
        return starts_of(sources), starts_of(targets)

    return bands.search(find, band, size[1], tolerated)


def _cost(share: float) -> int:
    return round(-math.log(share) * UNIT)


def fitted(
    source: Floats, target: Floats, source_bounds: Ints, target_bounds: Ints, ratio: float
) -> tuple[float, float]:
    """Fit how long translations are, and how much that varies, to beads."""
    source_sums, target_sums = np.append(0.0, np.cumsum(source)), np.append(0.0, np.cumsum(target))
    sources = source_sums[source_bounds[:, 1]] - source_sums[source_bounds[:, 0]]
    targets = target_sums[target_bounds[:, 1]] - target_sums[target_bounds[:, 0]]
    useful = (sources > 0) & (targets > 0)
    if np.count_nonzero(useful) < MIN_LEARNED_BEADS:
        return ratio, VARIANCE
    sources, targets = sources[useful], targets[useful]
    ratio = float(np.exp(np.median(np.log(targets / sources))))
    ratio = min(max(ratio, 0.5), 2.0)
    deltas = (targets - ratio * sources) ** 2 / ((targets + ratio * sources) / 2)
    variance = float(np.median(deltas)) / 0.5487  # the median of the square of Student's t with 4 degrees of freedom
    return ratio, round(min(max(variance, 2.0), 30.0), 1)
