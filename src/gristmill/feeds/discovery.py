"""The feeds of a web page: those that it declares, or else those that it links to."""

from __future__ import annotations

import re

from gristmill.cleaning.attributes import attributes
from gristmill.crawling.links import attribute_text
from gristmill.errors import GristmillError
from gristmill.feeds.opml import Subscription, is_opml, read_opml
from gristmill.feeds.parsing import MAX_BYTES, NotAFeedError, parse_feed
from gristmill.feeds.plain_text import plain_text
from gristmill.fetching.exchange import REASONS, Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.urls import normalise

ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
"""What requests for feeds accept."""
_OK = 200
_MAX_DECLARED = 50
_MAX_TRIED = 8  # addresses that a page links to and that look like feeds
_TYPES = frozenset(
    [
        b"application/rss+xml",
        b"application/atom+xml",
        b"application/feed+json",
        b"application/rdf+xml",
        b"application/x.atom+xml",
        b"application/x-atom+xml",
        b"text/rss+xml",
        b"text/atom+xml",
    ]
)
_JSON = b"application/json"  # JSON Feed 1.0; WordPress has other things of this type
_COMMENT = rb"<!--(?:[^-]++|-(?!->))*+|<(?i:script|style)\b(?:[^<]++|<(?!/(?i:script|style)))*+"
_TAG = re.compile(_COMMENT + rb"|<(link|a|base)(?=\s)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>", re.IGNORECASE)
_LIKELY = re.compile(
    r"/(?:rss|feed|feeds|atom)(?:[/.?]|\Z)|\.(?:rss|atom|rdf)(?:\?|\Z)"
    r"|/[^/?]{0,40}(?:rss|feed|atom)[^/?]{0,40}\.xml(?:\?|\Z)|[?&](?:feed|format|type|alt)=(?:rss|atom|feed)",
    re.IGNORECASE,
)
_OF_COMMENTS = re.compile(r"/comments/(?:feed|default|atom|rss)|/feed/comments|feed=comments", re.IGNORECASE)


async def find_feeds(url: str, session: Session, *, robots: bool = True) -> list[Subscription]:
    """Find the feeds of an address: itself if it is a feed, those of a list, or those of a page.

    Raises `GristmillError` if there is none, or if the address can't be fetched.
    """
    answer = await _get(url, session, robots)
    if isinstance(answer, str):
        raise GristmillError(f"{url}: {answer}")
    if is_opml(answer.body):
        return read_opml(answer.body, answer.url)
    try:
        return [_itself(url, answer)]
    except NotAFeedError as error:
        declared, linked = feeds_of_page(answer.body, answer.url)
        found = declared or await _tried(linked, session, robots)
        if not found:
            raise GristmillError(f"{url}: {error}, and it leads to no feed") from error
        return found


def feeds_of_page(page: bytes, url: str) -> tuple[list[Subscription], list[str]]:
    """Return the feeds that a page declares, and addresses that it links to and that look like feeds."""
    base = url
    declared: dict[str, str] = {}
    linked: dict[str, None] = {}
    for found in _TAG.finditer(page):
        if not found[1]:
            continue
        given = attributes(found[0])
        written = attribute_text(given.get(b"href", b""))
        address = normalise(written, base) if written else ""
        if not address:
            continue
        if found[1].lower() == b"base":
            base = address
        elif found[1].lower() == b"link" and _is_declared(given):
            declared.setdefault(address, plain_text(attribute_text(given.get(b"title", b"")), 1000))
        elif found[1].lower() == b"a" and _LIKELY.search(address):
            linked.setdefault(address)
    chosen = [address for address in declared if not _OF_COMMENTS.search(address)] or list(declared)
    likely = [address for address in linked if not _OF_COMMENTS.search(address)]
    return [Subscription(address, declared[address]) for address in chosen[:_MAX_DECLARED]], likely[:_MAX_TRIED]


def _is_declared(given: dict[bytes, bytes]) -> bool:
    kind = given.get(b"type", b"").partition(b";")[0].strip().lower()
    if b"alternate" not in given.get(b"rel", b"").lower().split() and b"feed" not in given.get(b"rel", b"").lower():
        return False
    return kind in _TYPES or (kind == _JSON and b"feed" in given.get(b"href", b"").lower())


async def _get(url: str, session: Session, robots: bool) -> Answer | str:
    """Fetch an address; a text says why that failed."""
    answer = await session.get(url, accept=ACCEPT, max_bytes=MAX_BYTES, robots=robots)
    if isinstance(answer, Failure):
        return reason_of(answer)
    return answer if answer.status == _OK else f"the server answers with status {answer.status}"


def reason_of(failure: Failure) -> str:
    """Say in words why a request has failed."""
    if failure.reason == "robots" and failure.detail:
        return failure.detail
    return REASONS.get(failure.reason, failure.reason)


def _itself(url: str, answer: Answer) -> Subscription:
    feed = parse_feed(answer.body, answer.url, answer.headers.get("content-type", ""))
    return Subscription(answer.moved or normalise(url), feed.title)


async def _tried(addresses: list[str], session: Session, robots: bool) -> list[Subscription]:
    """Return those addresses that are feeds."""
    found: dict[str, Subscription] = {}
    for address in addresses:
        answer = await _get(address, session, robots)
        if isinstance(answer, str):
            continue
        try:
            subscription = _itself(address, answer)
        except NotAFeedError:
            continue
        found.setdefault(subscription.url, subscription)
    return list(found.values())
