"""Complete the metadata of a page by the text near its headline and by its address, where it declares nothing."""

from __future__ import annotations

import re
from itertools import takewhile
from urllib.parse import urlsplit

import numpy as np

from gristmill.cleaning.metadata.dates import (
    date_in_address,
    date_in_numbers,
    date_in_words,
    days_between,
    has_year,
    is_later,
)
from gristmill.cleaning.metadata.elements import is_headline
from gristmill.cleaning.metadata.found import Metadata
from gristmill.cleaning.metadata.names import may_have_byline, name_in_byline
from gristmill.columns import KINDS, Columns

_HEADING = KINDS.index("h")
_MAX_HEADINGS = 30
_BEFORE, _BEHIND = 3, 12
"""Blocks before and behind the headline that are near it."""
_FAR = 30
"""Blocks from the headline within which blocks that have the role of a byline are believed."""
_MAX_CHARACTERS = 200
"""Characters of a byline; a block that is longer is text."""
_MAX_WORDS = 40
"""Words of a block; behind one that has more there is no byline."""
_MAX_DAYS = 3
"""Days by which a date that was found in the text may differ from that in the address."""
_FOUND_IN_TEXT = frozenset({"byline", "time", "microdata"})
_CHANGED = re.compile(
    r"\b(?:updated|modified|aktualisiert|mis à jour|actualizado|aggiornato|zaktualizowano|обновлено)\b", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s+[|–—·:»>-]\s+|\s*(?:[|»_]|::+)\s*")
_LETTERS = re.compile(r"[\W_]+")
_MAX_TITLE_CHARACTERS = 500
_FIRST_CHARACTERS, _MIN_HEADLINE_BYTES, _MAX_TRIES = 16, 12, 4
"""How much of the title a block must begin with, at least, and how many of such blocks are looked at."""


def complete(found: Metadata, columns: Columns, url: str, fetched: str) -> None:
    """Fill fields that the markup left empty, and drop dates after the time at which the page was fetched."""
    parts = [part for part in _SEPARATOR.split(found.title[:_MAX_TITLE_CHARACTERS]) if part]
    asks_for_host = found.author or not (found.site_name or len(parts) < 2)
    host = _host(url or found.canonical) if asks_for_host else ""
    _complete_site(found, parts, host)
    address = date_in_address(url) or date_in_address(found.canonical)
    for name, value in (("date", found.date), ("modified", found.modified)):
        if value and is_later(value, fetched):
            _forget(found, name)
    if address and found.sources.get("date") in _FOUND_IN_TEXT and days_between(found.date, address) > _MAX_DAYS:
        _forget(found, "date")
    if found.author and _is_site(_letters(found.author), found.site_name, host, parts):
        found.doubt("author", found.author, found.sources["author"])
        _forget(found, "author")
    if not (found.author and found.date and found.headline):
        _read_blocks(found, columns, parts, address, fetched)
    found.put("date", address, "address")
    for name, (value, source) in found.doubtful.items():
        if not (name == "date" and is_later(value, fetched)):
            found.put(name, value, source)
    if not found.headline:
        others = [part for part in parts if part != found.site_name]
        found.put("headline", others[0] if len(parts) == 2 and len(others) == 1 else found.title, "title")


def _forget(found: Metadata, name: str) -> None:
    setattr(found, name, "")
    del found.sources[name]


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # brackets that hold no IPv6 address
        return ""


def _complete_site(found: Metadata, parts: list[str], host: str) -> None:
    """Find the name of the site at the end or beginning of the title: its host is made of the same letters."""
    if found.site_name or len(parts) < 2 or not host:
        return
    labels = {label.replace("-", "").removeprefix("the") for label in host.split(".")}
    for part in (parts[-1], parts[0]):
        letters = _letters(part)
        if len(letters) > 2 and (letters.removeprefix("the") in labels or letters == _letters(host)):
            found.put("site_name", part.strip(), "title")


def _is_site(letters: str, site_name: str, host: str, parts: list[str]) -> bool:
    """Tell whether what is given as the author is the site: it has that name, or the title ends with it."""
    if letters == _letters(site_name) or (len(letters) > 4 and letters in _letters(host)):
        return True
    return len(parts) > 1 and bool(letters) and _letters(parts[-1]).startswith(letters)


def _read_blocks(found: Metadata, columns: Columns, parts: list[str], address: str, fetched: str) -> None:
    """Read the blocks near the headline, and those that are bylines by their role."""
    headline = _find_headline(found, columns, parts)
    is_byline = columns.role.values.index("byline") if "byline" in columns.role.values else -1
    bylines = np.flatnonzero(columns.role.codes == is_byline)[:_BEHIND].tolist() if is_byline >= 0 else []
    if bylines:  # far from the headline are those of comments and of other texts; far above it is today's date
        first = headline if headline is not None else _first_text(columns) - _BEHIND // 2
        bylines = [place for place in bylines if first - _BEFORE <= place <= first + _FAR]
    near = _near(headline, columns) if headline is not None else []
    if not (bylines or near):
        return
    places = np.array(list(dict.fromkeys([*bylines, *near])), np.int64)
    texts = [text for text in columns.text.some(places) if len(text) <= _MAX_CHARACTERS]
    whole = "\n".join(texts)
    if not has_year(whole) and (found.author or not may_have_byline(whole)):
        return
    for text in texts:
        if found.author and found.date:
            break
        if not found.author and may_have_byline(text):
            found.put("author", name_in_byline(text.replace("\n", " | ")), "byline")
        if not has_year(text):
            continue
        date = date_in_words(text, found.lang) or date_in_numbers(text, found.lang, address)
        if date and not is_later(date, fetched) and not (address and days_between(date, address) > _MAX_DAYS):
            found.put("modified" if _CHANGED.search(text) else "date", date, "byline")


def _find_headline(found: Metadata, columns: Columns, parts: list[str]) -> int | None:
    """Find the block that is the headline: a heading that the title names, or a block that begins as the title does."""
    headings = np.flatnonzero(columns.kind.codes == _HEADING)[:_MAX_HEADINGS]
    title = found.headline or found.title
    for place, text in zip(headings.tolist(), columns.folded.some(headings), strict=True):
        if is_headline(text, title):
            found.put("headline", text, "heading")
            return int(place)
    longest = max([*_SEPARATOR.split(found.headline), *parts], key=len, default="")
    wanted = longest[:_FIRST_CHARACTERS].encode("utf-8", "replace")
    at = -1
    for _ in range(_MAX_TRIES if len(wanted) >= _MIN_HEADLINE_BYTES else 0):
        at = columns.folded.data.find(wanted, at + 1)
        if at < 0:
            break
        place = int(columns.folded.offsets.searchsorted(at, "right")) - 1
        text = columns.folded.some(np.array([place]))[0]
        if is_headline(text, longest):
            found.put("headline", text, "heading")
            return place
    return None


def _first_text(columns: Columns) -> int:
    """Return the number of the first long block; that of the last block if there is none."""
    long = np.flatnonzero(columns.words > _MAX_WORDS)
    return int(long[0]) if len(long) else len(columns) - 1


def _near(headline: int, columns: Columns) -> list[int]:
    """Return the numbers of the blocks near the headline, those behind it first, up to the first long one."""
    behind = range(headline + 1, min(headline + 1 + _BEHIND, len(columns)))
    words = columns.words[headline + 1 : headline + 1 + _BEHIND].tolist()
    some = takewhile(lambda place: words[place - headline - 1] <= _MAX_WORDS, behind)
    return [*some, *range(max(headline - _BEFORE, 0), headline)]


def _letters(text: str) -> str:
    return _LETTERS.sub("", text.lower())
