"""An Atom feed (RFC 4287) of the lines that a standing query found, for feed readers.

A feed should say where it is to be had (`rel="self"`, section 4.1.1). Whoever publishes the file can tell its address.
Without that it says `feed.xml`: a relative reference is resolved against the address that the feed was fetched from
(RFC 3986, section 5.1.3), so it is right wherever the file is published under its name.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from html import escape
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as ET

from gristmill.errors import UsageError
from gristmill.search.concordance.lines import Line

FEED = "feed.xml"
"""The file of a feed."""
MAX_ENTRIES = 200
"""Entries of a feed, for the latest lines: readers keep what they have seen."""
_ATOM = "http://www.w3.org/2005/Atom"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_NO_DATE = "1970-01-01T00:00:00Z"
"""The date of a line whose page has none."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML can't have."""
_SELF = re.compile(rb'\s*<link rel="self" href="[^"]*" />')
_END_OF_ID = b"</id>"
_MAX_ADDRESS_CHARACTERS = 2_000
_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"
"""Characters that addresses may have; others are escaped."""


def atom_feed(name: str, query: str, lines: Sequence[Line], address: str = "") -> bytes:
    """Make a feed of the latest lines, the last one first, which says that it is to be had at an address."""
    ET.register_namespace("", _ATOM)
    feed = ET.Element(f"{{{_ATOM}}}feed")
    dates = [_date(line) for line in lines]
    _add(feed, "title", f"{name}: {query}")
    _add(feed, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"gristmill watch {name} {query}").urn)
    _add(feed, "link", rel="self", href=address or FEED)
    _add(feed, "updated", max(dates, default=_NO_DATE))
    _add(feed, "generator", "Gristmill")
    for number in range(len(lines) - 1, max(len(lines) - 1 - MAX_ENTRIES, -1), -1):
        feed.append(_entry(lines[number], dates[number], number))
    ET.indent(feed)
    written: bytes = ET.tostring(feed, "utf-8", xml_declaration=True)
    return written + b"\n"


def feed_address(text: str) -> str:
    """Check the address of a feed, and escape what addresses can't have; raise if it is none of the web."""
    try:
        parts = urlsplit(text.strip())
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.username
    except ValueError:
        is_web = False
    if not is_web or len(text) > _MAX_ADDRESS_CHARACTERS or _NOT_XML.search(text) or re.search(r"\s", text.strip()):
        raise UsageError(
            f"{text!r:.200} can't be the address of a feed: write https://example.org/mills.xml, without a password"
        )
    return quote(text.strip(), safe=_IN_ADDRESSES)


def at_address(feed: bytes, address: str) -> bytes:
    """Let a feed of ours say another address of its own."""
    head, entry, rest = feed.partition(b"<entry>")
    link = f'\n  <link rel="self" href="{escape(_NOT_XML.sub("", address))}" />'
    head = _SELF.sub(b"", head).replace(_END_OF_ID, _END_OF_ID + link.encode(), 1)
    return head + entry + rest


def _entry(line: Line, date: str, number: int) -> ET.Element:
    entry = ET.Element(f"{{{_ATOM}}}entry")
    _add(entry, "title", " ".join(f"{line.left}{line.node}{line.right}".split()))
    _add(entry, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"{line.url}#{line.doc}-{number}").urn)
    _add(entry, "updated", date)
    _add(_add(entry, "author"), "name", line.host or "unknown")
    if line.url:
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
