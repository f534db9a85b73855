"""The tokeniser where the kernel is not compiled: what `kernel.chunks` does, by what Python itself does in C.

A text is split at white space into chunks, and each is looked up in a cache: most have been seen before (Zipf's law).
Only new ones are split into words, by the rules of the language. Chunks without a mark and of one word, which are most,
are copied in runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, chain, compress, count, pairwise
from operator import itemgetter

from gristmill.annotation.chunk_rules import ChunkRules, Endings, visible
from gristmill.kernel.chunk_rows import MAX_CHARACTERS

_Entry = tuple[tuple[int, ...], int, bool, tuple[str, ...], tuple[int, ...]]
"""An entry of the cache: the lengths of a chunk's words, its marks, whether it begins plainly, its words, inner ends.

The last length includes the space behind it. Marks are the mark and a bit for several words. The words are empty if the
chunk is one word, so that chunks of one word with the same length and mark share one entry. `end."` has the lengths
(3, 1, 2), the marks QUOTED + 16, False, and the words (`end`, `.`, `"`). A chunk with marks 0 needs no further look.
"""
_LENGTHS, _MARKS = itemgetter(0), itemgetter(1)
_MARK_BITS, _SEVERAL_WORDS_BIT = 15, 16
_ENTRY_BYTES = 160  # of the cache for one word: its string, and its place in the dictionary
_WORD_BYTES = 100  # more for each word of a chunk of several words, with its share of their tuples
_CHUNK = re.compile(r"\S+")


class TextReader:
    """Reads texts of one language. Its cache takes about so many bytes at most."""

    def __init__(self, rules: ChunkRules, most_bytes: int) -> None:
        self._rules = rules
        self._cache = _Cache(rules, most_bytes)

    def kept_bytes(self) -> int:
        """Tell about how many bytes the cache takes."""
        return self._cache.kept_bytes()

    def read(self, text: str) -> tuple[list[str], list[int], list[int]]:
        """Return the words of a text, where each starts, and how many words each sentence has."""
        text = visible(text)
        chunks = text.split()
        if not chunks:
            return [], [], []
        made = list(map(self._cache.__getitem__, chunks))
        words, ends = self._read(chunks, made)
        starts = list(accumulate(chain.from_iterable(map(_LENGTHS, made)), initial=0))
        if starts.pop() != len(text) + 1:  # somewhere there is more than one space
            starts = _starts(text, made)
        return words, starts, [end - start for start, end in pairwise([0, *ends])]

    def _read(self, chunks: list[str], made: list[_Entry]) -> tuple[list[str], list[int]]:
        """Return all words, and after how many of them sentences end.

        Where a dot turns out to be part of the word before it, the entry in `made` is replaced.
        """
        words: list[str] = []
        ends: list[int] = []
        endings = Endings(chunks, self._rules.lang)
        taken = 0  # how many chunks have their words in the list
        first = 0  # the first chunk of the sentence
        for at in compress(count(), map(_MARKS, made)):
            _, marks, _, inside, inner = made[at]
            mark = marks & _MARK_BITS
            ended = mark and self._ends(chunks, made, at, endings, first=at == first)
            if self._rules.joined >> mark & 1 and not ended:
                inside, inner = self._rules.join_dot(inside)
                made[at] = (_lengths(inside), marks, True, inside, inner)
            words += chunks[taken:at]
            if inner:
                ends += [len(words) + end for end in inner]
            words += inside or chunks[at : at + 1]
            taken = at + 1
            if ended:
                ends.append(len(words) + ended - 1)
                first = at + ended
        words += chunks[taken:]
        if not ends or ends[-1] < len(words):
            ends.append(len(words))
        return words, ends

    def _ends(self, chunks: Sequence[str], made: Sequence[_Entry], at: int, endings: Endings, *, first: bool) -> int:
        """Return how many chunks, from this one on, end a sentence."""
        if at + 1 == len(chunks):
            return 1
        _, marks, _, inside, _ = made[at]
        mark = marks & _MARK_BITS
        if mark <= self._rules.sure and made[at + 1][2]:
            return 1
        return endings.after(at, mark, inside or chunks[at : at + 1], first)


class _Cache(dict[str, _Entry]):
    """The cache of chunks; a chunk that is missing is split into words.

    When it is full, its entries become the older ones, and it starts empty. An older entry that is used again comes
    back. So rare chunks are forgotten, and frequent ones are not.
    """

    def __init__(self, rules: ChunkRules, most_bytes: int) -> None:
        super().__init__()
        self._rules = rules
        self._most_bytes = most_bytes // 2
        self._bytes = self._older_bytes = 0
        self._older: dict[str, _Entry] = {}
        self._single: dict[tuple[int, int, bool], _Entry] = {}

    def kept_bytes(self) -> int:
        """Tell about how many bytes the entries take, with the older ones."""
        return self._bytes + self._older_bytes

    def __missing__(self, chunk: str) -> _Entry:
        made = self._older.get(chunk) or self._make(chunk)
        if len(chunk) <= MAX_CHARACTERS:
            size = _ENTRY_BYTES + 4 * len(chunk) + _WORD_BYTES * len(made[3])
            if self._bytes + size > self._most_bytes:
                self._older, self._older_bytes, self._bytes = dict(self), self._bytes, 0
                self.clear()
            self[chunk] = made
            self._bytes += size
        return made

    def _make(self, chunk: str) -> _Entry:
        words, mark, plainly, inner = self._rules.split(chunk)
        if len(words) > 1:
            return _lengths(words), _SEVERAL_WORDS_BIT + mark, plainly, words, inner
        key = (len(chunk), mark, plainly)
        return self._single.get(key) or self._single.setdefault(key, ((len(chunk) + 1,), mark, plainly, (), ()))


def _lengths(words: Sequence[str]) -> tuple[int, ...]:
    """Return the lengths of words, the last with the space after it."""
    lengths = [*map(len, words)]
    lengths[-1] += 1
    return tuple(lengths)


def _starts(text: str, made: Sequence[_Entry]) -> list[int]:
    """Return where tokens start, if chunks may have more than one space between them."""
    starts: list[int] = []
    for found, chunk in zip(_CHUNK.finditer(text), made, strict=True):
        starts += accumulate(chunk[0][:-1], initial=found.start())
    return starts
