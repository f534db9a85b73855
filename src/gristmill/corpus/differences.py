"""Differences of two texts: which words one has and the other has not.

Time is bounded whatever the texts are: of long ones only the surroundings of the first passage that both have are
compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.hashing import mix
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.text.scripts import COMMON_UNSPACED_AND_SIGNS, MARKS
from gristmill.text.words import count_words

MAX_WORDS = 1000
"""Words of each text that are compared and shown; the tables of the alignment then take 8 MB."""

_CONTEXT_WORDS = 20
"""Words that are shown before the first and after the last passage that is in both, if a text is cut."""
_PASSAGE_WORDS = (10, 5, 3)
"""Words in a row that tell where one text stands in the other; if there are not so many, fewer."""
_NEVER = -(1 << 30)
"""A score below all others."""
_MAX_CHANCE_WORDS = 3
"""So few words in common amid differences get no mark: they stand there by chance."""

# A word is what white space divides, at most a hundred characters of it; in scripts without spaces a character with the
# marks on it.
_WORD = re.compile(rf" ?(?:[{COMMON_UNSPACED_AND_SIGNS}][{MARKS}]*|[^\s{COMMON_UNSPACED_AND_SIGNS}]{{1,100}})")

Side = Literal["both", "here", "there"]
_Run = tuple[int, int, int]
"""Words in a row that are in both texts: where they begin in both, and how many they are."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words in a row that are in both texts, or only in the one here, or only in the one there."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Number of words of a text that are not shown."""

    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts in pieces; what is only there comes before what is only here."""

    pieces: list[Piece]
    here: Cut = Cut()
    there: Cut = Cut()

    def of(self, side: Side) -> list[Piece]:
        """The pieces of one of the two texts."""
        found: list[Piece] = []
        for piece in self.pieces:
            if piece.side in {"both", side}:
                after_space = not found or found[-1].text.endswith(" ")
                found.append(Piece(piece.side, piece.text.lstrip() if after_space else piece.text))
        return found


def compare(here: str, there: str, limit: int = MAX_WORDS) -> Comparison:
    """Mark what differs between two texts, word by word."""
    left, right = _Words(here), _Words(there)
    ours, theirs = _numbers(left.words, right.words)
    at_ours, at_theirs = _first_passage(ours, theirs) if max(len(ours), len(theirs)) > limit else (0, 0)
    first, other = _begin(at_ours, len(ours), limit), _begin(at_theirs, len(theirs), limit)
    ours, theirs = ours[first : first + limit], theirs[other : other + limit]
    runs = _without_chance(_common_runs(ours, theirs), len(ours), len(theirs))
    left.show(first, _end(runs, 0, len(ours)) if first + limit < len(left) else len(ours))
    right.show(other, _end(runs, 1, len(theirs)) if other + limit < len(right) else len(theirs))
    return Comparison(_pieces(left, right, runs), left.cut, right.cut)


def excerpt(text: str, limit: int = MAX_WORDS) -> Comparison:
    """Show a text that there is nothing to compare with, cut if it is long."""
    words = _Words(text)
    words.show(0, min(limit, len(words)))
    return Comparison([Piece("both", words.slice(0, words.count))] if words.count else [], words.cut)


class _Words:
    """The words of a text, each with the space before it if there is one; some of them are shown."""

    def __init__(self, text: str) -> None:
        self.words: list[str] = _WORD.findall(" ".join(text.split()))
        self.first = self.count = 0

    def __len__(self) -> int:
        return len(self.words)

    def show(self, first: int, count: int) -> None:
        self.first, self.count = first, count

    @property
    def cut(self) -> Cut:
        before, after = self.words[: self.first], self.words[self.first + self.count :]
        return Cut(count_words("".join(before)), count_words("".join(after)))

    def slice(self, start: int, end: int) -> str:
        """Some of the words that are shown."""
        return "".join(self.words[self.first + start : self.first + end]).strip()

    def is_spaced(self, place: int) -> bool:
        """Whether there is a space before one of the words that are shown, other than the first."""
        return 0 < place < self.count and self.words[self.first + place].startswith(" ")


def _numbers(left: Sequence[str], right: Sequence[str]) -> tuple[Ids, Ids]:
    """Words as numbers, equal for equal words."""
    words = pc.utf8_ltrim(pa.array([*left, *right], pa.string()), " ")
    numbers = words.dictionary_encode().indices.to_numpy().astype(np.int64)
    return numbers[: len(left)], numbers[len(left) :]


