"""What a page says about itself: title, address, language, author, date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from turbohtml import unescape

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.elements import CODES
from gristmill.cleaning.markup import Markup

_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]+)*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")
_IN_JSON = re.compile(rb'"datePublished" {0,9}: {0,9}"([^"]{4,40})"')
# The names by which pages tell author and date, the most telling first.
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
# What a tag must have, in small letters, to be worth taking apart.
_META, _LINK, _HTML, _TIME = (CODES[name] for name in ("meta", "link", "html", "time"))
_TELLING = {
    _META: (b"author", b"date", b"creat", b"byl", b"published_time", b"title", b"url", b"language"),
    _LINK: (b"canonical",),
    _HTML: (b"lang",),
    _TIME: (b"datetime",),
}
_TELLS = np.zeros(len(CODES) + 2, np.bool_)
_TELLS[list(_TELLING)] = True


@dataclass(slots=True)
class Metadata:
    """What the markup of a page says about the page; empty where it says nothing."""

    title: str = ""
    canonical: str = ""
    """The address under which the page wants to be known."""
    lang: str = ""
    """The language that `<html lang>` or `Content-Language` names, as written there."""
    author: str = ""
    date: str = ""
    """When it was published, in ISO 8601."""


def read_metadata(markup: Markup, hidden: Flags) -> Metadata:
    """Read titles, `meta`, `link`, `html` and `time` tags, and dates of publication in embedded JSON."""
    found = Metadata(title=_title(markup, hidden))
    told: dict[str, str] = {}
    times = []
    for code, text in _telling_tags(markup):
        given = attributes(text)
        if code == _META:
            name = (
                given.get(b"property")
                or given.get(b"name")
                or given.get(b"itemprop")
                or given.get(b"http-equiv")
                or b""
            )
            told.setdefault(_text(name).lower(), _text(given.get(b"content", b"")))
        elif code == _LINK:
            if not found.canonical and b"canonical" in given.get(b"rel", b"").lower().split():
                found.canonical = _text(given.get(b"href", b""))
        elif code == _HTML:
            found.lang = found.lang or _text(given.get(b"lang") or given.get(b"xml:lang") or b"")
        else:
            times.append(_text(given.get(b"datetime", b"")))
    found.title = found.title or told.get("og:title", "")
    found.canonical = found.canonical or told.get("og:url", "")
    found.lang = _matching(_LANGUAGE, [found.lang, told.get("content-language", "")])
    found.author = next((told[name] for name in _AUTHORS if told.get(name)), "")
    dates = [told[name] for name in _DATES if name in told]
    found.date = _matching(_DATE, dates) or _matching(_DATE, [_date_in_json(markup.scripts), *times])
    return found


def _telling_tags(markup: Markup) -> Iterator[tuple[int, bytes]]:
    """The code of each tag that tells something of the page, and the tag."""
    tags = np.flatnonzero(_TELLS[markup.codes] & ~markup.closing)
    for code, start, end in zip(
        markup.codes[tags].tolist(), markup.starts[tags].tolist(), markup.ends[tags].tolist(), strict=True
    ):
        tag = markup.data[start:end]
        lower = tag.lower()
        for word in _TELLING[code]:
            if word in lower:
                yield code, tag
                break


def _title(markup: Markup, hidden: Flags) -> str:
    """The first title that is the page's own, and not that of a drawing in it."""
    for place, title in markup.titles:
        tag = int(np.searchsorted(markup.starts, place)) - 1
        if not hidden[tag]:
            return _text(title)
    return ""


def _text(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return " ".join((unescape(text) if "&" in text else text).split())


def _matching(pattern: re.Pattern[str], values: list[str]) -> str:
    """The first of the values that has the right form at its beginning, cut to that form."""
    return next((match[0] for match in map(pattern.match, values) if match), "")


def _date_in_json(scripts: list[bytes]) -> str:
    for script in scripts:
        if (at := script.find(b'"datePublished"')) >= 0 and (match := _IN_JSON.search(script, at)):
            return match[1].decode("utf-8", "replace")
    return ""
