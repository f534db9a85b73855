"""Find the words and pairs of words of blocks as numbers, and what a model knows of them; for the method `mill`.

    Share on X      the words `share`, `on` and `x`, the pairs `share on` and `on x`, and the whole text

Each is a number of 32 bits, a hash of its bytes with ASCII letters in lower case, so that nothing needs to be stored
but numbers and weights. Runs of digits are all the same word. The first words of a block count, and pairs and the whole
text only in short blocks: what is typical of boilerplate is said in a few words.

`find_phrases` returns the numbers of all blocks, and where those of each block begin. `weigh` looks them up in a table
in which the number n stands at the place n modulo its size, or in one of the places behind that, up to a free one.
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
PRIME, BITS = 16777619, 0xFFFFFFFF
"""Of the hash FNV-1a."""
OFFSET_WORD, OFFSET_PAIR, OFFSET_WHOLE = 2166136261, 84696351, 1540483477
"""Where hashes begin: a word, a pair and a text of the same bytes are different numbers."""
LEAST, MOST, MEAN, SUM, KNOWN = range(5)
"""The rows that `weigh` fills."""


def find_phrases(data: bytes, offsets: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """Return the numbers of the words, pairs and texts of all blocks, and where those of each block begin."""
    number = offsets.shape[0] - 1
    made = np.zeros(number * MOST_PER_BLOCK, np.uint32)
    bounds = np.zeros(number + 1, np.int32)
    found, starts = made, bounds
    pairs = np.zeros(MAX_SHORT_WORDS, np.uint32)
    at = 0
    for block in range(number):
        at = add_block(data, offsets[block], offsets[block + 1], found, at, pairs)
        starts[block + 1] = at
    return made[:at], bounds


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
        kind = what(data[place])
        if not kind:
            place += 1
            continue
        word = OFFSET_WORD
        while place < end and what(data[place]) == kind:
            if kind == 1:
                word = ((word ^ lower(data[place])) * PRIME) & BITS
            place += 1
        if kind == 2:
            word = ((word ^ 48) * PRIME) & BITS
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


def what(byte: int) -> int:
    """Return 1 for a byte of a letter, 2 for a digit, 0 for all else; all bytes outside ASCII are taken for letters."""
    if byte >= 128 or 97 <= (byte | 32) <= 122:
        return 1
    return 2 if 48 <= byte <= 57 else 0


def lower(byte: int) -> int:
    """Return a byte in lower case, if it is an ASCII letter."""
    return byte | 32 if 65 <= byte <= 90 else byte


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
    last = slots.shape[0] - 1
    for block in range(starts.shape[0] - 1):
        known = 0
        least = most = total = 0.0
        for at in range(starts[block], starts[block + 1]):
            place = found[at] & last
            while weights[place] != 0 and slots[place] != found[at]:
                place = (place + 1) & last
            value = weights[place]
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
