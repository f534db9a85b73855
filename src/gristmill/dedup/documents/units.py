"""What documents are sequences of, for a method: words, or characters, bytes or lines of their clean text.

Methods that hash substrings or lines take the text as it is stored, a block on a line and a line end behind each; those
that hash words take it in the folded form in which all texts are compared.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.reading import KeptText
from gristmill.dedup.tokens import Tokens, hash_texts, tokenise_joined, without_stop_words

WORDS, CHARACTERS, BYTES, LINES = "words", "characters", "bytes", "lines"

_LINE_END = 10


class Choosing(Protocol):
    """What is to be known of a method to give it the tokens it wants."""

    @property
    def unit(self) -> str:
        """What a token is: `words`, `characters`, `bytes` or `lines`."""

    @property
    def min_block(self) -> int:
        """Blocks with fewer words are left out."""

    @property
    def punctuation(self) -> bool:
        """Whether punctuation marks are tokens."""

    @property
    def stop_words(self) -> bool:
        """Whether stop words are."""


def units_of(method: Choosing, text: KeptText) -> Tokens:
    """The tokens of each document, of the kind that a method wants, without those of blocks that are too short."""
    if method.unit != WORDS:
        return as_units(method.unit, text.text, text.sizes if method.unit != CHARACTERS else text.lengths, text.starts)
    blocks = tokenise_joined(text.text, text.lengths, punctuation=method.punctuation)
    if method.min_block:
        blocks = blocks.only(np.repeat(blocks.counts >= method.min_block, blocks.counts))
    documents = Tokens(blocks.hashes, blocks.starts[text.starts])
    return documents if method.stop_words else without_stop_words(documents, text.langs)


def as_units(unit: str, text: str, lengths: Ints, starts: Ints) -> Tokens:
    """The characters, bytes or lines of documents, given the lengths of their blocks and where documents begin.

    `lengths` are in bytes, or in characters if these are wanted. The blocks `ab`, `c`, and the document of both:

        bytes  a b 10 c 10        lines  the hash of `ab`, the hash of `c`
    """
    encoding, kind = ("utf-32-le", "<u4") if unit == CHARACTERS else ("utf-8", "u1")
    codes = np.frombuffer(text.encode(encoding), kind)
    ends = starts_of(lengths)
    values = np.insert(codes.astype(np.uint64), ends[1:], _LINE_END)
    block_starts = ends + np.arange(len(ends))
    if unit == LINES:
        return _lines(values, block_starts[starts])
    return Tokens(values, block_starts[starts])


def _lines(values: Hashes, starts: Ints) -> Tokens:
    """A number for each line that is not empty; each ends with a line end, and so does each document."""
    ends = np.flatnonzero(values == _LINE_END)
    begins = np.append(0, ends + 1)[: len(ends)]
    filled = ends > begins
    bounds = np.append(begins, len(values))
    hashes = hash_texts(Tokens(values, bounds))[filled] if len(ends) else np.empty(0, np.uint64)
    return Tokens(hashes, starts_of(filled)[np.searchsorted(begins, starts)])
