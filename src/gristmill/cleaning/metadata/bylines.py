"""Complete the metadata of a page by the text near its headline and by its address, where it declares nothing."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import numpy as np

from gristmill.cleaning.metadata.dates import date_in_address, date_in_numbers, date_in_words, is_later
from gristmill.cleaning.metadata.elements import is_headline
from gristmill.cleaning.metadata.found import Metadata
from gristmill.cleaning.metadata.names import name_in_byline
from gristmill.columns import KINDS, Columns

_HEADING = KINDS.index("h")
_MAX_HEADINGS = 30
_BEFORE, _BEHIND = 3, 8
"""Blocks before and behind the headline that are near it."""
_MAX_CHARACTERS = 200
"""Characters of a byline; a block that is longer is text."""
_CHANGED = re.compile(r"\b(?:updated|modified|aktualisiert|mis à jour|actualizado|aggiornato|zaktualizowano)\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s+[|–—·:»-]\s+|\s*[|»]\s*")
_LETTERS = re.compile(r"[\W_]+")


def complete(found: Metadata, columns: Columns, url: str, fetched: str) -> None:
    """Fill fields that the markup left empty, and drop dates after the time at which the page was fetched."""
    if fetched:
        for name in ("date", "modified"):
            if is_later(getattr(found, name), fetched):
                setattr(found, name, "")
                del found.sources[name]
    if found.author and _letters(found.author) == _letters(found.site_name):
        found.doubt("author", found.author, found.sources.pop("author"))
        found.author = ""
    address = date_in_address(url or found.canonical) if not found.date else ""
    if not (found.author and found.date):
        _read_blocks(found, columns, address, fetched)
    found.put("date", address, "address")
    for name, (value, source) in found.doubtful.items():
        if not (name == "date" and is_later(value, fetched)):
            found.put(name, value, source)
    if not found.site_name:
        found.put("site_name", _site_in_title(found.title, url or found.canonical), "title")


def _read_blocks(found: Metadata, columns: Columns, address: str, fetched: str) -> None:
    """Read the blocks near the headline, and those that are bylines by their role."""
    near = _near_headline(found, columns)
    bylines = np.flatnonzero(columns.role.flags(lambda role: role == "byline"))
    places = np.array(list(dict.fromkeys([*bylines[:_BEHIND].tolist(), *near])), np.int64)
    marked = frozenset(bylines.tolist())
    for place, text in zip(places.tolist(), columns.folded.some(places), strict=True):
        if len(text) > _MAX_CHARACTERS:
            continue
        if not found.author:
            found.put("author", name_in_byline(text), "byline")
        date = date_in_words(text, found.lang) or date_in_numbers(text, found.lang, address)
        if date and not is_later(date, fetched):
            changed = _CHANGED.search(text)
            found.put("modified" if changed and place not in marked else "date", date, "byline")


def _near_headline(found: Metadata, columns: Columns) -> list[int]:
    """Return the numbers of the blocks near the headline, those behind it first, up to the first long one."""
    headings = np.flatnonzero(columns.kind.codes == _HEADING)[:_MAX_HEADINGS]
    title = found.headline or found.title
    some = zip(headings.tolist(), columns.folded.some(headings), strict=True)
    places = [place for place, text in some if is_headline(text, title)]
    if not places:
        return []
    headline = places[0]
    behind = []
    for place in range(headline + 1, min(headline + 1 + _BEHIND, len(columns))):
        behind.append(place)
        if columns.words[place] > _MAX_CHARACTERS // 5:
            break
    return [*behind, *range(max(headline - _BEFORE, 0), headline)]


def _site_in_title(title: str, url: str) -> str:
    """Find the name of the site at the end or beginning of a title: the host is made of the same letters."""
    parts = _SEPARATOR.split(title[:500])
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    if len(parts) < 2 or not host:
        return ""
    labels = host.split(".")
    for part in (parts[-1], parts[0]):
        letters = _letters(part)
        if len(letters) > 2 and any(
            letters.removeprefix("the") == label.removeprefix("the")
            for label in (label.replace("-", "") for label in labels)
        ):
            return part.strip()
    return ""


def _letters(text: str) -> str:
    return _LETTERS.sub("", text.lower())
