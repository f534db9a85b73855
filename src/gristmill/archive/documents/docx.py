"""Convert Word documents (Office Open XML, ECMA-376) to HTML."""

from __future__ import annotations

import re
from typing import BinaryIO

from gristmill.archive.documents.container import local, opened, parse, part_of, pieces_of, properties
from gristmill.archive.documents.html import About, Html

_HEADING = re.compile(r"heading (\d)")
_LEFT_OUT = frozenset(("del", "moveFrom", "instrText", "Fallback", "delText", "txbxContent"))
"""Elements of which nothing is taken: deleted and moved text, the code of fields, and text that is there twice."""


def docx(file: BinaryIO) -> bytes:
    """Convert a document: headings by their styles, paragraphs, list items, tables."""
    with opened(file) as packed:
        styles = _Styles()
        if data := part_of(packed, "word/styles.xml"):
            parse([data], styles)
        found = properties(part_of(packed, "docProps/core.xml"), "title", "creator", "created", "language")
        body = _Body(styles.levels)
        parse(pieces_of(packed, "word/document.xml"), body)
    body.html.about = About(
        found.get("title", ""), found.get("creator", ""), found.get("created", ""), found.get("language", "")
    )
    return body.html.page()


class _Styles:
    """A handler that finds which styles are headings, and of which level; ids differ by language, names don't."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        values = {local(key): value for key, value in attributes.items()}
        name = local(name)
        if name == "style":
            self._style = values.get("styleId", "")
        elif name == "name":
            said = values.get("val", "").lower()
            match = _HEADING.fullmatch(said)
            if match or said == "title":
                self.levels[self._style] = int(match[1]) if match else 1
        elif name == "outlineLvl" and values.get("val", "").isdecimal() and int(values["val"]) < 9:
            self.levels.setdefault(self._style, int(values["val"]) + 1)

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


class _Body:
    """A handler that makes HTML of the paragraphs and tables of a document."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.html = Html()
        self._levels = levels
        self._pieces: list[str] = []
        self._level, self._is_item = 0, False
        self._in_text = False
        self._left_out = 0
        """The number of open elements of which nothing is taken."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name in _LEFT_OUT or self._left_out:
            self._left_out += 1
            return
        value = next((value for key, value in attributes.items() if local(key) == "val"), "")
        if name == "p":
            self._pieces, self._level, self._is_item = [], 0, False
        elif name == "pStyle":
            self._level = self._levels.get(value, 0)
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            self._level = int(value) + 1
        elif name == "numPr":
            self._is_item = True
        elif name == "t":
            self._in_text = True
        elif name in {"tab", "br", "cr"}:
            self._pieces.append("\t" if name == "tab" else "\n")
        elif name in {"tbl", "tr", "tc"}:
            self.html.tag({"tbl": "<table>\n", "tr": "<tr>", "tc": "<td>"}[name])

    def end(self, name: str) -> None:
        if self._left_out:
            self._left_out -= 1
            return
        name = local(name)
        if name == "t":
            self._in_text = False
        elif name == "p":
            self.html.block("".join(self._pieces), self._level, item=self._is_item)
            self._pieces = []
        elif name in {"tbl", "tr", "tc"}:
            self.html.tag({"tbl": "</table>\n", "tr": "</tr>\n", "tc": "</td>"}[name])

    def text(self, data: str) -> None:
        if self._in_text and not self._left_out:
            self._pieces.append(data)
