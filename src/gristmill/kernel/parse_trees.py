# cython: boundscheck=False
"""Trees of sentences whose heads are known, and what the parser looks at to name the relation of each word.

Words get their relations from the root downwards, and those of one head from left to right: so the relation of the
head, and those of the words before that have the same head, are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.parse_slots import (
    D_AFTER,
    D_AUX,
    D_BEFORE,
    D_CASE,
    D_CHILDREN,
    D_LEFT,
    D_MARK,
    D_RIGHT,
    D_TAGS,
    FAR,
    H_CASE,
    H_LEFTS,
    H_RELATION,
    H_SEEN,
    HH,
    LABEL_PLACES,
    NEXT_SIBLING,
    SIBLING,
    SIBLING_RELATION,
    D,
    H,
)
from gristmill.kernel.parse_states import put

_View = Any  # a view of memory, whose items are plain numbers also if this is not compiled
_Int32 = npt.NDArray[np.int32]

ADP, AUX, PART, SCONJ = 1, 3, 9, 13  # places in the universal parts of speech, in alphabetical order


class Tree:
    """The tree of a sentence; words are numbered from 0 on, and -1 is none."""

    def __init__(self, longest: int) -> None:
        made = np.zeros((14, longest + 1), np.int32)
        self.heads, self.firsts, self.lasts, self.previous, self.next, self.cases, self.auxiliaries = made[:7]
        self.subordinators, self.tags, self.lefts, self.rights, self.order, self.relations, self.seen = made[7:]
        self.words = np.full(LABEL_PLACES, -1, np.int32)
        self.size = 0

    def begin(self, types: _Int32, tags: _View, first: int, last: int) -> None:
        """Read a sentence, whose heads are in `heads` already, and put its words in order, each behind its head.

        Words in a circle, or without a way to the root, are not in the order: the size is that of the order.
        """
        size = last - first
        root = -1
        for at in range(size):
            self.firsts[at] = self.lasts[at] = self.previous[at] = self.next[at] = -1
            self.cases[at] = self.auxiliaries[at] = self.subordinators[at] = self.relations[at] = -1
            self.tags[at] = self.lefts[at] = self.rights[at] = self.seen[at] = 0
        for at in range(size):
            head = self.heads[at]
            if head < 0 or head >= size:
                root = at
            else:
                self.add_child(head, at, tags[types[first + at]])
        self.size = 0
        if root >= 0:
            self.order[0] = root
            self.size = 1
            at = 0
            while at < self.size:
                child = self.firsts[self.order[at]]
                while child >= 0:
                    self.order[self.size] = child
                    self.size += 1
                    child = self.next[child]
                at += 1

    def add_child(self, head: int, at: int, tag: int) -> None:
        """Note that a word, which is behind those that were noted before, has a head."""
        before = self.lasts[head]
        if before < 0:
            self.firsts[head] = at
        else:
            self.next[before] = at
        self.previous[at] = before
        self.lasts[head] = at
        self.tags[head] |= 1 << tag
        if at < head:
            self.lefts[head] += 1
        else:
            self.rights[head] += 1
        if tag == ADP and self.cases[head] < 0:
            self.cases[head] = at
        if tag == AUX and self.auxiliaries[head] < 0:
            self.auxiliaries[head] = at
        if tag in (SCONJ, PART) and self.subordinators[head] < 0:
            self.subordinators[head] = at

    def name(self, at: int, relation: int) -> None:
        """Note the relation of a word."""
        self.relations[at] = relation
        head = self.heads[at]
        if head >= 0:
            self.seen[head] |= 1 << (relation & 15)

    def fill(self, atoms: _View, at: int, types: _Int32, attributes: _View, first: int, size: int) -> None:
        """Write the atoms of a word that has a head."""
        head = self.heads[at]
        before = self.previous[at]
        words = self.words
        words[D] = at
        words[H] = head
        words[HH] = self.heads[head]
        words[D_LEFT] = self.firsts[at]
        words[D_RIGHT] = self.lasts[at]
        words[D_CASE] = self.cases[at]
        words[D_AUX] = self.auxiliaries[at]
        words[D_MARK] = self.subordinators[at]
        words[D_BEFORE] = at - 1
        words[D_AFTER] = at + 1 if at + 1 < size else -1
        words[SIBLING] = before
        words[NEXT_SIBLING] = self.next[at]
        words[H_CASE] = self.cases[head]
        put(atoms, words, types, attributes, first)
        distance = at - head if at > head else head - at
        near = distance if distance < 4 else 4 if distance < 7 else 5
        atoms[FAR] = near + (8 if at > head else 1)
        atoms[D_TAGS] = self.tags[at] + 1
        atoms[H_RELATION] = self.relations[head] + 2
        atoms[SIBLING_RELATION] = self.relations[before] + 2 if before >= 0 else 0
        atoms[H_SEEN] = self.seen[head] + 1
        atoms[D_CHILDREN] = 1 + min(self.lefts[at], 3) + 4 * min(self.rights[at], 3)
        atoms[H_LEFTS] = self.lefts[head] + 1
