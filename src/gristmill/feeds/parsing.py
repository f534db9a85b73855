"""Read a feed of any format, however broken: RSS, Atom, JSON Feed."""

from __future__ import annotations

import re

from gristmill.decoding.decoding import decode
from gristmill.errors import GristmillError
from gristmill.feeds.item import Feed
from gristmill.feeds.json_feed import read_json
from gristmill.feeds.xml_feed import read_xml, root_of

MAX_BYTES = 10_000_000
"""What is read of a feed."""
MAX_ITEMS = 10_000
"""Items that are read of a feed."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w:.+-]{1,40})", re.IGNORECASE)
_BINARY_BYTES = 1000  # that are looked at
_KINDS = {
    "html": "a web page",
    "body": "a web page",
    "head": "a web page",
    "opml": "a list of feeds (OPML)",
    "urlset": "a sitemap",
    "sitemapindex": "a sitemap",
}


class NotAFeedError(GristmillError):
    """What was to be read is no feed; the message says what it is."""


def parse_feed(data: bytes, url: str, content_type: str = "") -> Feed:
    """Read a feed that was fetched from an address, with the Content-Type that came with it.

    Raises `NotAFeedError` if it is none.
    """
    if not data.strip():
        raise NotAFeedError("the answer is empty")
    charset = _CHARSET.search(content_type)
    text = decode(data[:MAX_BYTES].lstrip(), declared=charset[1] if charset else None).text.lstrip("\ufeff \n\t")
    feed = read_json(text, url, MAX_ITEMS) if text.startswith("{") else read_xml(text, url, MAX_ITEMS)
    if feed is None:
        raise NotAFeedError(f"this is no feed but {_kind(data, text)}")
    return feed


def _kind(data: bytes, text: str) -> str:
    """Say what it is that is no feed."""
    if text.startswith(("{", "[")):
        return "JSON of another kind"
    if b"\0" in data[:_BINARY_BYTES] or data.startswith((b"%PDF", b"\x1f\x8b")):
        return "a file that is not text"
    root = root_of(text)[0]
    if not root:
        return "text"
    return _KINDS.get(root, f"a document with <{root[:30]}>" if root.isprintable() else "a document of another kind")
