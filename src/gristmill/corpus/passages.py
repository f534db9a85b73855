"""Which parts of a document are in its first copy, where de-duplication was by valid intervals.

The plagiarism detection of Masaryk University shows such parts of two documents (Pomikálek 2011, section 3.2.6). They
are found anew from the texts, as a corpus only stores how much of a document is in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gristmill import dedup
from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.dedup.documents.intervals import Intervals, plagiarised
from gristmill.dedup.tokens import Tokens, tokenise, without_stop_words
from gristmill.errors import UsageError

_PIECE = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a document: the numbers of its first and last block, and the text from the one to the other."""

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document, and the part of another one that has the same chunks."""

    tokens: int
    """How long it is here."""
    here: Place
    there: Place


class _Text(NamedTuple):
    """A document in pieces without spaces, as tokens do not go over these: blocks, places, tokens before each."""

    blocks: Mapping[int, str]
    pieces: list[tuple[int, int, int]]
    """The number of the block, and where in it a piece begins and ends."""
    before: Ints
    tokens: Tokens

    def place(self, first: int, end: int) -> Place:
        """Find a part by the token at which it begins, and the one behind its end."""
        block, begin, _ = self.pieces[int(np.searchsorted(self.before, first, "right")) - 1]
        last, _, stop = self.pieces[int(np.searchsorted(self.before, min(end, int(self.before[-1])), "left")) - 1]
        if block == last:
            return Place(block, last, self.blocks[block][begin:stop])
        between = (text for number, text in self.blocks.items() if block < number < last)
        return Place(block, last, "\n".join([self.blocks[block][begin:], *between, self.blocks[last][:stop]]))


def method_of(spec: str) -> Intervals:
    """Return the method with its parameters; raises if it finds no parts of documents, as valid intervals do."""
    made = dedup.parse(spec)
    if not isinstance(made, Intervals):
        raise UsageError(f"{spec} finds no parts of documents, as intervals does")
    return made


def passages(
    method: Intervals, here: Mapping[int, str], there: Mapping[int, str], langs: tuple[str, str]
) -> list[Passage]:
    """Find the parts that two documents have in common, in the order of the first; given are their blocks by number."""
    one, other = (_read(method, blocks, lang) for blocks, lang in zip((here, there), langs, strict=True))
    if not len(one.tokens.hashes) or not len(other.tokens.hashes):
        return []
    parts = plagiarised(method.sketch(one.tokens), method.sketch(other.tokens), method.n, method.gap)
    starts, ends = ([values.tolist() for values in sides] for sides in (parts.starts, parts.ends))
    found = sorted(zip(starts[0], ends[0], starts[1], ends[1], strict=True))
    return [
        Passage(min(end, len(one.tokens.hashes)) - start, one.place(start, end), other.place(begin, stop))
        for start, end, begin, stop in found
    ]


def _read(method: Intervals, blocks: Mapping[int, str], lang: str) -> _Text:
    """Tokenise a document as the method does, without blocks that are too short for it."""
    pieces, texts = [], []
    for number, text in blocks.items():
        own = [(number, *match.span()) for match in _PIECE.finditer(text)]
        words = [text[start:end] for _, start, end in own]
        if method.min_block and len(tokenise(words, punctuation=method.punctuation).hashes) < method.min_block:
            continue
        pieces += own
        texts += words
    tokens = tokenise(texts, punctuation=method.punctuation)
    if not method.stop_words:
        tokens = without_stop_words(tokens, [lang] * len(texts))
    return _Text(blocks, pieces, starts_of(tokens.counts), Tokens(tokens.hashes, np.array([0, len(tokens.hashes)])))
