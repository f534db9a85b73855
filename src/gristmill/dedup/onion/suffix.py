"""Duplicate n-grams by suffix arrays of parts of the corpus, which are merged on disk (Pomikálek 2011, section 3.4.2).

Words are numbered as they come. In each part of the corpus (a chunk) all places are sorted by the n words that follow;
from that order the sorted n-grams are written to disk, and those of all chunks are merged. It takes the memory it is
given: 40 bytes for each word of a chunk, however large the corpus is, and 20 bytes for each different word. On disk it
takes 16 to 18 bytes for a 10-gram.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Hashes
from gristmill.dedup.onion.finders import Batches, needs_space_in
from gristmill.dedup.onion.runs import Rows, Run, merge, write
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.errors import GristmillError
from gristmill.registry import part
from gristmill.scratch import scratch_folder

BYTES_PER_WORD = 40
"""For each word of a chunk while it is sorted, at most; how many depends on how much of the chunk repeats."""
BYTES_PER_DIFFERENT_WORD = 20
"""For the number of a word, with room for copying while new words come."""
_VOCABULARY_MEMORY_DIVISOR = 4  # one part in so many of the memory is for the vocabulary
_MAX_CHUNK_WORDS = 1 << 31  # of a chunk, since places are 32-bit numbers
_MAX_MERGED_RUNS = 64  # merged at once
_MERGE_COPIES = 4  # of what is merged: blocks as read, put together, and sorted
_PIECE_NGRAMS = 1 << 14  # n-grams whose hashes are computed together

Numbers = npt.NDArray[np.uint32]


@part("finder of duplicate n-grams", "suffix")
def find(batches: Batches, n: int, memory: int, work: Path) -> Hashes:
    """Duplicate n-grams by sorting chunks of the corpus and merging them."""
    share = memory // _VOCABULARY_MEMORY_DIVISOR
    vocabulary = _Vocabulary(share)
    words = min(max((memory - share) // BYTES_PER_WORD, 2 * n), _MAX_CHUNK_WORDS)
    block = max(memory // (_MAX_MERGED_RUNS * _MERGE_COPIES * 4 * (n + 1)), 16)
    with needs_space_in(work), tempfile.TemporaryFile(dir=scratch_folder(work)) as file:
        runs = []
        for chunk in _chunks(batches, n, words, vocabulary):
            order, ranks = sort_suffixes(chunk, n, vocabulary.size)
            runs.append(write(file, _n_grams(chunk, order, ranks, n, block), block))
            del order, ranks
        found = bytearray()  # one that grows, since many small arrays would leave holes in memory
        by_number = vocabulary.by_number()
        with closing(_merge_all(runs, n, block, work)) as merged:
            for rows in merged:
                found += _hashes(rows[rows[:, n] > 0], n, by_number).tobytes()
    return np.unique(np.frombuffer(found, np.uint64))


class _Vocabulary:
    """The numbers of words, from 1 in the order in which they are first met."""

    def __init__(self, memory: int) -> None:
        self._hashes = np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.uint32)
        self._memory = memory

    @property
    def size(self) -> int:
        """How many words there are."""
        return len(self._hashes)

    def number(self, hashes: Hashes) -> Numbers:
        """The numbers of the words in a text; words that were not there before get the next ones."""
        words, of_text = np.unique(hashes, return_inverse=True)
        places = np.searchsorted(self._hashes, words)
        there = self._hashes.take(places, mode="clip") == words if self.size else np.zeros(len(words), np.bool_)
        numbers = np.empty(len(words), np.uint32)
        numbers[there] = self._numbers[places[there]]
        first = np.empty(len(words), np.int64)
        first[of_text[::-1]] = np.arange(len(hashes))[::-1]  # where a word is written several times, the last one stays
        new = np.flatnonzero(~there)
        new_in_order = new[np.argsort(first[new])]
        numbers[new_in_order] = np.arange(self.size + 1, self.size + len(new) + 1)
        self._sort_in(words[new], numbers[new], places[new])
        return numbers[of_text]

    def _sort_in(self, words: Hashes, numbers: Numbers, places: npt.NDArray[np.intp]) -> None:
        if BYTES_PER_DIFFERENT_WORD * (self.size + len(words)) > self._memory:
            raise GristmillError(
                f"suffix needs more memory than it was given: the corpus has {self.size + len(words):,} or more "
                f"different words, which take {BYTES_PER_DIFFERENT_WORD} bytes each in a quarter of the memory. "
                "Give it more, or use the finder `buckets`"
            )
        self._hashes = np.insert(self._hashes, places, words)
        self._numbers = np.insert(self._numbers, places, numbers)

    def by_number(self) -> Hashes:
        """The hash of each word, in the order of their numbers."""
        hashes = np.empty_like(self._hashes)
        hashes[self._numbers - 1] = self._hashes
        return hashes


def _chunks(batches: Batches, n: int, words: int, vocabulary: _Vocabulary) -> Iterator[Numbers]:
    """The corpus as numbers of words, so many at a time, with a 0 after each document.

    A chunk ends with n + 1 zeros. It begins with the last n - 1 words of the one before, so that every n-gram is in one
    of them.
    """
    chunk = np.zeros(words + n + 1, np.uint32)
    filled = 0
    for tokens in batches():
        numbers = np.insert(vocabulary.number(tokens.hashes), tokens.starts[1:], 0)
        while len(numbers):
            part, numbers = np.split(numbers, [words - filled])
            chunk[filled : filled + len(part)] = part
            filled += len(part)
            if filled == words:
                yield chunk
                chunk[: n - 1] = chunk[words - n + 1 : words]
                filled = n - 1
    chunk[filled:] = 0
    yield chunk[: filled + n + 1]


def sort_suffixes(chunk: Numbers, n: int, largest: int) -> tuple[Numbers, Numbers]:
    """All places of a chunk in the order of the n numbers from there on, and the rank of each place in it.

    The rank is where in the order the places begin that are like it:

        chunk 5 3 5 3 0 0 0, n 2  ->  order 4 3 1 0 2, ranks of the places 0 to 4: 3 2 3 1 0

    By doubling (Manber and Myers 1993): places that are sorted by k numbers are sorted by 2k if one knows the rank of
    the place k further on. Places that are like no other are in order already and are left alone (Larsson and Sadakane
    2007). The chunk must end with n + 1 zeros; places from the second of these on are not sorted.
    """
    size = len(chunk) - n
    bits = max(largest.bit_length(), 1)
    depth = min(n, 64 // bits)
    order, ranks = np.arange(size, dtype=np.uint32), np.zeros(len(chunk), np.uint32)
    slots = order.copy()
    keys = np.zeros(size, np.uint64)
    for ahead in range(depth):
        keys <<= np.uint64(bits)
        keys |= chunk[ahead : size + ahead]
    while True:
        order[slots] = order[slots][np.argsort(keys)]
        keys.sort()
        first = np.append(True, keys[1:] != keys[:-1])
        del keys
        ranks[order[slots]] = np.maximum.accumulate(np.where(first, slots, np.uint32(0)))
        slots = slots[~(first & np.append(first[1:], True))]
        if depth == n or not len(slots):
            return order, ranks
        step = min(depth, n - depth)
        depth += step
        keys = ranks[order[slots]].astype(np.uint64)
        keys <<= np.uint64(32)
        keys |= ranks[order[slots] + np.uint32(step)]


def _n_grams(chunk: Numbers, order: Numbers, ranks: Numbers, n: int, block: int) -> Iterator[Rows]:
    """The sorted n-grams of a chunk, without those that cross the end of a document."""
    windows = np.lib.stride_tricks.sliding_window_view(chunk, n)
    for start in range(0, len(order), block):
        places = order[start : start + block + 1]
        of_group = ranks[places]
        first = of_group[:block] == np.arange(start, start + len(of_group[:block]))
        again = np.append(of_group[1:] == of_group[:-1], False)[:block]
        rows = np.empty((np.count_nonzero(first), n + 1), np.uint32)
        rows[:, :n] = windows[places[:block][first]]
        rows[:, n] = again[first]
        yield rows[rows[:, :n].all(axis=1)]


def _merge_all(runs: Sequence[Run], n: int, block: int, work: Path) -> Generator[Rows]:
    """Merge runs, in several rounds if they are too many for one."""
    if len(runs) <= _MAX_MERGED_RUNS:
        yield from merge(runs, n)
        return
    with tempfile.TemporaryFile(dir=scratch_folder(work)) as file:
        groups = [runs[at : at + _MAX_MERGED_RUNS] for at in range(0, len(runs), _MAX_MERGED_RUNS)]
        yield from _merge_all([write(file, merge(group, n), block) for group in groups], n, block, work)


def _hashes(rows: Rows, n: int, by_number: Hashes) -> Hashes:
    """The hashes of n-grams of numbers, as those of texts of n words."""
    found = []
    for at in range(0, len(rows), _PIECE_NGRAMS):
        words = by_number[rows[at : at + _PIECE_NGRAMS, :n].ravel() - 1]
        found.append(shingle(Tokens(words, np.arange(0, len(words) + 1, n)), n).hashes)
    return np.concatenate([np.empty(0, np.uint64), *found])
