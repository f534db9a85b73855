"""Patterns over the tagged words of a question, which keep some of the words by name.

who|whom    a word, in whatever case
=do|be      a word with one of these lemmas; `D=do` keeps it as D
V:VERB|AUX  a word with one of these tags, kept as V; `V:` is any word
S+          one or more words, as few as can be, kept as S
R*          any number of words, kept as R; `*` alone keeps nothing

pattern     when =do S+ V:VERB R*
question    When did the old mill close its doors
kept        S = the old mill, V = close, R = its doors
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gristmill.errors import UsageError

Span = tuple[int, int]
"""Some words of a question: the first one, and the one after the last."""
MAX_WORDS = 60
"""Longer questions fit no pattern: what is asked for stands at the beginning of short ones."""
_KEPT = re.compile(r"([A-Z]):([A-Z|]*)")
_LEMMA = re.compile(r"([A-Z])?=(.+)")
_SOME = re.compile(r"([A-Z])?([+*])")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question."""

    word: str
    lemma: str
    tag: str
    feats: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    """One part of a pattern."""

    name: str = ""
    words: frozenset[str] = frozenset()
    lemmas: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    least: int = 1
    most: int = 1

    def fits(self, word: Word) -> bool:
        """Tell whether a word can stand there."""
        if self.words:
            return word.word.lower() in self.words
        if self.lemmas:
            return word.lemma.lower() in self.lemmas
        return not self.tags or word.tag in self.tags


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern for whole questions, without the question mark."""

    text: str
    items: tuple[_Item, ...]

    @classmethod
    def parse(cls, text: str, where: str) -> Pattern:
        """Read a pattern; raises if there is nothing in it."""
        items = tuple(map(_item, text.split()))
        if not items:
            raise UsageError(f"{where}: a pattern is empty")
        if sum(item.most > 1 for item in items) > 3:
            raise UsageError(f"{where}: a pattern may have three parts of any length: {text}")
        return cls(text, items)

    def match(self, words: Sequence[Word]) -> Mapping[str, Span] | None:
        """Find which words are kept under which name; None if the pattern does not fit."""
        return _match(self.items, words, 0) if len(words) <= MAX_WORDS else None


def _item(text: str) -> _Item:
    some = _SOME.fullmatch(text)
    if some:
        return _Item(some[1] or "", least=int(some[2] == "+"), most=MAX_WORDS)
    kept = _KEPT.fullmatch(text)
    if kept:
        return _Item(kept[1], tags=frozenset(filter(None, kept[2].split("|"))))
    lemma = _LEMMA.fullmatch(text)
    if lemma:
        return _Item(lemma[1] or "", lemmas=frozenset(lemma[2].lower().split("|")))
    return _Item(words=frozenset(text.lower().split("|")))


def _match(items: Sequence[_Item], words: Sequence[Word], at: int) -> dict[str, Span] | None:
    """Match the rest of a pattern with the words from a place on, trying few words before many."""
    if not items:
        return {} if at == len(words) else None
    item = items[0]
    for count in range(item.least, min(item.most, len(words) - at) + 1):
        if count and not item.fits(words[at + count - 1]):
            return None
        rest = _match(items[1:], words, at + count)
        if rest is not None:
            return {item.name: (at, at + count), **rest} if item.name else rest
    return None
