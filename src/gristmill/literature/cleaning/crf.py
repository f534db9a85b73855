"""Marginal probabilities of a linear-chain conditional random field, by the forward-backward algorithm, for `victor`.

A sequence of n places is divided into about √n runs of √n places, and all runs take a step at the same time: about 3√n
steps in Python instead of 2n. Vectors are scaled to sum up to 1, so that no number underflows.
"""

from __future__ import annotations

import math

import numpy as np

from gristmill.arrays.dtypes import Floats


def marginals(states: Floats, transitions: Floats) -> Floats:
    """Return the probability of each label at each place of a sequence.

    `states[n, y]` is the score of label y at place n; `transitions[x, y]` is the score of label y after label x. A step
    is the matrix that takes the forward vector of one place to that of the next. For ten places there are nine steps,
    in three runs of three. First the product of the steps of each run is found; these three matrices give the vectors
    at the beginning of the runs; from there all runs are walked through together.
    """
    number, labels = states.shape
    if number < 2:
        return _scaled(np.exp(states - states.max(1, keepdims=True))) if number else states
    run = math.isqrt(number - 1) + 1
    runs = -(-(number - 1) // run)
    steps = np.broadcast_to(np.eye(labels), (runs * run, labels, labels)).copy()  # the last run ends with unit matrices
    weights = np.exp(states - states.max(1, keepdims=True))
    steps[: number - 1] = np.exp(transitions - transitions.max()) * weights[1:, None, :]
    steps = steps.reshape(runs, run, labels, labels)
    whole = _products(steps)
    forward = _walk(_scaled(weights[:1])[0], whole, steps)
    back = steps[::-1, ::-1].swapaxes(-1, -2)
    backward = _walk(np.full(labels, 1 / labels), whole[::-1].swapaxes(-1, -2), back)[::-1]
    return _scaled(forward[:number] * backward[:number])


def _scaled(vectors: Floats) -> Floats:
    """Scale vectors to sum up to 1."""
    scaled: Floats = vectors / vectors.sum(-1, keepdims=True)
    return scaled


def _products(steps: Floats) -> Floats:
    """Multiply the steps of each run; matrices are scaled to a maximum of 1."""
    whole = steps[:, 0]
    for at in range(1, steps.shape[1]):
        whole = whole @ steps[:, at]
        whole = whole / whole.max((1, 2), keepdims=True)
    return whole


def _walk(first: Floats, whole: Floats, steps: Floats) -> Floats:
    """Return the vectors before all steps and after each, given the first vector and the products of the runs."""
    runs, run, labels, _ = steps.shape
    vectors = np.empty((runs, run + 1, labels))
    vectors[0, 0] = first
    for at in range(1, runs):
        vectors[at, 0] = _scaled(vectors[at - 1, 0] @ whole[at - 1])
    for at in range(run):
        vectors[:, at + 1] = _scaled((vectors[:, at, None, :] @ steps[:, at])[:, 0])
    return np.concatenate((vectors[:, :-1].reshape(-1, labels), vectors[-1:, -1]))
