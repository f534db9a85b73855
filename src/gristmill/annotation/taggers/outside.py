"""What the taggers that users bring have in common: errors that say how to get them, and words and sentences that they can take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.errors import UsageError

_MOST_WORDS = 1000  # in a sentence; longer ones are lists that nobody ended, and take neural taggers much memory


def missing(name: str, install: str, then: str) -> UsageError:
    """The error that a tagger is not installed."""
    return UsageError(f"the tagger {name} is not installed; run `{install}`, and get {then}")


class Cut:
    """Sentences without empty ones, long ones cut."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        self._sentences = sentences

    def __iter__(self) -> Iterator[Sequence[str]]:
        for words in self._sentences:
            for start in range(0, len(words), _MOST_WORDS):
                yield words[start : start + _MOST_WORDS]


def encodable(word: str) -> str:
    """A word without halves of characters, which no C library takes."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")
