"""Which of several texts is most like another: for the blocks of documents that are known to be similar only as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.dedup.tokens import Shingles, shingle, tokenise

_WORDS = 3  # in a row, by which texts are found to be similar
_TEXTS_A_SHINGLE = 8  # what is in more texts than that tells little of any of them


def most_similar(texts: Sequence[str], others: Sequence[str]) -> list[int]:
    """For each text the number of the other one that is most like it, or -1 if none has three words in a row in common with it.

    The one that is the same, else the one of highest resemblance (Broder 1997), the first of several.
    """
    mine, theirs = (_distinct(shingle(tokenise(given), _WORDS)) for given in (texts, others))
    begin = np.searchsorted(theirs[0], mine[0])
    found = np.minimum(np.searchsorted(theirs[0], mine[0], side="right") - begin, _TEXTS_A_SHINGLE)
    places = np.repeat(begin, found) + np.arange(found.sum()) - np.repeat(np.cumsum(found) - found, found)
    pairs, shared = np.unique(np.stack([np.repeat(mine[1], found), theirs[1][places]]), axis=1, return_counts=True)
    sizes, other_sizes = np.bincount(mine[1], minlength=len(texts)), np.bincount(theirs[1], minlength=len(others))
    resemblance = shared / (sizes[pairs[0]] + other_sizes[pairs[1]] - shared)
    order = np.lexsort((-pairs[1], resemblance))
    best = np.full(len(texts), -1, np.int64)
    best[pairs[0, order]] = pairs[1, order]  # the last one stays: of highest resemblance, and the first of these
    same = {text: number for number, text in reversed(list(enumerate(others)))}
    return [same.get(text, int(number)) for text, number in zip(texts, best, strict=True)]


def _distinct(shingles: Shingles) -> tuple[Hashes, Ints]:
    """Shingles and the texts they are in, each once, in the order of their numbers."""
    texts = np.repeat(np.arange(len(shingles.starts) - 1), np.diff(shingles.starts))
    order = np.lexsort((texts, shingles.hashes))
    hashes, texts = shingles.hashes[order], texts[order]
    new = np.ones(len(hashes), np.bool_)
    new[1:] = (hashes[1:] != hashes[:-1]) | (texts[1:] != texts[:-1])
    return hashes[new], texts[new]
