"""Metadata in `<meta>`, `<link>` and `<html>`: OpenGraph, Twitter cards, Dublin Core, and names of other origin."""

from __future__ import annotations

import re

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.metadata.dates import declared_date
from gristmill.cleaning.metadata.found import MAX_ITEMS, Metadata, plain
from gristmill.cleaning.metadata.names import authors
from gristmill.kernel.elements import CODES

META, LINK, HTML, HEADLINE = (CODES[name] for name in ("meta", "link", "html", "h1"))
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]+)*")
# The names under which pages declare something, the most reliable first.
_AUTHORS = (
    "author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "dc.contributor",
    "article:author",
    "article:author_name",
    "parsely-author",
    "sailthru.author",
    "byl",
    "article.author",
    "authors",
)
_DATES = (
    "article:published_time",
    "datepublished",
    "og:article:published_time",
    "og:published_time",
    "og:pubdate",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date.created",
    "dcterms.created",
    "pubdate",
    "pub_date",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "publicationdate",
    "published_date",
    "publisheddate",
    "article.published",
    "article_date_original",
    "ptime",
    "originalpublicationdate",
    "displaydate",
    "created",
    "datecreated",
)
_DOUBTFUL_DATES = ("date", "dc.date", "dcterms.date")
"""Also used for the time at which the page was made."""
_MODIFIED = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
    "utime",
)
_SITE_NAMES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "citation_journal_title")
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "dc.description", "dcterms.description")
_CATEGORIES = ("article:section", "section", "category", "parsely-section", "dc.subject", "dcterms.subject")
_KEYWORDS = ("keywords", "news_keywords", "article:tag", "parsely-tags", "sailthru.tags", "citation_keywords")
_LICENCES = ("dcterms.license", "dc.rights.license", "license", "licence", "dcterms.rights", "dc.rights")
_IMAGES = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "thumbnail")
_HEADLINES = ("og:title", "twitter:title", "dc.title", "dcterms.title", "citation_title", "headline", "sailthru.title")
_FIELDS = {
    name: (rank, field)
    for rank, (field, name) in enumerate(
        (field, name)
        for field, names in (
            ("author", _AUTHORS),
            ("date", _DATES),
            ("doubtful date", _DOUBTFUL_DATES),
            ("modified", _MODIFIED),
            ("site_name", _SITE_NAMES),
            ("description", _DESCRIPTIONS),
            ("licence", _LICENCES),
            ("image", _IMAGES),
            ("headline", _HEADLINES),
            ("categories", _CATEGORIES),
            ("keywords", _KEYWORDS),
        )
        for name in names
    )
}
"""The field that a name tells, and its rank among all names, the most reliable of each field first."""
_WANTED = frozenset(name.encode() for name in (*_FIELDS, "og:url", "content-language"))
_NAMED_BY = (b"property", b"name", b"itemprop", b"http-equiv")
_USUAL = re.compile(rb"""<meta (?:name|property)="([^"]*)" content="([^"]*)"[ /]*>""")
"""A tag in the form that most have, for which attributes need not be parsed one by one."""
_MAX_VALUES = 10 * MAX_ITEMS
"""Tags with a value that are read: no page has more, but for hostile ones."""


class Declared:
    """What the `<meta>` and `<link>` tags of a page declare: values as written, by name, in lower case."""

    def __init__(self) -> None:
        self.meta: dict[str, list[bytes]] = {}
        self.canonical = self.licence = self.lang = ""
        self._count = 0

    def add_meta(self, tag: bytes) -> None:
        """Read a `<meta>` tag, given as written."""
        usual = _USUAL.fullmatch(tag)
        if usual:
            name, content = usual.groups()
        else:
            given = attributes(tag)
            content = given.get(b"content", b"")
            name = next(filter(None, map(given.get, _NAMED_BY)), b"")
        key = name.strip().lower()
        if content and key in _WANTED and self._count < _MAX_VALUES:
            self.meta.setdefault(key.decode(), []).append(content)
            self._count += 1

    def add_link(self, tag: bytes) -> None:
        """Read a `<link>` tag that has a canonical address or a licence."""
        given = attributes(tag)
        rel = given.get(b"rel", b"").lower().split()
        if not self.canonical and b"canonical" in rel:
            self.canonical = plain(given.get(b"href", b""))
        elif not self.licence and b"license" in rel:
            self.licence = plain(given.get(b"href", b""))

    def add_html(self, tag: bytes) -> None:
        """Read the `<html>` tag."""
        given = attributes(tag)
        self.lang = self.lang or plain(given.get(b"lang") or given.get(b"xml:lang") or b"")

    def language(self) -> tuple[str, str]:
        """Return the language of the page as it stands there, and where it stands."""
        for value, source in ((self.lang, "html"), (self.first("content-language"), "meta")):
            if match := _LANGUAGE.match(value):
                return match[0], source
        return "", ""

    def first(self, *names: str) -> str:
        """Return the first value that is not empty, of the first name that has one."""
        for name in names:
            for value in self.meta.get(name, ()):
                if text := plain(value):
                    return text
        return ""


def read_tags(found: Metadata, declared: Declared) -> None:
    """Give a page what its tags declare, but for what other sources know better: see `reading`."""
    found.put("title", declared.first("og:title"), "opengraph")
    found.put("canonical", declared.canonical, "link")
    found.put("canonical", declared.first("og:url"), "opengraph")
    if not declared.meta:
        return
    names = [name for name in declared.meta if name in _FIELDS]
    for name in sorted(names, key=_FIELDS.__getitem__):
        values, (_, field) = declared.meta[name], _FIELDS[name]
        source = "opengraph" if name.startswith(("og:", "article:")) else "meta"
        if field == "doubtful date":
            found.doubt("date", declared_date(plain(values[0]), found.lang), source)
        elif getattr(found, field):
            continue
        elif field == "author":
            found.put(field, authors(list(map(plain, values))), source)
        elif field in ("date", "modified"):
            found.put(field, declared_date(plain(values[0]), found.lang), source)
        elif field in ("categories", "keywords"):
            found.put_all(field, items_of(list(map(plain, values))), source)
        else:
            found.put(field, plain(values[0]), source)


def items_of(values: list[str]) -> list[str]:
    """Return the items of lists that are written with commas or semicolons."""
    if len(values) > 1:
        return values
    text = values[0] if values else ""
    return [item.strip(" \"'[]#") for item in text.split("," if "," in text else ";")]
