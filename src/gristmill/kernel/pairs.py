"""Count pairs of numbers that stand side by side, exactly, for bigrams: see `search.statistics.pairs`.

A hash table of all pairs would not fit into the processor's cache. So pairs are first written to parts by their first
number, then in each part to places by it, and at last the second numbers of one first number are counted, by counters
that stay in the cache.

    numbers 1 0 1 0 2, parts {0, 1} and {2}     pairs (1, 0) (0, 1) (1, 0) (0, 2) are all of the first part
    by first number                             0: 1 2    1: 0 0
    counted                                     (0, 1) once, (0, 2) once, (1, 0) twice

A number comes with its part as a code, `part << 32 | number`; those that are not counted have a code below zero.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

RARE = -1
"""The code of what is too rare to be counted."""
LEFT_OUT = -2
"""The code of what is left out, such as punctuation."""
LOWER = 0x7FFFFFFF
"""The bits of a code, or of a pair, that are the (second) number."""
MAX_TALLIED = 1 << 14
"""Frequencies from this on are tallied together."""


def gather_pairs(
    keys: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.int64],
) -> int:
    """Write the pairs of neighbours among keys from each start to before its end, `first << 32 | second`.

    `codes` has a code for each key, `places` for each part where its next pair is written. Pairs of other parts than
    these are passed by. Returns the number of pairs with something that is left out.
    """
    parts = places.shape[0]
    left_out = 0
    for number in range(starts.shape[0]):
        code = codes[keys[starts[number]]] if starts[number] < ends[number] else RARE
        for at in range(starts[number] + 1, ends[number]):
            following = codes[keys[at]]
            if code >= 0 and following >= 0:
                part = code >> 32
                if part < parts:
                    pairs[places[part]] = (code & LOWER) << 32 | (following & LOWER)
                    places[part] += 1
            elif code == LEFT_OUT or following == LEFT_OUT:
                left_out += 1
            code = following
    return left_out


def count_pairs(
    pairs: npt.NDArray[np.int64],
    begins: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    counters: npt.NDArray[np.int32],
    least: int,
    limit: int,
    found: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> tuple[int, int, int]:
    """Count the pairs of each part, which are from its place in `begins` to before that in `ends`.

    A part has the first numbers from its entry in `numbers` to before the next entry; the pairs of a first number find
    place from its entry in `firsts` on. `counters`, a zero for each second number, are zero again afterwards. Pairs that
    occur at least `least` times are written to `found` and `counts`, but for those that are not among the `limit` most
    frequent, as far as that is known by then; below zero there is no limit. Returns how many were written, how many
    different ones there are, and how often they occur together.
    """
    tallies = np.zeros(MAX_TALLIED + 1, np.int64)  # how many pairs have each frequency
    touched = np.zeros(counters.shape[0], np.int32)
    room = 1
    for part in range(begins.shape[0]):
        room = max(room, ends[part] - begins[part], firsts[numbers[part + 1]] - firsts[numbers[part]])
    inner = np.zeros(room, np.int32)
    cursors = np.zeros(counters.shape[0] + 1, np.int64)
    bound = least
    written = types = occurrences = frequent = 0
    for part in range(begins.shape[0]):
        spread_out(pairs, begins[part], ends[part], numbers[part], numbers[part + 1], firsts, cursors, inner)
        for first in range(numbers[part], numbers[part + 1]):
            start = firsts[first] - firsts[numbers[part]]
            if cursors[first] - start < least:
                continue
            different = count_seconds(inner, start, cursors[first], counters, touched)
            for at in range(different):
                count = counters[touched[at]]
                counters[touched[at]] = 0
                if count < least:
                    continue
                types += 1
                occurrences += count
                if count < bound:
                    continue
                found[written] = first << 32 | touched[at]
                counts[written] = count
                written += 1
                if limit >= 0:
                    tallies[min(count, MAX_TALLIED)] += 1
                    frequent += 1
                    while bound < MAX_TALLIED and frequent - tallies[bound] >= limit:
                        frequent -= tallies[bound]
                        bound += 1
    return written, types, occurrences


def spread_out(
    pairs: npt.NDArray[np.int64],
    begin: int,
    end: int,
    low: int,
    high: int,
    firsts: npt.NDArray[np.int64],
    cursors: npt.NDArray[np.int64],
    inner: npt.NDArray[np.int32],
) -> None:
    """Write the second numbers of the pairs of a part to places by their first numbers, from `low` to before `high`."""
    for first in range(low, high):
        cursors[first] = firsts[first] - firsts[low]
    for at in range(begin, end):
        first = pairs[at] >> 32
        inner[cursors[first]] = pairs[at] & LOWER
        cursors[first] += 1


def count_seconds(
    inner: npt.NDArray[np.int32],
    start: int,
    end: int,
    counters: npt.NDArray[np.int32],
    touched: npt.NDArray[np.int32],
) -> int:
    """Count some numbers; write down which there are, and return how many."""
    different = 0
    for at in range(start, end):
        second = inner[at]
        if counters[second] == 0:
            touched[different] = second
            different += 1
        counters[second] += 1
    return different
