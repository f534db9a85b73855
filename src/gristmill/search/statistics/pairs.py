"""Bigrams counted by the compiled kernel, all of them and several times as fast as by sorting.

Memory is bounded: pairs of values are counted in rounds, each for those that begin with some of the values, as many as
have about 32 million occurrences. A round takes up to 12 bytes an occurrence, and besides there are 40 bytes for each
value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.engine import Report
from gristmill.search.index.structure import Structure
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.tally import MAX_COUNTERS
from gristmill.search.statistics.values import Keys, Values
from gristmill.search.statistics.wordlist import Totals

_ROUND_OCCURRENCES = 1 << 25
"""Occurrences of first values that are counted in one round."""
_PART_OCCURRENCES = 1 << 14
"""Occurrences of first values whose pairs are spread out together: they should stay in the processor's cache."""

_NO_LIMIT = 1 << 62
_BLOCK_TOKENS = 1 << 22
"""Tokens that are looked at together: the kernel looks at all codes anew for each block."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The most frequent pairs in the order of their keys, and how many there are of all that are frequent enough."""

    keys: npt.NDArray[np.int64]
    """Two columns: the keys of the first and of the second value."""
    counts: Ids
    totals: Totals
    """Of all pairs; what was left out is pairs with punctuation."""


def can_count(values: Values) -> bool:
    """Tell whether there is a compiled kernel, and there are not too many values for it."""
    from gristmill.kernel import COMPILED  # noqa: PLC0415 (to load it takes as long as a small search)

    return COMPILED and values.space <= MAX_COUNTERS


def frequent_pairs(
    values: Values,
    choice: Choice,
    within: Structure,
    *,
    punctuation: bool,
    min_frequency: int,
    limit: int | None,
    report: Report,
) -> Pairs:
    """Count the pairs of values side by side in a structure; at least the `limit` most frequent ones are returned."""
    from gristmill.kernel import count_pairs, gather_pairs  # noqa: PLC0415 (as above)

    table = _Table.of(values, choice, punctuation, min_frequency)
    counters = np.zeros(len(table.keys), np.int32)
    kept: list[tuple[Ids, Ids]] = []
    types = occurrences = left_out = 0
    for low, high in table.rounds():
        codes, begins = table.codes(low, high), table.begins[low:high] - table.begins[low]
        room = int(table.begins[high] - table.begins[low])
        pairs, places = np.empty(room + 1, np.uint32), np.append(begins, room)
        numbers = table.numbers[low : high + 1]
        found = 0
        for keys, starts, stops in blocks_within(values, choice, within):
            found += gather_pairs(keys, starts, stops, codes, numbers, table.shift, places, pairs)
            report(len(keys) if low == 0 else 0)
        ends = places[:-1]
        left_out = left_out or found
        most = int((ends - begins).sum()) // max(min_frequency, 1)
        packed, counts = np.empty(most, np.int64), np.empty(most, np.int64)
        written, more, times = count_pairs(
            pairs,
            begins,
            ends,
            numbers,
            table.shift,
            table.firsts,
            counters,
            max(min_frequency, 1),
            _NO_LIMIT if limit is None else limit,
            packed,
            counts,
        )
        types, occurrences = types + more, occurrences + times
        kept.append(_most_frequent(packed[:written], counts[:written], limit))
    packed, counts = (np.concatenate([np.empty(0, np.int64), *column]) for column in zip(*kept, strict=True))
    columns = table.keys[np.column_stack([packed >> 32, packed & 0xFFFFFFFF])].astype(np.int64)
    return Pairs(columns.reshape(-1, 2), counts, Totals(types, occurrences, left_out))


@dataclass(frozen=True, slots=True)
class _Table:
    """The values that can be in a pair that is frequent enough, numbered from 0 by their keys, and divided into parts.

    A part has some values with about 16,000 occurrences together, or one that has more. With parts of 10 occurrences:

        counts   4 5 40 3 3         firsts  0 4 9 49 52 55     what comes before each value
        parts    0 0  1 2 2         numbers 0 2 3 5            the first value of each part
                                    begins  0 9 49 55          what comes before each part
    """

    values: Values
    keys: Keys
    parts: Ids
    firsts: Ids
    numbers: Ids
    begins: Ids
    left_out: Keys

    @property
    def shift(self) -> int:
        """Bits of a pair, of 32, that are the second value; the others are the place of the first in its part."""
        return max(len(self.keys) - 1, 1).bit_length()

    @classmethod
    def of(cls, values: Values, choice: Choice, punctuation: bool, min_frequency: int) -> _Table:
        """Choose the values, and divide them."""
        found = counted(values, choice)
        words = np.ones(len(found.keys), np.bool_) if punctuation else values.are_words(found.keys)
        chosen = np.flatnonzero(words & (found.counts >= min_frequency))
        counts = found.counts[chosen]
        firsts = np.append(0, np.cumsum(counts))
        alone = counts >= _PART_OCCURRENCES
        most = 1 << (32 - max(len(counts) - 1, 1).bit_length())
        new = np.arange(len(counts)) % most == 0
        new[1:] |= (np.diff(firsts[:-1] // _PART_OCCURRENCES) > 0) | alone[1:] | alone[:-1]
        numbers = np.append(np.flatnonzero(new), len(counts))
        return cls(values, found.keys[chosen], np.cumsum(new) - 1, firsts, numbers, firsts[numbers], found.keys[~words])

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Parts that are counted together, from one to before another."""
        low, parts = 0, len(self.begins) - 1
        while low < max(parts, 1):
            end = int(np.searchsorted(self.begins, self.begins[low] + _ROUND_OCCURRENCES, side="right")) - 1
            high = min(max(end, low + 1), parts)
            yield low, high
            low = max(high, 1)

    def codes(self, low: int, high: int) -> Ids:
        """A code for each key, as the kernel wants it; parts are counted from `low` on, and others come after all."""
        from gristmill.kernel.tallies import LEFT_OUT_BIT, NOT_COUNTED_BIT  # noqa: PLC0415 (as above)

        others = (high - low) << 32
        codes = np.full(self.values.space, 1 << NOT_COUNTED_BIT | others, np.int64)
        codes[self.left_out] |= 1 << LEFT_OUT_BIT
        parts = np.where((self.parts >= low) & (self.parts < high), self.parts - low, high - low)
        codes[self.keys] = parts << 32 | np.arange(len(self.keys))
        return codes


def blocks_within(
    values: Values, choice: Choice, within: Structure
) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Keys of some million tokens at a time, and where among them the chosen structures begin and end."""
    bounds = within.bounds
    first, structures = 0, len(within)
    while first < structures:
        begin = int(bounds[first])
        target = np.array([begin + _BLOCK_TOKENS]).astype(bounds.dtype)
        last = max(int(np.searchsorted(bounds, target, side="right")[0]) - 1, first + 1)
        edges = bounds[first : last + 1].astype(np.int64)
        starts, ends = choice.stretches(edges)
        if len(starts):
            keys = np.ascontiguousarray(values.keys(slice(begin, int(edges[-1]))), np.int32)
            yield keys, starts - begin, ends - begin
        first = last


def _most_frequent(packed: Ids, counts: Ids, limit: int | None) -> tuple[Ids, Ids]:
    """Keep the most frequent pairs, and those as frequent as the last of these; in the order of pairs."""
    if limit is not None and 0 < limit < len(counts):
        least = np.partition(counts, len(counts) - limit)[len(counts) - limit]
        frequent = np.flatnonzero(counts >= least)
        packed, counts = packed[frequent], counts[frequent]
    order = np.argsort(packed)
    return packed[order], counts[order]
