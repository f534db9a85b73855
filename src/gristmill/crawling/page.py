"""The reading of a page that was fetched, in a worker process: its links, its clean text, its records.

Nothing in a page makes it raise. The tags of a page are found once, for its links and for cleaning.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gristmill.archive.http import parse
from gristmill.archive.kind import looks_like_html
from gristmill.cleaning.cleaner import clean_markup, decode_page
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.markup import Markup, markup_of, scan
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.links import Found, PageTags, read_tags
from gristmill.crawling.reading import Link, Reading
from gristmill.crawling.scope import Scope
from gristmill.crawling.sitemaps import Sitemap, read_sitemap
from gristmill.crawling.text_sketch import sketch, sketch_of_bytes
from gristmill.crawling.traps import pattern_of
from gristmill.crawling.warcs import records
from gristmill.document import Document, Page
from gristmill.fetching.exchange import Exchange
from gristmill.fetching.robots import tags_of
from gristmill.fetching.urls import host_of, key_of, normalise, origin_of
from gristmill.language import Models
from gristmill.wording import one_line

MAX_LINKS = 5_000
"""Most links of a page that are followed."""
_MAX_KNOWN_LINKS = 50_000
_MAX_KNOWN_CHARACTERS = 500  # of a link that is remembered
_OK = 200
_REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
_MAX_LINK_DENSITY = 0.5  # of a block whose text counts: pages of nothing but links would be worth a visit otherwise
_MIN_CONFIDENCE = 0.5  # below it the language of a text is a guess
_OTHER_CODES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id"}  # that pages use for languages, and how we call them
_MAX_ERROR_CHARACTERS = 200

Task = tuple[Exchange, int | None, str]
"""A page with its distance from a seed, or a sitemap with None."""


@dataclass(frozen=True, slots=True)
class PageReader:
    """What is to be found out about pages by the settings of a crawl; worker processes get a copy of it."""

    scope: Scope
    languages: frozenset[str]
    """Whose text counts; any if empty."""
    method: str
    min_bytes: int
    max_bytes: int
    types: frozenset[str]
    obeys_tags: bool
    """Whether `noindex` and `nofollow` are obeyed."""
    measures_text: bool
    """Whether pages are cleaned. Breadth-first crawls need it only if text is counted."""
    _known: dict[tuple[str, str], tuple[Link, str]] = field(default_factory=dict, compare=False, repr=False)
    """Links that were judged before, by where and how they were written."""

    @classmethod
    def of(cls, config: CrawlConfig) -> PageReader:
        """Take from settings what readers need."""
        return cls(
            Scope.of(config),
            frozenset(config.scope.languages),
            config.strategy.method,
            config.fetch.min_bytes,
            config.fetch.max_bytes,
            frozenset(config.fetch.types),
            config.manners.robots_tags,
            config.measures_text,
        )

    def __call__(self, task: Task) -> Reading | Sitemap:
        """Read what was fetched: the form in which a pool of workers asks."""
        exchange, distance, attributes = task
        return read_sitemap(exchange) if distance is None else self.read(exchange, distance, attributes)

    def read(self, exchange: Exchange, distance: int, attributes: str = "") -> Reading:
        """Read what was fetched, so many links from a seed; its record says what the seed was given for."""
        reading = Reading(pattern=pattern_of(exchange.url))
        try:
            self._read(reading, exchange, distance)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever it is, the page is stored, and the crawl goes on)
            reading.error = one_line(f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARACTERS])
        if not reading.refused:
            reading.record = records(exchange, attributes)
        return reading

    def _read(self, reading: Reading, exchange: Exchange, distance: int) -> None:
        body = parse(exchange.wire, self.max_bytes).body
        reading.size = len(body)
        if exchange.status in _REDIRECTS:
            self._add_links(reading, exchange, [Found(exchange.headers.get("location", "").strip())])
        elif exchange.status == _OK:
            reading.refused = self._refusal(exchange, body, distance)
            if reading.refused in {"", "too-short"} and looks_like_html(body):
                self._read_page(reading, exchange, body)

    def _refusal(self, exchange: Exchange, body: bytes, distance: int) -> str:
        """Say why a page is not stored, by its type and size."""
        media_type = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type and media_type not in self.types:
            return "type"
        if len(body) > self.max_bytes:
            return "too-long"
        if len(body) < self.min_bytes and distance:
            return "too-short"
        return "" if looks_like_html(body) else "type"

    def _read_page(self, reading: Reading, exchange: Exchange, body: bytes) -> None:
        """Read the links of a page, and its text if the page may be stored."""
        page = Page(exchange.url, body, exchange.date, exchange.status, exchange.headers)
        known = None if self.measures_text else _markup_of_utf8(body)
        if known is None:
            decoded = decode_page(page, _languages())
            markup, length = markup_of(decoded.utf8)
        else:
            decoded, markup, length = None, known, 0
        tags = read_tags(markup)
        if self.obeys_tags:
            rules = tags_of(exchange.headers)
            if tags.noindex or "noindex" in rules:
                reading.refused = "noindex"
            tags.nofollow |= "nofollow" in rules
        self._read_links(reading, exchange, tags)
        if reading.refused:
            return
        if decoded is not None and self.measures_text:
            document = clean_markup(page, decoded, markup, length, _languages(), self.method)
            self._measure(reading, document, exchange.headers.get("content-language", "") or tags.lang)
        else:
            reading.sketch = sketch_of_bytes(_text_between_tags(markup))

    def _read_links(self, reading: Reading, exchange: Exchange, tags: PageTags) -> None:
        """Take over the links of a page that may be followed, and the address that it wants to be known by."""
        base = normalise(tags.base, exchange.url) if tags.base else ""
        base = base or exchange.url
        canonical = normalise(tags.canonical, base) if tags.canonical else ""
        reading.canonical = canonical if canonical != exchange.url else ""
        if self.obeys_tags and tags.nofollow:
            reading.left_out["nofollow"] = len(tags.links)
            return
        links = tags.links
        if self.obeys_tags:
            links = [link for link in links if not link.nofollow]
        if len(links) < len(tags.links):
            reading.left_out["nofollow"] = len(tags.links) - len(links)
        if reading.canonical:
            links = [Found(canonical), *links]
        self._add_links(reading, exchange, links, base)

    def _add_links(self, reading: Reading, exchange: Exchange, links: Iterable[Found], base: str = "") -> None:
        """Add the links that belong to the crawl, each once and in their order; the others are counted by reason."""
        base = base or exchange.url
        origin, folder = origin_of(base), base[: base.rfind("/") + 1]
        year = int(exchange.date[:4]) if exchange.date[:4].isdecimal() else 0
        left_out = Counter(reading.left_out)
        seen = {"", exchange.url}
        for address, lang, _ in links:
            if address in seen or address.startswith("#"):
                continue
            # What an address with a path from the root means depends on the origin of its page alone.
            place = origin if address[:1] == "/" != address[1:2] else base if address[:1] == "?" else folder
            link, reason = self._known.get((place, address)) or self._judge(place, address, base, year)
            if link.url in seen:
                if not link.url:
                    left_out["not-http"] += 1
                continue
            seen.update((address, link.url))
            if not reason and len(reading.links) >= MAX_LINKS:
                reason = "too-many"
            if reason:
                left_out[reason] += 1
            else:
                reading.links.append(link._replace(lang=lang) if lang else link)
        reading.left_out = dict(left_out)

    def _judge(self, place: str, address: str, base: str, year: int) -> tuple[Link, str]:
        """Make a link of an address, and say why it is left out if it is; the pages of a site share many links."""
        url = normalise(address, base)
        host = host_of(url) if url else ""
        link = Link(key_of(url), host, url)
        reason = self.scope.refusal(url, host, year) if url else ""
        if len(self._known) >= _MAX_KNOWN_LINKS:
            self._known.clear()
        if len(address) <= _MAX_KNOWN_CHARACTERS:
            self._known[place, address] = link, reason
        return link, reason

    def _measure(self, reading: Reading, document: Document, declared: str) -> None:
        """Measure the clean text of a page that is in the wanted languages.

        What the page says about its language counts only where its text is too short to tell.
        """
        lang = document.lang
        if document.lang_confidence < _MIN_CONFIDENCE:
            lang = _code(declared) or lang
        columns, blocks = document.kept_columns()
        blocks = blocks[columns.link_density[blocks] <= _MAX_LINK_DENSITY]
        if self.languages:
            blocks = blocks[columns.lang.take(blocks).flags(lambda found: (found or lang) in self.languages)]
        reading.lang = lang
        reading.clean_bytes = sum(map(len, columns.text.parts(blocks)))
        reading.words = int(columns.words[blocks].sum())
        reading.sketch = sketch(document.folded)


@functools.cache
def _languages() -> Languages:
    """Return what identifies languages, loaded once in a process."""
    return Languages(Models.load())


def _code(declared: str) -> str:
    """Return the code of a language as identifiers have it: `cs` of `cs-CZ, en`."""
    code = declared.replace("_", "-").partition(",")[0].partition("-")[0].strip().lower()
    return _OTHER_CODES.get(code, code) if code.isascii() and code.isalpha() and len(code) in {2, 3} else ""


def _markup_of_utf8(body: bytes) -> Markup | None:
    """Find the markup of a page that is not to be cleaned, without normalising it; None if it is not in UTF-8."""
    if b"\0" in body:  # UTF-16 has such bytes, and is valid UTF-8 if it is ASCII otherwise
        return None
    try:
        body.decode()
    except UnicodeDecodeError:
        return None
    return scan(body)


def _text_between_tags(markup: Markup) -> bytes:
    """Return all text of a page, whether it is shown or not; quicker than to segment it."""
    steps = np.zeros(len(markup.data) + 1, np.int8)  # 1 where a tag begins, -1 behind it
    steps[markup.starts] = 1
    steps[markup.text_starts] -= 1
    outside = np.cumsum(steps[:-1], dtype=np.int8) == 0
    return bytes(np.frombuffer(markup.data, np.uint8)[outside])
