"""Convert e-books (EPUB 2 and 3) to HTML: their chapters are HTML, and a list says in which order they come."""

from __future__ import annotations

import posixpath
import re
import zipfile
from typing import BinaryIO
from urllib.parse import unquote

from gristmill.archive.documents.container import BrokenDocument, local, opened, parse, part_of, pieces_of, properties
from gristmill.archive.documents.html import About, Html

_MAX_BOOK_CHARACTERS = 100_000_000
_BODY_START = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_BODY_END = re.compile(r"</body\s*>", re.IGNORECASE)


def epub(file: BinaryIO) -> bytes:
    """Convert a book: all its chapters in their order."""
    with opened(file) as packed:
        container = _Attributes("rootfile", "full-path")
        parse(pieces_of(packed, "META-INF/container.xml"), container)
        if not container.found:
            raise BrokenDocument("it does not say where its contents are listed")
        place = container.found[0]
        package = part_of(packed, place)
        found = properties(package, "title", "creator", "date", "language")
        html = Html(
            About(found.get("title", ""), found.get("creator", ""), found.get("date", ""), found.get("language", ""))
        )
        size = 0
        for chapter in _chapters(package, posixpath.dirname(place)):
            html.tag(_body(packed, chapter))
            size += len(html.parts[-1])
            if size > _MAX_BOOK_CHARACTERS:
                raise BrokenDocument(f"it has more than {_MAX_BOOK_CHARACTERS:,} bytes")
    return html.page()


def _body(packed: zipfile.ZipFile, name: str) -> str:
    data = part_of(packed, name)
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"  # nothing else is allowed in a book
    text = data.decode(encoding, "replace")
    start, end = _BODY_START.search(text), _BODY_END.search(text)
    return f"<div>\n{text[start.end() if start else 0 : end.start() if end else len(text)]}\n</div>\n"


def _chapters(package: bytes, folder: str) -> list[str]:
    items = _Items()
    parse([package], items)
    names = [items.places[chapter] for chapter in items.order if chapter in items.places]
    return list(dict.fromkeys(posixpath.normpath(posixpath.join(folder, unquote(name))) for name in names))


class _Attributes:
    """A handler that collects the values of an attribute of elements of one name."""

    def __init__(self, element: str, attribute: str) -> None:
        self.found: list[str] = []
        self._element, self._attribute = element, attribute

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) == self._element and self._attribute in attributes:
            self.found.append(attributes[self._attribute])

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


class _Items(_Attributes):
    """A handler that collects the files that are chapters, by their ids, and the order in which they are read."""

    def __init__(self) -> None:
        super().__init__("itemref", "idref")
        self.places: dict[str, str] = {}

    @property
    def order(self) -> list[str]:
        return self.found

    def start(self, name: str, attributes: dict[str, str]) -> None:
        super().start(name, attributes)
        if (
            local(name) == "item"
            and "html" in attributes.get("media-type", "")
            and "nav" not in attributes.get("properties", "").split()
        ):
            self.places[attributes.get("id", "")] = attributes.get("href", "")
