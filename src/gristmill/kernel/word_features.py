"""Describe words by numbers, for the tagger `own`: each feature of a word is a key of 32 bits.

    "Mills"     its form, endings (s, ls, lls...), beginnings (m, mi...), shape (Xx), length, and what the dictionary
                says of it: the lemma "mill", how the form ends instead of it (s for nothing), and which other endings
                forms of this lemma have

A feature is used in some roles: of the word itself, of one beside it, of one two words away. Hashes run from the last
letter to the first, so that one pass gives those of all endings of a word. In the dictionary a word is found by a hash
of 64 bits: the first 32 choose a bucket, the others are compared. That a word is found wrongly has a chance of some
2 in a thousand million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.tag_paths import add_rows

_View = Any
"""A view of an array's memory, whose items are plain numbers also if this is not compiled."""
_Uint8 = npt.NDArray[np.uint8]
_Uint32 = npt.NDArray[np.uint32]
_Int32 = npt.NDArray[np.int32]
_Int16 = npt.NDArray[np.int16]

OWN = 1
"""The uses of a feature, which are added: of the word itself,"""
FIRST = 2
"""of the word itself where its case says nothing, as at the start of a sentence,"""
NEAR = 4
"""of a word beside the one that gets a tag,"""
FAR = 8
"""of one two words away."""
FORM = 16
"""Added to the others if a feature is about this one form: a model must not rely on these too much."""
MAX_FEATURES = 96
"""Of one word."""
MAX_ENDING = 6
MAX_BEGINNING = 4
MAX_PARADIGM = 24
"""Endings of a lemma's other forms that are features."""
MIN_TAIL = 4
"""Letters of a word in the dictionary that ends a longer one, which is taken for a compound."""
FIRST_IDEOGRAPH = 0x2E80
MAX_IDEOGRAPHS = 8
# Numbers above 2^31 are no constants for Cython, but the .pxd file declares these as C variables.
MASK = int("FFFFFFFF", 16)
"""The bits of a hash; in C the type has no others."""
OFFSET = int("811C9DC5", 16)
"""Where a hash begins (FNV-1a)."""
GOLDEN = int("9E3779B1", 16)
FIRST_FACTOR = int("85EBCA6B", 16)
SECOND_FACTOR = int("C2B2AE35", 16)
CAPITAL = int("5BD1E995", 16)
"""What the first half of the hash of a word with a capital differs by."""
ROLES = 6
"""The word itself, the same where its case says nothing, those before and behind it, and two before and behind."""


class Lexicon:
    """A dictionary from forms to lemmas, as arrays.

    A form's script says how many letters to take from its end, and which to add, to make the lemma. The paradigm of its
    lemma is a set of those scripts that are frequent, as bits: 128 for each paradigm.
    """

    def __init__(
        self,
        buckets: _View,
        checks: _View,
        scripts: _View,
        paradigms: _View,
        cuts: _View,
        additions: _View,
        addition_starts: _View,
        script_keys: _View,
        bits: _View,
        common: _View,
    ) -> None:
        self.buckets = buckets
        self.checks = checks
        self.scripts = scripts
        self.paradigms = paradigms
        self.cuts = cuts
        self.additions = additions
        self.addition_starts = addition_starts
        self.script_keys = script_keys
        self.bits = bits
        self.common = common
        self.shift = 32
        while (1 << (32 - self.shift)) < buckets.shape[0] - 1:
            self.shift -= 1

    def find(self, first: int, second: int) -> int:
        """Return the entry of a word, given the two halves of its hash; -1 if there is none."""
        if self.checks.shape[0] == 0:
            return -1
        bucket = first >> self.shift if self.shift < 32 else 0
        for at in range(self.buckets[bucket], self.buckets[bucket + 1]):
            if self.checks[at] == second:
                return at
        return -1


