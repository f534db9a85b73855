"""A file to read pages from, identified by a hash of its content: `add` skips files that a corpus already has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import xxhash

from gristmill.archive.kind import Kind

_CHUNK_BYTES = 1 << 16
_MAX_CHUNKS = 16  # files of up to so many chunks are hashed whole, of larger ones so many chunks


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read pages from; `name` is how the corpus refers to it."""

    path: str
    name: str
    kind: Kind
    size: int
    """The number of bytes that are read: what is appended to the file meanwhile is left for another time."""
    signature: str = ""
    """A hash of the content; two files of the same size and signature are the same."""
    start: int = 0
    """The offset at which reading begins; what comes before has been read by an earlier build."""


def signature_of(file: BinaryIO, size: int) -> str:
    """Hash the first `size` bytes of a file: all of them, or of a large file 16 chunks, the first and the last too."""
    places = list(range(0, size, _CHUNK_BYTES))
    if len(places) > _MAX_CHUNKS:
        places = [(size - _CHUNK_BYTES) * number // (_MAX_CHUNKS - 1) for number in range(_MAX_CHUNKS)]
    state = xxhash.xxh3_128()
    for place in places:
        file.seek(place)
        state.update(file.read(min(_CHUNK_BYTES, size - place)))
    return state.hexdigest()
