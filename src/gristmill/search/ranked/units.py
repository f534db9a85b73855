"""Units of retrieval: documents, paragraphs, sentences, or windows of some tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.index import Index

STRUCTURES = {"document": "doc", "paragraph": "p", "sentence": "s"}
"""Units that are structures of the index."""
WINDOW = "window"
UNITS = (*STRUCTURES, WINDOW)
_WINDOW_TOKENS = 100
_MAX_WINDOW_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Unit:
    """A kind of unit, by its name: `sentence`, or `window:50`."""

    kind: str
    tokens: int = 0
    """Tokens of a window."""

    @classmethod
    def parse(cls, text: str) -> Unit:
        """Read the name of a unit; names of structures, such as `doc` and `p`, are understood, too."""
        found = re.fullmatch(r"window(?::([0-9]{1,9}))?", text)
        if found:
            tokens = int(found[1] or _WINDOW_TOKENS)
            if not 1 <= tokens <= _MAX_WINDOW_TOKENS:
                raise UsageError(f"a window has from 1 to {_MAX_WINDOW_TOKENS:,} tokens, not {tokens:,}")
            return cls(WINDOW, tokens)
        for name, structure in STRUCTURES.items():
            if text in {name, structure}:
                return cls(name)
        known = (*STRUCTURES, f"{WINDOW}:{_WINDOW_TOKENS}")
        raise UsageError(f"there is no unit {text!r}{did_you_mean(text, known)} (there are: {', '.join(known)})")

    def __str__(self) -> str:
        return f"{self.kind}:{self.tokens}" if self.tokens else self.kind

    def bounds(self, index: Index) -> Ids:
        """Find where each unit begins, and at the end the number of tokens.

        Windows follow each other from the beginning of each document, and the last of a document may be shorter:
        documents of 5 and 3 tokens have windows of 2 tokens at 0, 2, 4, 5 and 7.
        """
        if not self.tokens:
            return index.structure(STRUCTURES[self.kind]).bounds.astype(np.int64)
        bounds = index.structure("doc").bounds.astype(np.int64)
        counts = -(-np.diff(bounds) // self.tokens)
        before = np.cumsum(counts) - counts
        starts = np.repeat(bounds[:-1] - before * self.tokens, counts) + np.arange(int(counts.sum())) * self.tokens
        return np.append(starts, index.size)
