"""The tokeniser: tokens and sentences of a text, each token with its position. Used by `blocks` and by search.

The loop over a text is in `kernel.chunks`, or in `uncompiled` where the kernel is not compiled; `chunk_rules` has the
rules of a language that both ask. Both keep the words that they have seen, since most words of a corpus have been seen
before (Zipf's law). What is kept changes nothing but speed, and is bounded: see `limit_memory`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gristmill.annotation import uncompiled
from gristmill.annotation.chunk_rules import ChunkRules
from gristmill.kernel import COMPILED, TextReader

MAX_LANGUAGES = 8
"""Languages whose words are kept at a time."""
DEFAULT_BYTES = MAX_LANGUAGES << 24
"""What words of all languages may take together: 16 MiB each. Four times as many make it 7% faster."""
LEAST_BYTES = MAX_LANGUAGES << 18
"""The least that they may be limited to."""


@dataclass(slots=True)  # not frozen, which takes twice as long to make, and there is one for each block
class Tokens:
    """The tokens of a text, in order."""

    words: list[str]
    starts: list[int]
    """Where each token starts in the text, in characters."""
    sentences: list[int]
    """How many tokens each sentence has."""


def tokenise(text: str, lang: str = "und") -> Tokens:
    """Split a text, which is one block, into tokens and sentences.

    White space and invisible characters (controls, zero-width spaces, marks of direction, lone surrogates) are not
    tokens. For a language that is not known, `und`, the rules that all languages share decide.
    """
    words, starts, sentences = _readers.of(_primary(lang)).read(text)
    return Tokens(words, starts, sentences)


def forget() -> None:
    """Clear the caches, for measurements and tests; results never change."""
    _readers.clear()


def kept_bytes() -> int:
    """Tell how many bytes are taken by the words that are kept, of all languages together."""
    return _readers.kept_bytes()


def limit_memory(most_bytes: int) -> None:
    """Bound the bytes that are taken by the words that are kept, of all languages together.

    Each of at most `MAX_LANGUAGES` gets an equal share. What is kept now is forgotten; results never change. Raises
    `ValueError` for less than `LEAST_BYTES`.
    """
    if most_bytes < LEAST_BYTES:
        raise ValueError(f"words of all languages need {LEAST_BYTES:,} bytes or more, not {most_bytes:,}")
    _readers.most_bytes = most_bytes
    _readers.clear()


def most_bytes() -> int:
    """Tell the bound that `limit_memory` set."""
    return _readers.most_bytes


@lru_cache(1024)
def _primary(lang: str) -> str:
    """Return the language of a code: `en` of `en-GB`."""
    return lang.replace("_", "-").partition("-")[0].lower()


class _Readers:
    """The readers of the languages that were read last."""

    def __init__(self) -> None:
        self.most_bytes = DEFAULT_BYTES
        self._readers: dict[str, TextReader | uncompiled.TextReader] = {}
        self._last: tuple[str, TextReader | uncompiled.TextReader] | None = None

    def of(self, lang: str) -> TextReader | uncompiled.TextReader:
        """Return the reader of a language; in place of the one that was not used for the longest time if it is new."""
        last = self._last
        if last is not None and last[0] == lang:
            return last[1]
        reader = self._readers.pop(lang, None)
        if reader is None:
            while len(self._readers) >= MAX_LANGUAGES:
                del self._readers[next(iter(self._readers))]
            reader = _READER(ChunkRules(lang), self.most_bytes // MAX_LANGUAGES)
        self._readers[lang] = reader
        self._last = lang, reader
        return reader

    def clear(self) -> None:
        """Forget all readers."""
        self._readers = {}
        self._last = None

    def kept_bytes(self) -> int:
        """Tell how many bytes are taken by what all readers keep."""
        return sum(reader.kept_bytes() for reader in list(self._readers.values()))


_READER = TextReader if COMPILED else uncompiled.TextReader
_readers = _Readers()
