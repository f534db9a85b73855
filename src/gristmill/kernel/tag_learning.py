# cython: boundscheck=False
"""Learn the weights of the tagger `own` from sentences whose tags are known: one round over all of them.

The tags of a sentence are a conditional random field (Lafferty, McCallum and Pereira 2001): what speaks for a tag in
the word and its neighbours, and for one tag after another, adds up, and the sums of all ways to tag a sentence give the
probability of the right one. Weights are changed after each sentence, each by its own step width (AdaGrad, Duchi, Hazan
and Singer 2011). Features are left out at random, those of a rare form more often: so a model learns to do without.

    rows        of features: word type t has in role r those from `starts[r, t]` to `starts[r, t + 1]`
    weights     [row, tag], with the sums of squared derivatives beside them
    offsets     of the words that the roles look at: 0, -1, 1, -2, 2; role 0 has two lists, one for words whose case
                says nothing

`learn_values` does the same for features of words, of which each is independent of the words around.

The inner loops must not be slowed by checks of each access: the numbers are checked before each round.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt

_Uint8 = npt.NDArray[np.uint8]
_Int32 = npt.NDArray[np.int32]
_Float32 = npt.NDArray[np.float32]
_Float64 = npt.NDArray[np.float64]

MAX_ROWS = 1024
"""Of the features of a word and its neighbours."""
MASK = int("FFFFFFFF", 16)
"""Declared in the .pxd file: numbers above 2^31 are no constants for Cython."""
RANGE = 4294967296.0
SMALL = 1e-3
"""Derivatives that change nothing worth the time."""


class Random:
    """Random numbers that are the same on every machine (xorshift, Marsaglia 2003, with 32 bits)."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK or 1

    def draw(self) -> float:
        """Return a number from 0 to 1."""
        value = self.state
        value ^= (value << 13) & MASK
        value ^= value >> 17
        value ^= (value << 5) & MASK
        self.state = value
        return value / RANGE


def check_roles(starts: _Int32, rows: _Int32, of_form: _Uint8, offsets: _Int32, left_out: _Float32) -> int:
    """Raise if a word type has rows that there are not; there are two types for what is around a sentence."""
    if offsets.shape[0] < 1 or offsets[0] != 0 or starts.shape[0] != offsets.shape[0] + 1:
        raise ValueError("the roles don't fit")
    if starts.shape[1] < 3 or left_out.shape[0] < starts.shape[1] - 1 or of_form.shape[0] < rows.shape[0]:
        raise ValueError("the arrays of features have different lengths")
    for line in range(starts.shape[0]):
        for word in range(starts.shape[1]):
            if starts[line, word] < 0 or starts[line, word] > rows.shape[0]:
                raise ValueError("a word type has rows that there are not")
    return 0


class Rows:
    """The features of words as rows of weights, and which of them are left out."""

    def __init__(
        self,
        starts: _Int32,
        rows: _Int32,
        of_form: _Uint8,
        offsets: _Int32,
        left_out: _Float32,
        share: float,
        seed: int,
    ) -> None:
        check_roles(starts, rows, of_form, offsets, left_out)
        self.starts = starts
        self.rows = rows
        self.of_form = of_form
        self.offsets = offsets
        self.left_out = left_out
        self.share = share
        self.random = Random(seed)
        made = np.zeros(MAX_ROWS, np.int32)
        self.active = made
        self.count = 0

    def check(self, types: _Int32, starts: _Int32, order: _Int32, caseless: _Uint8, weights: int) -> int:
        """Raise if there are sentences without words, words without features, or features without weights."""
        if caseless.shape[0] < types.shape[0] or starts.shape[0] < 1:
            raise ValueError("the arrays of words have different lengths")
        for at in range(starts.shape[0]):
            if starts[at] < 0 or starts[at] > types.shape[0] or (at > 0 and starts[at] < starts[at - 1]):
                raise ValueError("sentences don't cover the words")
        for at in range(order.shape[0]):
            if order[at] < 0 or order[at] >= starts.shape[0] - 1:
                raise ValueError("there is no such sentence")
        for at in range(types.shape[0]):
            if types[at] < 0 or types[at] >= self.starts.shape[1] - 1:
                raise ValueError("there is no such word type")
        for at in range(self.rows.shape[0]):
            if self.rows[at] < 0 or self.rows[at] >= weights:
                raise ValueError("there is no such row")
        return 0

    def choose(self, types: _Int32, caseless: _Uint8, at: int, first: int, last: int) -> None:
        """Choose the rows of a word and its neighbours, some left out at random."""
        self.count = 0
        for role in range(self.offsets.shape[0]):
            place = at + self.offsets[role]
            word = types[place] if first <= place < last else (0 if place < first else 1)
            line = role + 1
            if role == 0:
                line = 1 if caseless[at] else 0
            without_form = self.random.draw() < self.left_out[word]
            for number in range(self.starts[line, word], self.starts[line, word + 1]):
                if (without_form and self.of_form[number]) or self.random.draw() < self.share:
                    continue
                if self.count < MAX_ROWS:
                    self.active[self.count] = self.rows[number]
                    self.count += 1

    def add_up(self, weights: _Float32, scores: _Float64, at: int, active: _Int32) -> None:
        """Write the sums of the chosen rows to a line of scores, and the rows to a line of active ones."""
        for label in range(weights.shape[1]):
            scores[at, label] = 0.0
        for place in range(self.count):
            row = self.active[place]
            active[at, place] = row
            for label in range(weights.shape[1]):
                scores[at, label] += weights[row, label]


