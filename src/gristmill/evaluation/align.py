"""Align two sequences of words by their longest common subsequence.

The subsequence is what is left of both texts by the smallest number of deletions and insertions, the edit distance of
CleanEval. It is found by rapidfuzz, 64 words at a time: time grows with the product of the lengths, which is why there
are limits.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Hashable, Sequence
from typing import Any

from gristmill.errors import UsageError

MAX_WORDS = 200_000
"""Longer texts are truncated before common words are counted: at this length a page takes some seconds."""

MAX_ALIGNED_WORDS = 40_000
"""Longer texts are truncated before they are aligned word by word: the table then takes 200 MB."""


@functools.cache
def lcs() -> Any:
    """Import the algorithm of rapidfuzz, which nothing but evaluation needs."""
    try:
        return importlib.import_module("rapidfuzz.distance").LCSseq
    except ImportError as error:
        raise UsageError("evaluation needs rapidfuzz: pip install 'gristmill[evaluate]'") from error


def common(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> int:
    """Count the words that both texts have in the same order."""
    left, right = _numbers(found[:MAX_WORDS], wanted[:MAX_WORDS])
    return int(lcs().similarity(left, right))


def pairs(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The positions of the common words in both texts, in order."""
    left, right = _numbers(found[:MAX_ALIGNED_WORDS], wanted[:MAX_ALIGNED_WORDS])
    codes = lcs().opcodes(left, right)
    return [
        (code.src_start + at, code.dest_start + at)
        for code in codes
        if code.tag == "equal"
        for at in range(code.src_end - code.src_start)
    ]


def _numbers(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """Number the words: rapidfuzz compares hashes, and only those of small numbers never collide."""
    ids: dict[Hashable, int] = {}
    return [ids.setdefault(word, len(ids)) for word in left], [ids.setdefault(word, len(ids)) for word in right]
