"""Read a text into words and sentences, in one pass over its characters; for `annotation.tokeniser`.

    She left. "Why?"        the chunks `She`, `left.` and `"Why?"`
                            the words She left . " Why ? " in sentences of 3 and 4 words

A chunk stands between two spaces. Most are a word of letters with at most a mark before and two behind it. Those are
split here; all others are split by the rules of the language. Only the rules know of languages: `ChunkRules` says what
they are asked. They are asked once for each word and each other chunk, as long as `Memory` keeps the answer. So equal
words are mostly one object. Answers don't depend on what was read before, so the memory changes nothing but speed.

A chunk with a mark at its end waits until the next one is known, since that tells whether a sentence ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from gristmill.kernel.chunk_rows import (
    BEGINS,
    CHARACTERS,
    DOT_ASKED,
    DOT_ENDS,
    LETTER,
    MARK_SHIFT,
    MAX_CHARACTERS,
    OPENER,
    PLAIN,
    SPACE,
)

Chunk = tuple[tuple[str, ...], int, bool, tuple[int, ...]]
"""A chunk's words, its mark or 0, whether it begins plainly, and after how many words sentences end inside it."""

WAYS = 8
"""Places in which a string may be kept."""
FIRST_ROWS = 128
"""Rows of such places to begin with."""
USED = 128
"""The bit, beside what is known of a word, that says that it was found again."""
PRIME = 16777619
"""Of the hash FNV-1a, of which 31 bits are taken: constants in C have no more."""
BITS = 0x7FFFFFFF
OFFSET = 216613626
PLACE_BYTES = 21
"""What a place takes: two references, the hash, and what is known."""
MEAN_BYTES = 256
"""What a place and the string in it take on average, at most: this bounds the number of places."""
ROUNDING = 16
"""Bytes by which memory that is asked for may be rounded up."""
TUPLE_BYTES = 104
"""What the tuple of a chunk takes, and what is before it and the tuples in it for the garbage collector."""


class Endings(Protocol):
    """Decides for one text where sentences end."""

    def after(self, at: int, mark: int, words: Sequence[str], first: bool) -> int:
        """Tell how many chunks, from `at` on, end a sentence: 0, 1, or 2. It is asked from left to right.

        `words` are those of the chunk, `mark` is its mark, and `first` tells whether it is the first of its sentence.
        """


