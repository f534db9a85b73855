"""The whole text of the items of feeds: their pages, with all that belongs to them, as one WARC file.

The page of an item is fetched, then the further pages that it goes on, and a version to print. Of these, and of what
the feed itself has, the one is taken that has the whole text. Each round of fetching is the folder of a crawl, so that
all of it goes on where it was killed. Nothing of it is random: the same pages always give the same file.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gristmill.archive.attributes import FIELD as ATTRIBUTES
from gristmill.archive.attributes import to_field
from gristmill.archive.writer import HTML, WarcWriter
from gristmill.cleaning.cleaner import decode_page
from gristmill.cleaning.hints import HEADLINE, SUMMARY
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.markup import markup_of
from gristmill.crawling import Address, CrawlConfig, CrawlProgress, fetch
from gristmill.crawling.folder import refuse_links
from gristmill.document import Page
from gristmill.drafts import Draft
from gristmill.feeds.fetched import FetchedPages, Stored
from gristmill.feeds.item import Item, NewItem
from gristmill.feeds.joining import Cleaned, as_page, continues, join, share
from gristmill.feeds.parts import find_parts
from gristmill.fetching.access import Access
from gristmill.fetching.urls import normalise
from gristmill.language import Models
from gristmill.wording import one_line

MAX_PAGES = 20
"""Most pages of one article, and so most rounds of fetching."""
SOURCES = ("page", "joined", "print", "feed")
"""What the text of an article can be taken from."""
_ENCODINGS = frozenset(
    {"content-encoding", "transfer-encoding", "content-length"}
)  # the body has none of them any more
# Readers of archives take no record whose head has more than 32 KiB, and a character may take twelve bytes there.
_MAX_HEADLINE_CHARACTERS, _MAX_SUMMARY_CHARACTERS = 500, 1_000
_MAX_LINK_CHARACTERS = 4_000
_MAX_TEXT_CHARACTERS = 1_000_000  # of an article that further pages are joined to; a longer one is made to fill memory
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NO_DATE = "1970-01-01T00:00:00Z"
_NO_LINK = "no-link"
_SAME_TEXT = 0.9  # of the text of an article that another version must have
_MORE = 1.1  # times as many words as the page has
_OTHER_TEXT = 0.5  # of the content in a feed that the page has at least, or it is a page about something else
_MIN_CONTENT_WORDS = 30  # to say that
_SUMMARY_WORDS = 1.2  # times as many words as the description: no more than the description
_CUT_OFF = re.compile(
    r"(?:\.\.\.|…|\[…\]|\[\.\.\.\]|\(more…\)|read more|continue reading|weiterlesen|mehr|lire la suite|leer más|"
    r"continua|číst dále|celý článek|czytaj dalej|читать далее)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Missing:
    """An item whose text is neither on the web nor in the feed, and why."""

    feed: str
    item: str
    version: int
    link: str
    reason: str
    """`no-link`, or what became of its page: `status-404`, `robots`, `noindex`, `unreached`..."""


@dataclass(frozen=True, slots=True)
class ArticlesSummary:
    """What became of the items."""

    items: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    """How many articles were taken from what (`SOURCES`)."""
    missing: tuple[Missing, ...] = ()

    @property
    def articles(self) -> int:
        """Items whose text was found."""
        return sum(self.sources.values())

    @property
    def reasons(self) -> dict[str, int]:
        """How many items have no text, by reason."""
        return dict(Counter(item.reason for item in self.missing))

    def to_json(self) -> dict[str, Any]:
        """Return one record with all figures."""
        return {**dataclasses.asdict(self), "articles": self.articles, "reasons": self.reasons}


def gather(
    items: Sequence[NewItem],
    fetched: Path,
    output: Path,
    access: Access,
    config: CrawlConfig | None = None,
    *,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> ArticlesSummary:
    """Fetch the pages of items into folders in `fetched`, and write their articles into the WARC file `output`.

    There is one record an item: the answer of the server, or a page that was made of several or of what the feed has.
    Called again with the same items, it goes on where it was killed; nothing that was fetched is fetched again.
    """
    fetched.mkdir(parents=True, exist_ok=True)
    refuse_links(fetched)
    trails = [_Trail(item, _address(item.item.link)) for item in items]
    with FetchedPages(fetched) as pages:
        for number in range(1, MAX_PAGES + 1):
            wanted = _wanted(trails, pages)
            if not wanted:
                break
            folder = fetched / str(number)
            fetch(wanted, folder, access, config, progress=progress)
            pages.add(folder, [address.url for address in wanted])
        return _write(trails, pages, output)


def _address(link: str) -> str:
    url = normalise(link) if link else ""
    return url if len(url) <= _MAX_LINK_CHARACTERS else ""


@dataclass(slots=True)
class _Trail:
    """The pages that belong to an item, as far as they are known."""

    item: NewItem
    url: str
    """The address of its page, normalised; empty if it has none."""
    numbered: dict[int, str] = field(default_factory=dict)
    """Further pages of the article."""
    whole: list[str] = field(default_factory=list)
    """Pages that may have all of it."""
    looked_at: set[str] = field(default_factory=set)

    @property
    def attributes(self) -> dict[str, str]:
        """What pages of the item are stored with."""
        return {"feed": self.item.feed, "item": self.item.key, "version": str(self.item.version)}

    def wanted(self, pages: FetchedPages) -> list[str]:
        """Look for further pages in those that have come, and return the addresses that are still to be fetched."""
        if not self.url:
            return []
        first = pages.get(self.url)
        for url in [self.url, *self.numbered.values()]:
            if first and url not in self.looked_at and (stored := pages.get(url)):
                self.looked_at.add(url)
                self._look_at(stored.page, first.page.url, is_first=url == self.url)
        numbers = sorted(self.numbered)[: MAX_PAGES - 1]
        self.numbered = {number: self.numbered[number] for number in numbers}
        return [url for url in [self.url, *self.numbered.values(), *self.whole] if not pages.was_asked(url)]

    def _look_at(self, page: Page, article: str, *, is_first: bool) -> None:
        markup, _ = markup_of(decode_page(page, Languages(Models.load())).utf8)
        found = find_parts(markup, page.url, article)
        known = {self.url, article, *self.numbered.values()}
        for number, url in found.numbered.items():
            if url not in known:
                self.numbered.setdefault(number, url)
        if is_first:
            self.whole = [url for url in found.whole if url not in known]


def _wanted(trails: Sequence[_Trail], pages: FetchedPages) -> list[Address]:
    """Return what is to be fetched next, each address once."""
    wanted: dict[str, Address] = {}
    for trail in trails:
        for url in trail.wanted(pages):
            wanted.setdefault(url, Address(url, trail.attributes))
    return list(wanted.values())


@dataclass(frozen=True, slots=True)
class _Article:
    """The text of an item: the page as it was fetched, or one that was made."""

    source: str
    url: str
    date: str
    parts: int = 1
    page: Page | None = None
    html: str = ""
    refers_to: str = ""


def _write(trails: Sequence[_Trail], pages: FetchedPages, output: Path) -> ArticlesSummary:
    models = Models.load()
    counts: Counter[str] = Counter()
    missing = []
    output.parent.mkdir(parents=True, exist_ok=True)
    with (
        Draft(output) as draft,
        open(draft.descriptor, "wb", closefd=False) as file,
        WarcWriter(file) as writer,
    ):
        writer.write_info(pages.first_date or _NO_DATE, {"description": "articles of feeds"})
        for trail in trails:
            found = _article(trail, pages, models)
            if isinstance(found, _Article):
                counts[found.source] += 1
                _write_article(writer, trail, found)
            else:
                own = trail.item
                missing.append(Missing(own.feed, own.key, own.version, own.item.link, found))
    return ArticlesSummary(len(trails), {name: counts[name] for name in SOURCES if counts[name]}, tuple(missing))


def _write_article(writer: WarcWriter, trail: _Trail, article: _Article) -> None:
    item = trail.item.item
    about = {**trail.attributes, HEADLINE: one_line(item.title, _MAX_HEADLINE_CHARACTERS)}
    about[SUMMARY] = one_line(item.description, _MAX_SUMMARY_CHARACTERS)
    about |= {"text_from": article.source, "parts": str(article.parts)}
    fields = {ATTRIBUTES: to_field(about)}
    if article.page:
        page = article.page
        headers = {name: value for name, value in page.headers.items() if name not in _ENCODINGS}
        writer.write_response(article.url, article.date, page.status, headers, page.body, fields)
    else:
        if article.refers_to:
            fields["WARC-Refers-To"] = article.refers_to
        writer.write_conversion(article.url, article.date, article.html, fields)


def _article(trail: _Trail, pages: FetchedPages, models: Models) -> _Article | str:
    """Choose what has the whole text of an item; a reason if nothing has it."""
    item = trail.item.item
    stored = pages.get(trail.url) if trail.url else None
    content = _content(item, models)
    if not stored:
        if content:
            return _from_feed(trail, content, pages)
        return pages.reason(trail.url) if trail.url else _NO_LINK
    best, article = _of_pages(trail, stored, pages, models)
    if content and _is_more(content, best):
        return dataclasses.replace(_from_feed(trail, content, pages), url=article.url, date=article.date)
    return article


def _of_pages(trail: _Trail, stored: Stored, pages: FetchedPages, models: Models) -> tuple[Cleaned, _Article]:
    """Choose among the page of an item, all its pages joined, and versions to print."""
    item = trail.item.item

    def cleaned(page: Page) -> Cleaned:
        return Cleaned.of(page, item.title, item.description, models)

    first = best = cleaned(stored.page)
    url, date = stored.page.url, stored.page.date
    article = _Article("page", url, date, page=stored.page)
    chain = [first]
    for number in sorted(trail.numbered):
        if sum(len(known.document.text) for known in chain) > _MAX_TEXT_CHARACTERS:
            break
        part = pages.get(trail.numbered[number])
        found = cleaned(part.page) if part else None
        if found and all(continues(known, found) for known in chain):
            chain.append(found)
    if len(chain) > 1:
        html = join(chain)
        best = cleaned(_made_page(url, date, html))
        article = _Article("joined", url, date, len(chain), html=html, refers_to=stored.record_id)
    for version in filter(None, map(pages.get, trail.whole)):
        whole = cleaned(version.page)
        if _has_all(whole, best):
            return whole, _Article("print", url, date, html=whole.source, refers_to=version.record_id)
    return best, article


def _made_page(url: str, date: str, html: str) -> Page:
    return Page(url, html.encode("utf-8", "replace"), date, headers={"content-type": HTML})


def _has_all(version: Cleaned, best: Cleaned) -> bool:
    """Tell whether another version of an article has all of its text, and less around it."""
    words = version.document.words
    return (
        words >= _SAME_TEXT * best.document.words
        and share(best.bag, version.bag) >= _SAME_TEXT
        and version.document.boilerplate_words < best.document.boilerplate_words
    )


def _content(item: Item, models: Models) -> Cleaned | None:
    """Return the content of an item as a page, if it is the whole text and not only its beginning."""
    if not item.content:
        return None
    found = Cleaned.of(_made_page(item.link, "", as_page(item.title, item.content)), item.title, "", models)
    text = found.document.text
    is_summary = found.document.words <= _SUMMARY_WORDS * len(item.description.split()) + len(item.title.split())
    return None if not text or is_summary or _CUT_OFF.search(text[-100:]) else found


def _is_more(content: Cleaned, page: Cleaned) -> bool:
    """Tell whether the feed has more of an article than its page, or the page is about something else."""
    if content.document.words >= _MORE * page.document.words:
        return True
    is_long = content.document.words >= _MIN_CONTENT_WORDS
    return is_long and share(content.bag, page.bag) < _OTHER_TEXT


def _from_feed(trail: _Trail, content: Cleaned, pages: FetchedPages) -> _Article:
    item = trail.item.item
    dates = (pages.first_date, item.updated, item.published)
    date = next((date for date in dates if _DATE.fullmatch(date)), _NO_DATE)
    url = trail.url or f"{trail.item.feed}#{quote(trail.item.key)}"
    return _Article("feed", url, date, html=content.source)
