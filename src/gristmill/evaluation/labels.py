"""Label the blocks of a page by its gold text, to train methods with."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.ragged import starts_of
from gristmill.evaluation.align import lcs
from gristmill.evaluation.words import plain_words

# Words of the page times words of the gold text; an alignment takes an eighth of that in bytes.
_MAX_ALIGNMENT_CELLS = 400_000_000


def block_labels(texts: Sequence[str], gold: str) -> npt.NDArray[np.float64]:
    """The share of the words of each block that stand in the gold text.

    The words of all blocks, in the order of the page, are aligned with those of the gold text by their longest common
    subsequence. On a page that is too long for that, a word counts as found if it stands in a trigram of the gold text.
    """
    page = [plain_words(text) for text in texts]
    target = plain_words(gold)
    lengths = np.array(list(map(len, page)), np.intp)
    flat = list(itertools.chain.from_iterable(page))
    found = _aligned(flat, target) if len(flat) * len(target) <= _MAX_ALIGNMENT_CELLS else _in_context(flat, target)
    # Prefix sums: for found = [1, 0, 1 | 1, 1] in blocks of 3 and 2 words, totals is [0, 1, 1, 2, 3, 4] and ends is
    # [3, 5], so that the blocks have 2 - 0 and 4 - 2 found words.
    totals = starts_of(found)
    ends = np.cumsum(lengths)
    shares: npt.NDArray[np.float64] = (totals[ends] - totals[ends - lengths]) / np.maximum(1, lengths)
    return shares


def _aligned(flat: list[str], target: list[str]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(flat), np.bool_)
    for match in lcs().opcodes(flat, target).as_matching_blocks() if flat and target else ():
        found[match.a : match.a + match.size] = True
    return found


def _in_context(flat: list[str], target: list[str]) -> npt.NDArray[np.bool_]:
    trigrams = set(zip(target, target[1:], target[2:], strict=False))
    found = np.zeros(len(flat), np.bool_)
    for at, trigram in enumerate(zip(flat, flat[1:], flat[2:], strict=False)):
        if trigram in trigrams:
            found[at : at + 3] = True
    return found
