"""What the rules of a language say about chunks, which stand between two spaces. The tokeniser asks it.

`kernel.chunks` splits by itself what `Words.split` splits without the pattern: plain words with simple marks around
them. The tables for that are made here from those of `words`, and what depends on the language is asked of the same
functions that decide on all other chunks. So a change of the rules is a change for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from gristmill.annotation.languages import language
from gristmill.annotation.segmenters import segmenter_for
from gristmill.annotation.sentences import Closers, Mark, begins_plainly, dot_after, ends_here, inner_ends, mark_of
from gristmill.annotation.unspaced import unspaced_ends
from gristmill.annotation.words import OPENERS, SIMPLE_ENDS, Words
from gristmill.kernel.chunk_rows import BEGINS, CHARACTERS, LETTER, MARK_SHIFT, MOST_MARKS, OPENER, PLAIN, SPACE
from gristmill.text.scripts import FIRST_UNSPACED

if TYPE_CHECKING:
    from gristmill.kernel.chunks import Chunk

_InnerEnds = Callable[[Sequence[str]], tuple[int, ...]]
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"
)
_ANY_INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_BETWEEN_CHUNKS = re.compile(rf"[\s{_INVISIBLE}]+")
_PLAIN_WORD = "mmmmmmmmmm"  # stands for all words that are in no list


def visible(text: str) -> str:
    """Return a text with spaces in place of characters that are not seen."""
    return text if text.isprintable() else _ANY_INVISIBLE.sub(" ", text)


class Endings:
    """Decides where sentences of one text end; `after` must be called from left to right."""

    def __init__(self, chunks: Sequence[str], lang: str) -> None:
        self._chunks = chunks
        self._lang = lang
        self._closers: Closers | None = None

    def after(self, at: int, mark: int, words: Sequence[str], first: bool) -> int:
        """Return how many chunks, from this one on, end a sentence: 0, 1, or 2 with a quote or bracket after it."""
        if not ends_here(Mark(mark), self._chunks, at, words, self._lang, first=first):
            return 0
        if self._closers is None:
            self._closers = Closers(self._chunks)
        return 1 + self._closers.closes(at + 1)


class ChunkRules:
    """The rules of one language, as `kernel.chunks` asks for them: its `ChunkRules` says what each is."""

    sure = int(Mark.LAST_SURE)
    openers: Mapping[str, str] = {opener: opener for opener in OPENERS}
    endings: Sequence[tuple[str, ...]]

    def __init__(self, lang: str) -> None:
        how = language(lang)
        self.lang = lang
        self._language = how
        self._words = Words(how, partial(segmenter_for, lang))
        self._inner_ends: _InnerEnds = partial(unspaced_ends, lang=lang) if how.unspaced else inner_ends
        ends: Iterable[str] = () if how.unspaced else SIMPLE_ENDS  # there, marks may end sentences inside of chunks
        if how.enumerators:
            ends = (end for end in ends if ")" not in end)
        self.kinds, self.pairs, self.endings = _tables(tuple(ends))
        self.dotted = bytes("." in marks for marks in self.endings)
        self.marks = bytes(mark_of((_PLAIN_WORD, *marks), how) if marks else 0 for marks in self.endings)
        joined = [Mark.INITIAL, Mark.NUMBERED, *([Mark.NUMBER] if how.ordinals else [])]
        self.joined = 0 if how.splits_dots else sum(1 << mark for mark in joined)

    def know(self, word: str) -> int:
        """Tell what is known of a word of letters."""
        return (PLAIN if self._words.is_plain(word) else 0) | (BEGINS if begins_plainly(word) else 0)

    def dot_ends(self, word: str) -> bool:
        """Tell whether a dot after a plain word is a full stop, whatever follows it in the chunk."""
        takes_dot = self._words.takes_dot(word, last=True) or self._words.takes_dot(word, last=False)
        return not takes_dot and dot_after(word, self._language) == Mark.FULL

    def split(self, chunk: str) -> Chunk:
        """Split a chunk into words, and find its mark.

        `end."` has the words `end`, `.` and `"` and the mark `QUOTED`. It does not begin plainly, and is one sentence.
        """
        words = (chunk,) if self._words.is_plain(chunk) else tuple(self._words.split(chunk))
        plainly = begins_plainly(chunk)
        if len(words) > 1:
            return words, int(mark_of(words, self._language)), plainly, self._inner_ends(words)
        return (chunk,), 0 if chunk.isalpha() else int(mark_of(words, self._language)), plainly, ()

    def join_dot(self, words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Join the last dot to the word before it, and tell after how many words sentences end inside the chunk."""
        dot = max(at for at, word in enumerate(words) if word == ".")
        joined = (*words[: dot - 1], f"{words[dot - 1]}.", *words[dot + 1 :])
        return joined, self._inner_ends(joined)

    def endings_of(self, text: str) -> Endings:
        """Begin to decide where the sentences of a text end."""
        return Endings(visible(text).split(), self.lang)


@cache
def _tables(ends: tuple[str, ...]) -> tuple[bytes, bytes, tuple[tuple[str, ...], ...]]:
    """Make the tables of characters, and of the marks that may stand behind a word: `kinds`, `pairs` and `endings`.

    Marks that have no number, and more than two together, are left to the rules.
    """
    numbers: dict[str, int] = {}
    pairs = bytearray(256)
    endings: list[tuple[str, ...]] = [()]
    for end in ends:
        for mark in end:
            numbers.setdefault(mark, len(numbers) + 1)
        if 1 <= len(end) <= 2 and all(numbers[mark] <= MOST_MARKS for mark in end):
            pairs[sum(numbers[mark] << 4 * at for at, mark in enumerate(end))] = len(endings)
            endings.append(tuple(end))
    kinds = bytearray(_kinds())
    for mark, number in numbers.items():
        if number <= MOST_MARKS:
            kinds[ord(mark)] |= number << MARK_SHIFT
    return bytes(kinds), bytes(pairs), tuple(endings)


@cache
def _kinds() -> bytes:
    """Make the table of characters that all languages share: spaces, letters, and marks before words."""
    kinds = bytearray(CHARACTERS)
    for found in _BETWEEN_CHUNKS.finditer("".join(map(chr, range(CHARACTERS)))):
        kinds[found.start() : found.end()] = bytes([SPACE]) * len(found.group())
    for code in range(ord(FIRST_UNSPACED)):
        if chr(code).isalpha():
            kinds[code] = LETTER
    for opener in OPENERS:
        if begins_plainly(f"{opener}A"):
            kinds[ord(opener)] = OPENER
    return bytes(kinds)
