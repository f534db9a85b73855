"""External merge sort of records of any size: sorted runs on disk, merged some at a time.

A file of runs is a sequence of records: the length of the key (4 bytes), that of the data (8 bytes), key and data. A
run is a part of it in which keys ascend. Records of equal keys keep their order: within a run since sorting is stable,
and between runs since those of the earlier run come first.

In memory are the records of one run while it is made (`RUN_BYTES`); while runs are merged, a key of each.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

RUN_BYTES = 64_000_000
"""Bytes of records that are sorted in memory."""
FAN_IN = 128
"""Runs that are merged at once: each is an open file."""
_LENGTHS = struct.Struct("<IQ")
_CHUNK_BYTES = 1 << 20


class Run(NamedTuple):
    """A sorted part of a file."""

    path: str
    start: int
    end: int


@dataclass(slots=True)
class Data:
    """The data of a record, which can be copied until the next record is asked for."""

    file: BinaryIO
    length: int
    head: int
    """Bytes of the run that come before it."""

    def copy_to(self, target: BinaryIO) -> int:
        """Write the data to a file, piece by piece; returns how many bytes these are."""
        left = self.length
        while left:
            part = self.file.read(min(_CHUNK_BYTES, left))
            if not part:
                raise EOFError("a file of sorted records is cut off")
            left -= target.write(part)
        return self.length


class RunsWriter:
    """Writes records to a file as sorted runs."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._records: list[tuple[bytes, bytes]] = []
        self._bytes = 0
        self.bounds = [0]
        """Where runs begin, and where the last ends."""

    def add(self, key: bytes, data: bytes) -> None:
        """Add a record that is at hand."""
        self._records.append((key, data))
        self._bytes += len(key) + len(data)
        if self._bytes >= RUN_BYTES:
            self.flush()

    def add_large(self, key: bytes, pieces: Iterable[bytes]) -> None:
        """Add a record that comes in pieces, and might not fit into memory: it is a run of its own."""
        self.flush()
        start = self._file.tell()
        self._file.write(_LENGTHS.pack(len(key), 0) + key)
        length = sum(self._file.write(piece) for piece in pieces)
        end = self._file.tell()
        self._file.seek(start)
        self._file.write(_LENGTHS.pack(len(key), length))
        self._file.seek(end)
        self.bounds.append(end)

    def flush(self) -> None:
        """Sort what has come in, and write it as a run."""
        if not self._records:
            return
        self._records.sort(key=itemgetter(0))
        for key, data in self._records:
            self._file.write(_LENGTHS.pack(len(key), len(data)) + key + data)
        self._records, self._bytes = [], 0
        self.bounds.append(self._file.tell())


def merged(runs: Sequence[Run]) -> Iterator[tuple[bytes, Data]]:
    """Merge runs, of which there are at most `FAN_IN`: yields keys and data in order.

    The data of a record must be copied before the next one is asked for.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open(run.path, "rb")) for run in runs]  # noqa: PTH123 (an open file for each)
        yield from merge(*[_records(file, run) for file, run in zip(files, runs, strict=True)], key=itemgetter(0))


def _records(file: BinaryIO, run: Run) -> Iterator[tuple[bytes, Data]]:
    at = run.start
    while at < run.end:
        file.seek(at)
        key_length, length = _LENGTHS.unpack(file.read(_LENGTHS.size))
        at += _LENGTHS.size + key_length + length
        yield file.read(key_length), Data(file, length, _LENGTHS.size + key_length)


def merge_to_file(runs: Sequence[Run], file: BinaryIO) -> None:
    """Merge runs into one, which is a file of its own."""
    for key, data in merged(runs):
        file.write(_LENGTHS.pack(len(key), data.length) + key)
        data.copy_to(file)


def groups_of(runs: Sequence[Run]) -> list[Sequence[Run]]:
    """Divide runs into groups that can be merged at once, in their order."""
    return [runs[at : at + FAN_IN] for at in range(0, len(runs), FAN_IN)]


def whole_file(path: Path) -> Run:
    """Make a run of a whole file."""
    return Run(os.fspath(path), 0, path.stat().st_size)
