"""Where words are looked for: texts in a language, or only the sentences in which some tokens stand.

Patterns of a grammar stay within a sentence. So what stands with a rare word is found by looking at the sentences that
have it, and at no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.hits import distinct
from gristmill.search.index.index import Index
from gristmill.search.sketches.extract import Extract, extracts
from gristmill.search.text_languages import TextLanguages, no_tags

_RARE_SHARE = 0.02
"""Tokens rarer than this are found faster by their sentences, which have some 25 tokens, than by going through all."""


@dataclass
class Places:
    """Extracts of an index, language by language."""

    index: Index
    step: Callable[[], None] = lambda: None
    """Called for each extract; it raises if nobody waits for the answer any more."""

    @cached_property
    def texts(self) -> TextLanguages:
        """Which texts are in which language."""
        return TextLanguages(self.index)

    def languages(self) -> list[str]:
        """The languages whose texts have tags; raises if there is none."""
        found = list(self.texts.tagged())
        if not found:
            raise no_tags(self.index)
        return found

    def are_few(self, tokens: int) -> bool:
        """Whether so many tokens are better found by their sentences."""
        return tokens < _RARE_SHARE * self.index.size

    def sentences(self, positions: Sequence[Ids]) -> Ids | None:
        """Numbers of the sentences that have a token of each of these lists; None for all, if there is no list."""
        found: Ids | None = None
        for tokens in positions:
            numbers = distinct(self.index.structure("s").number_at(tokens))
            found = numbers if found is None else np.intersect1d(found, numbers, assume_unique=True)
        return found

    def extracts(self, lang: str, sentences: Ids | None) -> Iterator[Extract]:
        """Go through the texts in a language, or some sentences of them."""
        part = self.texts.part(lang)
        if sentences is None:
            found = extracts(self.index, part.numbers, part.kind)
        else:
            starts = self.index.structure("s").bounds[sentences]
            found = extracts(self.index, sentences[part.holds(starts)], "s")
        for extract in found:
            self.step()
            yield extract

    def in_language(self, positions: Ids, lang: str) -> Ids:
        """Those of some tokens that are in texts in a language."""
        return positions[self.texts.part(lang).holds(positions)]


def joined(found: Sequence[Mapping[str, Ids]]) -> tuple[Ids, Ids]:
    """Put pairs of tokens together, each once, in the order of the first and then the second."""
    first, second = (
        np.concatenate([np.empty(0, np.int64), *(part[name] for part in found)]) for name in ("at", "other")
    )
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = np.ones(len(first), np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return first[new], second[new]
