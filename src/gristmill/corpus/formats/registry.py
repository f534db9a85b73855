"""The protocol of an export format, and the registry of formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import Registry, parts_of

Write = Callable[[SelectedDocument], int]
"""Writes a document, and returns its number of bytes before it is compressed."""
Pieces = Callable[[SelectedDocument], Iterator[str]]
"""Makes pieces of text of a document."""


class Format(Protocol):
    """Writes documents, one after the other, each with the blocks that are wanted."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Ends of file names that stand for it."""

    @property
    def has_tokens(self) -> bool:
        """Whether it needs the tokens of the blocks."""

    @property
    def compressible(self) -> bool:
        """Whether it can be compressed as a whole; one that compresses its parts can't."""

    def writer(self, stream: BinaryIO) -> AbstractContextManager[Write]:
        """Open a writer of documents to a stream.

        It has no more than a few of them in memory; the rest is written at the end.
        """

    def beside(self, path: Path) -> dict[Path, str]:
        """Files that go beside an export to `path`, by their paths: what other programs need to read it."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format of text: each document becomes some pieces of it, the last of which ends in a line end."""

    pieces: Callable[[SelectedDocument], Iterator[str]]
    suffixes: tuple[str, ...]
    has_tokens: bool
    companions: Callable[[Path], dict[Path, str]]
    compressible: bool = True

    @contextmanager
    def writer(self, stream: BinaryIO) -> Iterator[Write]:
        """Write a document at a time."""

        def write(chosen: SelectedDocument) -> int:
            data = "".join(self.pieces(chosen)).encode()
            stream.write(data)
            return len(data)

        yield write

    def beside(self, path: Path) -> dict[Path, str]:
        """Files that go beside an export, by their paths."""
        return self.companions(path)


def _format(
    made: Format | Pieces,
    suffixes: tuple[str, ...] = (),
    has_tokens: bool = False,
    companions: Callable[[Path], dict[Path, str]] | None = None,
) -> Format:
    """A format, or a function from documents to pieces of text with the ends of file names that stand for it."""
    return TextFormat(made, suffixes, has_tokens, companions or _none) if callable(made) else made


FORMATS: Registry[Format] = parts_of("export format", _format)
"""All export formats, by name."""


def _none(path: Path) -> dict[Path, str]:
    del path
    return {}