class ChunkRules(Protocol):
    """What the rules of one language say about words and chunks."""

    kinds: bytes
    """What each character is, by its code point: see `chunk_rows`."""
    openers: Mapping[str, str]
    """The marks that may stand before a word, each by itself."""
    pairs: bytes
    """By the numbers of two marks behind a word, `first | second << 4`: where they stand in `endings`, or 0."""
    endings: Sequence[tuple[str, ...]]
    """Marks behind a word; the first are none."""
    dotted: bytes
    """For each of the `endings`, whether a dot is among them."""
    marks: bytes
    """For each of the `endings`, the mark of a chunk that ends so, if its dot is a full stop."""
    sure: int
    """Up to this mark, a sentence ends if the next chunk begins plainly."""
    joined: int
    """A bit for each mark whose dot is part of the word before it, unless a sentence ends there."""

    def know(self, word: str) -> int:
        """Tell what is known of a word of letters: `PLAIN`, `BEGINS`."""

    def dot_ends(self, word: str) -> bool:
        """Tell whether a dot after a plain word is a full stop."""

    def split(self, chunk: str) -> Chunk:
        """Split any chunk."""

    def join_dot(self, words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Join the last dot to the word before it, and tell after how many words sentences end inside the chunk."""

    def endings_of(self, text: str) -> Endings:
        """Begin to decide where the sentences of a text end."""


class Memory:
    """What is known of strings: plain words, and other chunks with their words.

    It is a table as in the cache of a processor: the hash of a string tells the row, and each row has eight places. In
    a full row a new string takes the place of one that was not found again. So time does not depend on what strings
    there are. It grows while there are bytes for so many strings as they are on average. Where they take more bytes
    than they may, all are forgotten.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.resize(FIRST_ROWS)

    def resize(self, rows: int) -> None:
        """Make an empty table."""
        size = rows * WAYS
        hashes, known = np.zeros(size, np.uint32), np.zeros(size, np.uint8)
        keys = [""] * size
        chunks: list[Chunk | None] = [None] * size
        self.hashes, self.known, self.keys, self.chunks = hashes, known, keys, chunks
        self.mask = rows - 1
        self.count = self.turn = 0
        self.string_bytes = 0

    def total(self) -> int:
        """The bytes that the table and the strings in it take."""
        return self.string_bytes + PLACE_BYTES * WAYS * (self.mask + 1)

    def find(self, text: str, start: int, stop: int, hashed: int) -> int:
        """Return the place of a string, which is part of a text, or -1."""
        first = (hashed & self.mask) * WAYS
        for place in range(first, first + WAYS):
            if self.hashes[place] == hashed and is_part(self.keys[place], text, start, stop):
                if self.known[place] < USED:
                    self.known[place] |= USED
                return place
        return -1

    def add(self, key: str, hashed: int, known: int, chunk: Chunk | None) -> int:
        """Keep a string, and return its place."""
        size = bytes_of(key, chunk)
        if self.total() + size > self.most_bytes:
            self.resize(FIRST_ROWS)
        elif self.count > WAYS // 2 * (self.mask + 1) and 2 * WAYS * (self.mask + 1) * MEAN_BYTES <= self.most_bytes:
            self.grow()
        place = self.find(key, 0, len(key), hashed)
        if place < 0:
            place = self.free_place(hashed)
        if self.hashes[place]:
            self.string_bytes -= bytes_of(self.keys[place], self.chunks[place])
        else:
            self.count += 1
        self.put(place, key, hashed, known, chunk)
        self.string_bytes += size
        return place

    def put(self, place: int, key: str, hashed: int, known: int, chunk: Chunk | None) -> None:
        """Write to a place."""
        self.hashes[place] = hashed
        self.known[place] = known
        self.keys[place] = key
        self.chunks[place] = chunk

    def free_place(self, hashed: int) -> int:
        """Find a place in the row of a string that is free, or that may be taken."""
        first = (hashed & self.mask) * WAYS
        for place in range(first, first + WAYS):
            if not self.hashes[place]:
                return place
        for place in range(first, first + WAYS):
            if self.known[place] < USED:
                return place
        for place in range(first, first + WAYS):
            self.known[place] &= USED - 1
        self.turn = (self.turn + 1) % WAYS
        return first + self.turn

    def grow(self) -> None:
        """Double the number of rows."""
        hashes, known, keys, chunks, before = self.hashes, self.known, self.keys, self.chunks, self.string_bytes
        self.resize(2 * (self.mask + 1))
        for place in range(len(keys)):
            if hashes[place]:
                self.put(self.free_place(hashes[place]), keys[place], hashes[place], known[place], chunks[place])
                self.count += 1
        self.string_bytes = before


class TextReader:
    """Reads texts of one language. What it remembers takes at most so many bytes."""

    def __init__(self, rules: ChunkRules, most_bytes: int) -> None:
        if len(rules.kinds) < CHARACTERS or len(rules.pairs) < 256:
            raise ValueError("the tables of characters are too short")
        if not len(rules.endings) <= min(len(rules.dotted), len(rules.marks)) or max(rules.pairs) >= len(rules.endings):
            raise ValueError("the tables of marks do not fit together")
        self.rules = rules
        self.kinds, self.pairs, self.dotted, self.marks = rules.kinds, rules.pairs, rules.dotted, rules.marks
        self.openers = dict(rules.openers)
        self.endings = list(rules.endings)
        self.sure, self.joined = rules.sure, rules.joined
        self.memory = Memory(most_bytes)

    def read(self, text: str) -> tuple[list[str], list[int], list[int]]:
        """Return the words of a text, where each starts, and how many words each sentence has."""
        reading = Reading(self, text)
        reading.read()
        return reading.words, reading.starts, reading.sentences()

    def kept_bytes(self) -> int:
        """Tell how many bytes are taken by what is remembered."""
        return self.memory.total()


class Reading:
    """A text that is being read."""

    def __init__(self, reader: TextReader, text: str) -> None:
        self.reader = reader
        self.memory = self.reader.memory
        self.kinds: bytes = self.reader.kinds
        self.text = text
        self.length = len(text)
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []  # after how many words sentences end
        self.number = 0  # of chunks that were read
        self.first = 0  # the first chunk of the sentence
        self.mark = 0  # of the last chunk, if it waits for the next
        self.begun = 0  # how many words stood before that chunk
        self.start = 0  # where it starts, and what it is, if its words are not yet written
        self.waiting: Chunk | None = None
        self.endings: Endings | None = None

    def read(self) -> None:
        """Read all chunks."""
        at = 0
        while True:
            while at < self.length and self.kind(at) & SPACE:
                at += 1
            if at == self.length:
                break
            end = self.read_plain(at)
            at = end if end > 0 else self.read_other(at)
            self.number += 1
        if self.mark:
            self.settle(True, True)

    def kind(self, at: int) -> int:
        """Tell what the character at a place is."""
        code = ord(self.text[at])
        return self.kinds[code] if code < CHARACTERS else 0

    def read_plain(self, start: int) -> int:
        """Read a chunk that is a plain word with simple marks around it, and return its end; 0 if it is another."""
        reader, memory = self.reader, self.memory
        first = start + 1 if self.kind(start) & OPENER else start
        hashed = OFFSET
        at = first
        while at < self.length and self.kind(at) & LETTER:
            hashed = ((hashed ^ ord(self.text[at])) * PRIME) & BITS
            at += 1
        stop = at
        if stop == first or stop - first > MAX_CHARACTERS:
            return 0
        pair = 0
        while at < self.length and not self.kind(at) & SPACE:
            mark = self.kind(at) >> MARK_SHIFT
            if not mark or at - stop > 1:
                return 0
            pair |= mark << (4 * (at - stop))
            at += 1
        ending = reader.pairs[pair]
        if pair and not ending:
            return 0
        hashed = finish(hashed)
        place = memory.find(self.text, first, stop, hashed)
        if place < 0:
            key = self.text[first:stop]
            known = reader.rules.know(key)
            memory.add(key, hashed, known, None)
        else:
            key = memory.keys[place]
            known = memory.known[place]
        if not known & PLAIN or (reader.dotted[ending] and not self.dot_ends(key, hashed, known)):
            return 0
        if self.mark:
            self.settle(known & BEGINS != 0, False)
        self.write_plain(start, first, stop, key, ending)
        return at

    def dot_ends(self, key: str, hashed: int, known: int) -> bool:
        """Tell whether a dot after a plain word is a full stop; the rules are asked at the first time."""
        if not known & DOT_ASKED:
            known |= DOT_ASKED | (DOT_ENDS if self.reader.rules.dot_ends(key) else 0)
            place = self.memory.find(key, 0, len(key), hashed)  # anew, as others may have read meanwhile
            if place >= 0:
                self.memory.known[place] = known | USED
        return known & DOT_ENDS != 0

    def write_plain(self, start: int, first: int, stop: int, key: str, ending: int) -> None:
        """Write the words of a plain chunk."""
        self.begun = len(self.words)
        if first > start:
            self.words.append(self.reader.openers[self.text[start]])
            self.starts.append(start)
        self.words.append(key)
        self.starts.append(first)
        if ending:
            for word in self.reader.endings[ending]:
                self.words.append(word)
                self.starts.append(stop)
                stop += 1
            self.mark = self.reader.marks[ending]

    def read_other(self, start: int) -> int:
        """Read a chunk that the rules have to split, and return its end."""
        at = start
        hashed = OFFSET
        while at < self.length and not self.kind(at) & SPACE:
            hashed = ((hashed ^ ord(self.text[at])) * PRIME) & BITS
            at += 1
        hashed = finish(hashed)
        place = self.memory.find(self.text, start, at, hashed) if at - start <= MAX_CHARACTERS else -1
        chunk = self.memory.chunks[place] if place >= 0 else None
        if chunk is None:
            key = self.text[start:at]
            chunk = self.reader.rules.split(key)
            if at - start <= MAX_CHARACTERS:
                self.memory.add(key, hashed, 0, chunk)
        words, mark, plainly, inner = chunk
        if self.mark:
            self.settle(plainly, False)
        self.begun = len(self.words)
        if mark:
            self.mark, self.start, self.waiting = mark, start, chunk
        else:
            self.write(start, words, inner)
        return at

    def write(self, start: int, words: tuple[str, ...], inner: tuple[int, ...]) -> None:
        """Write the words of a chunk, and the sentences that end inside it."""
        for end in inner:
            self.ends.append(len(self.words) + end)
        for word in words:
            self.words.append(word)
            self.starts.append(start)
            start += len(word)

    def settle(self, plainly: bool, last: bool) -> None:
        """Decide whether a sentence ends with the chunk that waits; the next one begins plainly, or it is the last."""
        mark, self.mark = self.mark, 0
        waiting, self.waiting = self.waiting, None
        ended = 1 if last or (mark <= self.reader.sure and plainly) else self.decide(mark, waiting)
        if waiting is not None:
            words, _, _, inner = waiting
            if not ended and self.reader.joined >> mark & 1:
                words, inner = self.reader.rules.join_dot(words)
            self.write(self.start, words, inner)
        if ended:
            self.ends.append(len(self.words) + ended - 1)
            self.first = self.number - 1 + ended

    def decide(self, mark: int, waiting: Chunk | None) -> int:
        """Ask the rules how many chunks, from the one that waits on, end a sentence."""
        if self.endings is None:
            self.endings = self.reader.rules.endings_of(self.text)
        words = tuple(self.words[self.begun :]) if waiting is None else waiting[0]
        at = self.number - 1
        return self.endings.after(at, mark, words, at == self.first)

    def sentences(self) -> list[int]:
        """Return how many words each sentence has."""
        lengths = []
        before = 0
        for end in self.ends:
            lengths.append(end - before)
            before = end
        if before < len(self.words):
            lengths.append(len(self.words) - before)
        return lengths


def finish(hashed: int) -> int:
    """Mix the bits of a hash, since rows are told by the lower ones; it is never 0, which stands for a free place."""
    hashed = ((hashed ^ hashed >> 15) * PRIME) & BITS
    return (hashed ^ hashed >> 13) + 1


def is_part(key: str, text: str, start: int, stop: int) -> bool:
    """Tell whether a string is that part of a text."""
    if len(key) != stop - start:
        return False
    at = 0
    while at < len(key) and key[at] == text[start + at]:
        at += 1
    return at == len(key)


def bytes_of(key: str, chunk: Chunk | None) -> int:
    """Return how many bytes a string takes, with its words if it is split."""
    size: int = key.__sizeof__() + ROUNDING
    if chunk is not None:
        size += TUPLE_BYTES + chunk[0].__sizeof__() + chunk[3].__sizeof__()
        if len(chunk[0]) > 1:
            for word in chunk[0]:
                size += word.__sizeof__() + ROUNDING
    return size
