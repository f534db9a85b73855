"""A file to read pages from, known by what it holds and not only by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import xxhash

from gristmill.archive.kind import Kind

_PIECE = 1 << 16
_PIECES = 16  # up to these pieces a file is hashed whole, a larger one in as many places


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read pages from; `name` is how the corpus refers to it."""

    path: str
    name: str
    kind: Kind
    size: int
    """Bytes that are read: if the file grows meanwhile, what came later is left for another time."""
    signature: str = ""
    """A hash of what it holds; two files of the same size and signature are the same."""
    start: int = 0
    """Where reading begins: what stands before is known already."""


def signature_of(file: BinaryIO, size: int) -> str:
    """A hash of the first `size` bytes of a file: of all of them, or of 16 pieces, first and last among them, if there are many."""
    places = list(range(0, size, _PIECE))
    if len(places) > _PIECES:
        places = [(size - _PIECE) * number // (_PIECES - 1) for number in range(_PIECES)]
    state = xxhash.xxh3_128()
    for place in places:
        file.seek(place)
        state.update(file.read(min(_PIECE, size - place)))
    return state.hexdigest()
