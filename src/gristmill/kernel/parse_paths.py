# cython: boundscheck=False
"""Parse sentences: find the head of each word by an arc-eager parser, then its relation; the time is linear.

All scores are sums of integers, so that the result is the same on every machine. Of the actions that are possible in a
state the one with the highest sum is done; of relations, the one with the highest sum is taken.

    types       of words, and where their sentences begin among them (`starts`)
    attributes  [word type, attribute], hashed; `tags` are the numbers of parts of speech

The inner loops must not be slowed by checks of each access: what they are given is checked before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.parse_features import Features, check_sentences
from gristmill.kernel.parse_slots import ACTIONS, ATOMS, ATTRIBUTES, LABEL_ATOMS, SHIFT
from gristmill.kernel.parse_states import State, best_of
from gristmill.kernel.parse_trees import Tree

_View = Any  # a view of memory, whose items are plain numbers also if this is not compiled
_Int32 = npt.NDArray[np.int32]
_Int8 = npt.NDArray[np.int8]


def check_weights(features: Features, weights: _Int8, attributes: _View, atoms: int, labels: int) -> int:
    """Raise if weights, features or attributes don't fit together."""
    if features.table.size != weights.shape[0] or weights.shape[1] < 1:
        raise ValueError("the weights don't fit their keys")
    if labels and weights.shape[1] != labels:
        raise ValueError("the weights are not those of actions")
    if features.atoms.shape[0] != atoms or attributes.shape[1] != ATTRIBUTES:
        raise ValueError("the features are of another kind")
    return 0


def find_heads(
    types: _Int32, starts: _Int32, attributes: _View, tags: _View, features: Features, weights: _Int8
) -> _Int32:
    """Return the offset of each word to its head, which is 0 for the root of a sentence."""
    longest = check_sentences(types, starts, attributes, tags)
    check_weights(features, weights, attributes, ATOMS, ACTIONS)
    made = np.zeros(types.shape[0], np.int32)
    offsets = made
    scores = np.zeros(ACTIONS, np.int32)
    state = State(longest)
    for sentence in range(starts.shape[0] - 1):
        first = starts[sentence]
        last = starts[sentence + 1]
        state.begin(types, tags, first, last)
        while not state.is_done():
            if state.depth == 0:
                state.do(SHIFT, types, tags, first)  # nothing else is possible
                continue
            state.fill(features.atoms, types, attributes, first)
            features.look_up()
            for action in range(ACTIONS):
                scores[action] = 0
            for place in range(features.count):
                row = features.rows[place]
                for action in range(ACTIONS):
                    scores[action] += weights[row, action]
            state.do(best_of(state, scores), types, tags, first)
        for at in range(last - first):
            offsets[first + at] = state.heads[at] - at if state.heads[at] >= 0 else 0
    return made


def find_relations(
    types: _Int32,
    starts: _Int32,
    attributes: _View,
    tags: _View,
    offsets: _Int32,
    features: Features,
    weights: _Int8,
) -> _Int32:
    """Return the number of the relation of each word to its head; -1 for roots, and for words without a way to one."""
    longest = check_sentences(types, starts, attributes, tags)
    check_weights(features, weights, attributes, LABEL_ATOMS, 0)
    if offsets.shape[0] != types.shape[0]:
        raise ValueError("there are words without a head")
    made = np.full(types.shape[0], -1, np.int32)
    found = made
    labels = weights.shape[1]
    scores = np.zeros(labels, np.int16)  # there are at most 256 templates
    tree = Tree(longest)
    for sentence in range(starts.shape[0] - 1):
        first = starts[sentence]
        last = starts[sentence + 1]
        for at in range(last - first):
            tree.heads[at] = at + offsets[first + at] if offsets[first + at] else -1
        tree.begin(types, tags, first, last)
        for number in range(1, tree.size):
            at = tree.order[number]
            tree.fill(features.atoms, at, types, attributes, first, last - first)
            features.look_up()
            for label in range(labels):
                scores[label] = 0
            for place in range(features.count):
                row = features.rows[place]
                for label in range(labels):
                    scores[label] += weights[row, label]
            best = 0
            for label in range(1, labels):
                if scores[label] > scores[best]:
                    best = label
            tree.name(at, best)
            found[first + at] = best
    return made