def _first_passage(ours: Ids, theirs: Ids) -> tuple[int, int]:
    """Where both have the same words in a row for the first time."""
    for length in _PASSAGE_WORDS:
        mine, others = (
            shingle(Tokens(mix(ids.astype(np.uint64)), np.array([0, len(ids)])), length).hashes
            for ids in (ours, theirs)
        )
        places = np.flatnonzero(np.isin(mine, others))
        if len(places):
            return int(places[0]), int(np.argmax(others == mine[places[0]]))
    return 0, 0


def _begin(at: int, length: int, limit: int) -> int:
    """Number of the first word to show."""
    return max(0, at - _CONTEXT_WORDS) if length > limit else 0


def _end(runs: Sequence[_Run], side: Literal[0, 1], count: int) -> int:
    """Number of words to show if the text goes on: the other may be cut right after the last passage."""
    return min(count, runs[-1][side] + runs[-1][2] + _CONTEXT_WORDS) if runs else count


def _common_runs(ours: Ids, theirs: Ids) -> list[_Run]:
    """Words in a row that both have, in order: as many as there can be, in as few runs."""
    runs: list[_Run] = []
    for left, right in _common_words(ours, theirs):
        start, other, count = runs[-1] if runs else (-1, -1, 0)
        if (start + count, other + count) == (left, right):
            runs[-1] = start, other, count + 1
        else:
            runs.append((left, right, 1))
    return runs


def _common_words(ours: Ids, theirs: Ids) -> list[tuple[int, int]]:
    """Places of the words of a longest common subsequence, by Wagner and Fischer's table (1974), row by row.

    A word counts two, and one less if the word before it is not the one before in both texts. In a row of `best` no
    value is lower than the one before it, so the step from left to right is a running maximum.

        ours "a b c", theirs "a c": rows of `best` are [0, 1, 1], [0, 1, 1], [0, 1, 2]
        From the last cell back: c and c are a pair, as 2 is neither above nor to the left; then a and a.
    """
    best = np.zeros((len(ours) + 1, len(theirs) + 1), np.int32)
    ending = np.full_like(best, _NEVER)  # the best that ends with this very pair of words
    for row, word in enumerate(ours.tolist()):
        follows = np.maximum(best[row, :-1] + 1, ending[row, :-1] + 2)
        ending[row + 1, 1:] = np.where(theirs == word, follows, _NEVER)
        np.maximum.accumulate(np.maximum(best[row, 1:], ending[row + 1, 1:]), out=best[row + 1, 1:])
    pairs = []
    row, column, inside = len(ours), len(theirs), False
    while inside or best[row, column]:
        if not inside and best[row - 1, column] == best[row, column]:
            row -= 1
        elif not inside and best[row, column - 1] == best[row, column]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
            inside = bool(ending[row + 1, column + 1] == ending[row, column] + 2)
    return pairs[::-1]


def _without_chance(runs: Sequence[_Run], ours: int, theirs: int) -> list[_Run]:
    """Leave out runs of a few words that are no longer than what differs before and after them."""
    kept: list[_Run] = []
    for run, (next_left, next_right, _) in pairwise([*runs, (ours, theirs, 0)]):
        left, right, count = run
        start, other, length = kept[-1] if kept else (0, 0, 0)
        before = max(left - start - length, right - other - length)
        after = max(next_left - left - count, next_right - right - count)
        if count > min(_MAX_CHANCE_WORDS, before, after):
            kept.append(run)
    return kept


def _pieces(left: _Words, right: _Words, runs: Sequence[_Run]) -> list[Piece]:
    """Pieces of both texts: what is in the runs is in both, what is between them in one."""
    pieces = []
    start = other = 0
    for begin, there, count in [*runs, (left.count, right.count, 0)]:
        if other < there:
            pieces.append(Piece("there", right.slice(other, there)))
        if start < begin:
            pieces.append(Piece("here", left.slice(start, begin)))
        if count:
            before = left.is_spaced(begin) or right.is_spaced(there)
            after = left.is_spaced(begin + count) or right.is_spaced(there + count)
            pieces.append(Piece("both", " " * before + left.slice(begin, begin + count) + " " * after))
        start, other = begin + count, there + count
    return pieces