def learn_tags(
    chosen: Rows,
    types: _Int32,
    starts: _Int32,
    order: _Int32,
    caseless: _Uint8,
    gold: _Uint8,
    weights: _Float32,
    squares: _Float32,
    steps: _Float32,
    step_squares: _Float32,
    rate: float,
) -> float:
    """Change the weights by each sentence, in this order; return how improbable the right tags were before, in nats."""
    labels = weights.shape[1]
    chosen.check(types, starts, order, caseless, weights.shape[0])
    check_tags(types, gold, weights, squares, steps, step_squares)
    longest = 1
    for number in range(order.shape[0]):
        longest = max(longest, starts[order[number] + 1] - starts[order[number]])
    lattice = Lattice(longest, labels)
    active = np.zeros((longest, MAX_ROWS), np.int32)
    counts = np.zeros(longest, np.int32)
    loss = 0.0
    for number in range(order.shape[0]):
        first = starts[order[number]]
        last = starts[order[number] + 1]
        size = last - first
        if size == 0:
            continue
        for at in range(size):
            chosen.choose(types, caseless, first + at, first, last)
            counts[at] = chosen.count
            chosen.add_up(weights, lattice.scores, at, active)
        lattice.spread(steps, size)
        for at in range(size):
            lattice.expect(at, gold[first + at - 1] if at else labels, gold[first + at])
            loss -= log(1.0 + lattice.derivatives[at, gold[first + at]] + 1e-30)
            for place in range(counts[at]):
                descend(weights, squares, lattice.derivatives, active[at, place], at, 0, labels, rate)
        for before in range(labels + 1):
            descend(steps, step_squares, lattice.expected, before, before, 0, labels, rate)
    return loss


def check_tags(
    types: _Int32, gold: _Uint8, weights: _Float32, squares: _Float32, steps: _Float32, step_squares: _Float32
) -> int:
    """Raise if the weights don't fit together, or a word has a tag that there is not."""
    labels = weights.shape[1]
    if labels < 1 or squares.shape[0] != weights.shape[0] or squares.shape[1] != labels:
        raise ValueError("the weights don't fit their squares")
    if steps.shape[0] != labels + 1 or steps.shape[1] != labels:
        raise ValueError("the steps between tags don't fit the weights")
    if step_squares.shape[0] != labels + 1 or step_squares.shape[1] != labels:
        raise ValueError("the steps don't fit their squares")
    if gold.shape[0] < types.shape[0]:
        raise ValueError("there are words without a tag")
    for at in range(gold.shape[0]):
        if gold[at] >= labels:
            raise ValueError("there is no such tag")
    return 0


class Lattice:
    """All ways to tag a sentence: the sums over those to each word and from it on, each scaled to 1.

    After Rabiner (1989), section V.A. The inner loops run over tags side by side, which compilers turn into
    instructions for several numbers at once; so there are factors of steps in both directions.
    """

    def __init__(self, longest: int, labels: int) -> None:
        self.labels = labels
        made = [np.zeros((longest, labels), np.float64) for _ in range(4)]
        self.scores, self.forward, self.backward, self.derivatives = made
        self.factors = np.zeros((labels + 1, labels), np.float64)
        self.turned = np.zeros((labels, labels), np.float64)
        self.expected = np.zeros((labels + 1, labels), np.float64)
        self.scales = np.zeros(longest, np.float64)

    def spread(self, steps: _Float32, size: int) -> None:
        """Compute the sums to each word and from it on, given the scores of tags and the weights of steps."""
        for before in range(self.labels + 1):
            for label in range(self.labels):
                factor = exp(steps[before, label])
                self.factors[before, label] = factor
                self.expected[before, label] = 0.0
                if before < self.labels:
                    self.turned[label, before] = factor
        for at in range(size):
            self.raise_scores(at)
            self.go_forward(at)
        for label in range(self.labels):
            self.backward[size - 1, label] = 1.0
        for at in range(size - 2, -1, -1):
            self.go_backward(at)

    def raise_scores(self, at: int) -> None:
        """Turn the scores of a word into factors, of which the largest is 1."""
        most = self.scores[at, 0]
        for label in range(self.labels):
            most = max(most, self.scores[at, label])
        for label in range(self.labels):
            self.scores[at, label] = exp(self.scores[at, label] - most)

    def go_forward(self, at: int) -> None:
        """Add up all ways to a word, and scale them to 1."""
        for label in range(self.labels):
            self.forward[at, label] = self.factors[self.labels, label] if at == 0 else 0.0
        if at:
            for before in range(self.labels):
                way = self.forward[at - 1, before]
                for label in range(self.labels):
                    self.forward[at, label] += way * self.factors[before, label]
        total = 0.0
        for label in range(self.labels):
            self.forward[at, label] *= self.scores[at, label]
            total += self.forward[at, label]
        self.scales[at] = total
        for label in range(self.labels):
            self.forward[at, label] /= total

    def go_backward(self, at: int) -> None:
        """Add up all ways from a word on, scaled as those to the next word are."""
        for before in range(self.labels):
            self.backward[at, before] = 0.0
        for label in range(self.labels):
            way = self.scores[at + 1, label] * self.backward[at + 1, label] / self.scales[at + 1]
            for before in range(self.labels):
                self.backward[at, before] += way * self.turned[label, before]

    def expect(self, at: int, gold_before: int, gold: int) -> None:
        """Compute the derivatives of a word's tags, and add those of the step to it: what is expected less what is."""
        labels = self.labels
        total = 0.0
        for label in range(labels):
            self.derivatives[at, label] = self.forward[at, label] * self.backward[at, label]
            total += self.derivatives[at, label]
        for label in range(labels):
            self.scores[at, label] *= self.backward[at, label]
            self.derivatives[at, label] /= total
        total *= self.scales[at]
        if at == 0:
            for label in range(labels):
                self.expected[labels, label] += self.factors[labels, label] * self.scores[at, label] / total
        else:
            for before in range(labels):
                way = self.forward[at - 1, before] / total
                for label in range(labels):
                    self.expected[before, label] += way * self.factors[before, label] * self.scores[at, label]
        self.expected[gold_before, gold] -= 1.0
        self.derivatives[at, gold] -= 1.0


