"""A conditional random field over the tags of characters (Lafferty, McCallum and Pereira 2001), trained by L-BFGS.

Tags are 0 to 3: beginning, middle and end of a word, and a word by itself. Only 8 of the 16 transitions between them
can be, and texts begin and end with a word. All sequences are followed at once, step by step. Sums are made in a fixed
order, so that the same examples give the same weights.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

TAGS = 4
_POSSIBLE = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1]], np.float64)
_FIRST, _LAST = np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
_APPLY = "pi,ij->pj"  # not as a product of matrices, whose threads add up in any order and wait for each other
_PAIRS_KEPT = 10
_SPREAD = 0.1  # the variance of whether a character has a tag
_LEAST_GAIN = 1e-4
_ENOUGH = 1e-5  # relative gain at which training ends


@dataclass(frozen=True, slots=True)
class Examples:
    """Characters with their features and tags."""

    features: Ints
    """A line for each column of features, with the number of the feature that each character has."""
    sizes: list[int]
    """How many features there are in each column."""
    tags: Ints
    lengths: Ints
    """Of the sequences, in their order."""


def fit(examples: Examples, penalty: float, iterations: int) -> tuple[list[Floats], Floats]:
    """Find the weights of the features of each column, and of transitions."""
    objective = _Objective(examples, penalty)
    weights = _minimise(objective, objective.curvature(), iterations)
    return objective.split(weights)


class _Objective:
    """The negative logarithm of the likelihood of examples, with a penalty on squares of weights."""

    def __init__(self, examples: Examples, penalty: float) -> None:
        self._features = examples.features
        self._bounds = np.cumsum([0, *examples.sizes])
        self._penalty = penalty
        self.size = (int(self._bounds[-1]) + TAGS) * TAGS
        self._tags = np.eye(TAGS)[examples.tags]
        order = np.argsort(-examples.lengths, kind="stable")
        starts = (np.cumsum(examples.lengths) - examples.lengths)[order]
        lengths = examples.lengths[order]
        self._steps = [starts[: np.searchsorted(-lengths, -step)] + step for step in range(int(lengths[0]))]
        self._last = starts + lengths - 1
        later = np.ones(len(examples.tags), np.bool_)
        later[starts] = False
        pairs = examples.tags[np.flatnonzero(later) - 1] * TAGS + examples.tags[later]
        self._seen = np.bincount(pairs, minlength=TAGS * TAGS).reshape(TAGS, TAGS).astype(np.float64)

    def split(self, weights: Floats) -> tuple[list[Floats], Floats]:
        """Weights by column of features, and those of transitions."""
        table = weights.reshape(-1, TAGS)
        return [table[a:b] for a, b in zip(self._bounds[:-1], self._bounds[1:], strict=True)], table[-TAGS:]

    def curvature(self) -> Floats:
        """About how much the gradient changes with each weight: more for features that are frequent."""
        sizes = np.diff(self._bounds).tolist()
        counts = [np.bincount(numbers, minlength=size) for numbers, size in zip(self._features, sizes, strict=True)]
        often = np.concatenate([*counts, self._seen.sum(1)])
        return np.repeat(2 * self._penalty + _SPREAD * often, TAGS)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The value and the gradient."""
        columns, transitions = self.split(weights)
        scores = np.zeros((len(self._tags), TAGS))
        for numbers, column in zip(self._features, columns, strict=True):
            scores += column[numbers]
        likelihood, marginals, expected = self._expect(scores, np.exp(transitions) * _POSSIBLE)
        likelihood = float((scores * self._tags).sum() + (transitions * self._seen).sum()) - likelihood
        slopes = np.ascontiguousarray((marginals - self._tags).T)
        gradient = 2 * self._penalty * weights
        parts, last = self.split(gradient)
        for numbers, part in zip(self._features, parts, strict=True):
            for tag in range(TAGS):
                part[:, tag] += np.bincount(numbers, slopes[tag], len(part))
        last += expected - self._seen
        return self._penalty * _dot(weights, weights) - likelihood, gradient

    def _expect(self, scores: Floats, steps: Floats) -> tuple[float, Floats, Floats]:
        """Forward and backward: the logarithm of the sum over all ways, and how often tags and transitions occur."""
        highest = scores.max(1, keepdims=True)
        local = np.exp(scores - highest)
        forward = np.empty_like(local)
        scales = np.empty(len(local))
        before = np.broadcast_to(_FIRST, (len(self._steps[0]), TAGS))
        for at, places in enumerate(self._steps):
            reached = local[places] * (np.einsum(_APPLY, before[: len(places)], steps) if at else before)
            scales[places] = reached.sum(1)
            before = forward[places] = reached / scales[places, None]
        ends = (forward[self._last] * _LAST).sum(1)
        backward = np.empty_like(local)
        backward[self._last] = _LAST / ends[:, None]
        expected = np.zeros_like(steps)
        for places in reversed(self._steps[1:]):
            after = local[places] * backward[places] / scales[places, None]
            backward[places - 1] = np.einsum(_APPLY, after, steps.T)
            expected += np.einsum("pi,pj->ij", forward[places - 1], after) * steps
        return float(np.log(scales).sum() + np.log(ends).sum() + highest.sum()), forward * backward, expected


def _minimise(objective: Callable[[Floats], tuple[float, Floats]], curvature: Floats, iterations: int) -> Floats:
    """L-BFGS (Nocedal and Wright 2006, algorithms 7.4 and 7.5), with steps that are halved until they gain enough."""
    weights = np.zeros(len(curvature))
    value, gradient = objective(weights)
    pairs: deque[tuple[Floats, Floats]] = deque(maxlen=_PAIRS_KEPT)
    for _ in range(iterations):
        direction = _direction(gradient, pairs, curvature)
        slope = _dot(direction, gradient)
        step = 1.0 if pairs else 0.1
        while True:
            tried = weights + step * direction
            new_value, new_gradient = objective(tried)
            if new_value <= value + _LEAST_GAIN * step * slope or step < 1e-10:
                break
            step /= 2
        change, bend = tried - weights, new_gradient - gradient
        if _dot(change, bend) > 0:
            pairs.append((change, bend))
        gained = value - new_value
        weights, value, gradient = tried, new_value, new_gradient
        if gained <= _ENOUGH * abs(value):
            break
    return weights


def _direction(gradient: Floats, pairs: deque[tuple[Floats, Floats]], curvature: Floats) -> Floats:
    """The direction of the next step, by the last changes of weights and gradients."""
    direction = -gradient
    factors = []
    for change, bend in reversed(pairs):
        factor = _dot(change, direction) / _dot(change, bend)
        factors.append(factor)
        direction = direction - factor * bend
    direction = direction / curvature
    if pairs:
        change, bend = pairs[-1]
        direction *= _dot(change, bend) / _dot(bend, bend / curvature)
    for (change, bend), factor in zip(pairs, reversed(factors), strict=True):
        direction = direction + (factor - _dot(bend, direction) / _dot(change, bend)) * change
    return direction


def _dot(left: Floats, right: Floats) -> float:
    """The scalar product, in one thread."""
    return float(np.einsum("i,i->", left, right))
