"""Pages of results that were saved from a browser: the query that was typed, and the addresses that were found."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from gristmill.cleaning.markup import markup_of
from gristmill.crawling.links import read_tags
from gristmill.decoding import decode
from gristmill.fetching.urls import host_of, normalise

_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)")
_HEAD_CHARACTERS = 5_000
_QUERY_NAMES = ("q", "query", "p", "text", "wd", "search")
"""Parameters in which search engines have the query."""
_TARGET_NAMES = ("q", "url", "uddg", "u", "to")
"""Parameters in which links of search engines to themselves have the address that they lead to."""
_SCHEMES = ("http://", "https://")


class SavedResults(NamedTuple):
    """What a saved page of results says."""

    query: str
    """Empty if the page does not know where it was saved from."""
    addresses: list[str]


def read_saved_results(data: bytes) -> SavedResults:
    """Read a page of results as browsers save it. Links of the search engine to its own pages are left out."""
    text = decode(data).text
    markup, _ = markup_of(text)
    tags = read_tags(markup)
    saved_from = _SAVED_FROM.search(text[:_HEAD_CHARACTERS])
    page = normalise(saved_from[1] if saved_from else tags.canonical)
    addresses = (_target(link.address, page) for link in tags.links)
    return SavedResults(_parameter(page, _QUERY_NAMES), list(dict.fromkeys(filter(None, addresses))))


def _target(address: str, page: str) -> str:
    """Return where a link leads to, if that is outside of the search engine."""
    url = normalise(address, page)
    if not url or not page:
        return url
    if _site(url) != _site(page):
        return url
    inner = _parameter(url, _TARGET_NAMES)
    target = normalise(inner) if inner.startswith(_SCHEMES) else ""
    return target if target and _site(target) != _site(page) else ""


def _site(url: str) -> str:
    """Return the last two parts of the name of a host, by which pages of a search engine are told from others."""
    return ".".join(host_of(url).rsplit(".", 2)[-2:])


def _parameter(url: str, names: tuple[str, ...]) -> str:
    """Return the first of some parameters that an address has."""
    try:
        given = parse_qs(urlsplit(url).query, max_num_fields=1_000)
    except ValueError:
        return ""
    return next((given[name][0].strip() for name in names if name in given), "")
