"""A linear support vector machine with squared hinge loss, by Newton's method in the primal.

Chapelle, Training a Support Vector Machine in the Primal (2007), section 4: on the examples that are not well beyond
the border the loss is a parabola, so a Newton step leads to its minimum. Steps are repeated until these examples stay
the same; a step that makes it worse is halved. There is no chance in it: the same data give the same weights.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats

_MAX_STEPS = 50
_MIN_GAIN = 1e-9  # of the loss, relative


def fit_svm(inputs: Floats, targets: Floats, cost: float = 1.0) -> Floats:
    """Return the weights of the features and, last, the bias; `targets` are -1 and 1.

    Features are standardised, so that all count alike for the length of the weights, which is to be small:
    |w|²/2 + cost * sum(max(0, 1 - target * margin)²). The weights are for features as they come.
    """
    means, spread = inputs.mean(0), inputs.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = np.concatenate(((inputs - means) / spread, np.ones((len(inputs), 1))), 1)
    weights, pull = np.zeros(rows.shape[1]), np.append(np.ones(inputs.shape[1]), 0.0)  # the bias may be large
    loss = _loss(rows, targets, weights, pull, cost)
    for _ in range(_MAX_STEPS):
        active = targets * (rows @ weights) < 1
        some, wanted = rows[active], targets[active]
        slope = pull * weights + 2 * cost * (some.T @ (some @ weights - wanted))
        curve = np.diag(pull + 1e-9) + 2 * cost * (some.T @ some)
        step = np.linalg.solve(curve, slope)
        better, found = _search(rows, targets, weights, step, pull, cost, loss)
        gain, weights, loss = loss - found, better, found
        if gain <= _MIN_GAIN * max(1.0, loss):
            break
    own = weights[:-1] / spread
    return np.append(own, weights[-1] - own @ means)


def _loss(rows: Floats, targets: Floats, weights: Floats, pull: Floats, cost: float) -> float:
    short = np.maximum(0.0, 1 - targets * (rows @ weights))
    return float(pull @ (weights * weights) / 2 + cost * (short @ short))


def _search(
    rows: Floats, targets: Floats, weights: Floats, step: Floats, pull: Floats, cost: float, loss: float
) -> tuple[Floats, float]:
    """Take the step, or half of it, a quarter... as long as the loss would grow; none in the end."""
    for halving in range(20):
        tried = weights - step / 2**halving
        found = _loss(rows, targets, tried, pull, cost)
        if found <= loss:
            return tried, found
    return weights, loss


def fit_slope(margins: Floats, targets: Floats) -> float:
    """Return by what to multiply margins so that the logistic function of them is the probability of target 1.

    Maximum likelihood by Newton's method, as Platt (1999), but without his second parameter: the border stays at 0.5.
    """
    slope = 1.0
    truth = (targets > 0).astype(float)
    for _ in range(_MAX_STEPS):
        found = 1 / (1 + np.exp(-np.clip(slope * margins, -30, 30)))
        gradient = margins @ (found - truth)
        curve = (margins * margins) @ (found * (1 - found)) + 1e-9
        change = float(np.clip(gradient / curve, -1.0, 1.0))
        slope = max(1e-3, slope - change)
        if abs(change) < 1e-9:
            break
    return slope
