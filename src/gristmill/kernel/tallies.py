# cython: boundscheck=False
"""Count numbers, and pairs of numbers that stand side by side, for word lists and bigrams: see `search.statistics`.

A hash table of all pairs would not fit into the processor's cache. So pairs are first written to parts by their first
number, then in each part to places by it, and at last the second numbers of one first number are counted, by counters
that stay in the cache.

    numbers 1 0 1 0 2, parts {0, 1} and {2}     pairs (1, 0) (0, 1) (1, 0) (0, 2) are all of the first part
    by first number                             0: 1 2    1: 0 0
    counted                                     (0, 1) once, (0, 2) once, (1, 0) twice

A number comes with its part as a code, `part << 32 | number`, and with a bit if it is not counted. No loop over all
tokens has a branch that depends on these bits: processors can't foresee it, and to be wrong costs as much as a pair.
Nor are all accesses checked: `check` sees beforehand that keys, spans and codes fit together, and the loops that write
look once whether there is room.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

NOT_COUNTED_BIT = 60
"""The bit of a code that says that it is not counted."""
LEFT_OUT_BIT = 61
"""The bit of a code that says that it is left out, as punctuation is, and not only too rare."""
NUMBER = 0x7FFFFFFF
"""The bits of a code that are the number."""
PART = 0xFFFFFF
"""The bits of a code that are the part, once it is shifted."""
MAX_TALLIED = 1 << 14
"""Frequencies from this on are tallied together."""


def count_between(
    keys: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int32],
) -> None:
    """Add one to the count of each key that stands from a start to before its end."""
    check(keys, starts, ends, counts.shape[0])
    for number in range(starts.shape[0]):
        for at in range(starts[number], ends[number]):
            counts[keys[at]] += 1


def check(keys: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], values: int) -> int:
    """Raise if a key is not one of so many values, or a span is not within the keys."""
    least = most = 0
    for at in range(keys.shape[0]):
        least = min(least, keys[at])
        most = max(most, keys[at])
    if least < 0 or (keys.shape[0] > 0 and most >= values):
        raise ValueError("a key is not one of the values")
    if starts.shape[0] != ends.shape[0]:
        raise ValueError("there are not as many starts as ends")
    for at in range(starts.shape[0]):
        if starts[at] < 0 or ends[at] > keys.shape[0]:
            raise ValueError("a span is not within the keys")
    return 0


def check_codes(codes: npt.NDArray[np.int64], parts: int, numbers: int, shift: int) -> int:
    """Raise if a code is of a part that is not there, or there are not as many parts as there should be."""
    if parts != numbers or not 0 < shift < 32:
        raise ValueError("there are not as many parts as first numbers of them, or pairs don't fit into 32 bits")
    for at in range(codes.shape[0]):
        if codes[at] < 0 or codes[at] >> 32 & PART >= parts:
            raise ValueError("a code is of a part that is not there")
    return 0


def tabulate_pairs(
    keys: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint16],
    width: int,
    counters: npt.NDArray[np.uint16],
    wrapped: npt.NDArray[np.int64],
) -> int:
    """Count the pairs of neighbours among keys from each start to before its end, in a table of `width` by `width`.

    `codes` has for each key its row and column. Counters have 16 bits, so that more of them are in the processor's
    cache; each time that one goes from 65,535 to 0, its place is written to `wrapped`. Returns how many are written.
    """
    check(keys, starts, ends, codes.shape[0])
    most = 0
    for at in range(codes.shape[0]):
        most = max(most, codes[at])
    if most >= width or counters.shape[0] < width * width:
        raise ValueError("a code is not in the table")
    highest = 0xFFFF  # that a counter holds; after it comes 0
    written = 0
    for number in range(starts.shape[0]):
        if starts[number] >= ends[number]:
            continue
        code = int(codes[keys[starts[number]]])
        for at in range(starts[number] + 1, ends[number]):
            following = int(codes[keys[at]])
            place = code * width + following
            code = following
            if counters[place] < highest:
                counters[place] += 1
                continue
            if written >= wrapped.shape[0]:
                raise ValueError("there is no room for what is counted")
            counters[place] = 0
            wrapped[written] = place
            written += 1
    return written


def gather_pairs(
    keys: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    shift: int,
    places: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.uint32],
) -> int:
    """Write the pairs of neighbours among keys from each start to before its end, as `first << shift | second`.

    In a pair, the first number is counted from the first one of its part, which is in `numbers`. `codes` has a code for
    each key, `places` for each part where its next pair is written. Pairs of the last part are not kept: what is not
    counted is of it, and what is another time. Returns the number of pairs with something that is left out.
    """
    check(keys, starts, ends, codes.shape[0])
    check_codes(codes, places.shape[0], numbers.shape[0], shift)
    room = pairs.shape[0]
    last = places.shape[0] - 1
    lower = 0xFFFFFFFF  # in a variable, as C takes the number itself for one of Python
    left_out = 0
    for number in range(starts.shape[0]):
        if starts[number] >= ends[number]:
            continue
        code = codes[keys[starts[number]]]
        for at in range(starts[number] + 1, ends[number]):
            following = codes[keys[at]]
            both = code | following
            part = code >> 32 & PART
            place = places[part]
            if place < 0 or place >= room:
                raise ValueError("there are more pairs of a part than there is room for")
            pairs[place] = (((code & NUMBER) - numbers[part]) << shift | (following & NUMBER)) & lower
            places[part] = place + (((both >> NOT_COUNTED_BIT & 1) ^ 1) & (part < last))
            left_out += both >> LEFT_OUT_BIT & 1
            code = following
    return left_out


def count_pairs(
    pairs: npt.NDArray[np.uint32],
    begins: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    shift: int,
    firsts: npt.NDArray[np.int64],
    counters: npt.NDArray[np.int32],
    least: int,
    limit: int,
    found: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> tuple[int, int, int]:
    """Count the pairs of each part, which are from its place in `begins` to before that in `ends`.

    A part has the first numbers from its entry in `numbers` to before the next entry; the pairs of a first number find
    place from its entry in `firsts` on. `counters`, a zero for each second number, are zero again afterwards. Pairs
    that occur at least `least` times are written to `found` and `counts`, but for those that are not among the `limit`
    most frequent, as far as that is known by then. Returns how many were written, how many different ones there are,
    and how often they occur together.
    """
    check_parts(pairs, begins, ends, numbers, shift, firsts, counters.shape[0])
    check_counters(counters, least)
    tallies = np.zeros(MAX_TALLIED + 1, np.int64)  # how many pairs have each frequency
    touched = np.zeros(counters.shape[0] + 1, np.int32)
    room = 1
    for part in range(begins.shape[0]):
        room = max(room, ends[part] - begins[part], firsts[numbers[part + 1]] - firsts[numbers[part]])
    inner = np.zeros(room, np.int32)
    cursors = np.zeros(counters.shape[0] + 1, np.int64)
    bound = least
    written = types = occurrences = frequent = 0
    for part in range(begins.shape[0]):
        spread_out(pairs, begins[part], ends[part], numbers[part], numbers[part + 1], shift, firsts, cursors, inner)
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
                if written >= found.shape[0] or written >= counts.shape[0]:
                    raise ValueError("there is no room for what was found")
                found[written] = first << 32
                found[written] |= touched[at]
                counts[written] = count
                written += 1
                tallies[min(count, MAX_TALLIED)] += 1
                frequent += 1
                while bound < MAX_TALLIED and frequent - tallies[bound] >= limit:
                    frequent -= tallies[bound]
                    bound += 1
    return written, types, occurrences


def check_parts(
    pairs: npt.NDArray[np.uint32],
    begins: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    shift: int,
    firsts: npt.NDArray[np.int64],
    size: int,
) -> int:
    """Raise if parts are not within the pairs, or their first numbers not within all `size` of them."""
    if begins.shape[0] != ends.shape[0] or numbers.shape[0] != begins.shape[0] + 1 or firsts.shape[0] != size + 1:
        raise ValueError("there are not as many parts as first numbers of them")
    for part in range(begins.shape[0]):
        if begins[part] < 0 or ends[part] > pairs.shape[0] or not 0 < shift < 32:
            raise ValueError("a part is not within the pairs")
        if numbers[part] < 0 or numbers[part + 1] < numbers[part] or numbers[part + 1] > size:
            raise ValueError("the first numbers of a part are not within all numbers")
    for at in range(size):
        if firsts[at] > firsts[at + 1]:
            raise ValueError("the places of first numbers do not ascend")
    return 0


def check_counters(counters: npt.NDArray[np.int32], least: int) -> int:
    """Raise if counters are not zero, or pairs are asked for that don't occur: no tally has such a number."""
    if least < 1:
        raise ValueError("pairs occur at least once")
    for at in range(counters.shape[0]):
        if counters[at]:
            raise ValueError("a counter is not zero")
    return 0


def spread_out(
    pairs: npt.NDArray[np.uint32],
    begin: int,
    end: int,
    low: int,
    high: int,
    shift: int,
    firsts: npt.NDArray[np.int64],
    cursors: npt.NDArray[np.int64],
    inner: npt.NDArray[np.int32],
) -> int:
    """Write the second numbers of the pairs of a part to places by their first numbers, from `low` to before `high`."""
    for first in range(low, high):
        cursors[first] = firsts[first] - firsts[low]
    mask = (1 << shift) - 1
    room, size = inner.shape[0], cursors.shape[0] - 1
    for at in range(begin, end):
        pair = pairs[at]
        first = low + (pair >> shift)
        if first >= high or cursors[first] >= room or pair & mask >= size:
            raise ValueError("a pair is not of its part")
        inner[cursors[first]] = pair & mask
        cursors[first] += 1
    return 0


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
        touched[different] = second
        different += counters[second] == 0
        counters[second] += 1
    return different
