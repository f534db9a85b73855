"""Where items begin among titles and paragraphs: by titles alone, or by a conditional random field.

The paper compares two ways (BOEMIE, section 4.3). By heuristics alone, "each identified title is merged with all
paragraphs until the next title". The field goes over the vectors of nodes (section 3.2), with CRF++ there. What the
field labels is not said: here it is whether a node begins an item, is inside of one, or is in none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.items.vectors import BINS, Values, binned

LABELS = ("begin", "inside", "outside")
OFFSETS = (-2, -1, 0, 1, 2)
"""The nodes whose vectors count for a node: the two before ("the previous node(s)"), itself, and the two behind.

Which those of the paper are is not said. Whether an item begins is best seen by what the nodes behind have in common
with those before.
"""
WITH_WORDS = "words."
"""What the names of the weights begin with that count words in common, too."""
BEGIN, INSIDE, OUTSIDE = range(3)


def by_titles(titles: Flags) -> Ints:
    """Label nodes by titles alone: the first of all, and each title that follows a paragraph, begin an item.

    Titles right below each other belong together, as an item has "one or more paragraphs". Paragraphs above the first
    title are an item without one ("an optional title", section 3.3). Title, paragraph, title, title, paragraph begin
    items at 0 and 2.
    """
    labels = np.full(len(titles), INSIDE)
    labels[:1] = BEGIN
    labels[1:][titles[1:] & ~titles[:-1]] = BEGIN
    return labels


def by_field(values: Values, weights: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> Ints:
    """Label nodes by the most probable sequence of labels; what is inside of nothing begins an item."""
    if not len(values):
        return np.zeros(0, np.intp)
    scores = states(values, weights[f"{prefix}states"])
    labels = most_probable(scores, weights[f"{prefix}transitions"].astype(np.float64))
    labels[:1][labels[:1] == INSIDE] = BEGIN
    labels[1:][(labels[1:] == INSIDE) & (labels[:-1] == OUTSIDE)] = BEGIN
    return labels


def most_probable(scores: Floats, transitions: Floats) -> Ints:
    """Return the best sequence of labels, by the algorithm of Viterbi, as CRF++ does."""
    back = np.zeros(scores.shape, np.intp)
    best = scores[0]
    for at in range(1, len(scores)):
        reached = best[:, None] + transitions
        back[at] = reached.argmax(0)
        best = reached.max(0) + scores[at]
    labels = np.zeros(len(scores), np.intp)
    labels[-1] = best.argmax()
    for at in range(len(scores) - 1, 0, -1):
        labels[at - 1] = back[at, labels[at]]
    return labels


def states(values: Values, weights: npt.NDArray[Any]) -> Floats:
    """Score the labels of nodes: the weights of their own numbers and of those of the nodes around, summed up."""
    features, number = np.arange(values.shape[1]), len(values)
    scores = np.zeros((number, len(LABELS)))
    for offset, part in zip(OFFSETS, weights.astype(np.float64), strict=True):
        first, end = max(0, -offset), max(0, min(number, number - offset))  # the nodes of which there is one there
        scores[first:end] += part[features, binned(values[first + offset : end + offset])].sum(1)
    return scores


def shape_of(features: int) -> tuple[int, int, int, int]:
    """Tell the shape of the weights of nodes: offsets, features, numbers, labels."""
    return len(OFFSETS), features, BINS, len(LABELS)


def spans(labels: Ints) -> list[tuple[int, int]]:
    """Return where items begin and end: begin, inside, outside, begin are the items 0 to 2 and 3 to 4."""
    begins = np.flatnonzero(labels == BEGIN)
    stops = np.append(np.flatnonzero(labels != INSIDE), len(labels))
    ends = stops[np.searchsorted(stops, begins, side="right")]
    return list(zip(begins.tolist(), ends.tolist(), strict=True))
