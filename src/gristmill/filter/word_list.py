"""The filter `word-list`: words that a corpus should not have."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from gristmill.document import Document
from gristmill.errors import UsageError
from gristmill.filter.registry import DocumentFilter, Finding, check_positive, counted, finding
from gristmill.filter.words import read_list, words_of
from gristmill.registry import part

_Entry = tuple[str, ...]


@part("filter", "word-list")
@dataclass(frozen=True)
class WordList(DocumentFilter):
    """Documents with several words of a list, or with a few of them often, are dropped (ukWaC, 2.2: pornography).

    The limits are `types` different words, and `tokens` in all. The list is a file with an entry a line, which may have
    several words. Case and punctuation do not matter.
    """

    file: str = ""
    types: int = 3
    tokens: int = 10

    paths: ClassVar[tuple[str, ...]] = ("file",)
    needed: ClassVar[tuple[str, ...]] = ("file",)

    def check(self) -> None:
        """Check that the list is there and has words in it."""
        if not self.file:
            raise UsageError("the filter 'word-list' needs a list: word-list:file=FILE, with a word a line")
        check_positive("word-list", types=self.types, tokens=self.tokens)
        self.entries  # noqa: B018 (reading it tells)

    def judge(self, document: Document) -> Finding:
        """Find words of the list."""
        words = words_of(document.folded)
        found: Counter[_Entry] = Counter()
        for length, entries in self.entries.items():
            counts = Counter(zip(*(words[start:] for start in range(length)), strict=False))
            found.update({entry: counts[entry] for entry in entries & counts.keys()})
        types, tokens = len(found), found.total()
        first = ", ".join(" ".join(entry) for entry in sorted(found)[:3])
        what = f"{counted(types, 'words of the list')}, {counted(tokens, 'times')}{': ' * bool(first)}{first}"
        return finding(what, what if types >= self.types or tokens >= self.tokens else "")

    @functools.cached_property
    def entries(self) -> dict[int, frozenset[_Entry]]:
        """The entries of the list, by how many words they have."""
        entries = read_list(self.file)
        return {
            length: frozenset(entry for entry in entries if len(entry) == length)
            for length in sorted(set(map(len, entries)))
        }
