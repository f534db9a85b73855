"""The tokeniser: tokens and sentences of a text, each token with its position. Used by `blocks` and by search.

A text is split at white space into chunks, which costs next to nothing, and the words of each chunk are looked up in a
cache: most chunks of a corpus have been seen before (Zipf's law). Only new ones are split into words by `words`. The
words of a chunk do not depend on the chunks before it, so the cache changes nothing but speed. `sentences` decides on
chunks that end with a mark, by the chunk that follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, chain, compress, count, pairwise
from operator import itemgetter

from gristmill.annotation.languages import language
from gristmill.annotation.segmenters import segmenter_for
from gristmill.annotation.sentences import Closers, Mark, begins_plainly, ends_here, inner_ends, mark_of
from gristmill.annotation.unspaced import unspaced_ends
from gristmill.annotation.words import Words

_Chunk = tuple[tuple[int, ...], int, bool, tuple[str, ...]]
"""An entry of the cache: the lengths of a chunk's words, its marks, whether it begins plainly, and its words.

The last length includes the space behind it. Marks are packed, as described below. The words are empty if the chunk is
one word, so that chunks of one word with the same length and marks share one entry. `end."` has the lengths (3, 1, 2),
the marks QUOTED + 32, False, and the words (`end`, `.`, `"`). A chunk with marks 0 needs no further look.
"""
_InnerEnds = Callable[[Sequence[str]], tuple[int, ...]]
"""A function that returns after how many words of a chunk sentences end inside it."""
_LENGTHS, _MARKS = itemgetter(0), itemgetter(1)
# Marks: the lower four bits are the `Mark`, then a bit for sentences that end inside, and one for several words.
_MARK_BITS, _INSIDE_BIT, _SEVERAL_WORDS_BIT = 15, int(Mark.INSIDE), 32
_LAST_SURE = int(Mark.LAST_SURE)
_MAX_CHUNKS = 1 << 17  # in the cache, and as many older ones: at most about 84 MB a language
_MAX_LANGUAGES = 8  # in memory at a time
_MAX_CACHED_CHARACTERS = 48  # longer chunks are addresses, or sentences without spaces, and don't come again
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
)
_CHUNK = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
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
    return _tokeniser(lang.replace("_", "-").partition("-")[0].lower()).tokenise(text)


def forget() -> None:
    """Clear the caches, for measurements and tests; results never change."""
    _tokeniser.cache_clear()


class _Cache(dict[str, _Chunk]):
    """The cache of chunks; a chunk that is missing is split into words.

    When it is full, its entries become the older ones, and it starts empty. An older entry that is used again comes
    back. So rare chunks are forgotten, and frequent ones are not.
    """

    def __init__(self, words: Words, inner: _InnerEnds) -> None:
        super().__init__()
        self._words = words
        self._inner_ends = inner
        self._older: dict[str, _Chunk] = {}
        self._single: dict[tuple[int, int, bool], _Chunk] = {}

    def __missing__(self, chunk: str) -> _Chunk:
        made = self._older.get(chunk) or self._make(chunk)
        if len(chunk) <= _MAX_CACHED_CHARACTERS:
            if len(self) >= _MAX_CHUNKS:
                self._older = dict(self)
                self.clear()
            self[chunk] = made
        return made

    def _make(self, chunk: str) -> _Chunk:
        """Split a chunk into words, and find its mark."""
        words = (chunk,) if self._words.is_plain(chunk) else tuple(self._words.split(chunk))
        plainly = begins_plainly(chunk)
        if len(words) > 1:
            inside = _INSIDE_BIT if self._inner_ends(words) else 0
            marks = _SEVERAL_WORDS_BIT + mark_of(words, self._words.language) + inside
            return _lengths(words), marks, plainly, words
        marks = 0 if chunk.isalpha() else int(mark_of(words, self._words.language))
        key = (len(chunk), marks, plainly)
        return self._single.get(key) or self._single.setdefault(key, ((len(chunk) + 1,), marks, plainly, ()))


class _Tokeniser:
    """Tokenises texts of one language."""

    def __init__(self, lang: str) -> None:
        how = language(lang)
        self._lang = lang
        self._inner_ends: _InnerEnds = partial(unspaced_ends, lang=lang) if how.unspaced else inner_ends
        self._cache = _Cache(Words(how, partial(segmenter_for, lang)), self._inner_ends)
        # The dot of these marks is part of the word before it, unless a sentence ends there.
        self._joined = (
            frozenset()
            if how.splits_dots
            else frozenset({Mark.INITIAL, Mark.NUMBERED, *([Mark.NUMBER] if how.ordinals else [])})
        )

    def tokenise(self, text: str) -> Tokens:
        """Split a text into tokens and sentences."""
        if not text.isprintable():
            text = _INVISIBLE.sub(" ", text)
        chunks = text.split()
        if not chunks:
            return Tokens([], [], [])
        made = list(map(self._cache.__getitem__, chunks))
        words, ends = self._read(chunks, made)
        starts = list(accumulate(chain.from_iterable(map(_LENGTHS, made)), initial=0))
        if starts.pop() != len(text) + 1:  # somewhere there is more than one space
            starts = _starts(text, made)
        return Tokens(words, starts, [end - start for start, end in pairwise([0, *ends])])

    def _read(self, chunks: list[str], made: list[_Chunk]) -> tuple[list[str], list[int]]:
        """Return all words, and after how many of them sentences end.

        Only chunks with marks or several words are looked at; the others are copied in runs. Where a dot turns out to
        be part of the word before it, the entry in `made` is replaced.
        """
        words: list[str] = []
        ends: list[int] = []
        closers = Closers(chunks)
        taken = 0  # how many chunks have their words in the list
        first = 0  # the first chunk of the sentence
        for at in compress(count(), map(_MARKS, made)):
            _, marks, _, inside = made[at]
            mark = marks & _MARK_BITS
            ended = mark and self._ends(chunks, made, at, closers, first=at == first)
            if mark in self._joined and not ended:
                inside = _with_dot(inside)
                made[at] = (_lengths(inside), marks, True, inside)
            words += chunks[taken:at]
            if marks & _INSIDE_BIT:
                ends += [len(words) + end for end in self._inner_ends(inside)]
            words += inside or chunks[at : at + 1]
            taken = at + 1
            if ended:
                ends.append(len(words) + ended - 1)
                first = at + ended
        words += chunks[taken:]
        if not ends or ends[-1] < len(words):
            ends.append(len(words))
        return words, ends

    def _ends(self, chunks: Sequence[str], made: Sequence[_Chunk], at: int, closers: Closers, *, first: bool) -> int:
        """Return how many chunks, from this one on, end a sentence: 0, 1, or 2 with a quote or bracket after it."""
        if at + 1 == len(chunks):
            return 1
        _, marks, _, inside = made[at]
        mark = marks & _MARK_BITS
        if mark <= _LAST_SURE and made[at + 1][2]:
            return 1
        if not ends_here(Mark(mark), chunks, at, inside or chunks[at : at + 1], self._lang, first=first):
            return 0
        return 1 + closers.closes(at + 1)


@lru_cache(_MAX_LANGUAGES)
def _tokeniser(lang: str) -> _Tokeniser:
    return _Tokeniser(lang)


def _lengths(words: Sequence[str]) -> tuple[int, ...]:
    """Return the lengths of words, the last with the space after it."""
    lengths = [*map(len, words)]
    lengths[-1] += 1
    return tuple(lengths)


def _with_dot(words: Sequence[str]) -> tuple[str, ...]:
    """Return words with the last dot joined to the word before it."""
    dot = max(at for at, word in enumerate(words) if word == ".")
    return (*words[: dot - 1], f"{words[dot - 1]}.", *words[dot + 1 :])


def _starts(text: str, made: Sequence[_Chunk]) -> list[int]:
    """Return where tokens start, if chunks may have more than one space between them."""
    starts: list[int] = []
    for found, chunk in zip(_CHUNK.finditer(text), made, strict=True):
        starts += accumulate(chunk[0][:-1], initial=found.start())
    return starts