def descend(
    weights: _Float32,
    squares: _Float32,
    derivatives: _Float64,
    row: int,
    line: int,
    low: int,
    high: int,
    rate: float,
) -> None:
    """Change some labels of a row of weights by the derivatives in a line, each by its own step width."""
    for label in range(low, high):
        slope = derivatives[line, label]
        if -SMALL < slope < SMALL:
            continue
        squares[row, label] += slope * slope
        weights[row, label] -= rate * slope / sqrt(squares[row, label])


def learn_values(
    chosen: Rows,
    types: _Int32,
    starts: _Int32,
    order: _Int32,
    caseless: _Uint8,
    gold: _Int32,
    groups: _Int32,
    weights: _Float32,
    squares: _Float32,
    rate: float,
) -> float:
    """Change the weights of values, which are in groups such as cases and numbers, by each word of each sentence.

    Group g has the labels from `groups[g]` to `groups[g + 1]`; `gold[word, g]` is the right one, or -1 if the word
    says nothing about it.
    """
    chosen.check(types, starts, order, caseless, weights.shape[0])
    check_values(types, gold, groups, weights, squares)
    scores = np.zeros((1, weights.shape[1]), np.float64)
    loss = 0.0
    for number in range(order.shape[0]):
        first = starts[order[number]]
        last = starts[order[number] + 1]
        for at in range(first, last):
            chosen.choose(types, caseless, at, first, last)
            for group in range(groups.shape[0] - 1):
                if gold[at, group] < 0:
                    continue
                low = groups[group]
                high = groups[group + 1]
                for label in range(low, high):
                    scores[0, label] = 0.0
                for place in range(chosen.count):
                    for label in range(low, high):
                        scores[0, label] += weights[chosen.active[place], label]
                loss += derive(scores, low, high, gold[at, group])
                for place in range(chosen.count):
                    descend(weights, squares, scores, chosen.active[place], 0, low, high, rate)
    return loss


def check_values(types: _Int32, gold: _Int32, groups: _Int32, weights: _Float32, squares: _Float32) -> int:
    """Raise if the weights don't fit together, or a word has a value that its group has not."""
    if squares.shape[0] != weights.shape[0] or squares.shape[1] != weights.shape[1]:
        raise ValueError("the weights don't fit their squares")
    if groups.shape[0] < 1 or gold.shape[0] < types.shape[0] or gold.shape[1] != groups.shape[0] - 1:
        raise ValueError("the values don't fit their groups")
    for group in range(groups.shape[0] - 1):
        if groups[group] < 0 or groups[group] >= groups[group + 1] or groups[group + 1] > weights.shape[1]:
            raise ValueError("there is no such group")
    for at in range(gold.shape[0]):
        for group in range(groups.shape[0] - 1):
            if gold[at, group] >= 0 and not groups[group] <= gold[at, group] < groups[group + 1]:
                raise ValueError("there is no such value")
    return 0


def derive(scores: _Float64, low: int, high: int, right: int) -> float:
    """Replace the scores of a group by derivatives; return how improbable the right one was."""
    most = scores[0, low]
    for label in range(low, high):
        most = max(most, scores[0, label])
    total = 0.0
    for label in range(low, high):
        scores[0, label] = exp(scores[0, label] - most)
        total += scores[0, label]
    for label in range(low, high):
        scores[0, label] /= total
    loss = -log(scores[0, right] + 1e-30)
    scores[0, right] -= 1.0
    return loss
