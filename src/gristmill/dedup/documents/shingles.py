"""Shingles of documents, as the methods of Broder and others take them."""

from __future__ import annotations

from gristmill.arrays.ragged import padded
from gristmill.dedup.tokens import Shingles, Tokens, shingle


def all_shingles(tokens: Tokens, n: int) -> Shingles:
    """All n-grams of each document, repeated ones too.

    A document of fewer tokens is one shingle, so that its copies can be found.
    """
    return shingle(Tokens(*padded(tokens.hashes, tokens.starts, n, 0)), n)
