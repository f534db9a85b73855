"""The filter `function-words`: running text has many; lists of names and text in other languages have few."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

from gristmill.document import Document
from gristmill.filter.registry import (
    DocumentFilter,
    Finding,
    below,
    check_positive,
    check_shares,
    counted,
    finding,
    share_below,
)
from gristmill.filter.words import count_words, frequent_words, read_list
from gristmill.registry import part


@part("filter", "function-words")
@dataclass(frozen=True)
class FunctionWords(DocumentFilter):
    """Keeps documents with enough function words: types, tokens, and as a share of all words (ukWaC, 2.2).

    ukWaC had a list of 151 for English. Here they are the most frequent words of the document's language: 151 in
    English, in other languages so many that they are as large a part of running text. A document in a language without
    such a list is not judged. A `file` with a word a line replaces the lists of all languages.
    """

    types: int = 10
    tokens: int = 30
    share: float = 0.25
    list: int = 151
    file: str = ""

    paths: ClassVar[tuple[str, ...]] = ("file",)

    def check(self) -> None:
        """Check that the share is between 0 and 1, and that the file is there."""
        check_shares("function-words", share=self.share)
        check_positive("function-words", list=self.list)
        self._from_file  # noqa: B018 (reading it tells)

    def judge(self, document: Document) -> Finding:
        """Count types and tokens of function words, and compute their share."""
        known = self._from_file or _function_words(document.lang, self.list)
        if not known:
            return Finding(True, f"not judged: there is no list of function words for {document.lang}")
        counts = count_words(document.folded, document.lang)
        total = counts.total()
        found = [counts[word] for word in known & counts.keys()]
        types, tokens = len(found), sum(found)
        share = tokens / max(total, 1)
        return finding(
            f"{counted(types, 'function words')}, {counted(tokens, 'times')}, {share:.1%} of words",
            below(types, self.types, "different function words"),
            below(tokens, self.tokens, "function words"),
            share_below(share, self.share, "of words are function words"),
        )

    @functools.cached_property
    def _from_file(self) -> frozenset[str]:
        return frozenset(word for entry in read_list(self.file) for word in entry) if self.file else frozenset()


@functools.cache
def _function_words(lang: str, count: int) -> frozenset[str]:
    return frozenset(frequent_words(lang, count))
