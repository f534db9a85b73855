"""Open the ZIP files that DOCX, ODT and EPUB documents are, and parse the XML in them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol
from xml.parsers import expat

from gristmill.archive.packed import most_bytes

_MAX_PART_BYTES = 64_000_000  # when it is unpacked
_CHUNK_BYTES = 1 << 16
_MAX_TAG_BYTES = 1_000_000
_MAX_DEPTH, _MAX_NAMES = 1_000, 10_000  # of elements, and of names of elements and attributes; Word has some thousand
_MAX_PROPERTY_CHARACTERS = 1000
_NAMESPACE_SEPARATOR = " "


class BrokenDocument(Exception):  # noqa: N818 (it is the document's fault)
    """A document that can't be read, with the reason."""


@contextmanager
def opened(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open a document's ZIP file; whatever is wrong with it is raised as a `BrokenDocument`."""
    try:
        with zipfile.ZipFile(file) as packed:
            yield packed
    except (OSError, EOFError, ValueError, RuntimeError, KeyError, zlib.error, zipfile.BadZipFile) as error:
        raise BrokenDocument(str(error) or type(error).__name__) from error


def pieces_of(packed: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Read one file of a document by pieces, up to the size that it may have; nothing if it is not there."""
    if name not in packed.NameToInfo:
        return
    most = min(_MAX_PART_BYTES, most_bytes(packed.NameToInfo[name].compress_size))
    size = 0
    with packed.open(name) as file:
        while piece := file.read(_CHUNK_BYTES):
            size += len(piece)
            if size > most:
                raise BrokenDocument(f"{name} has more than {most:,} bytes")
            yield piece


def part_of(packed: zipfile.ZipFile, name: str) -> bytes:
    """Read one file of a document, of bounded size; empty if it is not there."""
    return b"".join(pieces_of(packed, name))


class Handler(Protocol):
    """A receiver of the elements of an XML file; names are `namespace local`."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Receive the start of an element."""

    def end(self, name: str) -> None:
        """Receive the end of an element."""

    def text(self, data: str) -> None:
        """Receive characters between tags."""


def parse(pieces: Iterable[bytes], handler: Handler) -> None:
    """Parse an XML file without building a tree.

    What could be made to fill any memory is refused: entities, elements inside each other without end, names without
    number, endless tags.
    """
    parser = expat.ParserCreate(namespace_separator=_NAMESPACE_SEPARATOR)
    parser.buffer_text = True
    depth = fed = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise BrokenDocument(f"its XML has more than {_MAX_DEPTH:,} elements inside each other")
        handler.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(name)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = handler.text
    parser.EntityDeclHandler = _refuse
    try:
        for piece in (part[at : at + _CHUNK_BYTES] for part in pieces for at in range(0, len(part), _CHUNK_BYTES)):
            parser.Parse(piece, False)
            fed += len(piece)
            if len(parser.intern) > _MAX_NAMES:
                raise BrokenDocument(f"its XML has more than {_MAX_NAMES:,} names")
            if fed - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                raise BrokenDocument(f"its XML has a tag of more than {_MAX_TAG_BYTES:,} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise BrokenDocument(f"damaged XML: {error}") from error


def _refuse(*_: object) -> None:
    raise BrokenDocument("its XML declares entities")


def local(name: str) -> str:
    """The local part of a name, without its namespace."""
    return name.rpartition(_NAMESPACE_SEPARATOR)[2]


class Properties:
    """A handler that collects the text of some elements by local name, such as `title`; the first of a name counts."""

    def __init__(self, *wanted: str) -> None:
        self.found: dict[str, str] = {}
        self._wanted = frozenset(wanted)
        self._in = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Remember a wanted element as open."""
        del attributes
        self._in = name if (name := local(name)) in self._wanted and name not in self.found else ""

    def end(self, name: str) -> None:
        """Forget the open element."""
        del name
        self._in = ""

    def text(self, data: str) -> None:
        """Add characters to the open element."""
        if self._in:
            self.found[self._in] = (self.found.get(self._in, "") + data)[:_MAX_PROPERTY_CHARACTERS]


def properties(data: bytes, *wanted: str) -> dict[str, str]:
    """Read the text of the wanted elements in a file of metadata."""
    handler = Properties(*wanted)
    if data:
        parse([data], handler)
    return {name: " ".join(text.split()) for name, text in handler.found.items()}
