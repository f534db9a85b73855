"""Further pages of an article: those that it goes on, and those that have all of it, such as versions to print.

Only links count that say so in words (`Next page`, `2`, `Print`), and whose address is that of the article but for the
number of the page or for the word that names the version. So the next article is never taken for the next page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.site import site_of
from gristmill.crawling.links import attribute_text, read_tags
from gristmill.fetching.urls import normalise
from gristmill.kernel.elements import CODES

_A, _LINK = CODES["a"], CODES["link"]
_MAX_LINKS = 5_000
_MAX_ADDRESS_CHARACTERS = 4_000
_MAX_TEXT_BYTES = 400  # between the tags of a link
_MAX_TEXT_WORDS = 5  # of a link that says "next page" or "print"
_MAX_PAGE_NUMBER = 99
_MAX_WHOLE = 2  # versions of an article that are tried
_TAG = re.compile(rb"<[^>]*>?")
_ID = re.compile(r"\d{4,}")
_LEADS_ON = re.compile(rb"\b(?:next|alternate)\b")  # pages that `<link>` leads to; others are style sheets and the like

_NUMBERED = (
    "page|pages|pg|p|pagina|pagine|pag|seite|s|strana|str|strona|stranka|sivu|side|sida|oldal|sayfa|part|teil|"
    "pageno|pagenum|page_no|paged|seitenr|nr"
)
_IN_PATH = re.compile(rf"(?:[/_,.;-](?:{_NUMBERED})?[/_=-]?|(?:{_NUMBERED}))(\d{{1,2}})", re.IGNORECASE)
_PARAMETER = re.compile(rf"(?:{_NUMBERED})", re.IGNORECASE)
_EXTENSION = re.compile(r"(?:\.(?:x?html?|php\d?|aspx?|jsp|cfm|shtml))?/?$", re.IGNORECASE)

_NEXT = re.compile(
    r"(?:(?:go to |zur |zum |à la |vai alla |ir a la )?"
    r"(?:next|continue|continued|continue reading|nächste|naechste|weiter|weiterlesen|folgende|suivante?|siguiente|"
    r"successiva|avanti|continua|próxima|proxima|seguinte|volgende|verder|nästa|neste|næste|seuraava|další|dalsi|"
    r"ďalšia|dalej|następna|nastepna|következő|urmatoarea|următoarea|следующая|далее|вперед|вперёд|наступна|"
    r"επόμενη|sonraki|次へ|次のページ|下一页|下一頁|다음)"
    r"(?: page| seite| sivu| sida| side| stran[au]| strona| oldal| pagina| página| страница| сторінка| σελίδα| sayfa)?"
    r"|page suivante|página siguiente|pagina successiva|pagina volgende|page \d{1,2}|seite \d{1,2}|\d{1,2})",
    re.IGNORECASE,
)
_PRINT = re.compile(
    r"\b(?:print|printer|printable|print-?version|printversion|druck|drucken|druckversion|druckansicht|ausdrucken|"
    r"imprimer|imprimable|impression|imprimir|impressão|impresion|impresión|stampa|stampabile|afdrukken|printversie|"
    r"skriv ut|utskrift|udskriv|tulosta|tisk|vytisknout|vytlačiť|drukuj|druku|wydrukuj|nyomtatás|nyomtat|"
    r"tipăreşte|tipărește|печать|печати|распечатать|друк|друку|εκτύπωση|yazdır)\b|印刷|打印|列印|인쇄",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?:single page|one page|view all|all pages|full article|auf einer seite|ganzer artikel|alles auf einer seite|"
    r"sur une (?:seule )?page|en una (?:sola )?página|in un'unica pagina|op één pagina|na jedné stránce|"
    r"na jednej stronie|на одной странице)\b",
    re.IGNORECASE,
)
_WHOLE_PARAMETER = re.compile(
    r"(?:print|printable|printview|printversion|printpage|printer|print_view|druck|imprimer|imprimir|stampa|tisk|single|"
    r"singlepage|single_page|show|view|format|mode|output|layout|tmpl|type|action|page|pagewanted|all|full)",
    re.IGNORECASE,
)
_WHOLE_PATH = re.compile(
    r"(?:^|[/_,.;-])(?:print|printable|printversion|printer|druckversion|drucken|druck|imprimer|imprimir|stampa|tisk|"
    r"utskrift|single|singlepage|single-page|onepage|all|full)(?=$|[/_,.;-])",
    re.IGNORECASE,
)
_COMMENTS = re.compile(r"comment|kommentar|komment|reply|replies|cpage|respond|opinion[ie]s", re.IGNORECASE)


class PageLink(NamedTuple):
    """A link of a page, with what it says of itself."""

    url: str
    text: str
    """What is shown, in one line."""
    says: str
    """What stands in its attributes: `rel`, `title`, `class`, `id` and the like."""
    rel: frozenset[str]


@dataclass(slots=True)
class Parts:
    """The pages that a page links to as further pages of its article."""

    numbered: dict[int, str] = field(default_factory=dict)
    """Addresses of pages that the article goes on, by their numbers."""
    whole: list[str] = field(default_factory=list)
    """Addresses of pages that may have all of it, the likeliest first."""


def find_parts(markup: Markup, page: str, article: str) -> Parts:
    """Find the further pages of an article that a page links to; `page` is its address, `article` that of the first."""
    found = Parts()
    likely: list[tuple[int, str]] = []
    for link in _links(markup, page):
        if link.url in {page, article} or site_of(link.url) != site_of(article) or _COMMENTS.search(link.url):
            continue
        number = page_number(article, link.url)
        if number is not None and _says_next(link):
            if link.text != "1":
                found.numbered.setdefault(number, link.url)
        elif (rank := _whole_rank(link, article)) is not None:
            likely.append((rank, link.url))
    found.whole = list(dict.fromkeys(url for _, url in sorted(likely, key=lambda item: item[0])))[:_MAX_WHOLE]
    return found


def page_number(article: str, url: str) -> int | None:
    """Tell which page of an article an address is that of; None if it is not that of a page of this article."""
    first, other = urlsplit(article), urlsplit(url)
    number = None
    if _stem(first.path) == _stem(other.path):
        number = _number_in_query(first.query, other.query)
    elif first.query == other.query:
        stem, longer = _stem(first.path), _stem(other.path)
        match = _IN_PATH.fullmatch(longer, len(stem)) if stem and longer.startswith(stem) else None
        number = int(match[1]) if match else None
    return number if number is not None and number <= _MAX_PAGE_NUMBER else None


def _stem(path: str) -> str:
    return _EXTENSION.sub("", path)


def _number_in_query(first: str, other: str) -> int | None:
    """Return the page number of a query that differs from another one in nothing else."""
    own, given = dict(parse_qsl(first)), dict(parse_qsl(other))
    changed = [name for name in own.keys() | given.keys() if own.get(name) != given.get(name)]
    if len(changed) != 1 or not _PARAMETER.fullmatch(changed[0]):
        return None
    before, value = own.get(changed[0], "1"), given.get(changed[0], "")
    return int(value) if re.fullmatch("[0-9]{1,2}", value) and re.fullmatch("[01]", before) else None


def _says_next(link: PageLink) -> bool:
    """Tell whether a link says that it leads to a further page."""
    if "next" in link.rel:
        return True
    text = link.text.strip(" \u00a0.…>›»→▶►⇒|[]()")
    if _NEXT.fullmatch(text):
        return True
    return not text and ("next" in link.says.lower() or bool(link.text.strip("|[]() ")))


def _whole_rank(link: PageLink, article: str) -> int | None:
    """Tell how likely a link leads to a page that has all of an article: 0 is likeliest, None is not at all."""
    few = len(link.text.split()) <= _MAX_TEXT_WORDS
    is_single = few and bool(_SINGLE.search(link.text))
    is_print = (few and bool(_PRINT.search(link.text))) or bool(_PRINT.search(link.says))
    by_address = _names_version(article, link.url)
    if not (is_single or is_print or by_address == "print") or not _is_of_article(article, link.url):
        return None
    if is_print and by_address:
        return 0
    return 1 if is_single else 2


def _names_version(article: str, url: str) -> str:
    """Tell what an address adds to that of an article: `print`, `whole` or nothing."""
    first, other = urlsplit(article), urlsplit(url)
    own = set(parse_qsl(first.query, keep_blank_values=True))
    added = [pair for pair in parse_qsl(other.query, keep_blank_values=True) if pair not in own]
    path = "" if other.path == first.path else _WHOLE_PATH.search(other.path) and not _WHOLE_PATH.search(first.path)
    if path or any(_WHOLE_PARAMETER.fullmatch(name) for name, _ in added):
        named = "".join(f"{name}={value} " for name, value in added) if not path else other.path
        return "print" if _PRINT.search(re.sub(r"[_=/.,;-]+", " ", named)) else "whole"
    return ""


def _is_of_article(article: str, url: str) -> bool:
    """Tell whether an address has something of that of the article: its path, its last segment or its number."""
    first, other = urlsplit(article), urlsplit(url)
    stem = _stem(first.path)
    if len(stem) > 1 and (_stem(other.path).startswith(stem) or stem.rpartition("/")[2] in other.path.split("/")):
        return True
    last = stem.rpartition("/")[2]
    if len(last) > 1 and last in unquote(f"{other.path}?{other.query}"):
        return True
    numbers = set(_ID.findall(f"{first.path}?{first.query}"))
    return bool(numbers & set(_ID.findall(f"{other.path}?{other.query}")))


def _links(markup: Markup, page: str) -> list[PageLink]:
    """Return the links of a page that may be followed, with their text."""
    tags = read_tags(markup)
    if tags.nofollow:
        return []
    base = (normalise(tags.base, page) if tags.base else "") or page
    is_link = (markup.codes == _A) | (markup.codes == _LINK)
    ends = markup.starts[np.flatnonzero(markup.closing & (markup.codes == _A))]
    links = []
    for tag in np.flatnonzero(is_link & ~markup.closing)[:_MAX_LINKS].tolist():
        start, end = int(markup.starts[tag]), int(markup.ends[tag])
        given = attributes(markup.data[start:end])
        rel = given.get(b"rel", b"").lower()
        is_shown = markup.codes[tag] == _A
        if b"nofollow" in rel or not (is_shown or _LEADS_ON.search(rel)):
            continue
        behind = int(np.searchsorted(ends, end))
        until = min(int(ends[behind]) if behind < len(ends) else end, end + _MAX_TEXT_BYTES)
        if link := _page_link(given, markup.data[end:until] if is_shown else b"", base):
            links.append(link)
    return links


def _page_link(given: dict[bytes, bytes], text: bytes, base: str) -> PageLink | None:
    url = normalise(attribute_text(given.get(b"href", b"")), base)
    if not url or len(url) > _MAX_ADDRESS_CHARACTERS:
        return None
    rel = frozenset(given.get(b"rel", b"").decode("utf-8", "replace").lower().split())
    if b"media" in given and b"print" in given[b"media"].lower() and "alternate" in rel:
        rel |= {"print"}
    names = (b"title", b"aria-label", b"class", b"id", b"alt")
    says = " ".join([*sorted(rel), *(attribute_text(given.get(name, b"")) for name in names)])
    shown = attribute_text(_TAG.sub(b" ", text))
    return PageLink(url, " ".join(shown.split()), " ".join(says.replace("-", " ").replace("_", " ").split()), rel)
