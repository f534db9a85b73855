# cython: boundscheck=False
"""Find the best tags of sentences, and then the best features of each word, for the tagger `own`.

All scores are integers, so that the result is the same on every machine. The score of a tag is the sum of what speaks
for it in the word itself and in the two words before and behind it; the score of a sentence adds, for each word, what
speaks for its tag after the tag before. Viterbi's algorithm finds the tags with the highest sum.

    scores      [word type, role, tag]: roles are the word itself, the same where its case says nothing, the words
                before and behind it, and two before and behind
    steps       [tag before, tag]; the last row is for the first word of a sentence

The inner loops must not be slowed by checks of each access; `check` makes sure beforehand that none is out of bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Uint8 = npt.NDArray[np.uint8]
_Int32 = npt.NDArray[np.int32]
_Int16 = npt.NDArray[np.int16]

BEGIN = 0
"""The word type that stands for what is before a sentence."""
END = 1
"""The word type that stands for what is behind a sentence."""
IS_WORD = 1
"""The traits of a word type, which are added: it has a letter or digit,"""
IS_LONG = 2
"""it has more than three letters,"""
IS_CAPITAL = 4
"""it begins with a capital."""
MAX_LABELS = 256
MIN_LONG_WORDS = 3
"""Of a sentence in capitals, such as a heading, in which the case of words says nothing."""


def find_tags(types: _Int32, starts: _Int32, traits: _Uint8, scores: _Int16, steps: _Int32) -> tuple[_Uint8, _Uint8]:
    """Return the best tag of each word, and for each whether its case says nothing."""
    check(types, starts, traits, scores, 6)
    words = types.shape[0]
    labels = scores.shape[2]
    if steps.shape[0] != labels + 1 or steps.shape[1] != labels:
        raise ValueError("the steps between tags don't fit the scores")
    longest = 0
    for sentence in range(starts.shape[0] - 1):
        longest = max(longest, starts[sentence + 1] - starts[sentence])
    made, made_caseless = np.zeros(words, np.uint8), np.zeros(words, np.uint8)
    tags, caseless = made, made_caseless
    sums = np.zeros((2, MAX_LABELS), np.int32)
    backward = np.zeros((max(longest, 1), labels), np.uint8)
    for sentence in range(starts.shape[0] - 1):
        first = starts[sentence]
        last = starts[sentence + 1]
        if first == last:
            continue
        mark_caseless(types, traits, caseless, first, last)
        for at in range(first, last):
            now = (at - first) & 1
            add_scores_of(types, caseless, scores, sums, at, first, last, now)
            step(sums, steps, backward, at - first, now)
        best = best_of(sums, labels, (last - 1 - first) & 1)
        for at in range(last - 1, first - 1, -1):
            tags[at] = best
            best = backward[at - first, best]
    return made, made_caseless


def step(sums: _Int32, steps: _Int32, backward: _Uint8, at: int, now: int) -> None:
    """Add to the scores of a word's tags the best way to each, and note from which tag before it comes."""
    labels = steps.shape[1]
    for label in range(labels):
        if at == 0:
            sums[now, label] += steps[labels, label]
            continue
        most = sums[1 - now, 0] + steps[0, label]
        best = 0
        for before in range(1, labels):
            sum_ = sums[1 - now, before] + steps[before, label]
            if sum_ > most:
                most = sum_
                best = before
        backward[at, label] = best
        sums[now, label] += most


def best_of(sums: _Int32, labels: int, now: int) -> int:
    """Return the label with the highest sum; of equal ones the first."""
    best = 0
    for label in range(1, labels):
        if sums[now, label] > sums[now, best]:
            best = label
    return best


def mark_caseless(types: _Int32, traits: _Uint8, caseless: _Uint8, first: int, last: int) -> None:
    """Mark words whose case says nothing: up to the first word of a sentence, or all if nearly all have a capital."""
    long_words = 0
    capitals = 0
    for at in range(first, last):
        if traits[types[at]] & IS_LONG:
            long_words += 1
            if traits[types[at]] & IS_CAPITAL:
                capitals += 1
    everywhere = long_words >= MIN_LONG_WORDS and capitals * 4 > long_words * 3
    for at in range(first, last):
        caseless[at] = 1
        if not everywhere and traits[types[at]] & IS_WORD:
            break


def add_scores_of(
    types: _Int32, caseless: _Uint8, scores: _Int16, sums: _Int32, at: int, first: int, last: int, now: int
) -> None:
    """Write the scores of all tags of a word, by itself and by its neighbours."""
    own = types[at]
    role = caseless[at]
    before = types[at - 1] if at > first else BEGIN
    behind = types[at + 1] if at + 1 < last else END
    far_before = types[at - 2] if at > first + 1 else BEGIN
    far_behind = types[at + 2] if at + 2 < last else END
    for label in range(scores.shape[2]):
        sums[now, label] = scores[own, role, label]  # one after the other, as two of them are too large for 16 bits
        sums[now, label] += scores[before, 2, label]
        sums[now, label] += scores[behind, 3, label]
        sums[now, label] += scores[far_before, 4, label]
        sums[now, label] += scores[far_behind, 5, label]


