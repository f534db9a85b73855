"""The filters `repeated-lines` and `repeated-ngrams`: text that repeats itself. `fineweb` and `datatrove` use parts."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.document import Document
from gristmill.filter.registry import DocumentFilter, Finding, check_shares, finding, share_above
from gristmill.filter.words import NOT_JUDGED, is_unspaced
from gristmill.registry import parameters_of, part
from gristmill.text.scripts import COMMON_UNSPACED, has_unspaced_script

_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication by it loses no information
_TOKEN = re.compile(rf"[{COMMON_UNSPACED}]|\w+|\S")
_TOP_LENGTHS, _ALL_LENGTHS = (2, 3, 4), (5, 6, 7, 8, 9, 10)  # words of n-grams, for the two kinds of thresholds


@part("filter", "repeated-lines")
@dataclass(frozen=True)
class RepeatedLines(DocumentFilter):
    """Drops documents with many repeated lines, by number and by characters (Gopher: Rae et al. 2021, Table A1).

    A block is both a line and a paragraph, for which Gopher has the same thresholds.
    """

    lines: float = 0.3
    characters: float = 0.2

    def check(self) -> None:
        """Check that the thresholds are shares."""
        check_shares("repeated-lines", **parameters_of(self))

    def judge(self, document: Document) -> Finding:
        """Find lines that occur before in the document."""
        columns, kept = document.kept_columns()
        parts = columns.folded.parts(kept)
        if len(set(parts)) == len(parts):
            return Finding(True, "no repeated lines")
        lines, characters = repeated_lines(list(map(bytes.decode, parts)))
        return finding(
            f"{lines:.1%} of lines and {characters:.1%} of characters are repeated",
            share_above(lines, self.lines, "of lines are repeated"),
            share_above(characters, self.characters, "of characters are in repeated lines"),
        )


def repeated_lines(lines: Sequence[str]) -> tuple[float, float]:
    """Return the share of lines that occur before, and that of their characters."""
    counts = Counter(lines)
    if len(counts) == len(lines):
        return 0.0, 0.0
    length = sum(map(len, lines))
    return (len(lines) - len(counts)) / max(len(lines), 1), (length - sum(map(len, counts))) / max(length, 1)


@part("filter", "repeated-ngrams")
@dataclass(frozen=True)
class RepeatedNgrams(DocumentFilter):
    """Drops documents with many characters in repeated n-grams of words (Gopher: Rae et al. 2021, Table A1).

    `top2` to `top4` are shares of characters in the most frequent n-gram, `all5` to `all10` in all n-grams that occur
    twice or more. Characters are those of words, without spaces; where n-grams overlap, each counts once. A text that
    is mostly in a script without spaces is not judged: there n-grams of characters are words and common phrases, and
    any text repeats them.
    """

    top2: float = 0.20
    top3: float = 0.18
    top4: float = 0.16
    all5: float = 0.15
    all6: float = 0.14
    all7: float = 0.13
    all8: float = 0.12
    all9: float = 0.11
    all10: float = 0.10

    def check(self) -> None:
        """Check that the thresholds are shares."""
        check_shares("repeated-ngrams", **parameters_of(self))

    def judge(self, document: Document) -> Finding:
        """Find repeated n-grams."""
        text = document.folded
        if is_unspaced(text):
            return Finding(True, NOT_JUDGED)
        shares = self.shares(text)
        limits = parameters_of(self)
        faults = [
            share_above(share, limits[name], f"of characters are in {_what(name)}") for name, share in shares.items()
        ]
        return finding(", ".join(f"{name} {share:.1%}" for name, share in shares.items()), *faults)

    def shares(self, text: str) -> dict[str, float]:
        """Return the share of characters for each threshold."""
        return repeated_shares(text)


def _what(name: str) -> str:
    """Name what a threshold is about."""
    n = name[3:]
    return f"the most frequent {n}-gram" if name.startswith("top") else f"repeated {n}-grams"


def repeated_shares(text: str) -> dict[str, float]:
    """Return the shares of characters in the most frequent n-gram (top2 to top4) and in all repeated ones (all5...).

    Each character of a script without spaces counts as a word: any text may have some. `ends` are prefix sums of
    the lengths of words, so that the n-gram from word w on has `ends[w + n] - ends[w]` characters.
    """
    tokens = _TOKEN.findall(text) if has_unspaced_script(text) else text.split()
    ends = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
    total = max(int(ends[-1]), 1)
    shares = {}
    for n, (places, groups, counts) in repeated_ngrams(tokens):
        if n in _TOP_LENGTHS:
            shares[f"top{n}"] = _top(places, groups, counts, ends, n) / total
        elif n in _ALL_LENGTHS:
            shares[f"all{n}"] = _covered(places, ends, n) / total
    return shares


def repeated_ngrams(tokens: Sequence[str]) -> Iterator[tuple[int, tuple[Ints, Ints, Ints]]]:
    """Yield for n from 2 to 10 the n-grams that occur twice or more: places, groups of equal ones, and group sizes.

    For `a b a b` and n = 2, these are the places [0, 2] in one group of size 2. Only places of repeated n-grams are
    looked at for n + 1, as a longer n-gram is only repeated if its beginning is.
    """
    ids: dict[str, int] = {}
    numbers = np.fromiter(map(ids.setdefault, tokens, itertools.count()), np.uint64, len(tokens))
    places = np.arange(len(tokens))
    hashes = (numbers + np.uint64(1)) * _BASE
    for n in range(2, _ALL_LENGTHS[-1] + 1):
        places, hashes, groups, counts = _repeated(places, hashes, numbers, n)
        yield n, (places, groups, counts)


def _repeated(
    places: Ints, hashes: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint64], n: int
) -> tuple[Ints, npt.NDArray[np.uint64], Ints, Ints]:
    """Extend repeated (n-1)-grams by a word, and return those that are repeated: places, hashes, groups, group sizes.

    Equal hashes are neighbours when sorted: the sorted hashes [3, 3, 7] have the groups [0, 0, 1] and the sizes [2, 1].
    `groups[order]` brings the groups back to the order of the places.
    """
    inside = places + n <= len(numbers)
    places = places[inside]
    hashes = (hashes[inside] ^ (hashes[inside] >> np.uint64(29))) * _BASE + numbers[places + n - 1]
    order = np.argsort(hashes)
    ranked = hashes[order]
    is_first = np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]
    group_of = np.cumsum(is_first) - 1
    counts = np.bincount(group_of) if len(ranked) else np.zeros(0, np.int64)
    groups = np.empty_like(group_of)
    groups[order] = group_of
    again = counts[groups] > 1 if len(ranked) else np.zeros(0, np.bool_)
    return places[again], hashes[again], groups[again], counts


def _top(places: Ints, groups: Ints, counts: Ints, ends: Ints, n: int) -> int:
    """Count the characters of the most frequent n-gram in all its places; of the longest one if there are several."""
    if not len(places):
        return 0
    often = counts[groups]
    most = places[often == often.max()]
    return int((ends[most + n] - ends[most]).max() * often.max())


def _covered(places: Ints, ends: Ints, n: int) -> int:
    """Count the characters of the words that are in some of the n-grams; where these overlap, each counts once.

    Each n-gram adds 1 to the depth at its first word, and takes it off behind its last.
    """
    steps = np.zeros(len(ends), np.int64)
    np.add.at(steps, places, 1)
    np.add.at(steps, places + n, -1)
    return int(np.diff(ends)[np.cumsum(steps)[:-1] > 0].sum())
