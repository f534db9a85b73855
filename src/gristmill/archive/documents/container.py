"""The ZIP files that DOCX, ODT and EPUB documents are, and the XML in them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol
from xml.parsers import expat

_LARGEST = 64_000_000  # bytes of a part when it is unpacked
_SPACE = " "


class BrokenDocument(Exception):  # noqa: N818 (it is the document's fault)
    """A document that can't be read, with the reason."""


@contextmanager
def opened(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """A document's ZIP file; whatever is wrong with it is a `BrokenDocument`."""
    try:
        with zipfile.ZipFile(file) as packed:
            yield packed
    except (OSError, EOFError, ValueError, RuntimeError, KeyError, zlib.error, zipfile.BadZipFile) as error:
        raise BrokenDocument(str(error) or type(error).__name__) from error


def part_of(packed: zipfile.ZipFile, name: str) -> bytes:
    """One file of a document, of bounded size; empty if it is not there."""
    if name not in packed.NameToInfo:
        return b""
    with packed.open(name) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BrokenDocument(f"{name} has more than {_LARGEST:,} bytes")
    return data


class Handler(Protocol):
    """What is told of the elements of an XML file; names are `namespace local`."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """Characters between them."""


def parse(data: bytes, handler: Handler) -> None:
    """Read an XML file without making a tree of it. Entities are not: they can be made to fill any memory."""
    parser = expat.ParserCreate(namespace_separator=_SPACE)
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BrokenDocument(f"damaged XML: {error}") from error


def _refuse(*_: object) -> None:
    raise BrokenDocument("its XML declares entities")


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition(_SPACE)[2]


class Properties:
    """The text of some elements by their local names, such as the title in a document's metadata; the first of each name counts."""

    def __init__(self, *wanted: str) -> None:
        self.found: dict[str, str] = {}
        self._wanted = frozenset(wanted)
        self._in = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        del attributes
        self._in = name if (name := local(name)) in self._wanted and name not in self.found else ""

    def end(self, name: str) -> None:
        """An element ends."""
        del name
        self._in = ""

    def text(self, data: str) -> None:
        """Characters between them."""
        if self._in:
            self.found[self._in] = (self.found.get(self._in, "") + data)[:1000]


def properties(data: bytes, *wanted: str) -> dict[str, str]:
    """The text of these elements in a file of metadata, as far as it can be read."""
    handler = Properties(*wanted)
    if data:
        parse(data, handler)
    return {name: " ".join(text.split()) for name, text in handler.found.items()}
