# cython: boundscheck=False
"""Learn the weights of the parser from sentences whose trees are known: one round over all of them.

Actions are learned with a dynamic oracle (Goldberg and Nivre 2012), which says for every state how many relations of
the tree an action makes impossible; those that cost least are right. The parser goes on by its own choice, right or
wrong, so that it learns what to do after errors. Of a state, it learns that the right actions together should be
probable (a log-linear model); each weight has its own step width (AdaGrad, Duchi, Hazan and Singer 2011). Features are
left out at random, so that a model learns to do without.

Relations are learned on the trees as they are, with the relations before by its own choice.

Trees have to be projective: the oracle knows no others. Places of heads are offsets, as in `parse_paths.py`.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.parse_features import Features, check_sentences
from gristmill.kernel.parse_slots import ACTIONS, ATOMS, ATTRIBUTES, LABEL_ATOMS, LEFT, REDUCE, RIGHT, SHIFT
from gristmill.kernel.parse_states import State
from gristmill.kernel.parse_trees import Tree
from gristmill.kernel.tag_learning import Random

_View = Any  # a view of memory, whose items are plain numbers also if this is not compiled
_Int32 = npt.NDArray[np.int32]
_Float32 = npt.NDArray[np.float32]
_Float64 = npt.NDArray[np.float64]

SMALL = 1e-3
"""Derivatives that change nothing worth the time."""
IMPOSSIBLE = 1000000


class Oracle:
    """Counts which relations of a tree each action makes impossible (Goldberg and Nivre 2012, section 4).

    waiting[h]   words that hang on h and were not read yet
    open[h]      words on the stack without a head that hang on h
    """

    def __init__(self, longest: int) -> None:
        self.gold, self.waiting, self.open, self.on_stack = np.zeros((4, longest + 1), np.int32)
        self.costs = np.zeros(ACTIONS, np.int32)

    def begin(self, offsets: _Int32, first: int, last: int) -> None:
        """Begin with a sentence; the gold head of the root is -1."""
        for at in range(last - first):
            self.waiting[at] = self.open[at] = self.on_stack[at] = 0
        for at in range(last - first):
            self.gold[at] = at + offsets[first + at] if offsets[first + at] else -1
            if self.gold[at] >= 0:
                self.waiting[self.gold[at]] += 1

    def weigh(self, state: State) -> int:
        """Write the cost of each action, and return the least one."""
        for action in range(ACTIONS):
            self.costs[action] = IMPOSSIBLE
        front = state.front
        top = state.stack[state.depth - 1] if state.depth else -1
        if state.at_end:
            self.weigh_last(front, top)
        else:
            head = self.gold[front]
            among = 1 if head >= 0 and self.on_stack[head] else 0
            self.costs[SHIFT] = self.open[front] + among
            if top >= 0:
                missed = 1 if head < 0 or head > front else among
                self.costs[RIGHT] = self.open[front] + (0 if head == top else missed)
                if state.heads[top] >= 0:
                    self.costs[REDUCE] = self.waiting[top]
                else:
                    missed = 1 if self.gold[top] < 0 or self.gold[top] > front else 0
                    self.costs[LEFT] = self.waiting[top] + missed
        least = IMPOSSIBLE
        for action in range(ACTIONS):
            least = min(least, self.costs[action])
        return least

    def weigh_last(self, front: int, top: int) -> None:
        """Write the costs when all words were read: which of two words is the head of the other."""
        right = self.gold[front] == top or self.gold[top] < 0
        left = self.gold[top] == front or self.gold[front] < 0
        self.costs[LEFT] = 0 if left or not right else 1
        self.costs[RIGHT] = 0 if right or not left else 1

    def follow(self, state: State, action: int) -> None:
        """Note an action before it is done."""
        if state.at_end:
            return
        if action in (LEFT, REDUCE):
            top = state.stack[state.depth - 1]
            self.on_stack[top] = 0
            if action == LEFT and self.gold[top] >= 0:
                self.open[self.gold[top]] -= 1
            return
        head = self.gold[state.front]
        self.on_stack[state.front] = 1
        if head >= 0:
            self.waiting[head] -= 1
            if action == SHIFT:
                self.open[head] += 1


def costs_of(offsets: _Int32, actions: _Int32) -> _Int32:
    """Return the costs of all actions before each of some actions, for one sentence; -1 of those that can't be done."""
    size = offsets.shape[0]
    check_offsets(offsets, np.array([0, size], np.int32))
    made = np.full((actions.shape[0], ACTIONS), -1, np.int32)
    found = made
    types, tags = np.zeros(size, np.int32), np.zeros(1, np.uint8).data
    state, oracle = State(size), Oracle(size)
    state.begin(types, tags, 0, size)
    oracle.begin(offsets, 0, size)
    for number in range(actions.shape[0]):
        if state.is_done() or not 0 <= actions[number] < ACTIONS or not state.may(actions[number]):
            raise ValueError("there is no such action")
        oracle.weigh(state)
        for action in range(ACTIONS):
            if oracle.costs[action] < IMPOSSIBLE:
                found[number, action] = oracle.costs[action]
        oracle.follow(state, actions[number])
        state.do(actions[number], types, tags, 0)
    return made


