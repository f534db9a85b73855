# cython: boundscheck=False
"""Features of the parser: combinations of atoms, hashed to keys, and the rows of weights that the keys have.

A template is up to four numbers of atoms (`parse_slots.py`), filled up with -1. Its key in some state is a hash of the
number of the template and the values of its atoms. Keys have 32 bits, and are the same on every machine.

`check_templates` makes sure that each template has atoms that there are, so that no access has to be checked later.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.kernel.parse_slots import TEMPLATE_ATOMS

_View = Any  # a view of memory, whose items are plain numbers also if this is not compiled
_Int32 = npt.NDArray[np.int32]

MASK = int("FFFFFFFF", 16)
"""Declared in the .pxd file: numbers above 2^31 are no constants for Cython."""
SEED = 1013904243
FACTOR = 1540483477
LAST_FACTOR = 746394733
MAX_TEMPLATES = 256
BITS_PER_PLACE = 4
MAX_TAGS = 31  # as each is a bit of a number


class KeyTable:
    """Rows by their keys: a hash table whose size is a power of two; each place has a key and its row plus one.

    Many keys that are looked up have no row. A bit for each of four times as many places, which is set if a key has
    that place, says so of nearly all of them; these bits are few enough for the processor's cache.
    """

    def __init__(self, keys: _View) -> None:
        size = 2
        while size < 2 * keys.shape[0] + 2:
            size *= 2
        self.places = np.zeros((size, 2), np.uint32).data
        self.mask = size - 1
        self.bits = np.zeros(size * BITS_PER_PLACE // 8, np.uint8).data
        self.bits_mask = size * BITS_PER_PLACE - 1
        self.size = keys.shape[0]
        for at in range(keys.shape[0]):
            place = keys[at] & self.mask
            while self.places[place, 1]:
                place = (place + 1) & self.mask
            self.places[place, 0] = keys[at]
            self.places[place, 1] = at + 1
            place = keys[at] & self.bits_mask
            self.bits[place >> 3] |= 1 << (place & 7)

    def find(self, key: int) -> int:
        """Return the row of a key, or -1."""
        place = key & self.mask
        while self.places[place, 1]:
            if self.places[place, 0] == key:
                return self.places[place, 1] - 1
            place = (place + 1) & self.mask
        return -1


class Features:
    """The keys of a state, and the rows of those that have weights.

    Keys are found for all templates together, one atom after the other. So the templates are in an order of their own,
    those with the most atoms first: `columns` has their atoms, and `numbers` where each template is.

        templates   [[3], [5, 7], [3, 5, 8]]
        columns     [[3, 5, 3], [5, 7], [8]]        `sizes` are 3, 2, 1
        numbers     [2, 1, 0]
    """

    def __init__(self, templates: _Int32, atoms: int, table: KeyTable) -> None:
        check_templates(templates, atoms)
        self.templates = templates
        self.table = table
        made: _View = np.zeros(atoms, np.uint32).data
        self.atoms = made
        self.rows = np.zeros(MAX_TEMPLATES, np.int32)
        self.count = 0
        keys: _View = np.zeros(MAX_TEMPLATES, np.uint32).data
        self.keys = keys
        self.candidates = np.zeros(MAX_TEMPLATES, np.int32)
        lengths = np.cumprod(templates >= 0, axis=1).sum(1)
        order = np.argsort(-lengths, kind="stable")
        self.sizes = np.searchsorted(-lengths[order], -np.arange(TEMPLATE_ATOMS)).astype(np.int32)
        self.columns = np.ascontiguousarray(templates[order].T)
        seeds: _View = ((order + 1) * SEED & MASK).astype(np.uint32).data
        self.seeds = seeds
        self.numbers = np.argsort(order).astype(np.int32)

    def key(self, template: int) -> int:
        """Return the key of a template for the present atoms."""
        key = (template + 1) * SEED & MASK
        for place in range(TEMPLATE_ATOMS):
            atom = self.templates[template, place]
            if atom < 0:
                break
            key = (key ^ self.atoms[atom]) * FACTOR & MASK
            key ^= key >> 15
        key = key * LAST_FACTOR & MASK
        return key ^ key >> 13

    def find_keys(self) -> None:
        """Find the keys of all templates, atom by atom: those with more atoms come first."""
        for number in range(self.columns.shape[1]):
            self.keys[number] = self.seeds[number]
        for place in range(TEMPLATE_ATOMS):
            for number in range(self.sizes[place]):
                key = (self.keys[number] ^ self.atoms[self.columns[place, number]]) * FACTOR & MASK
                self.keys[number] = key ^ key >> 15
        for number in range(self.columns.shape[1]):
            key = self.keys[number] * LAST_FACTOR & MASK
            self.keys[number] = key ^ key >> 13

    def look_up(self) -> None:
        """Find the rows of all templates for the present atoms."""
        self.find_keys()
        count = 0
        for template in range(self.numbers.shape[0]):
            number = self.numbers[template]
            place = self.keys[number] & self.table.bits_mask
            self.candidates[count] = number
            count += self.table.bits[place >> 3] >> (place & 7) & 1
        self.count = 0
        for place in range(count):
            row = self.table.find(self.keys[self.candidates[place]])
            if row >= 0:
                self.rows[self.count] = row
                self.count += 1


def check_templates(templates: _Int32, atoms: int) -> int:
    """Raise if there is an atom that there is not, or too many templates."""
    if templates.shape[1] != TEMPLATE_ATOMS or not 1 <= templates.shape[0] <= MAX_TEMPLATES:
        raise ValueError("there are no such templates")
    for template in range(templates.shape[0]):
        for place in range(TEMPLATE_ATOMS):
            if not -1 <= templates[template, place] < atoms:
                raise ValueError("there is no such atom")
    return 0


def check_sentences(types: _Int32, starts: _Int32, attributes: _View, tags: _View) -> int:
    """Raise if the arrays of words don't fit together; return how many words the longest sentence has."""
    if tags.shape[0] != attributes.shape[0]:
        raise ValueError("there are word types without a tag")
    for at in range(types.shape[0]):
        if types[at] < 0 or types[at] >= attributes.shape[0]:
            raise ValueError("there is no such word type")
        if tags[types[at]] >= MAX_TAGS:
            raise ValueError("there is no such part of speech")
    if starts.shape[0] < 1 or starts[0] != 0 or starts[starts.shape[0] - 1] != types.shape[0]:
        raise ValueError("sentences don't cover the words")
    longest = 0
    for at in range(starts.shape[0] - 1):
        if starts[at] > starts[at + 1]:
            raise ValueError("a sentence ends before it begins")
        longest = max(longest, starts[at + 1] - starts[at])
    return longest
