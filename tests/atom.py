"""The rules of Atom (RFC 4287) that a feed has to keep, by section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

NAMESPACE = "{http://www.w3.org/2005/Atom}"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def faults(data: bytes, fetched_from: str) -> Iterator[str]:
    """What is wrong with a feed that was fetched from an address."""
    feed = ET.fromstring(data)  # noqa: S314 (our own)
    if feed.tag != f"{NAMESPACE}feed":
        yield "2: no feed"
    yield from _common(feed, "4.1.1")
    entries = _all(feed, "entry")
    if not _all(feed, "author") and not all(_all(entry, "author") for entry in entries):
        yield "4.1.1: no author"
    own = [link.get("href", "") for link in _all(feed, "link") if link.get("rel") == "self"]
    if len(own) != 1:
        yield f"4.1.1: {len(own)} links to itself"
    yield from (f"4.2.7: {link} is elsewhere" for link in own if urljoin(fetched_from, link) != fetched_from)
    if len({entry.findtext(f"{NAMESPACE}id") for entry in entries}) != len(entries):
        yield "4.1.1: entries with the same id"
    for entry in entries:
        yield from _common(entry, "4.1.2")
        alternates = [link for link in _all(entry, "link") if link.get("rel", "alternate") == "alternate"]
        if not alternates and not _all(entry, "content"):
            yield "4.1.2: neither content nor alternate"
        if len({(link.get("type"), link.get("hreflang")) for link in alternates}) != len(alternates):
            yield "4.1.2: alternates of the same type"


def _common(element: ET.Element, section: str) -> Iterator[str]:
    """What feeds and entries must both have."""
    for name in ("id", "title", "updated"):
        if len(_all(element, name)) != 1:
            yield f"{section}: {len(_all(element, name))} {name}"
    if not _DATE.fullmatch(element.findtext(f"{NAMESPACE}updated", "")):
        yield "3.3: no date"
    if not urlsplit(element.findtext(f"{NAMESPACE}id", "")).scheme:
        yield "4.2.6: the id is no IRI"
    for author in _all(element, "author"):
        if not author.findtext(f"{NAMESPACE}name"):
            yield "3.2.1: no name"
    for link in _all(element, "link"):
        if not link.get("href") or re.search(r'[\s<>"]', link.get("href", "")):
            yield "4.2.7.1: no IRI"


def _all(element: ET.Element, name: str) -> list[ET.Element]:
    return element.findall(f"{NAMESPACE}{name}")
