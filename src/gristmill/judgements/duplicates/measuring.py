"""How good de-duplication is, by the pairs that people judged.

Two kinds of figures, which must not be confused. Those of the judged pairs count them as they are: they say how
de-duplication did on just these, which were mostly chosen since they are hard or easy. Estimates are for all candidates
of the corpus. They use only the pairs that were judged in random order, stratum by stratum, each counted as often as it
stands for others: if 10 of 200 pairs of a stratum were judged, each counts 20 times.

No figure knows of duplicates that are no candidates: those of which de-duplication saw no common text, and which have
different titles. So recall is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gristmill.dedup.documents.clustering import clusters
from gristmill.dedup.documents.sketches import Pairs
from gristmill.evaluation.clusters import Agreement, b_cubed
from gristmill.judgements.duplicates.candidates import Candidate, Candidates
from gristmill.judgements.duplicates.kinds import FOUND, STRATA
from gristmill.judgements.duplicates.store import VERDICTS, Judged, Pair

_DRAWS = 4_000
_INTERVAL = (2.5, 97.5)

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_Figure = Callable[[Floats, Floats, Flags], Floats]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure for all candidates, and the interval that it is in with a probability of 95%."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """What is known of a kind of candidates."""

    name: str
    about: str
    found: bool
    pairs: int
    judged: int
    """Pairs that were judged, in whatever order."""
    drawn: int
    """Pairs that were judged of those that come first in random order, without a gap: estimates are made of these."""
    duplicates: int
    """Duplicates among those that were drawn."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How far two judges agree on the pairs that both have judged."""

    one: str
    other: str
    pairs: int
    same: float
    kappa: float | None
    """Cohen's kappa: 1 if they always agree, 0 if as often as by chance; None if both always say the same one thing."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How good de-duplication is."""

    judged: int
    """Pairs that judges agree on."""
    disputed: int
    """Pairs on which they are divided, which count nowhere."""
    counts: dict[str, int]
    """Of the judged pairs: found and right, found and wrong, missed, rightly not found."""
    pairs: Agreement | None
    """Precision and recall on the judged pairs."""
    b_cubed: Agreement | None
    """Of the documents of judged pairs: clusters that de-duplication makes of them against those of the judges."""
    contradictions: int
    """Pairs that were judged different though a chain of duplicates links them."""
    au_roc: float | None
    """On the judged pairs."""
    strata: list[Stratum]
    precision: Estimate | None
    recall: Estimate | None
    estimated_au_roc: float | None
    unknown: list[str]
    """Strata of which nothing was drawn, so that estimates don't speak of them."""
    judges: list[JudgeAgreement]


def measure(candidates: Candidates, judged: Judged, *, near_counts: bool = True) -> Figures:
    """Compute all figures; `near_counts` says whether near-duplicates are to be found, too."""
    decided = judged.decided(near_counts=near_counts)
    known = {pair: candidate for pair in decided if (candidate := candidates.find(pair)) is not None}
    truth = np.array([decided[pair] for pair in known], bool)
    found = np.array([candidate.found for candidate in known.values()], bool)
    scores = np.array([candidate.score for candidate in known.values()])
    counts = {
        "right": int((truth & found).sum()),
        "wrong": int((~truth & found).sum()),
        "missed": int((truth & ~found).sum()),
        "left": int((~truth & ~found).sum()),
    }
    clustered, contradictions = _clustered(list(known), truth, found)
    strata, drawn = _drawn(candidates, judged, decided, known)
    precision, recall = _estimates(strata)
    return Figures(
        judged=len(known),
        disputed=len(judged.verdicts) - len(decided),
        counts=counts,
        pairs=_of_counts(counts) if known else None,
        b_cubed=clustered,
        contradictions=contradictions,
        au_roc=_area(scores, truth, np.ones(len(truth))),
        strata=strata,
        precision=precision,
        recall=recall,
        estimated_au_roc=_area(*drawn),
        unknown=[stratum.name for stratum in strata if stratum.pairs and not stratum.drawn],
        judges=agreement(judged),
    )


def _of_counts(counts: Mapping[str, int]) -> Agreement:
    claimed, real = counts["right"] + counts["wrong"], counts["right"] + counts["missed"]
    return Agreement(counts["right"] / claimed if claimed else 1.0, counts["right"] / real if real else 1.0)


def _clustered(pairs: Sequence[Pair], truth: Flags, found: Flags) -> tuple[Agreement | None, int]:
    """Compare the clusters that judged pairs make by what de-duplication says, and by what judges say."""
    if not pairs:
        return None, 0
    numbers = {
        identifier: number for number, identifier in enumerate(sorted({name for pair in pairs for name in pair}))
    }
    ends = np.array([[numbers[one], numbers[other]] for one, other in pairs])
    labels = [
        clusters(len(numbers), Pairs(ends[chosen, 0], ends[chosen, 1], np.ones(int(chosen.sum()))))
        for chosen in (found, truth)
    ]
    linked = labels[1][ends[:, 0]] == labels[1][ends[:, 1]]
    return b_cubed(labels[0], labels[1]), int((linked & ~truth).sum())


