"""Words of scripts without spaces that are no words of a corpus: their characters in a row are looked for instead.

Where no segmenter was installed, each character of Chinese, Japanese, Thai, Lao, Khmer or Burmese text is a token, and
another segmenter may cut words otherwise. So `[word="健康"]` becomes `("健" "康" within <s/>)`, if no token is 健康.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from functools import cache

from gristmill.condition import Always, AnyOf, Comparison, Condition
from gristmill.search.cql.query import (
    Alternatives,
    Constrained,
    Gaps,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Whole,
    Words,
)
from gristmill.search.cql.simple import simple_query
from gristmill.search.index.index import Index
from gristmill.text.scripts import MARKS, SEGMENTED, has_unspaced_script

_SPELT = frozenset({"word", "lc"})
"""Attributes whose values are words as they are written."""


def spelt_out(query: Query, index: Index) -> Query:
    """Return a query in which words of scripts without spaces that no token is are replaced by their characters.

    Its `spelt` names these words. A query without any is returned as it is.
    """
    if not has_unspaced_script(query.text):
        return query
    speller = _Speller(index)
    node = speller.node(query.node)
    return replace(query, node=node, spelt=tuple(dict.fromkeys(speller.words))) if speller.words else query


def characters_of(word: str) -> list[str]:
    """Divide a word of a script without spaces into characters with their marks; none if it is no such word."""
    if not _word().fullmatch(word):
        return []
    from gristmill.annotation.segmenters import characters  # noqa: PLC0415 (few queries need it)

    return list(characters(word))


@cache  # a large expression, which most queries don't need
def _word() -> re.Pattern[str]:
    return re.compile(f"[{SEGMENTED}{MARKS}]+")


@dataclass
class _Speller:
    """Replaces words in the tree of a query, and notes which."""

    index: Index
    words: list[str] = field(default_factory=list)

    def node(self, node: Node) -> Node:
        """Give a part of a query with its words replaced."""
        match node:
            case Token():
                return self._token(node)
            case Words():
                return self._typed(node)
            case Sequence() | Alternatives():
                return replace(node, parts=tuple(map(self.node, node.parts)))
            case Relation() | Meet():
                return replace(node, part=self.node(node.part), other=self.node(node.other))
            case Repeat() | Gaps() | Length() | Constrained():
                return replace(node, part=self.node(node.part))
            case _:
                return node

    def _token(self, node: Token) -> Node:
        """Replace a token by alternatives: what is left of its condition, and the characters of each word."""
        parts = _alternatives(node.condition)
        spelt = [part for part in parts if self._is_no_word(part, parts)]
        if not spelt:
            return node
        values = dict.fromkeys(part.value for part in spelt if isinstance(part, Comparison))
        self.words += values
        left = tuple(part for part in parts if not (isinstance(part, Comparison) and part.value in values))
        ways = [self._in_a_row(node, part) for part in spelt if isinstance(part, Comparison)]
        if left:
            ways.insert(0, replace(node, condition=left[0] if len(left) == 1 else AnyOf(left)))
        return ways[0] if len(ways) == 1 else Alternatives(tuple(ways))

    def _is_no_word(self, part: Condition, parts: Many[Condition]) -> bool:
        """Whether a part of a condition asks for a word of several characters that no token is, in any attribute."""
        if not (isinstance(part, Comparison) and part.name in _SPELT and part.sign in {"=", "=="}):
            return False
        same = (other for other in parts if isinstance(other, Comparison) and other.value == part.value)
        return len(characters_of(part.value)) > 1 and not any(map(self._occurs, same))

    def _occurs(self, comparison: Comparison) -> bool:
        if comparison.name not in self.index.attributes:
            return False
        flags = comparison.ignore_case, comparison.ignore_diacritics
        found = self.index.attributes[comparison.name].lexicon.matching(comparison.value, *flags, is_literal=True)
        return bool(len(found))

    def _in_a_row(self, node: Token, comparison: Comparison) -> Node:
        """The characters of a word one after the other in a sentence; the first has the labels of the word."""
        conditions = [replace(comparison, sign="==", value=character) for character in characters_of(comparison.value)]
        tokens = [replace(node, condition=conditions[0]), *map(Token, conditions[1:])]
        return _in_a_sentence(Sequence(tuple(tokens)))

    def _typed(self, node: Words) -> Node:
        """Replace words of a query of words, unless all are words of the corpus as one of its languages divides them.

        Languages without a segmenter divide it into characters: that is no reason to take these for words.
        """
        found = simple_query(node.text, self.index)
        divisions = found.parts if isinstance(found, Alternatives) else (found,)
        in_words = sorted(filter(_has_words, divisions), key=lambda part: part.longest)
        changed = {part: (other.node(part), other.words) for part in in_words for other in [_Speller(self.index)]}
        if not all(words for _, words in changed.values()):
            return node
        if changed:
            self.words += changed[in_words[0]][1]
            return Alternatives(tuple(changed[part][0] if part in changed else part for part in divisions))
        chunks = node.text.split()
        self.words += [chunk for chunk in chunks if len(characters_of(chunk)) > 1 and not self._is_word(chunk)]
        return _in_a_sentence(found) if self.words == chunks and len(chunks) == 1 else node

    def _is_word(self, text: str) -> bool:
        return any(self._occurs(Comparison(name, "==", text, ignore_case=True)) for name in ("word", "lemma"))


def _alternatives(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, AnyOf) else (condition,)


def _has_words(node: Node) -> bool:
    """Whether one of the tokens of a query of words is a word of several characters, of a script without spaces."""
    tokens = [part for part in node.parts if isinstance(part, Token)] if isinstance(node, Sequence) else []
    return any(len(characters_of(one.value)) > 1 for token in tokens for one in token.condition.comparisons())


def _in_a_sentence(node: Node) -> Node:
    return Relation(node, "within", Whole("s", Always()), negated=False)