def check_offsets(offsets: _Int32, starts: _Int32) -> int:
    """Raise if a head is not in the sentence of its word."""
    if starts[starts.shape[0] - 1] != offsets.shape[0]:
        raise ValueError("there are words without a head")
    for sentence in range(starts.shape[0] - 1):
        for at in range(starts[sentence], starts[sentence + 1]):
            if not starts[sentence] <= at + offsets[at] < starts[sentence + 1]:
                raise ValueError("a head is not in its sentence")
    return 0


def check_order(order: _Int32, starts: _Int32) -> int:
    """Raise if there is no such sentence."""
    for at in range(order.shape[0]):
        if order[at] < 0 or order[at] >= starts.shape[0] - 1:
            raise ValueError("there is no such sentence")
    return 0


def check_learned(features: Features, weights: _Float32, squares: _Float32, attributes: _View, atoms: int) -> int:
    """Raise if weights, their squares, features and attributes don't fit together."""
    if features.table.size != weights.shape[0] or weights.shape[1] < 1:
        raise ValueError("the weights don't fit their keys")
    if squares.shape[0] != weights.shape[0] or squares.shape[1] != weights.shape[1]:
        raise ValueError("the weights don't fit their squares")
    if features.atoms.shape[0] != atoms or attributes.shape[1] != ATTRIBUTES:
        raise ValueError("the features are of another kind")
    return 0


def describe_actions(
    types: _Int32, starts: _Int32, attributes: _View, tags: _View, offsets: _Int32, features: Features
) -> npt.NDArray[np.uint32]:
    """Return the keys of all features of all states on the way to the trees."""
    longest = check_sentences(types, starts, attributes, tags)
    check_offsets(offsets, starts)
    if features.atoms.shape[0] != ATOMS or attributes.shape[1] != ATTRIBUTES:
        raise ValueError("the features are of another kind")
    templates = features.templates.shape[0]
    room = 2 * types.shape[0] * templates
    made = np.zeros(room, np.uint32)
    keys = made.data
    count = 0
    state, oracle = State(longest), Oracle(longest)
    for sentence in range(starts.shape[0] - 1):
        first = starts[sentence]
        state.begin(types, tags, first, starts[sentence + 1])
        oracle.begin(offsets, first, starts[sentence + 1])
        while not state.is_done():
            least = oracle.weigh(state)
            state.fill(features.atoms, types, attributes, first)
            if count + templates > room:
                break
            for template in range(templates):
                keys[count] = features.key(template)
                count += 1
            action = ACTIONS - 1
            while oracle.costs[action] > least:
                action -= 1
            oracle.follow(state, action)
            state.do(action, types, tags, first)
    return made[:count]


def learn_actions(
    types: _Int32,
    starts: _Int32,
    order: _Int32,
    attributes: _View,
    tags: _View,
    offsets: _Int32,
    features: Features,
    weights: _Float32,
    squares: _Float32,
    rate: float,
    left_out: float,
    exploration: float,
    seed: int,
) -> float:
    """Change the weights of actions by each sentence, in this order; return how improbable right ones were, in nats."""
    longest = check_sentences(types, starts, attributes, tags)
    check_offsets(offsets, starts)
    check_order(order, starts)
    check_learned(features, weights, squares, attributes, ATOMS)
    if weights.shape[1] != ACTIONS:
        raise ValueError("the weights are not those of actions")
    random = Random(seed)
    state, oracle = State(longest), Oracle(longest)
    scores = np.zeros(ACTIONS, np.float64)
    loss = 0.0
    for number in range(order.shape[0]):
        first = starts[order[number]]
        last = starts[order[number] + 1]
        state.begin(types, tags, first, last)
        oracle.begin(offsets, first, last)
        while not state.is_done():
            least = oracle.weigh(state)
            state.fill(features.atoms, types, attributes, first)
            features.look_up()
            choose(features, random, left_out)
            add_up(features, weights, scores)
            best = -1
            right = -1
            for action in range(ACTIONS):
                if oracle.costs[action] < IMPOSSIBLE and (best < 0 or scores[action] > scores[best]):
                    best = action
                if oracle.costs[action] == least and (right < 0 or scores[action] > scores[right]):
                    right = action
            loss += derive_actions(scores, oracle.costs, least, scores[best])
            descend(features, weights, squares, scores, rate)
            if random.draw() >= exploration:
                best = right
            oracle.follow(state, best)
            state.do(best, types, tags, first)
    return loss


