"""Which of several texts is most like another.

It finds the copied blocks of documents that are known to be similar only as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.dedup.tokens import Shingles, shingle, tokenise

_SHINGLE_WORDS = 3
"""Words of a shingle, by which texts are found to be similar."""
_MAX_TEXTS_PER_SHINGLE = 8
"""Texts that are looked at for a shingle: one that is in more of them says little of any."""


def most_similar(texts: Sequence[str], others: Sequence[str]) -> list[int]:
    """For each text the number of the other one that is most like it; -1 if they share no three words in a row.

    It is the one that is equal, else the one of highest resemblance (Broder 1997), the first of several.

        shingles of text 0: x y; of the others: 0 has x, 1 has x y z
        pairs of a text and another: (0, 0) with 1 shingle in common, (0, 1) with 2
        resemblances 1 / (2 + 1 - 1) = 0.5 and 2 / (2 + 3 - 2) = 0.67: text 0 is most like text 1.
    """
    mine, theirs = (_distinct(shingle(tokenise(given), _SHINGLE_WORDS)) for given in (texts, others))
    begin = np.searchsorted(theirs[0], mine[0])
    found = np.minimum(np.searchsorted(theirs[0], mine[0], side="right") - begin, _MAX_TEXTS_PER_SHINGLE)
    places = concatenated_ranges(begin, found)
    pairs, shared = np.unique(np.stack([np.repeat(mine[1], found), theirs[1][places]]), axis=1, return_counts=True)
    sizes, other_sizes = np.bincount(mine[1], minlength=len(texts)), np.bincount(theirs[1], minlength=len(others))
    resemblance = shared / (sizes[pairs[0]] + other_sizes[pairs[1]] - shared)
    order = np.lexsort((-pairs[1], resemblance))
    best = np.full(len(texts), -1, np.int64)
    best[pairs[0, order]] = pairs[1, order]  # the last one stays: of highest resemblance, and the first of these
    same = {text: number for number, text in reversed(list(enumerate(others)))}
    return [same.get(text, int(number)) for text, number in zip(texts, best, strict=True)]


def alike(texts: Sequence[str], others: Sequence[str]) -> Flags:
    """Tell of each text whether it shares three words in a row with the other one at its place, or is equal to it."""
    mine, theirs = (_distinct(shingle(tokenise(given), _SHINGLE_WORDS)) for given in (texts, others))
    hashes, places = np.concatenate((mine[0], theirs[0])), np.concatenate((mine[1], theirs[1]))
    order = np.lexsort((places, hashes))
    hashes, places = hashes[order], places[order]
    both = (hashes[1:] == hashes[:-1]) & (places[1:] == places[:-1])  # in each of the two every pair stands once
    flags = np.array([text == other for text, other in zip(texts, others, strict=True)], np.bool_)
    flags[places[1:][both]] = True
    return flags


def _distinct(shingles: Shingles) -> tuple[Hashes, Ints]:
    """Shingles and the texts they are in, each pair once, in the order of the shingles."""
    texts = np.repeat(np.arange(len(shingles.starts) - 1), np.diff(shingles.starts))
    order = np.lexsort((texts, shingles.hashes))
    hashes, texts = shingles.hashes[order], texts[order]
    new = np.ones(len(hashes), np.bool_)
    new[1:] = (hashes[1:] != hashes[:-1]) | (texts[1:] != texts[:-1])
    return hashes[new], texts[new]
