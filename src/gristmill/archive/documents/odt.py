"""Convert documents of LibreOffice and others (OpenDocument, ISO 26300) to HTML."""

from __future__ import annotations

from typing import BinaryIO

from gristmill.archive.documents.container import local, opened, parse, part_of, pieces_of, properties
from gristmill.archive.documents.html import About, Html

_LEFT_OUT = frozenset(("tracked-changes", "annotation", "note", "sequence-decls", "forms", "automatic-styles"))
_TABLE = {"table": "table", "table-row": "tr", "table-cell": "td"}


def odt(file: BinaryIO) -> bytes:
    """Convert a document: headings, paragraphs, list items, tables."""
    with opened(file) as packed:
        found = properties(part_of(packed, "meta.xml"), "title", "creator", "creation-date", "language")
        body = _Body()
        parse(pieces_of(packed, "content.xml"), body)
    body.html.about = About(
        found.get("title", ""), found.get("creator", ""), found.get("creation-date", ""), found.get("language", "")
    )
    return body.html.page()


class _Body:
    """A handler that makes HTML of the paragraphs and tables of a document."""

    def __init__(self) -> None:
        self.html = Html()
        self._pieces: list[str] | None = None
        """The text of the open paragraph; None outside of paragraphs."""
        self._level = 0
        self._lists = 0
        self._left_out = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name in _LEFT_OUT or self._left_out:
            self._left_out += 1
        elif name in {"p", "h"}:
            level = next((value for key, value in attributes.items() if local(key) == "outline-level"), "1")
            self._level = (int(level) if level.isdecimal() else 1) if name == "h" else 0
            self._pieces = []
        elif name == "list-item":
            self._lists += 1
        elif name in _TABLE:
            self.html.tag(f"<{_TABLE[name]}>")
        elif self._pieces is not None and name in {"s", "tab", "line-break"}:
            self._pieces.append({"s": " ", "tab": "\t", "line-break": "\n"}[name])

    def end(self, name: str) -> None:
        if self._left_out:
            self._left_out -= 1
            return
        name = local(name)
        if name in {"p", "h"} and self._pieces is not None:
            self.html.block("".join(self._pieces), self._level, item=self._lists > 0)
            self._pieces = None
        elif name == "list-item":
            self._lists -= 1
        elif name in _TABLE:
            self.html.tag(f"</{_TABLE[name]}>\n")

    def text(self, data: str) -> None:
        if self._pieces is not None and not self._left_out:
            self._pieces.append(" ".join(data.split("\n")))
