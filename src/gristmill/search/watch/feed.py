"""An Atom feed (RFC 4287) of the lines that a standing query found, for feed readers."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from html import escape
from xml.etree import ElementTree as ET

from gristmill.search.concordance.lines import Line

MAX_ENTRIES = 200
"""Entries of a feed, for the latest lines: readers keep what they have seen."""
_ATOM = "http://www.w3.org/2005/Atom"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_NO_DATE = "1970-01-01T00:00:00Z"
"""The date of a line whose page has none."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML can't have."""


def atom_feed(name: str, query: str, lines: Sequence[Line]) -> bytes:
    """Make a feed of the latest lines, the last one first; it depends on nothing but these."""
    ET.register_namespace("", _ATOM)
    feed = ET.Element(f"{{{_ATOM}}}feed")
    dates = [_date(line) for line in lines]
    _add(feed, "title", f"{name}: {query}")
    _add(feed, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"gristmill watch {name} {query}").urn)
    _add(feed, "updated", max(dates, default=_NO_DATE))
    _add(feed, "generator", "Gristmill")
    for number in range(len(lines) - 1, max(len(lines) - 1 - MAX_ENTRIES, -1), -1):
        feed.append(_entry(lines[number], dates[number], number))
    ET.indent(feed)
    written: bytes = ET.tostring(feed, "utf-8", xml_declaration=True)
    return written + b"\n"


def _entry(line: Line, date: str, number: int) -> ET.Element:
    entry = ET.Element(f"{{{_ATOM}}}entry")
    _add(entry, "title", " ".join(f"{line.left}{line.node}{line.right}".split()))
    _add(entry, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"{line.url}#{line.doc}-{number}").urn)
    _add(entry, "updated", date)
    _add(_add(entry, "author"), "name", line.host or "unknown")
    _add(entry, "link", href=line.url)
    marked = f"{escape(line.left)}<b>{escape(line.node)}</b>{escape(line.right)}"
    _add(entry, "content", marked, type="html")
    return entry


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element to another one; characters that XML can't have are left out."""
    clean = {key: _NOT_XML.sub("", value) for key, value in attributes.items()}
    element = ET.SubElement(parent, f"{{{_ATOM}}}{name}", clean)
    element.text = _NOT_XML.sub("", text) or None
    return element


def _date(line: Line) -> str:
    """The date when the page was fetched, as feeds want it."""
    return line.date if _DATE.fullmatch(line.date) else _NO_DATE
