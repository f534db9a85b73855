# cython: boundscheck=False
"""Find the words and pairs of words of blocks as numbers, and what a model knows of them; for the method `mill`.

    Share on X      the words `share`, `on` and `x`, the pairs `share on` and `on x`, and the whole text

Each is a number of 31 bits, a hash of its bytes with ASCII letters in lower case, so that nothing needs to be stored
but numbers and weights. Runs of digits are all the same word. The first words of a block count, and pairs and the whole
text only in short blocks: what is typical of boilerplate is said in a few words.

`find_phrases` returns the numbers of all blocks, and where those of each block begin. `weigh` looks them up in a table
in which the number n stands at the place n modulo its size, or in one of the places behind that, up to a free one.

Accesses are not checked one by one, as there are some for each byte: `check_texts` and `check_table` make sure
beforehand that none is out of bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix

MAX_WORDS = 40
"""Of a block, that count."""
MAX_SHORT_WORDS = 12
"""Of a block whose pairs of words, and whose whole text, count."""
MOST_PER_BLOCK = MAX_WORDS + MAX_SHORT_WORDS
"""The most numbers that a block has."""
PRIME = 16777619
"""Of the hash FNV-1a, of which 31 bits are taken: constants in C have no more."""
BITS = 0x7FFFFFFF
OFFSET_WORD = 216613626
"""Where hashes begin: a word, a pair and a text of the same bytes are different numbers."""
OFFSET_PAIR = 84696351
OFFSET_WHOLE = 1540483477
LEAST = 0
"""The rows that `weigh` fills, one after the other."""
MOST = 1
MEAN = 2
SUM = 3
KNOWN = 4
LETTER = 1
DIGIT = 2
KINDS = bytes(
    LETTER if byte >= 128 or chr(byte).isalpha() else DIGIT if chr(byte).isdigit() else 0 for byte in range(256)
)
"""What each byte is; all bytes outside ASCII are taken for letters, and 0 is all else."""
LOWER = bytes(range(256)).lower()
"""Each byte in lower case, if it is an ASCII letter."""


def find_phrases(data: bytes, offsets: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """Return the numbers of the words, pairs and texts of all blocks, and where those of each block begin."""
    number = check_texts(len(data), offsets)
    made = np.empty(number * MOST_PER_BLOCK, np.uint32)
    bounds = np.zeros(number + 1, np.int32)
    found, starts = made, bounds
    pairs = np.zeros(MAX_SHORT_WORDS, np.uint32)
    at = 0
    for block in range(number):
        at = add_block(data, offsets[block], offsets[block + 1], found, at, pairs)
        starts[block + 1] = at
    return made[:at], bounds


def check_texts(size: int, offsets: npt.NDArray[np.int32]) -> int:
    """Return the number of texts; if they are not one behind the other in a buffer of this size, raise."""
    number: int = offsets.shape[0] - 1
    if number < 0 or offsets[0] < 0 or offsets[number] > size:
        raise ValueError("the texts are not within the data")
    for text in range(number):
        if offsets[text] > offsets[text + 1]:
            raise ValueError("the texts are not one behind the other")
    return number


def add_block(
    data: bytes, start: int, end: int, found: npt.NDArray[np.uint32], at: int, pairs: npt.NDArray[np.uint32]
) -> int:
    """Write the numbers of one block behind those that were found before, and return where they end.

    `pairs` has room for those of pairs until it is known whether the block is a short one.
    """
    first = at
    whole = OFFSET_WHOLE
    before = 0
    place = start
    while place < end and at - first < MAX_WORDS:
        kind = KINDS[data[place]]
        if not kind:
            place += 1
            continue
        word = OFFSET_WORD
        if kind == DIGIT:
            word = ((word ^ 48) * PRIME) & BITS
            while place < end and KINDS[data[place]] == DIGIT:
                place += 1
        else:
            while place < end and KINDS[data[place]] == LETTER:
                word = ((word ^ LOWER[data[place]]) * PRIME) & BITS
                place += 1
        found[at] = word
        whole = ((whole ^ word) * PRIME) & BITS
        if at - first < MAX_SHORT_WORDS:
            pairs[at - first] = (((((OFFSET_PAIR ^ before) * PRIME) & BITS) ^ word) * PRIME) & BITS
        before = word
        at += 1
    words = at - first
    if 0 < words <= MAX_SHORT_WORDS:
        for step in range(1, words):
            found[at] = pairs[step]
            at += 1
        found[at] = whole
        at += 1
    return at


def make_table(
    keys: npt.NDArray[np.uint32], values: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
    """Make the table that `weigh` looks into, at most half full; places whose value is 0 are free."""
    size = 16
    while size < 2 * len(keys) + 2:
        size *= 2
    slots, weights = np.zeros(size, np.uint32), np.zeros(size, np.float32)
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        if value:
            place = key & (size - 1)
            while weights[place]:
                place = (place + 1) & (size - 1)
            slots[place], weights[place] = key, value
    return slots, weights


def weigh(
    found: npt.NDArray[np.uint32],
    starts: npt.NDArray[np.int32],
    slots: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    table: Matrix,
    row: int,
) -> None:
    """Fill five rows of the table, from `row` on: the least, most, mean and sum of weights, and the share of known.

    What is not in the table counts for nothing; a block of which nothing is known has zeros.
    """
    last = check_table(found.shape[0], starts, slots, weights, table, row)
    for block in range(starts.shape[0] - 1):
        known = 0
        least = most = total = 0.0
        for at in range(starts[block], starts[block + 1]):
            place = found[at] & last
            steps = 0  # are counted so that it ends, whatever table is given
            while weights[place] != 0 and slots[place] != found[at] and steps < last:
                place = (place + 1) & last
                steps += 1
            value = float(weights[place])
            if value != 0:
                least = value if not known or value < least else least
                most = value if not known or value > most else most
                total += value
                known += 1
        table[row + LEAST, block] = least
        table[row + MOST, block] = most
        table[row + MEAN, block] = total / known if known else 0.0
        table[row + SUM, block] = total
        table[row + KNOWN, block] = 1.0 * known / (starts[block + 1] - starts[block]) if known else 0.0


def check_table(
    number: int,
    starts: npt.NDArray[np.int32],
    slots: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float32],
    table: Matrix,
    row: int,
) -> int:
    """Return the last place of a table; if it does not fit, or blocks and phrases don't, raise."""
    blocks = check_texts(number, starts)
    if not 0 < slots.shape[0] <= weights.shape[0] or blocks > table.shape[1]:
        raise ValueError("the table has another number of phrases than of weights, or there are too few columns")
    if row < 0 or row >= table.shape[0] - KNOWN:
        raise ValueError("the table does not have the rows of phrases")
    last: int = slots.shape[0] - 1
    return last
