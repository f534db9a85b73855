"""Training of the filter `quality`: logistic regression on good and bad texts, with cross-validation.

`gristmill train quality` calls `train_quality`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.arrays.dtypes import Floats
from gristmill.errors import UsageError
from gristmill.evaluation.training.registry import Model, versions
from gristmill.filter.classifier import BITS, Classifier, features_of

_FOLDS = 5
_MIN_TEXTS_PER_CLASS = 20  # fewer say nothing
_MAX_TEXTS_PER_CLASS = 20_000  # more need memory, and change little
_L2_PENALTY = 1e-5  # the best of three in cross-validation on a gold standard; it matters little
_MAX_STEPS = 100  # of L-BFGS
_HISTORY_STEPS = 8  # from which L-BFGS estimates the curvature
_MAX_HALVINGS = 30  # of a step that does not lower the loss
_MIN_GRADIENT_SHARE = 1e-4  # of the first gradient: where the search ends


@dataclass(frozen=True)
class _Texts:
    """The features of texts as a ragged array: those of all texts one after the other.

    Of two texts, the first with the features 3 and 8, the second with the feature 5, `numbers` is [3, 8, 5] and
    `lengths` is [2, 1].
    """

    numbers: npt.NDArray[np.integer]
    values: npt.NDArray[np.float32]
    lengths: npt.NDArray[np.int64]
    """How many features each text has."""
    good: npt.NDArray[np.bool_]
    """Which texts are good."""

    def part(self, chosen: npt.NDArray[np.bool_]) -> _Texts:
        """Return the chosen texts."""
        inside = np.repeat(chosen, self.lengths)
        return _Texts(self.numbers[inside], self.values[inside], self.lengths[chosen], self.good[chosen])

    def scores(self, weights: Floats) -> Floats:
        """Add up the weights of each text's features; the last weight is the bias."""
        starts = np.cumsum(self.lengths) - self.lengths
        sums: Floats = np.add.reduceat(self.values * weights[self.numbers], starts) + weights[-1]
        return sums


def train_quality(good: Sequence[str], bad: Sequence[str]) -> Model:
    """Train a classifier, and write its card; the order of the texts makes no difference."""
    kinds = [_chosen(texts) for texts in (good, bad)]
    both = set(kinds[0]) & set(kinds[1])
    kinds = [[text for text in texts if text not in both] for texts in kinds]
    for name, some in zip(("good", "bad"), kinds, strict=True):
        if len(some) < _MIN_TEXTS_PER_CLASS:
            raise UsageError(
                f"there are {len(some)} different {name} texts, "
                f"and {_MIN_TEXTS_PER_CLASS} at least are needed; some hundred are better"
            )
    texts = _features([*kinds[0], *kinds[1]], len(kinds[0]))
    fold = np.array([_digest(text) % _FOLDS for text in [*kinds[0], *kinds[1]]])
    held_out = np.empty(len(fold))
    for number in range(_FOLDS):
        weights = _fit(texts.part(fold != number))
        if np.any(fold == number):
            held_out[fold == number] = texts.part(fold == number).scores(weights)
    weights = _fit(texts)
    model = Classifier(weights[:-1].astype(np.float32), float(weights[-1]))
    card = {
        "what": "tells good texts from bad ones, for the filter `quality`",
        "good": _about(kinds[0], len(good)),
        "bad": _about(kinds[1], len(bad)),
        "in both, left out": len(both),
        "held out": figures(held_out, texts.good)
        | {"how": f"each of {_FOLDS} parts scored by what was learned from the others"},
        "software": versions(),
    }
    return Model(dict(model.arrays()), card)


def _chosen(texts: Sequence[str]) -> list[str]:
    """Choose different texts at random, by their hashes: the given order makes no difference."""
    different = {text for text in texts if text.strip()}
    return sorted(different, key=lambda text: (_digest(text), text))[:_MAX_TEXTS_PER_CLASS]


