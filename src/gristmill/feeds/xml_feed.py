"""RSS 0.9x, 1.0 and 2.0, and Atom 0.3 and 1.0, also where they are broken.

A feed has fields, and items with fields. Whatever stands in a field is the field's, be it text, HTML or more elements
(`image` has a title and a link of its own). So little depends on tags that are closed as they should be: an item ends
at the next item at the latest, a field at its own end tag or with its item.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from gristmill.crawling.links import attribute_text
from gristmill.feeds.dates import utc
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.plain_text import as_html, one_line, plain_text, printable
from gristmill.feeds.xml_tokens import CDATA, EMPTY, END, START, TEXT, attributes_of, resolved, tokens
from gristmill.fetching.urls import normalise

_ROOTS = frozenset(["rss", "feed", "rdf", "channel"])
_AROUND = frozenset(["rss", "feed", "rdf:rdf", "rdf", "channel"])
_ITEMS = frozenset(["item", "entry"])
_MAX_TAGS_BEFORE = 50  # the outermost element; PHP writes warnings in HTML there
_MAX_FIELDS = 500  # of an item
_MAX_TOKENS = 1_000_000  # of a feed
_MAX_ID, _MAX_TITLE, _MAX_AUTHOR, _MAX_SUMMARY = 2000, 1000, 200, 500  # characters
_PREFIXES = {
    "http://purl.org/rss/1.0/modules/content": "content:",
    "http://purl.org/rss/1.0/modules/syndication": "sy:",
    "http://purl.org/dc/elements/1.1": "dc:",
    "http://purl.org/dc/elements/1.0": "dc:",
    "http://purl.org/dc/terms": "dcterms:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": "rdf:",
    "http://www.w3.org/1999/xhtml": "xhtml:",
    "http://www.w3.org/2005/atom": "atom:",
    "http://purl.org/atom/ns": "atom:",
    "http://search.yahoo.com/mrss": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "http://purl.org/rss/1.0": "",
    "http://my.netscape.com/rdf/simple/0.9": "",
    "http://channel.netscape.com/rdf/simple/0.9": "",
    "http://backend.userland.com/rss2": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
}
"""Usual prefixes by namespace, without a last slash or hash and in lower case."""
_PERIOD_MINUTES = {"hourly": 60, "daily": 1440, "weekly": 10_080, "monthly": 43_200, "yearly": 525_600}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAME_OF_AUTHOR = re.compile(r"<(?:[\w.-]{1,40}:)?name\b[^<>]*+>([^<]*+)", re.IGNORECASE)
_BLOCK = re.compile(r"<(?:p|br|div|li|h[1-6]|blockquote|td)\b", re.IGNORECASE)
_SURELY_HTML = re.compile(r"</(?:p|a|b|i|em|strong|div|span|ul|li|h[1-6])>|<br ?/?>", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")
_WORD = re.compile(r"[A-Za-z]{1,20}")


@dataclass(slots=True)
class _Field:
    """An element of a feed or of an item, with all that stands in it."""

    tag: str
    """Its name as written."""
    written: str
    """Its attributes as written."""
    pieces: list[tuple[int, str]] = field(default_factory=list)
    has_markup: bool = False
    depth: int = 1
    """Of elements of the same name that are open."""

    @property
    def attributes(self) -> dict[str, str]:
        return attributes_of(self.written)

    def markup(self) -> str:
        """What stands in the element, as written."""
        return "".join(text for _, text in self.pieces)

    def text(self) -> str:
        """What the element says: character references are resolved, unless it has elements in it."""
        if self.has_markup:
            return self.markup()
        return "".join(resolved(text) if kind == TEXT else text for kind, text in self.pieces)


_Fields = dict[str, list[_Field]]


@dataclass(slots=True)
class _Document:
    """All fields of a feed and of its items."""

    is_atom: bool
    base: str
    """What relative addresses are relative to."""
    fields: _Fields = field(default_factory=dict)
    items: list[tuple[str, _Fields]] = field(default_factory=list)
    """Each with the attributes of its tag as written."""


class _Names:
    """Names of elements with their usual prefixes, whatever prefixes a feed has; undeclared ones are the usual ones."""

    def __init__(self, root: str) -> None:
        self._prefixes: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._own = "atom:" if root == "feed" else ""

    def of(self, tag: str, written: str) -> str:
        """Return the usual name of an element."""
        if "xmlns" in written:
            default = self._declare(written)
            if default and ":" not in tag:
                return self._named(default, tag.lower())
        name = self._known.get(tag)
        if name is None:
            prefix, colon, local = tag.lower().rpartition(":")
            usual = self._prefixes.get(prefix, f"{prefix}:") if colon else ""
            name = self._known[tag] = self._named(usual, local)
        return name

    def _named(self, prefix: str, local: str) -> str:
        return local if prefix in {"", "rss:", self._own} else prefix + local

    def _declare(self, written: str) -> str:
        """Note the prefixes that a tag declares; return the usual one of the namespace of names without a prefix."""
        default = ""
        for name, value in attributes_of(written).items():
            usual = _PREFIXES.get(value.strip().lower().rstrip("/#"))
            if usual is None or not name.startswith("xmlns"):
                continue
            if name == "xmlns":
                default = usual
            else:
                self._prefixes[name.removeprefix("xmlns:")] = usual
                self._known.clear()
        return default


def root_of(text: str) -> tuple[str, int]:
    """Find the outermost element: its name in lower case without prefix, and the place where it begins.

    If there is none of a feed, it is the first element.
    """
    first, before = "", 0
    for kind, tag, _ in islice(tokens(text[:100_000]), 20 * _MAX_TAGS_BEFORE):
        if kind not in {START, EMPTY}:
            continue
        name = tag.lower().rpartition(":")[2]
        if name in _ROOTS:
            return name, text.index(f"<{tag}")
        first, before = first or name, before + 1
        if name in {"html", "body"} or before > _MAX_TAGS_BEFORE:
            break
    return first, 0


def read_xml(text: str, url: str, max_items: int) -> Feed | None:
    """Read an RSS or Atom feed; None if it is neither."""
    root, begin = root_of(text)
    if root not in _ROOTS:
        return None
    document = _fields(text, begin, root, url, max_items)
    feed = _feed(document)
    items = (_item(document, written, fields) for written, fields in document.items)
    feed.items = [item for item in items if item.says_something]
    return feed


def _fields(text: str, begin: int, root: str, url: str, max_items: int) -> _Document:
    """Divide a feed into fields."""
    document = _Document(root == "feed", url)
    names = _Names(root)
    here: _Fields = document.fields
    count = 0
    now: _Field | None = None
    for kind, value, rest in islice(tokens(text, begin), _MAX_TOKENS):
        if kind in {TEXT, CDATA}:
            if now:
                now.pieces.append((kind, value))
            continue
        name = names.of(value, rest)
        if name in _ITEMS or (name in _AROUND and (not now or kind == END)):
            now = None
            if kind == END:
                here = document.fields
            elif name in _AROUND:
                document.base = _base(attributes_of(rest), document.base)
            else:
                if len(document.items) >= max_items:
                    break
                here, count = {}, 0
                document.items.append((rest, here))
                here = document.fields if kind == EMPTY else here
        elif now:
            now = _inside(now, kind, value, rest)
        elif kind != END and count < _MAX_FIELDS:
            count += 1
            opened = _Field(value.lower(), rest)
            here.setdefault(name, []).append(opened)
            now = opened if kind == START else None
    return document


def _base(given: dict[str, str], base: str) -> str:
    """Return what addresses in an element are relative to, given its attributes."""
    return (normalise(given["xml:base"], base) or base) if "xml:base" in given else base


def _inside(now: _Field, kind: int, tag: str, rest: str) -> _Field | None:
    """Take a tag within a field; the field is over if the tag ends it."""
    if tag.lower() == now.tag and kind != EMPTY:
        now.depth += 1 if kind == START else -1
        if not now.depth:
            return None
    now.has_markup = True
    now.pieces.append((kind, f"</{tag}>" if kind == END else f"<{tag}{rest}>"))
    return now


def _first(fields: _Fields, *names: str) -> str:
    """Return what the first of some fields says that says something."""
    for name in names:
        for found in fields.get(name, ()):
            if text := found.text().strip():
                return text
    return ""


def _feed(document: _Document) -> Feed:
    fields = document.fields
    feed = Feed(title=_plain(document, fields, _MAX_TITLE, "title"), link=_link(document, fields, document.base))
    feed.ttl_minutes = _ttl(fields)
    hours = {int(number) % 24 for number in _NUMBER.findall(_first(fields, "skiphours")) if int(number) <= 24}
    days = {word.lower() for word in _WORD.findall(_first(fields, "skipdays"))}
    feed.skip_hours = frozenset(hours)
    feed.skip_days = frozenset(number for number, name in enumerate(_DAYS) if name in days)
    return feed


def _ttl(fields: _Fields) -> int:
    """Return the minutes for which a feed asks to be left alone, by `ttl` or by the syndication module."""
    ttl = _NUMBER.match(_first(fields, "ttl"))
    if ttl:
        return int(ttl[0])
    period = _PERIOD_MINUTES.get(_first(fields, "sy:updateperiod").lower(), 0)
    frequency = _NUMBER.match(_first(fields, "sy:updatefrequency"))
    return period // max(1, int(frequency[0]) if frequency else 1)


def _item(document: _Document, written: str, fields: _Fields) -> Item:
    about = attributes_of(written) if written else {}
    base = _base(about, document.base)
    full = _html(document, fields, "content:encoded", "content", "xhtml:body", "atom:content")
    short = _html(document, fields, "description", "summary", "atom:summary", "dc:description")
    more = _plain(document, fields, _MAX_SUMMARY, "itunes:summary", "media:description", "media:group")
    updated = utc(_first(fields, "updated", "modified", "atom:updated", "dcterms:modified"))
    published = _first(
        fields, "pubdate", "published", "issued", "dc:date", "created", "dcterms:created", "atom:published"
    )
    return Item(
        id=one_line(_first(fields, "guid", "id", "atom:id") or about.get("rdf:about", ""))[:_MAX_ID],
        link=_link(document, fields, base) or _link_by_id(fields, about),
        title=_plain(document, fields, _MAX_TITLE, "title", "media:title", "dc:title"),
        description=plain_text(short) or plain_text(full, _MAX_SUMMARY) or more,
        content=printable(full or (short if _BLOCK.search(short) else "")),
        published=utc(published) or updated,
        updated=updated,
        author=_author(fields),
    )


def _link(document: _Document, fields: _Fields, base: str) -> str:
    """Return the address of the page that a feed or an item belongs to."""
    candidates = [(0, _written(found)) for found in fields.get("feedburner:origlink", [])]
    for name in ("link", "atom:link"):
        for found in fields.get(name, []):
            given = found.attributes
            base = _base(given, base)
            rel = given.get("rel", "alternate").lower()
            if "href" in given and rel == "alternate":
                kind = given.get("type", "text/html").lower()
                candidates.append((1 if "html" in kind else 2, given["href"]))
            elif "href" not in given and not document.is_atom:
                candidates.append((1, _written(found)))
    for _, written in sorted(candidates, key=lambda candidate: candidate[0]):
        if address := normalise(written.strip(), base) if written.strip() else "":
            return address
    return ""


def _written(found: _Field) -> str:
    """Return an address that stands in a field; bare `&` in it are no references, as in `?a=1&copy=2`."""
    if any(kind == CDATA for kind, _ in found.pieces):
        return found.text().strip()
    return attribute_text(found.markup().partition("<")[0].encode("utf-8", "replace"))


def _link_by_id(fields: _Fields, about: dict[str, str]) -> str:
    """Return the id of an item if it is an address of the web, and does not say that it is none."""
    for found in (*fields.get("guid", ()), *fields.get("id", ())):
        if found.attributes.get("ispermalink", "true").lower() != "false":
            return normalise(found.text().strip())
    return normalise(about.get("rdf:about", ""))


def _html(document: _Document, fields: _Fields, *names: str) -> str:
    """Return what the longest of some fields says, as HTML."""
    return max((_as_html(document, one) for name in names for one in fields.get(name, ())), key=len, default="")


def _as_html(document: _Document, found: _Field) -> str:
    text = found.text().strip()
    if not text or found.has_markup or not document.is_atom:
        return text
    given = found.attributes
    kind = given.get("type", "").lower()
    if "html" in kind or given.get("mode") == "escaped":
        return text
    if not kind:
        return text if _SURELY_HTML.search(text) else as_html(text)
    return as_html(text) if kind.startswith("text") else ""


def _plain(document: _Document, fields: _Fields, most: int, *names: str) -> str:
    """Return the first of some fields that says something, as plain text."""
    for name in names:
        for found in fields.get(name, ()):
            if text := plain_text(_as_html(document, found), most):
                return text
    return ""


def _author(fields: _Fields) -> str:
    written = _first(fields, "dc:creator", "author", "itunes:author", "atom:author")
    name = _NAME_OF_AUTHOR.search(written)
    return plain_text(name[1] if name else written, _MAX_AUTHOR)
