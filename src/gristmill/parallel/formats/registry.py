"""The protocol of a format of sentence pairs, and the registry of formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from gristmill.errors import UsageError
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.registry import Registry, parts_of

Write = Callable[[FoundBeads], None]
"""Writes some beads."""
Languages = tuple[str, str]


class PairFormat(Protocol):
    """Writes sentence pairs to a file, or to several that belong together."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Ends of names that stand for it."""

    @property
    def compressible(self) -> bool:
        """Whether its files can be compressed as a whole; one that compresses its parts can't."""

    def files(self, name: str, languages: Languages) -> list[str]:
        """Name its files, for an output of that name (without the end that says how it is compressed)."""

    def writer(self, streams: Sequence[BinaryIO], corpus: ParallelCorpus) -> AbstractContextManager[Write]:
        """Open a writer to the streams of all its files; it has no more than some beads in memory."""

    def beside(self, names: Sequence[str], languages: Languages) -> dict[str, str]:
        """Files that go beside those of these names, by their names: what other programs need to read them."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format of text in one file: a head, a piece of text for each batch of beads, and an end."""

    pieces: Callable[[FoundBeads, Languages], Iterator[str]]
    suffixes: tuple[str, ...]
    head: Callable[[Languages], str]
    end: str = ""
    compressible: bool = True

    def files(self, name: str, languages: Languages) -> list[str]:
        """One file, of that name."""
        del languages
        return [name]

    @contextmanager
    def writer(self, streams: Sequence[BinaryIO], corpus: ParallelCorpus) -> Iterator[Write]:
        """Write a batch at a time."""
        (stream,) = streams
        stream.write(self.head(corpus.languages).encode())

        def write(found: FoundBeads) -> None:
            stream.write("".join(self.pieces(found, corpus.languages)).encode("utf-8", "replace"))

        yield write
        stream.write(self.end.encode())

    def beside(self, names: Sequence[str], languages: Languages) -> dict[str, str]:
        """Nothing goes beside it."""
        del names, languages
        return {}


PAIR_FORMATS: Registry[PairFormat] = parts_of("format of sentence pairs")
"""All formats of sentence pairs, by name."""


def format_of_name(name: str) -> str:
    """Find the format that an output's name stands for."""
    plain = name.removesuffix(".gz").removesuffix(".zst")
    for known, made in PAIR_FORMATS.items():
        if plain.endswith(made.suffixes):
            return known
    raise UsageError(f"can't tell the format from the name {name!r}: give --format ({', '.join(PAIR_FORMATS)})")


def stem_of(name: str, suffixes: tuple[str, ...]) -> str:
    """Take the end that stands for a format off a name."""
    for suffix in suffixes:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name
