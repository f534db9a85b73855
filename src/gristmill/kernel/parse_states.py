# cython: boundscheck=False
"""States of an arc-eager parser (Nivre 2003, 2008), as it reads a sentence from left to right.

    stack       words whose relations are not all found, the last one on top
    front       the first word that is still to be read
    heads       of words; -1 if a word has none yet

    SHIFT       put the front on the stack
    LEFT        the front is the head of the top, which is done
    RIGHT       the top is the head of the front, which is put on the stack
    REDUCE      the top, which has a head, is done

When all words were read, words without a head may be left on the stack. The last one is then taken back to the front,
and is either the head of the one before or hangs on it, until one is left, the root (Nivre and Fernández-González
2014). So the result is always a tree, and there are fewer than three actions a word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.parse_slots import (
    ACTIONS,
    AT_END,
    ATTRIBUTES,
    B0,
    B0_LEFT,
    B0_LEFT_2,
    B0_LEFT_TAGS,
    B0_LEFTS,
    B0_PREVIOUS,
    B1,
    B2,
    B3,
    BETWEEN,
    DEPTH,
    DISTANCE,
    HEADED,
    LEFT,
    PLACES,
    REDUCE,
    REST,
    RIGHT,
    S0,
    S0_HEAD,
    S0_HEAD_HEAD,
    S0_LEFT,
    S0_LEFT_2,
    S0_LEFT_TAGS,
    S0_LEFTS,
    S0_NEXT,
    S0_RIGHT,
    S0_RIGHT_2,
    S0_RIGHT_TAGS,
    S0_RIGHTS,
    S1,
    S1_RIGHT,
    S2,
    SHIFT,
)

_View = Any  # a view of memory, whose items are plain numbers also if this is not compiled
_Int32 = npt.NDArray[np.int32]

CCONJ, PUNCT, VERB = 4, 12, 15  # places in the universal parts of speech, in alphabetical order
MOST_BETWEEN = 3


class State:
    """A state; the words of a sentence are numbered from 0 on."""

    def __init__(self, longest: int) -> None:
        made = np.zeros((10, longest + 1), np.int32)
        self.heads, self.lefts, self.lefts_2, self.rights, self.rights_2 = made[:5]
        self.left_counts, self.right_counts, self.left_tags, self.right_tags, self.stack = made[5:]
        self.verbs, self.marks, self.conjunctions = np.zeros((3, longest + 2), np.int32)
        self.words = np.full(PLACES, -1, np.int32)
        self.size = 0
        self.depth = 0
        self.front = 0
        self.at_end = False

    def begin(self, types: _Int32, tags: _View, first: int, last: int) -> None:
        """Begin with a sentence, which has at most as many words as there is room for."""
        self.size = last - first
        self.depth = 0
        self.front = 0
        self.at_end = False
        for at in range(self.size):
            self.heads[at] = self.lefts[at] = self.lefts_2[at] = self.rights[at] = self.rights_2[at] = -1
            self.left_counts[at] = self.right_counts[at] = self.left_tags[at] = self.right_tags[at] = 0
            tag = tags[types[first + at]]
            self.verbs[at + 1] = self.verbs[at] + (tag == VERB)
            self.marks[at + 1] = self.marks[at] + (tag == PUNCT)
            self.conjunctions[at + 1] = self.conjunctions[at] + (tag == CCONJ)

    def is_done(self) -> bool:
        """Tell whether only the root is left; take words without a head back to the front if all were read."""
        if not self.at_end:
            if self.front < self.size:
                return False
            self.at_end = True
            self.take_back()
        while self.depth > 0 and self.heads[self.stack[self.depth - 1]] >= 0:
            self.depth -= 1
        return self.depth == 0

    def take_back(self) -> None:
        """Make the topmost word without a head the front, and drop those above."""
        while self.depth > 0:
            self.depth -= 1
            self.front = self.stack[self.depth]
            if self.heads[self.front] < 0:
                return

    def may(self, action: int) -> bool:
        """Tell whether an action is possible."""
        if self.at_end:
            return action in (LEFT, RIGHT)
        if action == SHIFT:
            return True
        if self.depth == 0:
            return False
        if action == RIGHT:
            return True
        return bool((self.heads[self.stack[self.depth - 1]] < 0) == (action == LEFT))

    def do(self, action: int, types: _Int32, tags: _View, first: int) -> None:
        """Do an action that is possible."""
        if action == REDUCE:
            self.depth -= 1
            return
        top = self.stack[self.depth - 1] if self.depth else -1
        if action == LEFT:
            self.depth -= 1
            self.heads[top] = self.front
            self.lefts_2[self.front] = self.lefts[self.front]
            self.lefts[self.front] = top
            self.left_counts[self.front] += 1
            self.left_tags[self.front] |= 1 << tags[types[first + top]]
            return
        if action == RIGHT:
            self.heads[self.front] = top
            self.rights_2[top] = self.rights[top]
            self.rights[top] = self.front
            self.right_counts[top] += 1
            self.right_tags[top] |= 1 << tags[types[first + self.front]]
            if self.at_end:
                self.take_back()
                return
        self.stack[self.depth] = self.front
        self.depth += 1
        self.front += 1

    def fill(self, atoms: _View, types: _Int32, attributes: _View, first: int) -> None:
        """Write the atoms of the state."""
        top = self.stack[self.depth - 1] if self.depth > 0 else -1
        second = self.stack[self.depth - 2] if self.depth > 1 else -1
        third = self.stack[self.depth - 3] if self.depth > 2 else -1
        head = self.heads[top] if top >= 0 else -1
        front = self.front
        rest = 0 if self.at_end else self.size - front - 1
        words = self.words
        words[S0] = top
        words[S1] = second
        words[S2] = third
        words[S0_HEAD] = head
        words[S0_HEAD_HEAD] = self.heads[head] if head >= 0 else -1
        words[S0_LEFT] = self.lefts[top] if top >= 0 else -1
        words[S0_LEFT_2] = self.lefts_2[top] if top >= 0 else -1
        words[S0_RIGHT] = self.rights[top] if top >= 0 else -1
        words[S0_RIGHT_2] = self.rights_2[top] if top >= 0 else -1
        words[S1_RIGHT] = self.rights[second] if second >= 0 else -1
        words[B0] = front
        words[B1] = front + 1 if rest > 0 else -1
        words[B2] = front + 2 if rest > 1 else -1
        words[B3] = front + 3 if rest > 2 else -1
        words[B0_LEFT] = self.lefts[front]
        words[B0_LEFT_2] = self.lefts_2[front]
        words[S0_NEXT] = top + 1 if 0 <= top < front - 1 else -1
        words[B0_PREVIOUS] = front - 1 if 0 <= top < front - 1 else -1
        put(atoms, words, types, attributes, first)
        self.fill_facts(atoms, top, head, front, rest)

    def fill_facts(self, atoms: _View, top: int, head: int, front: int, rest: int) -> None:
        """Write the facts of the state; `rest` words follow the front."""
        atoms[B0_LEFTS] = self.left_counts[front] + 1
        atoms[B0_LEFT_TAGS] = self.left_tags[front] + 1
        atoms[DEPTH] = min(self.depth, 3) + 1
        atoms[REST] = min(rest, 3) + 1
        atoms[AT_END] = self.at_end + 1
        if top < 0:
            atoms[DISTANCE] = atoms[S0_LEFTS] = atoms[S0_RIGHTS] = 0
            atoms[S0_LEFT_TAGS] = atoms[S0_RIGHT_TAGS] = atoms[BETWEEN] = atoms[HEADED] = 0
            return
        distance = front - top
        atoms[DISTANCE] = distance if distance < 5 else 5 if distance < 8 else 6 if distance < 13 else 7
        atoms[S0_LEFTS] = self.left_counts[top] + 1
        atoms[S0_RIGHTS] = self.right_counts[top] + 1
        atoms[S0_LEFT_TAGS] = self.left_tags[top] + 1
        atoms[S0_RIGHT_TAGS] = self.right_tags[top] + 1
        verbs = min(self.verbs[front] - self.verbs[top + 1], MOST_BETWEEN)
        marks = min(self.marks[front] - self.marks[top + 1], MOST_BETWEEN)
        conjunctions = min(self.conjunctions[front] - self.conjunctions[top + 1], MOST_BETWEEN)
        atoms[BETWEEN] = 1 + verbs + 4 * marks + 16 * conjunctions
        atoms[HEADED] = 1 if head < 0 else 2 if head < top else 3


def put(atoms: _View, words: _Int32, types: _Int32, attributes: _View, first: int) -> None:
    """Write the attributes of the words in all places; of a place without a word they are 0."""
    for place in range(words.shape[0]):
        if words[place] < 0:
            for attribute in range(ATTRIBUTES):
                atoms[place * ATTRIBUTES + attribute] = 0
        else:
            own = types[first + words[place]]
            for attribute in range(ATTRIBUTES):
                atoms[place * ATTRIBUTES + attribute] = attributes[own, attribute]


def best_of(state: State, scores: npt.NDArray[np.int32]) -> int:
    """Return the possible action with the highest score; of equal ones the first."""
    best = -1
    for action in range(ACTIONS):
        if state.may(action) and (best < 0 or scores[action] > scores[best]):
            best = action
    return best
