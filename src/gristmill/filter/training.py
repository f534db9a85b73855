"""Learn to tell good texts from bad ones: logistic regression, and how good it is on texts that it has not seen."""

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
_FEWEST = 20  # texts of a kind: fewer say nothing
_MOST = 20_000  # texts of a kind: more take memory, and change little
_PENALTY = 1e-5  # the best of three in cross-validation on a gold standard; it matters little
_STEPS = 100
_MEMORY = 8  # steps that the curvature is estimated from
_GRADIENT_ENOUGH = 1e-4


@dataclass(frozen=True)
class _Texts:
    """The features of texts, one after the other, and which texts are good."""

    numbers: npt.NDArray[np.integer]
    values: npt.NDArray[np.float32]
    lengths: npt.NDArray[np.int64]
    good: npt.NDArray[np.bool_]

    def part(self, chosen: npt.NDArray[np.bool_]) -> _Texts:
        inside = np.repeat(chosen, self.lengths)
        return _Texts(self.numbers[inside], self.values[inside], self.lengths[chosen], self.good[chosen])

    def scores(self, weights: Floats) -> Floats:
        """The sum of the weights of each text's features; the last weight is the bias."""
        starts = np.cumsum(self.lengths) - self.lengths
        sums: Floats = np.add.reduceat(self.values * weights[self.numbers], starts) + weights[-1]
        return sums


def train_quality(good: Sequence[str], bad: Sequence[str]) -> Model:
    """A classifier and its card; the same texts in any order give the same."""
    kinds = [_chosen(texts) for texts in (good, bad)]
    both = set(kinds[0]) & set(kinds[1])
    kinds = [[text for text in texts if text not in both] for texts in kinds]
    for name, some in zip(("good", "bad"), kinds, strict=True):
        if len(some) < _FEWEST:
            raise UsageError(
                f"there are {len(some)} different {name} texts, and {_FEWEST} at least are needed; some hundred are better"
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
    """Different texts, in an order that does not depend on the given one."""
    return sorted({text for text in texts if text.strip()}, key=lambda text: (_digest(text), text))[:_MOST]


def _digest(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace"))


def _about(texts: Sequence[str], given: int) -> dict[str, int]:
    return {"texts": len(texts), "given": given, "characters": sum(map(len, texts))}


def _features(texts: Sequence[str], good: int) -> _Texts:
    found = [features_of(text) for text in texts]
    return _Texts(
        np.concatenate([numbers for numbers, _ in found]),
        np.concatenate([values for _, values in found]),
        np.array([len(numbers) for numbers, _ in found]),
        np.arange(len(texts)) < good,
    )


def _fit(texts: _Texts) -> Floats:
    """Weights by logistic regression; good and bad texts weigh the same together, however many there are of each."""
    good = max(int(np.count_nonzero(texts.good)), 1)
    importance = np.where(texts.good, 0.5 / good, 0.5 / max(len(texts.good) - good, 1))
    signs = np.where(texts.good, 1.0, -1.0)
    active, numbers = np.unique(texts.numbers, return_inverse=True)  # few texts have few of all features
    dense = dataclasses.replace(texts, numbers=numbers)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * dense.scores(weights)
        errors = -signs * importance / (1 + np.exp(np.minimum(margins, 500)))
        gradient = np.bincount(numbers, texts.values * np.repeat(errors, texts.lengths), len(weights) - 1)
        penalised = weights[:-1]
        value = float((importance * np.logaddexp(0, -margins)).sum() + _PENALTY / 2 * np.square(penalised).sum())
        return value, np.append(gradient + _PENALTY * penalised, errors.sum())

    found = _minimum(loss, np.zeros(len(active) + 1))
    weights = np.zeros((1 << BITS) + 1)
    weights[active], weights[-1] = found[:-1], found[-1]
    return weights


def _minimum(loss: Callable[[Floats], tuple[float, Floats]], weights: Floats) -> Floats:
    """Where a convex function is least, by L-BFGS (Nocedal and Wright 2006, Algorithms 7.4 and 7.5); steps are halved until they help."""
    value, gradient = loss(weights)
    history: list[tuple[Floats, Floats]] = []
    enough = _GRADIENT_ENOUGH * max(float(np.abs(gradient).max()), 1e-12)
    for _ in range(_STEPS):
        direction = _direction(gradient, history)
        slope = _dot(direction, gradient)
        step = 1.0 if history else 1 / max(float(np.sqrt(_dot(gradient, gradient))), 1e-12)
        for _ in range(30):
            after, new_gradient = loss(weights + step * direction)
            if after <= value + 1e-4 * step * slope:
                break
            step /= 2
        else:
            break
        history = [*history, (step * direction, new_gradient - gradient)][-_MEMORY:]
        weights, value, gradient = weights + step * direction, after, new_gradient
        if float(np.abs(gradient).max()) < enough:
            break
    return weights


def _direction(gradient: Floats, history: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The way down by an estimate of the curvature from the last steps (the two-loop recursion)."""
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
    """The scalar product, added up in an order that does not depend on the number of threads."""
    return float((left * right).sum())


def figures(scores: Floats, good: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """How well scores tell good from bad texts: at the threshold in the middle, and over all thresholds."""
    kept = scores >= 0
    good_kept, bad_dropped = float(kept[good].mean()), float((~kept[~good]).mean())
    return {
        "accuracy": round((good_kept + bad_dropped) / 2, 4),
        "good kept": round(good_kept, 4),
        "bad dropped": round(bad_dropped, 4),
        "area under the curve": round(_area_under_the_curve(scores, good), 4),
    }


def _area_under_the_curve(scores: Floats, good: npt.NDArray[np.bool_]) -> float:
    """How often a good text has a higher score than a bad one; half if they have the same."""
    _, place, many = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(many) - (many - 1) / 2)[place]
    count = int(np.count_nonzero(good))
    return float((ranks[good].sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))
