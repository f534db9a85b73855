"""What the tags of a page say to a crawler: where it links to, and what robots may do with it.

Read from the markup that cleaning works on, too. Comments, scripts and templates hold no links; `noscript` does.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import Markup
from gristmill.kernel import resolve
from gristmill.kernel.elements import CODES

ROBOT_NAME = b"gristmill"
"""By this name, `meta` tags speak to this crawler alone."""

_A, _AREA, _LINK, _FRAME, _META, _BASE, _HTML, _TEMPLATE = (
    CODES[name] for name in ("a", "area", "link", "frame", "meta", "base", "html", "template")
)
_MATTERS = np.zeros(len(CODES) + 2, np.bool_)  # the last item is for what is no tag, whose code is -1
_MATTERS[[_A, _AREA, _LINK, _FRAME, _META, _BASE, _HTML]] = True
_ANCHORS = frozenset({_A, _AREA})
_MAX_KNOWN_BYTES = 500  # of a tag that is remembered
_ROBOTS = frozenset({b"robots", ROBOT_NAME})
_NEIGHBOURS = frozenset({b"next", b"prev", b"previous"})
# The address in `5; url='https://example.org/'`; the standard allows a comma, and nothing at all for `url=`.
_REFRESH = re.compile(r"\s*+[\d.]*+[\s;,]*+(?:url\s*+=\s*+)?(?:\"([^\"]*+)|'([^']*+)|(\S*+))", re.IGNORECASE)


class Found(NamedTuple):
    """A link as it stands in a page."""

    address: str
    """As written, but for character references: mostly relative."""
    lang: str = ""
    """The language that `hreflang` names."""
    nofollow: bool = False
    """Whether the page asks not to follow it."""


@dataclass(slots=True)
class PageTags:
    """What the tags of a page say to a crawler."""

    links: list[Found] = field(default_factory=list)
    base: str = ""
    """What links are relative to, as written; the page's own address if it is empty."""
    canonical: str = ""
    """The address that the page wants to be known by, as written."""
    lang: str = ""
    """The language that `<html lang>` or `Content-Language` names, as written."""
    noindex: bool = False
    nofollow: bool = False


def read_tags(markup: Markup) -> PageTags:
    """Find the links of a page, and what it says to robots, in the order of the page."""
    found = PageTags()
    for code, tag in _tags(markup):
        if code in _ANCHORS:
            link = _anchor(tag) if len(tag) <= _MAX_KNOWN_BYTES else _link(attributes(tag), b"href")
            if link is not None:
                found.links.append(link)
            continue
        given = attributes(tag)
        if code == _FRAME:
            _add_link(found, given, b"src")
        elif code == _LINK:
            _read_link(found, given)
        elif code == _META:
            _read_meta(found, given)
        elif code == _BASE:
            found.base = found.base or attribute_text(given.get(b"href", b""))
        else:
            found.lang = found.lang or attribute_text(given.get(b"lang") or given.get(b"xml:lang") or b"")
    return found


def _tags(markup: Markup) -> Iterator[tuple[int, bytes]]:
    """Yield the start tags that may say something, as written, with the codes of their names."""
    chosen = _MATTERS[markup.codes] & ~markup.closing
    if (markup.codes == _TEMPLATE).any():
        chosen &= ~_in_template(markup)
    tags = np.flatnonzero(chosen)
    data = markup.data
    columns = (column[tags].tolist() for column in (markup.codes, markup.starts, markup.ends))
    for code, start, end in zip(*columns, strict=True):
        yield code, data[start:end]


def _in_template(markup: Markup) -> Flags:
    """Tell which tags stand in a template, which browsers don't show; an end tag without a start tag ends nothing."""
    steps = np.where(markup.codes == _TEMPLATE, np.where(markup.closing, -1, 1), 0)
    depths = steps.cumsum()
    flags: Flags = depths > np.minimum(np.minimum.accumulate(depths), 0)
    return flags


@functools.lru_cache(maxsize=50_000)
def _anchor(tag: bytes) -> Found | None:
    """Parse an `<a>` or `<area>`; the pages of a site share most of theirs."""
    return _link(attributes(tag), b"href")


def _link(given: dict[bytes, bytes], name: bytes) -> Found | None:
    written = given.get(name)
    if written is None:
        return None
    nofollow = b"nofollow" in given.get(b"rel", b"").lower()
    return Found(attribute_text(written), attribute_text(given.get(b"hreflang", b"")).lower(), nofollow)


def _add_link(found: PageTags, given: dict[bytes, bytes], name: bytes) -> None:
    link = _link(given, name)
    if link is not None:
        found.links.append(link)


def _read_link(found: PageTags, given: dict[bytes, bytes]) -> None:
    """Read `<link>`: translations of the page and the pages before and behind it are links; style sheets are not."""
    rel = given.get(b"rel", b"").lower().split()
    if b"canonical" in rel:
        found.canonical = found.canonical or attribute_text(given.get(b"href", b""))
    elif (b"alternate" in rel and b"hreflang" in given) or not _NEIGHBOURS.isdisjoint(rel):
        _add_link(found, given, b"href")


def _read_meta(found: PageTags, given: dict[bytes, bytes]) -> None:
    """Read `<meta>`: rules for robots, the language of the page, and where a browser would go from here."""
    content = given.get(b"content", b"")
    if given.get(b"name", b"").strip().lower() in _ROBOTS:
        rules = set(re.split(rb"[\s,;]+", content.lower()))
        found.noindex |= not rules.isdisjoint({b"noindex", b"none"})
        found.nofollow |= not rules.isdisjoint({b"nofollow", b"none"})
    header = given.get(b"http-equiv", b"").strip().lower()
    if header == b"content-language":
        found.lang = found.lang or attribute_text(content)
    elif header == b"refresh" and (target := _REFRESH.match(attribute_text(content))):
        address = target[1] or target[2] or target[3]
        if address:
            found.links.append(Found(address))


def attribute_text(written: bytes) -> str:
    """Decode the value of an attribute: character references resolved, no white space around it."""
    text = written.decode("utf-8", "replace").strip()
    return resolve(text.encode(), in_attribute=True).decode() if "&" in text else text
