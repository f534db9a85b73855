"""Sorted n-grams of word numbers on disk (runs), and their merging: the second half of an external sort.

(Pomikálek 2011, section 3.4.2.) An n-gram is written without what it has in common with the one before it, and a word's
number in as few bytes as it needs: few for frequent words, if words were numbered as they came. The thesis has Elias
codes instead, which are smaller but can't be read many at a time.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint32]
"""Sorted n-grams, each once: n numbers of words, and after them 1 if it occurs more than once."""

_BIG_ENDIAN = np.dtype(">u4")  # so that rows compare as bytes do
_HEADER = struct.Struct("<3I")  # n-grams, word numbers, bytes of these
_WRITTEN = (
    np.arange(4) >= 3 - np.arange(4)[:, np.newaxis]
)  # of the bytes of a number, if so many are needed beyond the last one
_TWO_BITS = np.arange(0, 8, 2, dtype=np.uint8)
_MAX_SHARED_WORDS = 255


@dataclass(frozen=True, slots=True)
class Run:
    """Where in a file sorted n-grams stand."""

    file: IO[bytes]
    start: int
    end: int

    def blocks(self, n: int) -> Iterator[Rows]:
        """Read them, some at a time."""
        place = self.start
        while place < self.end:
            self.file.seek(place)
            sizes = _HEADER.unpack(self.file.read(_HEADER.size))
            body = self.file.read(_body_size(*sizes))
            place += _HEADER.size + len(body)
            yield _decode(body, n, *sizes)


def write(file: IO[bytes], blocks: Iterable[Rows], most: int) -> Run:
    """Write sorted n-grams at the end of a file, so many to a block at most."""
    start = file.seek(0, 2)
    for rows in blocks:
        file.writelines(_encode(rows[at : at + most]) for at in range(0, len(rows), most))
    file.flush()
    return Run(file, start, file.tell())


def merge(runs: Sequence[Run], n: int) -> Iterator[Rows]:
    """The n-grams of several runs in one order; one that is in two of them occurs more than once.

    Of each run one block is in memory. All n-grams up to the first one that ends a block can be merged: none of those
    that are still on disk comes before it.
    """
    readers = [_Reader(run.blocks(n)) for run in runs]
    while readers := [reader for reader in readers if reader.fill()]:
        bound = min(reader.last for reader in readers)
        rows = np.concatenate([reader.take(bound) for reader in readers])
        if len(readers) > 1:
            rows.sort(kind="stable")  # which finds the sorted stretches and merges them
        yield _once(rows.view(_BIG_ENDIAN).reshape(-1, n + 1))


class _Reader:
    """A block of a run, and what of it was not yet taken."""

    def __init__(self, blocks: Iterator[Rows]) -> None:
        self._blocks = blocks
        self._rows = np.empty(0, np.bytes_)
        self.last = b""

    def fill(self) -> bool:
        """Have something to take, if there is more."""
        if not len(self._rows):
            rows = next(self._blocks, None)
            if rows is None:
                return False
            self._rows = rows.view(f"S{rows.itemsize * rows.shape[1]}").ravel()
            self.last = _with_flag(rows[-1])
        return True

    def take(self, bound: bytes) -> npt.NDArray[np.bytes_]:
        """All up to that one."""
        end = int(np.searchsorted(self._rows, np.bytes_(bound), side="right"))
        taken, self._rows = self._rows[:end], self._rows[end:]
        return taken


def _with_flag(row: npt.NDArray[np.uint32]) -> bytes:
    """An n-gram as the last of those that are the same but for the flag."""
    row = row.copy()
    row[-1] = 1
    return row.tobytes()


def _once(rows: Rows) -> Rows:
    """Sorted n-grams, of those that are the same only the first."""
    bits = rows.view(np.uint32)[:, :-1]
    first = np.append(True, (bits[1:] != bits[:-1]).any(axis=1))
    places = np.flatnonzero(first)
    kept = rows[places]
    kept[np.diff(places, append=len(rows)) > 1, -1] = 1
    return kept


def _encode(rows: Rows) -> bytes:
    numbers = rows[:, :-1]
    shared = np.zeros(len(rows), np.uint8)
    shared[1:] = np.minimum((numbers[1:] == numbers[:-1]).argmin(axis=1), _MAX_SHARED_WORDS)
    kept = numbers[_beyond(shared, numbers.shape[1])]
    widths = np.zeros(-(-len(kept) // 4) * 4, np.uint8)
    for bits in (8, 16, 24):
        widths[: len(kept)] += kept >= 1 << bits
    octets = kept.astype(_BIG_ENDIAN).view(np.uint8).reshape(-1, 4)[_WRITTEN.take(widths[: len(kept)], axis=0)]
    packed = np.bitwise_or.reduce(widths.reshape(-1, 4) << _TWO_BITS, axis=1)
    parts = (shared, np.packbits(rows[:, -1] > 0), packed, octets)
    return _HEADER.pack(len(rows), len(kept), len(octets)) + b"".join(part.tobytes() for part in parts)


def _body_size(rows: int, kept: int, octets: int) -> int:
    return rows + -(-rows // 8) + -(-kept // 4) + octets


def _decode(data: bytes, n: int, rows: int, kept: int, octets: int) -> Rows:
    body = np.frombuffer(data, np.uint8)
    shared, flags, packed = np.split(body[: len(body) - octets], [rows, rows + -(-rows // 8)])
    widths = (packed[:, np.newaxis] >> _TWO_BITS & 3).ravel()[:kept]
    quads = np.zeros((kept, 4), np.uint8)
    quads[_WRITTEN.take(widths, axis=0)] = body[len(body) - octets :]
    found = np.empty((rows, n + 1), _BIG_ENDIAN)
    found[:, :n][_beyond(shared, n)] = quads.view(_BIG_ENDIAN).ravel()
    for column in range(n):
        there = np.flatnonzero(shared <= column)
        found[:, column] = np.repeat(found[there, column], np.diff(there, append=rows))
    found[:, n] = np.unpackbits(flags, count=rows)
    return found


def _beyond(shared: npt.NDArray[np.uint8], n: int) -> npt.NDArray[np.bool_]:
    """Which words of n-grams come after the words that are shared with the n-gram before."""
    beyond: npt.NDArray[np.bool_] = np.arange(n) >= shared[:, np.newaxis]
    return beyond
