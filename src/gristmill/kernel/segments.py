# cython: boundscheck=False
"""Cut text without spaces into words, by the weights of a linear model over characters and the words of a lexicon.

    以前住在北京      cut() returns the bytes 1 0 1 1 1 0: words begin at 以, 住, 在 and 北

Each character is the beginning (B), middle (M) or end (E) of a word, or a word by itself (S), as in Xue 2003, "Chinese
Word Segmentation as Character Tagging". Its score for each of these is a sum of integer weights:

- of n-grams of characters and of character types around it, known by hashes of 32 bits (templates: 0 for characters or
  1 for types, how many, and from which place on),
- of the words of a lexicon that begin here, end before here or go over here, by their length and the class of their
  frequency in up to two lists: a byte, 4 bits for each list; 0 is for words that are not in it.

The best way through all characters is found by Viterbi's algorithm. Integers give the same words on every machine.
Tables of hashes are ascending, with the place in `starts` at which those with the same upper 16 bits begin.

Accesses are not checked one by one, as there are a hundred for each character: `Cutter` makes sure beforehand that none
is out of bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

PRIME = 16777619
MIXER = 73244475
SPREAD = 40503
WORD = 2166136
"""Where the hash of a word begins; those of n-grams begin with the number of their template."""
PADDING = 8
"""Places before and after a text, so that n-grams may begin and end there."""
TABLE = 65536
"""Characters that have their own entry in tables; all others have the last type."""
MOST_TEMPLATES = 128
"""So many that sums of weights, of 8 bits each, have 16 bits."""
TAGS = 4
LISTS = 2
LENGTHS = 5
"""Groups of lengths of words."""
MARKS = 15
"""Of a character, by one list: the class of the words of each group of lengths that begin, end before, go over it."""
CLASSES = 16
LONGEST = 6
"""The longest group of lengths, from 1 on, or 0 if no word of the lexicon begins (ends, goes over) here."""
ROWS_OF_MARKS = 240
ROWS_OF_LONGEST = 18
ROWS = 474
"""Of weights by one list: those of marks, of the longest words by themselves, and of all three longest together."""
SLOTS = 19
"""Rows that a character has by one list."""
FAR = 1 << 30
"""Worse than any score that a text can have at its first character."""


def word_hash(word: str) -> int:
    """The number by which a word is known in the lexicon."""
    value = WORD
    mask = 0xFFFFFFFF  # in a variable, as C takes the number itself for one of Python
    for letter in word:
        value = ((value ^ ord(letter)) * PRIME) & mask
    return mix(value)


def mix(value: int) -> int:
    """Spread the bits of a hash of 32 bits."""
    mask = 0xFFFFFFFF
    value ^= value >> 16
    value = (value * MIXER) & mask
    return value ^ value >> 16


class Cutter:
    """Cuts text by one model."""

    def __init__(
        self,
        folds: npt.NDArray[np.uint16],
        types: npt.NDArray[np.uint8],
        templates: npt.NDArray[np.int8],
        groups: npt.NDArray[np.uint8],
    ) -> None:
        """Take the tables of characters, the templates, and the group of each length of words, from 1 on."""
        if folds.shape[0] != TABLE or types.shape[0] != TABLE + 1:
            raise ValueError("a table has not an entry for each character")
        if templates.shape[0] > MOST_TEMPLATES or templates.shape[1] != 3:
            raise ValueError("there are too many templates, or one has not three numbers")
        for number in range(templates.shape[0]):
            sequence, length, first = int(templates[number, 0]), int(templates[number, 1]), int(templates[number, 2])
            if not (0 <= sequence <= 1 and 0 < length <= PADDING and -PADDING <= first <= PADDING - length):
                raise ValueError("a template is not within reach")
        for number in range(groups.shape[0]):
            if groups[number] >= LENGTHS:
                raise ValueError("there are five groups of lengths")
        self.folds = folds
        self.types = types
        self.templates = templates
        self.groups = groups
        self.read_lexicon(np.zeros(0, np.uint32), np.zeros(TABLE + 1, np.int32), np.zeros(0, np.uint8))
        self.read_weights(
            np.zeros(0, np.uint32),
            np.zeros(TABLE + 1, np.int32),
            np.zeros((0, TAGS), np.int16),
            np.zeros((LISTS * ROWS, TAGS), np.int16),
            np.zeros((TAGS, TAGS), np.int32),
        )

    def read_lexicon(
        self, hashes: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32], classes: npt.NDArray[np.uint8]
    ) -> None:
        """Take the hashes of words, where those with the same upper bits begin, and the classes of words."""
        check_hashes(hashes, starts)
        if classes.shape[0] != hashes.shape[0]:
            raise ValueError("there are not as many classes as words")
        self.lists = 1
        for at in range(classes.shape[0]):
            if classes[at] >= CLASSES:
                self.lists = LISTS
        self.words = hashes
        self.word_starts = starts
        self.classes = classes

    def read_weights(
        self,
        hashes: npt.NDArray[np.uint32],
        starts: npt.NDArray[np.int32],
        weights: npt.NDArray[np.int16],
        rows: npt.NDArray[np.int16],
        transitions: npt.NDArray[np.int32],
    ) -> None:
        """Take the weights of n-grams, of rows (what the lexicon says), and of a tag after another."""
        check_hashes(hashes, starts)
        if weights.shape[0] != hashes.shape[0] or rows.shape[0] != LISTS * ROWS:
            raise ValueError("there are not as many weights as features")
        if weights.shape[1] != TAGS or rows.shape[1] != TAGS:
            raise ValueError("a feature has a weight for each tag")
        if transitions.shape[0] != TAGS or transitions.shape[1] != TAGS:
            raise ValueError("there is a weight for each tag after another")
        self.grams = hashes
        self.gram_starts = starts
        self.weights = weights
        self.rows = rows
        self.transitions = transitions

    def cut(self, text: str) -> bytes:
        """Return a byte for each character: 1 if a word begins there, else 0."""
        size = len(text)
        codes = np.zeros((2, size + 2 * PADDING), np.int32)
        marks = np.zeros((size, LISTS * MARKS), np.uint8)
        row = np.zeros(LISTS * SLOTS, np.int32)
        scores = np.zeros((size, TAGS), np.int32)
        self.read(text, codes)
        self.look_up(codes, size, marks)
        sized = self.templates.shape[0]
        hashes = np.zeros(sized, np.uint32)
        grams, starts, weights, rows = self.grams, self.gram_starts, self.weights, self.rows
        for at in range(size):
            begin = middle = end = single = 0
            self.hash_grams(codes, at, sized, hashes)
            for template in range(sized):
                found = find(grams, starts, int(hashes[template]))
                if found >= 0:
                    begin += weights[found, 0]
                    middle += weights[found, 1]
                    end += weights[found, 2]
                    single += weights[found, 3]
            self.describe_marks(marks, at, row)
            for slot in range(self.lists * SLOTS):
                found = row[slot]
                begin += rows[found, 0]
                middle += rows[found, 1]
                end += rows[found, 2]
                single += rows[found, 3]
            scores[at, 0] = begin
            scores[at, 1] = middle
            scores[at, 2] = end
            scores[at, 3] = single
        return self.follow(scores, size)

    def describe(self, text: str) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
        """Return, for each character, the hashes of its n-grams and the rows of what the lexicon says, for training."""
        size = len(text)
        sized = self.templates.shape[0]
        grams = np.zeros((size, sized), np.uint32)
        rows = np.zeros((size, LISTS * SLOTS), np.int32)
        hashes = grams
        codes = np.zeros((2, size + 2 * PADDING), np.int32)
        marks = np.zeros((size, LISTS * MARKS), np.uint8)
        self.read(text, codes)
        self.look_up(codes, size, marks)
        for at in range(size):
            self.hash_grams(codes, at, sized, hashes[at])
            self.describe_marks(marks, at, rows[at])
        return grams, rows

    def read(self, text: str, codes: npt.NDArray[np.int32]) -> None:
        """Write the characters of a text, folded, and their types; around it both are 0."""
        at = PADDING
        for letter in text:
            code = ord(letter)
            codes[1, at] = self.types[min(code, TABLE)]
            codes[0, at] = self.folds[code] if code < TABLE else code
            at += 1

    def hash_grams(self, codes: npt.NDArray[np.int32], at: int, sized: int, hashes: npt.NDArray[np.uint32]) -> None:
        """Write the hashes of the n-grams around a character, one for each template."""
        mask = 0xFFFFFFFF
        for template in range(sized):
            sequence = self.templates[template, 0]
            length = int(self.templates[template, 1])
            shift = int(self.templates[template, 2])
            first = at + PADDING + shift
            value = (template + 1) * SPREAD * SPREAD
            value &= mask
            for place in range(first, first + length):
                code = int(codes[sequence, place])
                value = ((value ^ code) * PRIME) & mask
            hashes[template] = mix(value)

    def look_up(self, codes: npt.NDArray[np.int32], size: int, marks: npt.NDArray[np.uint8]) -> None:
        """Find all words of the lexicon in a text, and mark what they say about its characters."""
        mask = 0xFFFFFFFF
        words, starts = self.words, self.word_starts
        for at in range(size):
            value = WORD
            for length in range(1, min(self.groups.shape[0], size - at) + 1):
                code = int(codes[0, at + PADDING + length - 1])
                value = ((value ^ code) * PRIME) & mask
                found = find(words, starts, mix(value))
                if found >= 0:
                    self.mark(marks, size, at, length, int(self.classes[found]))

    def mark(self, marks: npt.NDArray[np.uint8], size: int, at: int, length: int, classes: int) -> None:
        """Mark a word: at its first character, at the one after it, and at all others that it has."""
        group = int(self.groups[length - 1])
        for number in range(self.lists):
            value = classes >> 4 * number & (CLASSES - 1)
            slot = number * MARKS + group
            marks[at, slot] = max(marks[at, slot], value)
            if at + length < size:
                marks[at + length, slot + LENGTHS] = max(marks[at + length, slot + LENGTHS], value)
            for place in range(at + 1, at + length):
                marks[place, slot + 2 * LENGTHS] = max(marks[place, slot + 2 * LENGTHS], value)

    def describe_marks(self, marks: npt.NDArray[np.uint8], at: int, row: npt.NDArray[np.int32]) -> None:
        """Write the rows of weights that a character has by what the lexicon says."""
        for number in range(LISTS):
            base = number * ROWS
            slot = number * SLOTS
            together = 0
            for kind in range(3):
                longest = 0
                for group in range(LENGTHS):
                    value = int(marks[at, number * MARKS + kind * LENGTHS + group])
                    row[slot] = base + (kind * LENGTHS + group) * CLASSES + value
                    slot += 1
                    if value:
                        longest = group + 1
                row[slot] = base + ROWS_OF_MARKS + kind * LONGEST + longest
                slot += 1
                together = together * LONGEST + longest
            row[slot] = base + ROWS_OF_MARKS + ROWS_OF_LONGEST + together

    def follow(self, scores: npt.NDArray[np.int32], size: int) -> bytes:
        """Find the best way through all tags, and return where words begin."""
        made = bytearray(size)
        if not size:
            return bytes(made)
        flags = made
        ways = np.zeros(size, np.uint8)
        begin_middle = int(self.transitions[0, 1])
        begin_end = int(self.transitions[0, 2])
        middle_middle = int(self.transitions[1, 1])
        middle_end = int(self.transitions[1, 2])
        end_begin = int(self.transitions[2, 0])
        end_single = int(self.transitions[2, 3])
        single_begin = int(self.transitions[3, 0])
        single_single = int(self.transitions[3, 3])
        begin = int(scores[0, 0])
        middle = end = -FAR
        single = int(scores[0, 3])
        for at in range(1, size):
            way = 0
            if single + single_begin > end + end_begin:
                way |= 1
            if begin + begin_middle < middle + middle_middle:
                way |= 2
            if begin + begin_end < middle + middle_end:
                way |= 4
            if single + single_single > end + end_single:
                way |= 8
            before_begin = max(single + single_begin, end + end_begin)
            before_middle = max(begin + begin_middle, middle + middle_middle)
            before_end = max(begin + begin_end, middle + middle_end)
            before_single = max(single + single_single, end + end_single)
            begin = int(scores[at, 0])
            begin += before_begin
            middle = int(scores[at, 1])
            middle += before_middle
            end = int(scores[at, 2])
            end += before_end
            single = int(scores[at, 3])
            single += before_single
            ways[at] = way
        tag = 3 if single >= end else 2
        for at in range(size - 1, -1, -1):
            begins = tag % 3 == 0
            flags[at] = begins
            way = int(ways[at])
            way = way >> tag & 1
            tag = 2 + way if begins else way
        return bytes(made)


def check_hashes(hashes: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32]) -> int:
    """Raise if places in a table of hashes are not within it."""
    if starts.shape[0] != TABLE + 1 or starts[0] != 0 or starts[TABLE] != hashes.shape[0]:
        raise ValueError("the places of hashes are not those of a table of hashes")
    for at in range(TABLE):
        if starts[at] > starts[at + 1]:
            raise ValueError("the places of hashes do not ascend")
    return 0


def find(hashes: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32], value: int) -> int:
    """The place of a hash in a table; -1 if it is not there."""
    at = int(starts[value >> 16])
    end = int(starts[(value >> 16) + 1])
    while at < end and hashes[at] < value:
        at += 1
    return at if at < end and hashes[at] == value else -1