def _digest(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace"))


def _about(texts: Sequence[str], given: int) -> dict[str, int]:
    """Describe the texts of a class, for the card."""
    return {"texts": len(texts), "given": given, "characters": sum(map(len, texts))}


def _features(texts: Sequence[str], good: int) -> _Texts:
    """Compute the features of texts, of which the first `good` ones are the good ones."""
    found = [features_of(text) for text in texts]
    return _Texts(
        np.concatenate([numbers for numbers, _ in found]),
        np.concatenate([values for _, values in found]),
        np.array([len(numbers) for numbers, _ in found]),
        np.arange(len(texts)) < good,
    )


def _fit(texts: _Texts) -> Floats:
    """Fit weights by logistic regression; all good texts together count as much as all bad ones."""
    good = max(int(np.count_nonzero(texts.good)), 1)
    importance = np.where(texts.good, 0.5 / good, 0.5 / max(len(texts.good) - good, 1))
    signs = np.where(texts.good, 1.0, -1.0)
    active, numbers = np.unique(texts.numbers, return_inverse=True)  # most features are in no text: left out of the fit
    dense = dataclasses.replace(texts, numbers=numbers)

    def loss(weights: Floats) -> tuple[float, Floats]:
        """Return the loss with its L2 penalty, and its gradient."""
        margins = signs * dense.scores(weights)
        errors = -signs * importance / (1 + np.exp(np.minimum(margins, 500)))
        gradient = np.bincount(numbers, texts.values * np.repeat(errors, texts.lengths), len(weights) - 1)
        penalised = weights[:-1]
        value = float((importance * np.logaddexp(0, -margins)).sum() + _L2_PENALTY / 2 * np.square(penalised).sum())
        return value, np.append(gradient + _L2_PENALTY * penalised, errors.sum())

    found = _minimum(loss, np.zeros(len(active) + 1))
    weights = np.zeros((1 << BITS) + 1)
    weights[active], weights[-1] = found[:-1], found[-1]
    return weights


def _minimum(loss: Callable[[Floats], tuple[float, Floats]], weights: Floats) -> Floats:
    """Find the minimum of a convex function by L-BFGS (Nocedal and Wright 2006, Algorithms 7.4 and 7.5).

    A step is halved until it lowers the loss enough.
    """
    value, gradient = loss(weights)
    history: list[tuple[Floats, Floats]] = []
    min_gradient = _MIN_GRADIENT_SHARE * max(float(np.abs(gradient).max()), 1e-12)
    for _ in range(_MAX_STEPS):
        direction = _direction(gradient, history)
        slope = _dot(direction, gradient)
        step = 1.0 if history else 1 / max(float(np.sqrt(_dot(gradient, gradient))), 1e-12)
        for _ in range(_MAX_HALVINGS):
            after, new_gradient = loss(weights + step * direction)
            if after <= value + 1e-4 * step * slope:
                break
            step /= 2
        else:
            break
        history = [*history, (step * direction, new_gradient - gradient)][-_HISTORY_STEPS:]
        weights, value, gradient = weights + step * direction, after, new_gradient
        if float(np.abs(gradient).max()) < min_gradient:
            break
    return weights


def _direction(gradient: Floats, history: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Return the direction of the next step, by the curvature that the last steps show (the two-loop recursion)."""
    direction = -gradient
    factors = []
    for moved, changed in reversed(history):
        factor = _dot(moved, direction) / _dot(moved, changed)
        direction = direction - factor * changed
        factors.append(factor)
    if history:
        moved, changed = history[-1]
        direction = direction * (_dot(moved, changed) / _dot(changed, changed))
    for (moved, changed), factor in zip(history, reversed(factors), strict=True):
        direction = direction + (factor - _dot(changed, direction) / _dot(moved, changed)) * moved
    return direction


def _dot(left: Floats, right: Floats) -> float:
    """Compute the scalar product in an order that does not depend on the number of threads, as `np.dot` may."""
    return float((left * right).sum())


def figures(scores: Floats, good: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Measure how well scores separate good from bad texts: at the threshold 0, and over all thresholds."""
    kept = scores >= 0
    good_kept, bad_dropped = float(kept[good].mean()), float((~kept[~good]).mean())
    return {
        "accuracy": round((good_kept + bad_dropped) / 2, 4),
        "good kept": round(good_kept, 4),
        "bad dropped": round(bad_dropped, 4),
        "area under the curve": round(_area_under_the_curve(scores, good), 4),
    }


def _area_under_the_curve(scores: Floats, good: npt.NDArray[np.bool_]) -> float:
    """Return how often a good text has a higher score than a bad one; equal scores count half.

    Computed from the ranks of the scores, where equal scores share their middle rank (Mann-Whitney).
    """
    _, place, many = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(many) - (many - 1) / 2)[place]
    count = int(np.count_nonzero(good))
    return float((ranks[good].sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))