def _drawn(
    candidates: Candidates, judged: Judged, decided: Mapping[Pair, bool], known: Mapping[Pair, Candidate]
) -> tuple[list[Stratum], tuple[Floats, Flags, Floats]]:
    """Tell of each stratum what was judged in random order; and all these pairs with their weights."""
    strata, scores, truth, weights = [], [], [], []
    judged_in = dict.fromkeys(STRATA, 0)
    for candidate in known.values():
        if candidate.stratum:
            judged_in[candidate.stratum] += 1
    for name, about in STRATA.items():
        numbers, prefix = candidates.stratum(name), []
        for number in numbers.tolist():
            candidate = candidates[number]
            if candidate.pair not in judged.verdicts:
                break
            if candidate.pair in decided:
                prefix.append((candidate.score, decided[candidate.pair]))
        strata.append(
            Stratum(name, about, name in FOUND, len(numbers), judged_in[name], len(prefix), sum(d for _, d in prefix))
        )
        scores += [score for score, _ in prefix]
        truth += [is_duplicate for _, is_duplicate in prefix]
        weights += [len(numbers) / len(prefix) for _ in prefix]
    return strata, (np.array(scores), np.array(truth, bool), np.array(weights))


def _estimates(strata: Sequence[Stratum]) -> tuple[Estimate | None, Estimate | None]:
    """Estimate precision and recall for all candidates of the strata of which something was drawn.

    The share of duplicates in a stratum is uncertain by a beta distribution (Jeffreys' prior), unless all were judged.
    """
    known = [stratum for stratum in strata if stratum.drawn]
    if not any(stratum.found for stratum in known):
        return None, None
    random = np.random.default_rng(0)
    sizes = np.array([stratum.pairs for stratum in known], float)
    shares = np.array([stratum.duplicates / stratum.drawn for stratum in known])
    drawn = np.stack([_shares(stratum, random) for stratum in known])
    found = np.array([stratum.found for stratum in known])
    return (
        _estimate(_precision, sizes, shares, drawn, found),
        _estimate(_recall, sizes, shares, drawn, found) if not found.all() else None,
    )


def _shares(stratum: Stratum, random: np.random.Generator) -> Floats:
    share = stratum.duplicates / stratum.drawn
    if stratum.drawn == stratum.pairs:
        return np.full(_DRAWS, share)
    rest = random.beta(stratum.duplicates + 0.5, stratum.drawn - stratum.duplicates + 0.5, _DRAWS)
    left = stratum.pairs - stratum.drawn
    return (stratum.duplicates + random.binomial(left, rest)) / stratum.pairs


def _precision(sizes: Floats, shares: Floats, found: Flags) -> Floats:
    return np.asarray((sizes * shares)[found].sum(0) / sizes[found].sum(0))


def _recall(sizes: Floats, shares: Floats, found: Flags) -> Floats:
    duplicates = sizes * shares
    return np.asarray(duplicates[found].sum(0) / np.maximum(duplicates.sum(0), 1e-9))


def _estimate(figure: _Figure, sizes: Floats, shares: Floats, drawn: Floats, found: Flags) -> Estimate:
    low, high = np.percentile(figure(sizes[:, None], drawn, found), _INTERVAL)
    return Estimate(float(figure(sizes, shares, found)), float(low), float(high))


def _area(scores: Floats, truth: Flags, weights: Floats) -> float | None:
    """The probability that a duplicate has a higher score than a pair that is none; ties count half."""
    good, bad = weights * truth, weights * ~truth
    if not good.sum() or not bad.sum():
        return None
    values, places = np.unique(scores, return_inverse=True)
    goods, bads = np.bincount(places, good, len(values)), np.bincount(places, bad, len(values))
    below = np.cumsum(bads) - bads
    return float((goods * (below + bads / 2)).sum() / (good.sum() * bad.sum()))


def agreement(judged: Judged) -> list[JudgeAgreement]:
    """Compare all judges, two by two, who have judged some pairs both."""
    found = []
    for one, other in combinations(judged.judges, 2):
        both = [
            (verdicts[one], verdicts[other])
            for verdicts in judged.verdicts.values()
            if one in verdicts and other in verdicts
        ]
        if both:
            same = sum(a == b for a, b in both) / len(both)
            found.append(JudgeAgreement(one, other, len(both), same, _kappa(both, same)))
    return found


def _kappa(both: Sequence[tuple[str, str]], same: float) -> float | None:
    by_chance = (
        sum(sum(a == verdict for a, _ in both) * sum(b == verdict for _, b in both) for verdict in VERDICTS)
        / len(both) ** 2
    )
    return None if by_chance == 1 else (same - by_chance) / (1 - by_chance)