def find_bundles(
    types: _Int32,
    starts: _Int32,
    tags: _Uint8,
    caseless: _Uint8,
    traits: _Uint8,
    scores: _Int16,
    bundle_starts: _Int32,
    value_starts: _Int32,
    values: _Int32,
) -> _Int32:
    """Return the best bundle of features of each word, among those that its tag may have.

    Tag t has the bundles from `bundle_starts[t]` to `bundle_starts[t + 1]`; bundle b has the values from
    `value_starts[b]` to `value_starts[b + 1]`, each a label of `scores`, which have four roles.
    """
    check(types, starts, traits, scores, 4)
    check_words(types, tags, caseless)
    check_bundles(tags, scores, bundle_starts, value_starts, values)
    made = np.zeros(types.shape[0], np.int32)
    bundles = made
    labels = scores.shape[2]
    sums = np.zeros(labels, np.int32)
    for sentence in range(starts.shape[0] - 1):
        first = starts[sentence]
        last = starts[sentence + 1]
        for at in range(first, last):
            low = bundle_starts[tags[at]]
            high = bundle_starts[tags[at] + 1]
            if high - low < 2:
                bundles[at] = low
                continue
            own = types[at]
            role = caseless[at]
            before = types[at - 1] if at > first else BEGIN
            behind = types[at + 1] if at + 1 < last else END
            for label in range(labels):
                sums[label] = scores[own, role, label]
                sums[label] += scores[before, 2, label]
                sums[label] += scores[behind, 3, label]
            best = low
            most = 0
            for bundle in range(low, high):
                sum_ = 0
                for place in range(value_starts[bundle], value_starts[bundle + 1]):
                    sum_ += sums[values[place]]
                if bundle == low or sum_ > most:
                    most = sum_
                    best = bundle
            bundles[at] = best
    return made


def add_rows(sums: _Int16, word: int, role: int, weights: npt.NDArray[np.int8], rows: _Int32, count: int) -> None:
    """Add some rows of weights to the sums of a word in a role; `rows` has those of each role in a line."""
    if not (0 <= word < sums.shape[0] and 0 <= role < sums.shape[1] and role < rows.shape[0]):
        raise ValueError("there are no such sums")
    if count > rows.shape[1] or sums.shape[2] != weights.shape[1]:
        raise ValueError("the weights don't fit the sums")
    for number in range(count):
        row = rows[role, number]
        if row < 0 or row >= weights.shape[0]:
            raise ValueError("there is no such row")
        for label in range(weights.shape[1]):
            sums[word, role, label] += weights[row, label]


def check(types: _Int32, starts: _Int32, traits: _Uint8, scores: _Int16, roles: int) -> int:
    """Raise if the arrays don't fit together, or a word has a type that there is not."""
    if scores.shape[0] < 2 or scores.shape[1] != roles or not 1 <= scores.shape[2] <= MAX_LABELS * 4:
        raise ValueError("there are no such scores")
    if roles == 6 and scores.shape[2] > MAX_LABELS:
        raise ValueError("there are too many tags")
    if traits.shape[0] < scores.shape[0]:
        raise ValueError("there are word types without traits")
    for at in range(types.shape[0]):
        if types[at] < 0 or types[at] >= scores.shape[0]:
            raise ValueError("there is no such word type")
    if starts.shape[0] < 1 or starts[0] != 0 or starts[starts.shape[0] - 1] != types.shape[0]:
        raise ValueError("sentences don't cover the words")
    for at in range(starts.shape[0] - 1):
        if starts[at] > starts[at + 1]:
            raise ValueError("a sentence ends before it begins")
    return 0


def check_words(types: _Int32, tags: _Uint8, caseless: _Uint8) -> int:
    """Raise if a word has no tag, or it is not said whether its case says something."""
    if tags.shape[0] != types.shape[0] or caseless.shape[0] != types.shape[0]:
        raise ValueError("there are words without a tag")
    for at in range(types.shape[0]):
        if caseless[at] > 1:
            raise ValueError("there is no such role")
    return 0


def check_bundles(tags: _Uint8, scores: _Int16, bundle_starts: _Int32, value_starts: _Int32, values: _Int32) -> int:
    """Raise if a tag has no bundle, or a bundle or value is out of bounds."""
    known = bundle_starts.shape[0] - 1
    bundles = value_starts.shape[0] - 1
    if known < 1 or bundles < 1 or bundle_starts[0] < 0 or value_starts[0] < 0:
        raise ValueError("there are no bundles")
    for at in range(known):
        if bundle_starts[at] >= bundle_starts[at + 1] or bundle_starts[at + 1] > bundles:
            raise ValueError("a tag has no bundle")
    for at in range(bundles):
        if value_starts[at] > value_starts[at + 1] or value_starts[at + 1] > values.shape[0]:
            raise ValueError("a bundle has no values")
    for at in range(values.shape[0]):
        if values[at] < 0 or values[at] >= scores.shape[2]:
            raise ValueError("there is no such value")
    for at in range(tags.shape[0]):
        if tags[at] >= known:
            raise ValueError("there is no such tag")
    return 0
