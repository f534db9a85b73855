"""Tokens and sentences of a text, each token with its place.

A text is divided at white space, which costs next to nothing, and what each chunk is made of is looked up: most chunks
of a corpus have been seen before (Zipf's law), and those that have not are cut by the pattern. What a chunk is made of
does not depend on the chunks seen before it, so the bounded memory of chunks changes speed alone. Only after chunks
that end with a mark is the next one looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, chain, compress, count, pairwise
from operator import itemgetter

from gristmill.annotation.languages import language
from gristmill.annotation.segmenters import segmenter_for
from gristmill.annotation.sentences import Closers, Mark, begins_plainly, ends_here, inner_ends, mark_of
from gristmill.annotation.words import Words

_Chunk = tuple[tuple[int, ...], int, bool, tuple[str, ...]]
"""What a chunk is made of: the lengths of its words (with the space after the last), its marks, whether it begins
plainly, and its words if there are more than one. Most chunks are one word without marks; those of the same length
share one, so that little memory is touched."""
_LENGTHS, _MARKS = itemgetter(0), itemgetter(1)
_MANY = 32  # among the marks, of chunks that have words
_MOST_CHUNKS = 1 << 17  # and as many older ones: at most about 84 MB a language
_MOST_LANGUAGES = 8
# Characters; longer chunks are addresses and whole sentences of scripts without spaces, which are not seen again
_LONGEST = 48
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_CHUNK = re.compile(r"\S+")
_MARK, _LAST_SURE, _INSIDE = 15, int(Mark.LAST_SURE), int(Mark.INSIDE)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, where each starts in it, and how many each sentence has, in order."""

    words: list[str]
    starts: list[int]
    sentences: list[int]


def tokenise(text: str, lang: str = "und") -> Tokens:
    """The tokens and sentences of a text, which is one block: no sentence goes beyond it.

    White space and invisible characters (controls, zero-width spaces, marks of direction, lone surrogates) are no
    tokens. Of a language that is not known, `und`, words are told by their characters alone.
    """
    return _tokeniser(lang.replace("_", "-").partition("-")[0].lower()).tokenise(text)


def forget() -> None:
    """Forget all chunks that were seen: what comes after takes as long as at first.

    For measuring and tests; results never change.
    """
    _tokeniser.cache_clear()


class _Seen(dict[str, _Chunk]):
    """What chunks are made of; those that are not there yet are cut.

    When there are too many they become the older ones, of which those that are seen again come back: so rare chunks are
    forgotten and frequent ones are not.
    """

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._older: dict[str, _Chunk] = {}
        self._single: dict[tuple[int, int, bool], _Chunk] = {}

    def __missing__(self, chunk: str) -> _Chunk:
        made = self._older.get(chunk) or self._cut(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= _MOST_CHUNKS:
                self._older = dict(self)
                self.clear()
            self[chunk] = made
        return made

    def _cut(self, chunk: str) -> _Chunk:
        words = (chunk,) if self._words.is_plain(chunk) else tuple(self._words.cut(chunk))
        plainly = begins_plainly(chunk)
        if len(words) > 1:
            marks = _MANY + mark_of(words, self._words.language) + (_INSIDE if inner_ends(words) else 0)
            return _lengths(words), marks, plainly, words
        marks = 0 if chunk.isalpha() else int(mark_of(words, self._words.language))
        key = (len(chunk), marks, plainly)
        return self._single.get(key) or self._single.setdefault(key, ((len(chunk) + 1,), marks, plainly, ()))


class _Tokeniser:
    """Tokenises texts of one language."""

    def __init__(self, lang: str) -> None:
        how = language(lang)
        self._lang = lang
        self._seen = _Seen(Words(how, partial(segmenter_for, lang)))
        self._joined = (
            frozenset()
            if how.splits_dots
            else frozenset({Mark.INITIAL, Mark.NUMBERED, *([Mark.NUMBER] if how.ordinals else [])})
        )

    def tokenise(self, text: str) -> Tokens:
        if not text.isprintable():
            text = _INVISIBLE.sub(" ", text)
        chunks = text.split()
        if not chunks:
            return Tokens([], [], [])
        made = list(map(self._seen.__getitem__, chunks))
        words, ends = self._read(chunks, made)
        starts = list(accumulate(chain.from_iterable(map(_LENGTHS, made)), initial=0))
        if starts.pop() != len(text) + 1:  # there is more than one space somewhere
            starts = _starts(text, made)
        return Tokens(words, starts, [end - start for start, end in pairwise([0, *ends])])

    def _read(self, chunks: list[str], made: list[_Chunk]) -> tuple[list[str], list[int]]:
        """All words, and after how many of them sentences end; only chunks of several words or with marks are looked at.

        Where a dot turns out to belong to the word before it, `made` is changed.
        """
        words: list[str] = []
        ends: list[int] = []
        closers = Closers(chunks)
        taken = 0  # chunks whose words are taken
        first = 0  # chunk of the sentence
        for at in compress(count(), map(_MARKS, made)):
            _, marks, _, inside = made[at]
            mark = marks & _MARK
            ended = mark and self._ends(chunks, made, at, closers, first=at == first)
            if mark in self._joined and not ended:
                inside = _with_dot(inside)
                made[at] = (_lengths(inside), marks, True, inside)
            words += chunks[taken:at]
            if marks & _INSIDE:
                ends += [len(words) + end for end in inner_ends(inside)]
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
        """How many chunks, from this one on, are the end of a sentence: none, itself, or also a quote or bracket after it."""
        if at + 1 == len(chunks):
            return 1
        _, marks, _, inside = made[at]
        mark = marks & _MARK
        if mark <= _LAST_SURE and made[at + 1][2]:
            return 1
        if not ends_here(Mark(mark), chunks, at, inside or chunks[at : at + 1], self._lang, first=first):
            return 0
        return 1 + closers.closes(at + 1)


@lru_cache(_MOST_LANGUAGES)
def _tokeniser(lang: str) -> _Tokeniser:
    return _Tokeniser(lang)


def _lengths(words: Sequence[str]) -> tuple[int, ...]:
    """The lengths of words, the last with the space after it."""
    lengths = [*map(len, words)]
    lengths[-1] += 1
    return tuple(lengths)


def _with_dot(words: Sequence[str]) -> tuple[str, ...]:
    """Words, the last dot joined to the word before it."""
    dot = max(at for at, word in enumerate(words) if word == ".")
    return (*words[: dot - 1], f"{words[dot - 1]}.", *words[dot + 1 :])


def _starts(text: str, made: Sequence[_Chunk]) -> list[int]:
    """Where tokens start, whatever the spaces are."""
    starts: list[int] = []
    for found, chunk in zip(_CHUNK.finditer(text), made, strict=True):
        starts += accumulate(chunk[0][:-1], initial=found.start())
    return starts
