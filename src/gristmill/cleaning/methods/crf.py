"""Marginal probabilities of a linear-chain conditional random field, by forward and backward passes over the sequence.

A sequence is cut into about as many runs as a run has places, and all runs take a step at the same time: three times as
many steps in Python as the square root of the length. Every vector is scaled to sum up to 1, so nothing gets too small.
"""

from __future__ import annotations

import math

import numpy as np

from gristmill.arrays.dtypes import Floats


def marginals(states: Floats, transitions: Floats) -> Floats:
    """For each place of a sequence the probability of each label, from the scores of labels at places and of one label after another."""
    number, labels = states.shape
    if number < 2:
        return _scaled(np.exp(states - states.max(1, keepdims=True))) if number else states
    run = math.isqrt(number - 1) + 1
    runs = -(-(number - 1) // run)
    steps = np.broadcast_to(
        np.eye(labels), (runs * run, labels, labels)
    ).copy()  # at the end, steps that change nothing
    weights = np.exp(states - states.max(1, keepdims=True))
    steps[: number - 1] = np.exp(transitions - transitions.max()) * weights[1:, None, :]
    steps = steps.reshape(runs, run, labels, labels)
    whole = _products(steps)
    forward = _walk(_scaled(weights[:1])[0], whole, steps)
    back = steps[::-1, ::-1].swapaxes(-1, -2)
    backward = _walk(np.full(labels, 1 / labels), whole[::-1].swapaxes(-1, -2), back)[::-1]
    return _scaled(forward[:number] * backward[:number])


def _scaled(vectors: Floats) -> Floats:
    scaled: Floats = vectors / vectors.sum(-1, keepdims=True)
    return scaled


def _products(steps: Floats) -> Floats:
    """The product of the steps of each run."""
    whole = steps[:, 0]
    for at in range(1, steps.shape[1]):
        whole = whole @ steps[:, at]
        whole = whole / whole.max((1, 2), keepdims=True)
    return whole


def _walk(first: Floats, whole: Floats, steps: Floats) -> Floats:
    """The vectors before and after every step."""
    runs, run, labels, _ = steps.shape
    vectors = np.empty((runs, run + 1, labels))
    vectors[0, 0] = first
    for at in range(1, runs):
        vectors[at, 0] = _scaled(vectors[at - 1, 0] @ whole[at - 1])
    for at in range(run):
        vectors[:, at + 1] = _scaled((vectors[:, at, None, :] @ steps[:, at])[:, 0])
    return np.concatenate((vectors[:, :-1].reshape(-1, labels), vectors[-1:, -1]))
