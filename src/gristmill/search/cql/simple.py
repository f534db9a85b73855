"""Simple queries: words as people type them, tokenised like the texts of the corpus.

`*` and `?` are wildcards, as in AntConc: any number of characters, and any one character.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from gristmill.condition import Always, AnyOf, Comparison, literal_regex
from gristmill.errors import UsageError
from gristmill.search.cql.query import Alternatives, Node, Sequence, Token
from gristmill.search.index.index import Index

_ATTRIBUTES = ("word", "lemma")
_ANY_LANGUAGE = "und"
_ESCAPE = "\\"
_WILDCARDS = {"*": ".*", "?": "."}
_PLACEHOLDERS = [chr(code) for code in range(0x250, 0x2AF)]
"""Letters that are in no orthography, to take the place of wildcards."""


def simple_query(text: str, index: Index) -> Node:
    """Turn the words of a text into a sequence of tokens, each as word or lemma, ignoring case.

    They are divided as each language of the index divides them. A word with wildcards stands for words, not for lemmas:
    who looks for `go*` does not want `went`.
    """
    typed = _Typed.read(text)
    divided = dict.fromkeys(tuple(typed.words(language)) for language in _languages(index))
    sequences = [Sequence(tuple(_token(word, typed, index) for word in words)) for words in divided if words]
    if not sequences:
        raise UsageError(f"there is no word in the query {text!r}")
    return sequences[0] if len(sequences) == 1 else Alternatives(tuple(sequences))


@dataclass(frozen=True, slots=True)
class _Typed:
    """A query with letters in place of wildcards, which the tokeniser would take for punctuation."""

    text: str
    patterns: dict[str, str]
    """The regular expression that each of these letters stands for."""

    @classmethod
    def read(cls, text: str) -> _Typed:
        """Replace the wildcards of a text; one after a backslash is the character itself."""
        unused = [letter for letter in _PLACEHOLDERS if letter not in text]
        if len(unused) < len(_WILDCARDS):
            raise UsageError("the query has too many different phonetic letters: write it in CQL, in double quotes")
        letters = dict(zip(_WILDCARDS, unused, strict=False))
        characters: list[str] = []
        following = iter(text)
        for character in following:
            if character == _ESCAPE:
                after = next(following, "")
                characters.append(after if after in {*_WILDCARDS, _ESCAPE} else character + after)
            else:
                characters.append(letters.get(character, character))
        return cls("".join(characters), {letter: _WILDCARDS[wildcard] for wildcard, letter in letters.items()})

    def words(self, language: str) -> Iterator[str]:
        """The words as a language divides them.

        What has wildcards and no punctuation stays whole, also in scripts without spaces.
        """
        from gristmill.annotation.tokeniser import tokenise  # noqa: PLC0415 (queries in CQL need none)

        for whole, group in groupby(self.text.split(), lambda chunk: chunk.isalnum() and self.is_pattern(chunk)):
            chunks = list(group)
            yield from chunks if whole else tokenise(" ".join(chunks), language).words

    def is_pattern(self, word: str) -> bool:
        """Whether a word has wildcards."""
        return not self.patterns.keys().isdisjoint(word)

    def regex(self, word: str) -> str:
        """Regular expression for a word that has wildcards."""
        return "".join(self.patterns.get(character) or literal_regex(character) for character in word)


def _languages(index: Index) -> list[str]:
    found = index.structures["doc"].attributes.get("lang")
    return [_ANY_LANGUAGE] if found is None or not len(found.lexicon) else found.lexicon.array.to_pylist()


def _token(word: str, typed: _Typed, index: Index) -> Token:
    """The token of a word: a regular expression if it has wildcards, otherwise the word or lemma itself."""
    if typed.is_pattern(word):
        regex = typed.regex(word)
        return Token(Always() if regex == _WILDCARDS["*"] else Comparison("word", "=", regex, ignore_case=True))
    attributes = [name for name in _ATTRIBUTES if name in index.attributes]
    return Token(AnyOf(tuple(Comparison(name, "==", word, ignore_case=True) for name in attributes)))
