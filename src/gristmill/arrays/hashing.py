"""Hashes of sequences, and of all runs of them, in arithmetic modulo 2^64.

De-duplication hashes n-grams with it. The hash of the values a, b, c is a + b B + c B^2, with a base B that is odd, so
that it has an inverse. The hash of a run within a longer sequence is a difference of two prefix sums, divided by the
power of its first place:

    values v0, v1, v2, v3, v4
    sums   0, v0, v0 + v1 B, v0 + v1 B + v2 B^2, ...
    hash of v2, v3, v4:  (sums[5] - sums[2]) * inverses[2]  =  v2 + v3 B + v4 B^2

Sequences that differ in few bits have hashes that do, too: `mix` spreads them.
"""

from __future__ import annotations

import functools

import numpy as np

from gristmill.arrays.dtypes import Hashes

BASE = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio, which has no pattern in its bits
INVERSE = pow(BASE, -1, 1 << 64)
_MIN_TABLE_POWERS = 1 << 18


def powers(base: int, count: int) -> Hashes:
    """Give the base to the power of 0, 1, 2..."""
    factors = np.full(count, base, np.uint64)
    factors[:1] = 1
    return np.multiply.accumulate(factors)


def prefix_sums(values: Hashes) -> tuple[Hashes, Hashes]:
    """Give the sums of values times powers of the base before each place, and the powers of its inverse.

    The hash of the values from `start` to before `end` is `(sums[end] - sums[start]) * inverses[start]`, wherever in an
    array they stand.
    """
    count = len(values) + 1
    factors, inverses = _power_tables(max(1 << (count - 1).bit_length(), _MIN_TABLE_POWERS))
    sums = np.zeros(count, np.uint64)
    np.cumsum(values * factors[: count - 1], out=sums[1:])
    return sums, inverses[:count]


def mix(values: Hashes) -> Hashes:
    """Spread numbers evenly over 64 bits, in a way that can be undone, so that different numbers stay different.

    It is the last step of SplitMix64 (Steele, Lea and Flood 2014).
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@functools.lru_cache(4)
def _power_tables(count: int) -> tuple[Hashes, Hashes]:
    """Give the first powers of the base and of its inverse; few lengths are asked for, as they are powers of two."""
    return powers(BASE, count), powers(INVERSE, count)
