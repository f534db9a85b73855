"""Metadata in the elements of the text: microdata of schema.org, `rel` of links, `<time>`, and classes that speak.

What stands near the headline counts most: elsewhere on a page are the authors and dates of other texts and of comments.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import NO_TAG, Markup
from gristmill.cleaning.metadata.dates import date_in_numbers, date_in_words, declared_date
from gristmill.cleaning.metadata.found import MAX_ITEMS, Metadata, licence, plain
from gristmill.cleaning.metadata.names import author_name, name_in_byline

_BEFORE, _BEHIND = 20, 40
"""Tags before and behind the headline that are near it."""
_BARE_BYTES = 12
"""A tag that is not longer has no attribute that tells something."""
_MAX_TAGS = 24
"""Tags within an element up to which its text is read."""
_MAX_PROPERTIES = 300
_NO_NAME_WORDS = 10
"""So many words are no name."""
_MAX_HEADLINES = 20
_SPEAK_OF_AUTHORS = (b"auth", b"byline", b"autor", b"writer", b"creator")
_SPEAK_OF_DATES = (b"date", b"publi", b"posted", b"timestamp")
"""What stands in tags that tell something of the author or the date."""
_WORDS = re.compile(r"[a-z]+")
_AUTHOR_CLASSES = frozenset(("author", "authors", "byline", "autor", "auteur", "writer", "creator", "authorname"))
_DATE_CLASSES = frozenset(
    ("date", "published", "publish", "publication", "pubdate", "posted", "timestamp", "dateline", "datum", "datetime")
)
_OTHER_CLASSES = frozenset(("comment", "comments", "reply", "related", "avatar", "img", "image", "bio", "teaser"))
_CHANGED = re.compile(r"updat|modif")
_SCHEMA = {
    "author": "author",
    "creator": "author",
    "datepublished": "date",
    "datecreated": "date",
    "datemodified": "modified",
    "headline": "headline",
    "license": "licence",
}
"""Properties of schema.org, and the fields that they tell."""


class Elements:
    """The elements of a page that may tell something, and their texts."""

    def __init__(self, markup: Markup, hidden: Flags) -> None:
        self._markup, self._hidden = markup, hidden
        self.headlines: list[int] = []
        """The numbers of the tags of `h1` elements."""
        self._times: list[str] = []
        self._properties: list[tuple[int, dict[bytes, bytes]]] = []
        self._author_links: list[int] = []
        self._tag_links: list[tuple[bool, int]] = []
        self._licence = ""
        self._headline: int | None = None
        self._closing: Flags | None = None

    def add(self, number: int, tag: bytes) -> None:
        """Note what a tag tells: a property of schema.org, a time, or a link to author, category or licence."""
        given = attributes(tag)
        if b"itemprop" in given and len(self._properties) < _MAX_PROPERTIES:
            self._properties.append((number, given))
        if b"datetime" in given and len(self._times) < _MAX_PROPERTIES:
            self._times.append(plain(given[b"datetime"]))
        if b"rel" in given:
            self._add_link(number, given)

    def _add_link(self, number: int, given: dict[bytes, bytes]) -> None:
        rel = given[b"rel"].lower().split()
        if b"author" in rel and len(self._author_links) < MAX_ITEMS:
            self._author_links.append(number)
        elif b"tag" in rel and len(self._tag_links) < MAX_ITEMS:
            self._tag_links.append((b"category" in rel, number))
        elif b"license" in rel and not self._licence:
            self._licence = licence(plain(given.get(b"href", b"")))

    def read_headline(self, found: Metadata) -> None:
        """Find the headline among the `h1` elements: the title of the page begins with it, or it is the only one."""
        title = found.headline or found.title
        best, length = None, 0
        for tag in self.headlines[:_MAX_HEADLINES]:
            if self._hidden[tag]:
                continue
            text = self._text(tag)
            if is_headline(text, title) and len(text) > length:
                best, length = tag, len(text)
                headline = text
        if best is not None:
            self._headline = best
            found.headline = ""  # what readers see is more than what search engines shall see
            found.put("headline", headline, "heading")
        elif len(self.headlines) == 1:
            self._headline = self.headlines[0]

    def read(self, found: Metadata) -> None:
        """Give a page what its elements tell and nothing has told yet."""
        found.put("licence", self._licence, "link")
        if self._tag_links:
            texts = [(is_category, self._text(tag)) for is_category, tag in self._tag_links]
            found.put_all("categories", [text for is_category, text in texts if is_category], "link")
            found.put_all("keywords", [text for is_category, text in texts if not is_category], "link")
        if not (found.author and found.date) and self._headline is not None:
            self._read_near(found, self._headline)
        if self._properties:
            self._read_microdata(found)
        if not found.author:
            names = dict.fromkeys(author_name(self._text(tag)) for tag in self._author_links)
            if len(names) == 1:
                found.put("author", next(iter(names)), "link")
        if self._times and not found.date:
            days = dict.fromkeys(day for day in (declared_date(time, found.lang) for time in self._times) if day)
            if len({day[:10] for day in days}) in (1, 2):  # more are the dates of a list, or of comments
                found.doubt("date", next(iter(days)), "time")

    def _read_near(self, found: Metadata, headline: int) -> None:
        """Read what the tags near the headline say."""
        markup = self._markup
        first, last = max(headline - _BEFORE, 0), headline + _BEHIND
        near = slice(first, last)
        columns = (markup.starts[near], markup.ends[near], markup.codes[near], self._is_closing()[near])
        rows = enumerate(zip(*(column.tolist() for column in columns), strict=True), first)
        data = markup.data
        spans = [
            (number, start, end)
            for number, (start, end, code, is_closing) in rows
            if end - start > _BARE_BYTES and not is_closing and code != NO_TAG
        ]
        tags = [data[start:end] for _, start, end in spans]
        places = list(accumulate(map(len, tags), initial=0))
        joined = b"".join(tags).lower()
        hits = set()
        for word in (() if found.author else _SPEAK_OF_AUTHORS) + (() if found.date else _SPEAK_OF_DATES):
            at = joined.find(word)
            while at >= 0:
                hit = bisect_right(places, at) - 1
                hits.add(hit)
                at = joined.find(word, places[hit + 1])
        for hit in sorted(hits, key=lambda hit: (spans[hit][0] < headline, hit)):
            if not self._hidden[spans[hit][0]]:
                self._read_tag(found, spans[hit][0], tags[hit])

    def _read_tag(self, found: Metadata, number: int, tag: bytes) -> None:
        """Read a tag near the headline whose attributes may tell something."""
        given = attributes(tag)
        named = b" ".join(given.get(name, b"") for name in (b"class", b"id", b"itemprop")).decode("utf-8", "replace")
        if b"datetime" in given:
            field = "modified" if _CHANGED.search(named.lower()) else "date"
            found.put(field, declared_date(plain(given[b"datetime"]), found.lang), "time")
        if b"itemprop" in given:
            self._read_property(found, number, given)
        words = set(_WORDS.findall(named.lower()))
        if words & _OTHER_CLASSES:
            return
        if not found.author and words & _AUTHOR_CLASSES:
            found.put("author", name_in_byline(self._text(number), marked=True), "byline")
        if not found.date and words & _DATE_CLASSES and not _CHANGED.search(named.lower()):
            text = self._text(number)
            found.put("date", date_in_words(text, found.lang) or date_in_numbers(text, found.lang), "byline")

    def _read_microdata(self, found: Metadata) -> None:
        """Read the properties of schema.org, in the order of the page, up to the comments."""
        dates: dict[str, None] = {}
        for number, given in self._properties:
            properties = given[b"itemprop"].lower().split()
            if b"comment" in properties or b"review" in properties:
                break
            if b"datepublished" in properties:
                dates[self._value(number, given)] = None
            else:
                self._read_property(found, number, given)
        if len(dates) in (1, 2):  # more are the dates of a list
            found.put("date", declared_date(next(iter(dates)), found.lang), "microdata")

    def _read_property(self, found: Metadata, number: int, given: dict[bytes, bytes]) -> None:
        """Read an element that has a property of schema.org."""
        for name in given[b"itemprop"].decode("utf-8", "replace").lower().split():
            field = _SCHEMA.get(name, "")
            if not field or getattr(found, field):
                continue
            value = self._value(number, given)
            if field == "author":
                value = self._inner_name(number) if b"itemscope" in given else value
                author = name_in_byline(value, marked=True) or author_name(value)
                found.put(field, author if len(value.split()) < _NO_NAME_WORDS else "", "microdata")
            elif field in ("date", "modified"):
                found.put(field, declared_date(value, found.lang), "microdata")
            else:
                found.put(field, value, "microdata")

    def _value(self, number: int, given: dict[bytes, bytes]) -> str:
        """Return the value of a property: that of an attribute, or the text of the element."""
        value = given.get(b"content") or given.get(b"datetime")
        return plain(value) if value else self._text(number)

    def _inner_name(self, number: int) -> str:
        """Return the name of the person or organisation that an element describes: a property of an inner element."""
        markup = self._markup
        last = number + _MAX_TAGS
        starts, ends = markup.starts[number + 1 : last].tolist(), markup.ends[number + 1 : last].tolist()
        for place, (start, end) in enumerate(zip(starts, ends, strict=True), number + 1):
            tag = markup.data[start:end]
            if b"itemprop" in tag:
                given = attributes(tag)
                if b"name" in given.get(b"itemprop", b"").lower().split():
                    return self._value(place, given)
        return ""

    def _is_closing(self) -> Flags:
        if self._closing is None:
            self._closing = self._markup.closing
        return self._closing

    def _text(self, number: int) -> str:
        """Return the visible text of the element that a tag opens, up to some tags."""
        markup = self._markup
        behind = slice(number, number + _MAX_TAGS + 1)
        codes, closing = markup.codes[behind].tolist(), self._is_closing()[behind].tolist()
        begins, starts = markup.text_starts[behind].tolist(), markup.starts[behind].tolist()
        hidden = self._hidden[behind].tolist()
        parts, depth = [], 1
        for place in range(len(codes) - 1):
            if not hidden[place]:
                parts.append(markup.data[begins[place] : starts[place + 1]])
            if codes[place + 1] == codes[0]:
                depth += -1 if closing[place + 1] else 1
                if not depth:
                    break
        return plain(b" ".join(parts), in_attribute=False)


def is_headline(text: str, title: str) -> bool:
    """Tell whether the text of a heading is the headline of a page with this title, which may have a site's name."""
    text, title = text.lower(), title.lower()
    if not text or not title:
        return False
    place = title.find(text)
    if place < 0:
        return len(title) > 9 and title in text and len(text) < 2 * len(title)
    return 2 * len(text) > len(title) or (place == 0 and len(text) > 9)