class Describer:
    """Finds the features of words, one word at a time."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        made_keys = np.zeros(MAX_FEATURES, np.uint32)
        made_uses = np.zeros(MAX_FEATURES, np.uint8)
        self.keys = made_keys.data
        self.uses = made_uses.data
        self.count = 0
        self.entry = -1
        self.capital_entry = -1
        self.tail_entry = -1
        self.tail = 0

    def add(self, kind: int, value: int, use: int) -> None:
        """Add a feature."""
        if self.count < MAX_FEATURES:
            self.keys[self.count] = mixed(kind, value)
            self.uses[self.count] = use
            self.count += 1

    def describe(
        self, codes: _View, start: int, end: int, form: int, shape: int, characters: int, capital: int
    ) -> None:
        """Find the features of a word in lower case; `form` is the hash of it as it is written.

        `shape` is a hash of its shape; `characters` says what kind of token it is by its characters; `capital` is 1 if
        its first letter is one.
        """
        self.count = 0
        self.entry = -1
        self.capital_entry = -1
        self.tail_entry = -1
        self.tail = 0
        size = end - start
        first, second = OFFSET, 84696351
        two = 0
        for number in range(1, size + 1):
            code = codes[end - number]
            first = ((first ^ code) * 16777619) & MASK
            second = ((second ^ code) * 709607) & MASK
            if number == 2 or (number == 1 and size == 1):
                two = first
            if number <= MAX_ENDING:
                self.add(number if number < size else 10 + number, first, use_of_ending(number, size))
        self.add(20, first, OWN | FIRST | NEAR | FAR | FORM)
        self.add(21, form, OWN | FORM)
        value = OFFSET
        for number in range(min(MAX_BEGINNING, size - 1)):
            value = ((value ^ codes[start + number]) * 16777619) & MASK
            self.add(22 + number, value, OWN | FIRST)
        self.add(30, shape, OWN)
        self.add(31, shape, FIRST)
        self.add(32, shape, NEAR | FAR)
        self.add(33, two ^ capital * 7919, OWN)
        self.add(34, two ^ capital * 7919, FIRST)
        self.add(35, min(size, 10), OWN | FIRST)
        self.add(36, characters, OWN | FIRST | NEAR)
        for number in range(min(size, MAX_IDEOGRAPHS)):
            if codes[start + number] >= FIRST_IDEOGRAPH:
                self.add(37, codes[start + number], OWN | FIRST)
        if self.lexicon.checks.shape[0]:
            self.look_up(codes, start, end, first, second, capital)

    def look_up(self, codes: _View, start: int, end: int, first: int, second: int, capital: int) -> None:
        """Add what the dictionary says of a word, or of the longest word that ends it."""
        lexicon = self.lexicon
        self.entry = lexicon.find(first, second)
        self.capital_entry = lexicon.find(capitalised(first), second)
        known = (self.entry >= 0) * 2 + (self.capital_entry >= 0)
        self.add(40, known * 2 + capital, OWN)
        self.add(41, known * 2 + capital, FIRST)
        best = self.entry
        if best < 0 or (capital and self.capital_entry >= 0):
            best = self.capital_entry
        if best >= 0:
            self.add_entry(best, codes, start, end, 42, OWN | FIRST | NEAR)
            return
        self.find_tail(codes, start, end)
        if self.tail_entry >= 0:
            self.add_entry(self.tail_entry, codes, self.tail, end, 46, OWN | FIRST)
        else:
            self.add(50, 1, OWN | FIRST)

    def find_tail(self, codes: _View, start: int, end: int) -> None:
        """Find the longest word of the dictionary that ends a word: `haus` of `lagerhaus`."""
        lexicon = self.lexicon
        first, second = OFFSET, 84696351
        for number in range(1, min(end - start, 40)):
            code = codes[end - number]
            first = ((first ^ code) * 16777619) & MASK
            second = ((second ^ code) * 709607) & MASK
            if number >= MIN_TAIL:
                found = lexicon.find(first, second)
                if found < 0:
                    found = lexicon.find(capitalised(first), second)
                if found >= 0:
                    self.tail_entry = found
                    self.tail = end - number

    def add_entry(self, entry: int, codes: _View, start: int, end: int, kind: int, use: int) -> None:
        """Add lemma, script and paradigm of an entry of the dictionary."""
        lexicon = self.lexicon
        script = lexicon.scripts[entry]
        kept = end - start - lexicon.cuts[script]
        lemma = OFFSET
        ending = OFFSET
        for at in range(lexicon.addition_starts[script + 1] - 1, lexicon.addition_starts[script] - 1, -1):
            lemma = ((lemma ^ lexicon.additions[at]) * 16777619) & MASK
        for number in range(1, kept + 1):
            lemma = ((lemma ^ codes[start + kept - number]) * 16777619) & MASK
            if number == 1:
                ending = lemma
        self.add(kind, lemma, use)
        self.add(43, lexicon.script_keys[script], OWN | FIRST)
        self.add(44, lexicon.script_keys[script] ^ ending, OWN | FIRST)
        paradigm = lexicon.paradigms[entry]
        added = 0
        for number in range(128):
            if lexicon.bits[paradigm * 4 + (number >> 5)] >> (number & 31) & 1:
                self.add(45, lexicon.common[number], OWN | FIRST | NEAR)
                added += 1
                if added == MAX_PARADIGM:
                    break


def use_of_ending(number: int, size: int) -> int:
    """Return how an ending of so many letters is used, of a word of so many."""
    if number == size or number > 4:
        return OWN | FIRST
    return OWN | FIRST | NEAR | FAR if 2 <= number <= 3 else OWN | FIRST | NEAR


def mixed(kind: int, value: int) -> int:
    """Mix the kind of a feature with its value to a key of 32 bits."""
    value = ((value ^ ((kind * GOLDEN) & MASK)) * FIRST_FACTOR) & MASK
    value ^= value >> 15
    value = (value * SECOND_FACTOR) & MASK
    return value ^ value >> 13


def capitalised(first: int) -> int:
    """Return the first half of the hash of a word with a capital, given that of the word without."""
    return (first ^ CAPITAL) & MASK


def hash_words(codes: _View, starts: _View) -> tuple[_Uint32, _Uint32]:
    """Return both halves of the hash of each word; word i has the codes from `starts[i]` to `starts[i + 1]`."""
    words = starts.shape[0] - 1
    made, also = np.zeros(words, np.uint32), np.zeros(words, np.uint32)
    firsts, seconds = made, also
    for word in range(words):
        first, second = OFFSET, 84696351
        for at in range(starts[word + 1] - 1, starts[word] - 1, -1):
            first = ((first ^ codes[at]) * 16777619) & MASK
            second = ((second ^ codes[at]) * 709607) & MASK
        firsts[word] = first
        seconds[word] = second
    return made, also


def common_beginnings(codes: _View, starts: _View, others: _View, other_starts: _View) -> _Int32:
    """Return with how many equal letters each word begins as its counterpart does: 2 for `mice` and `mill`."""
    words = starts.shape[0] - 1
    made = np.zeros(words, np.int32)
    common = made
    for word in range(words):
        most = min(starts[word + 1] - starts[word], other_starts[word + 1] - other_starts[word])
        number = 0
        while number < most and codes[starts[word] + number] == others[other_starts[word] + number]:
            number += 1
        common[word] = number
    return made


def describe_words(
    codes: _View,
    starts: _View,
    forms: _View,
    shapes: _View,
    characters: _View,
    capitals: _View,
    lexicon: Lexicon,
) -> tuple[_Int32, _Uint32, _Uint8]:
    """Return the features of words: where those of each begin, the keys, and their uses."""
    words = starts.shape[0] - 1
    describer = Describer(lexicon)
    made_starts = np.zeros(words + 1, np.int32)
    made_keys = np.zeros(words * MAX_FEATURES, np.uint32)
    made_uses = np.zeros(words * MAX_FEATURES, np.uint8)
    feature_starts, keys, uses = made_starts, made_keys, made_uses
    written = 0
    for word in range(words):
        describer.describe(
            codes, starts[word], starts[word + 1], forms[word], shapes[word], characters[word], capitals[word]
        )
        for number in range(describer.count):
            keys[written] = describer.keys[number]
            uses[written] = describer.uses[number]
            written += 1
        feature_starts[word + 1] = written
    return made_starts, made_keys[:written], made_uses[:written]


def score_words(
    codes: _View,
    starts: _View,
    forms: _View,
    shapes: _View,
    characters: _View,
    capitals: _View,
    lexicon: Lexicon,
    tags: WeightTable,
    values: WeightTable,
) -> tuple[_Int16, _Int16, _Int32]:
    """Add up the weights of all features of words by two tables of weights, for each role and label.

    Returns the sums of both, and of each word its entry in the dictionary, that with a capital, that of its tail, and
    how many letters stand before the tail.
    """
    words = starts.shape[0] - 1
    describer = Describer(lexicon)
    made = np.zeros((words, tags.roles, tags.weights.shape[1]), np.int16)
    also = np.zeros((words, values.roles, values.weights.shape[1]), np.int16)
    made_entries = np.zeros((words, 4), np.int32)
    sums, value_sums, entries = made, also, made_entries
    for word in range(words):
        describer.describe(
            codes, starts[word], starts[word + 1], forms[word], shapes[word], characters[word], capitals[word]
        )
        tags.add_up(describer, sums, word)
        values.add_up(describer, value_sums, word)
        entries[word, 0] = describer.entry
        entries[word, 1] = describer.capital_entry
        entries[word, 2] = describer.tail_entry
        entries[word, 3] = describer.tail - starts[word]
    return made, also, made_entries


class WeightTable:
    """Rows of weights, found by keys in a hash table whose size is a power of two; free places of it are -1."""

    def __init__(self, keys: _View, weights: npt.NDArray[np.int8], roles: int) -> None:
        if keys.shape[0] != weights.shape[0] or not 1 <= roles <= ROLES:
            raise ValueError("the weights don't fit their keys")
        size = 2
        while size < 2 * keys.shape[0] + 2:
            size *= 2
        places = np.full(size, -1, np.int32)
        self.keys = keys
        self.places = places
        self.weights = weights
        self.roles = roles
        self.mask = size - 1
        self.rows = np.zeros((ROLES, MAX_FEATURES), np.int32)
        self.counts = np.zeros(ROLES, np.int32)
        for at in range(keys.shape[0]):
            place = keys[at] & self.mask
            while self.places[place] >= 0:
                place = (place + 1) & self.mask
            self.places[place] = at

    def find(self, key: int) -> int:
        """Return the row of a key, or -1."""
        place = key & self.mask
        while self.places[place] >= 0:
            row: int = self.places[place]
            if self.keys[row] == key:
                return row
            place = (place + 1) & self.mask
        return -1

    def add_up(self, describer: Describer, sums: _Int16, word: int) -> None:
        """Add up the weights of the features that were found last, for each role and label."""
        for role in range(self.roles):
            self.counts[role] = 0
        for number in range(describer.count):
            use = describer.uses[number]
            row = -1
            for role in range(self.roles):
                if role != 1 or not use & OWN:  # else it is the row of the role before
                    row = -1
                    if use & used_in(role):
                        row = self.find(role_key(describer.keys[number], role))
                if row >= 0 and use & used_in(role):
                    self.rows[role, self.counts[role]] = row
                    self.counts[role] += 1
        for role in range(self.roles):
            add_rows(sums, word, role, self.weights, self.rows, self.counts[role])


def used_in(role: int) -> int:
    """Return the use that a feature must have for a role."""
    if role == 0:
        return OWN
    if role == 1:
        return FIRST
    return NEAR if role <= 3 else FAR


def role_key(key: int, role: int) -> int:
    """Return the key of a feature in a role; for a word itself it is the same wherever it stands."""
    return key if role <= 1 else mixed(100 + role, key)
