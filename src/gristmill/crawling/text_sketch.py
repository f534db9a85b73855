"""Sketches of texts: a few hashes of which near-duplicates share at least one, and other texts none.

The first is that of the whole text in its folded form. The others are Broder's super-shingles (Broder 1997), made of
the least hashes of 5-grams of words under random permutations. Two texts have the same least hash with the probability
of their resemblance r, and so the same super-shingle of 8 of them with that of r^8. The probability that at least one
of 6 is the same is 1 - (1 - r^8)^6: for r = 0.95 that is 0.998, for 0.9 it is 0.97, for 0.8 it is 0.67, for 0.5 it is
0.02. Words without letters don't count in these: so pages that differ in dates, counters and prices alone are copies.
"""

from __future__ import annotations

import functools

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Hashes
from gristmill.arrays.hashing import mix
from gristmill.dedup.tokens import Tokens, hash_texts, shingle, tokenise

_SHINGLE_TOKENS = 5
_SUPER_SHINGLES = 6
_MINIMA = 8  # in a super-shingle
_MIN_WORDS = 10  # of a text that is compared at all
_MIN_BYTES = 200  # of a text that is not divided into words
_MIN_SHINGLED_WORDS = 50  # below, a changed word would be too large a part of the text
_MAX_SHINGLES = 1 << 15  # of a text; more of them tell nothing new, and would take much memory at once


def sketch(text: str) -> tuple[int, ...]:
    """Return hashes of a text, as signed numbers: copies share the first one, near-duplicates one of the others.

    Of a short text there is only the first, and none of one that is shorter than a sentence.
    """
    tokens = tokenise([text])
    worded = tokens.only(tokens.lettered)
    if len(worded.hashes) < _MIN_WORDS:
        return ()
    whole = hash_texts(tokens)
    if len(worded.hashes) < _MIN_SHINGLED_WORDS:
        return _signed(whole)
    return _signed(np.concatenate((whole, _super_shingles(worded))))


def sketch_of_bytes(text: bytes) -> tuple[int, ...]:
    """Return one hash of a text that is not decoded, which only copies share; none of a short text."""
    return (signed(xxhash.xxh3_64_intdigest(text)),) if len(text) >= _MIN_BYTES else ()


def _super_shingles(tokens: Tokens) -> Hashes:
    shingles = shingle(tokens, _SHINGLE_TOKENS).hashes[:_MAX_SHINGLES]
    minima = (shingles * _factors()).min(axis=1).reshape(_SUPER_SHINGLES, _MINIMA)
    # A sum of numbers that were mixed with their places tells rows apart, whatever their order.
    return mix(mix(minima + _salts()).sum(axis=1))


@functools.cache
def _factors() -> Hashes:
    """Make odd numbers, one for each permutation: hashes are permuted by a product modulo 2^64."""
    factors: Hashes = mix(np.arange(1, _SUPER_SHINGLES * _MINIMA + 1, dtype=np.uint64) << np.uint64(32)) | np.uint64(1)
    return factors[:, None]


@functools.cache
def _salts() -> Hashes:
    """Make a number for each place in each super-shingle, so that those of different places are never the same."""
    return mix(np.arange(_SUPER_SHINGLES * _MINIMA, dtype=np.uint64)).reshape(_SUPER_SHINGLES, _MINIMA)


def signed(number: int) -> int:
    """Return the signed number that has the same 64 bits."""
    return number - (1 << 64) if number >> 63 else number


def _signed(hashes: Hashes) -> tuple[int, ...]:
    return tuple(hashes.view(np.int64).tolist())
