"""How long taggers and parsers have worked, on how many tokens."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gristmill.annotation.tokeniser import Tokens

PARSER = "parser"
"""Stands for our own parser among the names of taggers."""


@dataclass(slots=True)
class Spent:
    """Tokens of each tagger and of our parser, and the seconds that they took."""

    tokens: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def by(self, name: str, tokens: Sequence[Tokens]) -> Iterator[None]:
        """Count the tokens of some texts, of which there may be none before the end, and the time until then."""
        begun = time.perf_counter()
        yield
        self.tokens[name] += sum(len(text.words) for text in tokens)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun
