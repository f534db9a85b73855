"""Metadata that a page declares: title, canonical address, language, author, date of publication.

Read from the tags that `markup` has found; used by `segmentation`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import Markup
from gristmill.kernel import resolve
from gristmill.kernel.elements import CODES

_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]+)*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")
_PUBLISHED_IN_JSON = re.compile(rb'"datePublished" {0,9}: {0,9}"([^"]{4,40})"')
# The names under which pages declare author and date, the most reliable first.
_AUTHORS = (
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "byl",
    "citation_author",
)
_DATES = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "dcterms.date",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "citation_publication_date",
    "og:article:published_time",
)
# Attributes are only parsed if the tag, in lower case, has one of these.
_META, _LINK, _HTML, _TIME = (CODES[name] for name in ("meta", "link", "html", "time"))
_HINTS = {
    _META: (b"author", b"date", b"creat", b"byl", b"published_time", b"title", b"url", b"language"),
    _LINK: (b"canonical",),
    _HTML: (b"lang",),
    _TIME: (b"datetime",),
}
_MAY_DECLARE = np.zeros(len(CODES) + 2, np.bool_)
_MAY_DECLARE[list(_HINTS)] = True


@dataclass(slots=True)
class Metadata:
    """Metadata as the markup of a page declares it; empty where it declares nothing."""

    title: str = ""
    canonical: str = ""
    """The address under which the page wants to be known."""
    lang: str = ""
    """The language that `<html lang>` or `Content-Language` names, as written there."""
    author: str = ""
    date: str = ""
    """When the page was published, in ISO 8601."""


def read_metadata(markup: Markup, hidden: Flags) -> Metadata:
    """Read titles, `meta`, `link`, `html` and `time` tags, and dates of publication in embedded JSON."""
    found = Metadata(title=_title(markup, hidden))
    meta: dict[str, str] = {}
    times = []
    for code, text in _declaring_tags(markup):
        given = attributes(text)
        if code == _META:
            names = map(given.get, (b"property", b"name", b"itemprop", b"http-equiv"))
            name = next(filter(None, names), b"")
            meta.setdefault(_text(name).lower(), _text(given.get(b"content", b"")))
        elif code == _LINK:
            if not found.canonical and b"canonical" in given.get(b"rel", b"").lower().split():
                found.canonical = _text(given.get(b"href", b""))
        elif code == _HTML:
            found.lang = found.lang or _text(given.get(b"lang") or given.get(b"xml:lang") or b"")
        else:
            times.append(_text(given.get(b"datetime", b"")))
    found.title = found.title or meta.get("og:title", "")
    found.canonical = found.canonical or meta.get("og:url", "")
    found.lang = _first_match(_LANGUAGE, [found.lang, meta.get("content-language", "")])
    found.author = next((meta[name] for name in _AUTHORS if meta.get(name)), "")
    dates = [meta[name] for name in _DATES if name in meta]
    found.date = _first_match(_DATE, dates) or _first_match(_DATE, [_date_in_json(markup), *times])
    return found


def _declaring_tags(markup: Markup) -> Iterator[tuple[int, bytes]]:
    """Yield the tags that may declare something about the page: the code of the name, and the tag as written."""
    data = markup.data
    for code, start, end in markup.start_tags(_MAY_DECLARE):
        tag = data[start:end]
        lower = tag.lower()
        for hint in _HINTS[code]:
            if hint in lower:
                yield code, tag
                break


def _title(markup: Markup, hidden: Flags) -> str:
    """Return the first title that is not in a hidden element: `<svg>` drawings have titles of their own."""
    for tag, title in markup.titles:
        if not hidden[tag]:
            return _text(title, in_attribute=False)
    return ""


def _text(value: bytes, *, in_attribute: bool = True) -> str:
    """Decode an attribute or a title: character references resolved, white space folded."""
    return " ".join(resolve(value, in_attribute).decode("utf-8", "replace").split())


def _first_match(pattern: re.Pattern[str], values: list[str]) -> str:
    """Return what the pattern matches at the beginning of the first value that it matches; empty if there is none."""
    return next((match[0] for match in map(pattern.match, values) if match), "")


def _date_in_json(markup: Markup) -> str:
    """Find the date of publication in JSON-LD, which stands in `script` elements."""
    for script in markup.scripts_with(b'"datePublished"'):
        if match := _PUBLISHED_IN_JSON.search(script):
            return match[1].decode("utf-8", "replace")
    return ""