def choose(features: Features, random: Random, left_out: float) -> None:
    """Leave out some of the rows of features at random."""
    count = 0
    for place in range(features.count):
        if random.draw() >= left_out:
            features.rows[count] = features.rows[place]
            count += 1
    features.count = count


def add_up(features: Features, weights: _Float32, scores: _Float64) -> None:
    """Add up the rows of features."""
    for label in range(weights.shape[1]):
        scores[label] = 0.0
    for place in range(features.count):
        row = features.rows[place]
        for label in range(weights.shape[1]):
            scores[label] += weights[row, label]


def derive_actions(scores: _Float64, costs: _Int32, least: int, most: float) -> float:
    """Turn scores of actions into derivatives: how probable each is, less how probable it is among the right ones."""
    total = 0.0
    right = 0.0
    for action in range(ACTIONS):
        scores[action] = exp(scores[action] - most) if costs[action] < IMPOSSIBLE else 0.0
        total += scores[action]
        if costs[action] == least:
            right += scores[action]
    right = max(right, 1e-30)
    for action in range(ACTIONS):
        scores[action] = scores[action] / total - (scores[action] / right if costs[action] == least else 0.0)
    return log(total) - log(right)


def descend(features: Features, weights: _Float32, squares: _Float32, slopes: _Float64, rate: float) -> None:
    """Change the rows of features by derivatives, each weight by its own step width."""
    for label in range(weights.shape[1]):
        slope = slopes[label]
        if -SMALL < slope < SMALL:
            continue
        for place in range(features.count):
            row = features.rows[place]
            squares[row, label] += slope * slope
            weights[row, label] -= rate * slope / sqrt(squares[row, label])


def describe_relations(
    types: _Int32,
    starts: _Int32,
    attributes: _View,
    tags: _View,
    offsets: _Int32,
    relations: _Int32,
    features: Features,
) -> npt.NDArray[np.uint32]:
    """Return the keys of all features of the relations of all words, one row a word; rows of roots are left out."""
    longest = check_sentences(types, starts, attributes, tags)
    check_offsets(offsets, starts)
    if features.atoms.shape[0] != LABEL_ATOMS or attributes.shape[1] != ATTRIBUTES:
        raise ValueError("the features are of another kind")
    if relations.shape[0] != types.shape[0]:
        raise ValueError("there are words without a relation")
    templates = features.templates.shape[0]
    made = np.zeros(types.shape[0] * templates, np.uint32)
    keys = made.data
    count = 0
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
            for template in range(templates):
                keys[count] = features.key(template)
                count += 1
            tree.name(at, relations[first + at])
    return made[:count]


def learn_relations(
    types: _Int32,
    starts: _Int32,
    order: _Int32,
    attributes: _View,
    tags: _View,
    offsets: _Int32,
    relations: _Int32,
    features: Features,
    weights: _Float32,
    squares: _Float32,
    rate: float,
    left_out: float,
    seed: int,
) -> float:
    """Change the weights of relations by each sentence; return how improbable the right ones were before, in nats."""
    longest = check_sentences(types, starts, attributes, tags)
    check_offsets(offsets, starts)
    check_order(order, starts)
    check_learned(features, weights, squares, attributes, LABEL_ATOMS)
    if relations.shape[0] != types.shape[0]:
        raise ValueError("there are words without a relation")
    labels = weights.shape[1]
    for at in range(relations.shape[0]):
        if not -1 <= relations[at] < labels:
            raise ValueError("there is no such relation")
    random = Random(seed)
    tree = Tree(longest)
    scores = np.zeros(labels, np.float64)
    loss = 0.0
    for sentence in range(order.shape[0]):
        first = starts[order[sentence]]
        last = starts[order[sentence] + 1]
        for at in range(last - first):
            tree.heads[at] = at + offsets[first + at] if offsets[first + at] else -1
        tree.begin(types, tags, first, last)
        for number in range(1, tree.size):
            at = tree.order[number]
            right = relations[first + at]
            tree.fill(features.atoms, at, types, attributes, first, last - first)
            features.look_up()
            choose(features, random, left_out)
            add_up(features, weights, scores)
            best = 0
            for label in range(1, labels):
                if scores[label] > scores[best]:
                    best = label
            tree.name(at, best)
            if right >= 0:
                loss += derive_relations(scores, labels, right, scores[best])
                descend(features, weights, squares, scores, rate)
    return loss


def derive_relations(scores: _Float64, labels: int, right: int, most: float) -> float:
    """Turn scores of relations into derivatives: how probable each is, less 1 of the right one."""
    total = 0.0
    for label in range(labels):
        scores[label] = exp(scores[label] - most)
        total += scores[label]
    for label in range(labels):
        scores[label] /= total
    loss = -log(max(scores[right], 1e-30))
    scores[right] -= 1.0
    return loss
