"""Helpers for taggers that users install: an error that says how to get them, and input that they can process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.errors import UsageError

_MAX_SENTENCE_WORDS = 1000  # longer ones are lists without full stops, for which neural taggers need much memory


def missing(name: str, install: str, then: str) -> UsageError:
    """Make the error that a tagger is not installed."""
    return UsageError(f"the tagger {name} is not installed; run `{install}`, and get {then}")


def split_long(sentences: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Yield sentences of at most `_MAX_SENTENCE_WORDS` words: long ones are split, empty ones are left out."""
    for words in sentences:
        for start in range(0, len(words), _MAX_SENTENCE_WORDS):
            yield words[start : start + _MAX_SENTENCE_WORDS]


def encodable(word: str) -> str:
    """Replace lone surrogates in a word, which C libraries do not accept."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")
