"""Addresses in sitemaps: XML (also of news, and indexes of sitemaps), lists of lines, RSS and Atom; compressed or not.

Elements are found by regular expressions in linear time: broken XML gives what can be read of it, and no entity of a
document is ever expanded.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from gristmill.archive.http import decompress, parse
from gristmill.cleaning.attributes import attributes
from gristmill.crawling.links import attribute_text
from gristmill.fetching.exchange import Exchange
from gristmill.fetching.urls import host_of, normalise

MAX_ADDRESSES = 50_000
MAX_BYTES = 50_000_000
"""What a sitemap may have by the protocol, and what is read of a larger one."""

_OK = 200
_ROOT_BYTES = 4096  # in which the outermost element begins
_MAX_ADDRESS_BYTES = 4096
_GZIP = b"\x1f\x8b"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ROOT = re.compile(rb"<(?:[\w.-]{1,20}:)?(urlset|sitemapindex|rss|feed|rdf|url|sitemap)(?=[\s>])", re.IGNORECASE)
_COMMENT = rb"<!--(?:[^-]++|-(?!->))*+"
_TEXT = rb"[^<>]*+>\s*+(?:<!\[CDATA\[\s*+)?+([^<\]]*+)"
# An element that holds an address: `url`, `sitemap`; an address, but not that of a picture; a translation of the page.
_IN_SITEMAP = re.compile(
    _COMMENT
    + rb"|<(?:[\w.-]{1,20}:)?(url|sitemap)(?=[\s>])"
    + rb"|<(?:(?!image:|video:)[\w.-]{1,20}:)?loc(?=[\s>])"
    + _TEXT
    + rb"|(<xhtml:link\s[^<>]*+>)",
    re.IGNORECASE,
)
_IN_FEED = re.compile(_COMMENT + rb"|(<link(?=[\s/>])[^<>]*+>)\s*+(?:<!\[CDATA\[\s*+)?+([^<\]]*+)", re.IGNORECASE)
_LINE = re.compile(rb"^[ \t]*+(https?://\S++)", re.IGNORECASE | re.MULTILINE)


@dataclass(slots=True)
class Sitemap:
    """What a sitemap names: normalised addresses, each once, in their order."""

    addresses: list[str] = field(default_factory=list)
    """Of pages."""
    sitemaps: list[str] = field(default_factory=list)
    """Of other sitemaps."""


class _Named(NamedTuple):
    address: str
    is_sitemap: bool = False


def read_sitemap(answer: Exchange, hosts: frozenset[str] = frozenset()) -> Sitemap:
    """Read a sitemap that was fetched.

    A sitemap is believed about its own host, with or without `www.`, and about other `hosts` whose robots.txt names it.
    """
    if answer.status != _OK:
        return Sitemap()
    return parse_sitemap(parse(answer.wire, MAX_BYTES).body, answer.url, hosts)


def parse_sitemap(body: bytes, url: str, hosts: frozenset[str] = frozenset()) -> Sitemap:
    """Read a sitemap of any form, compressed or not."""
    believed = {host.removeprefix("www.") for host in (host_of(url), *hosts)}
    found = Sitemap()
    seen = {"", url}
    for named in _named(_plain(body)):
        address = normalise(named.address, url)
        if address in seen or host_of(address).removeprefix("www.") not in believed:
            continue
        seen.add(address)
        if len(seen) > MAX_ADDRESSES:
            break
        (found.sitemaps if named.is_sitemap else found.addresses).append(address)
    return found


def _plain(body: bytes) -> bytes:
    """Return a sitemap without compression, in an encoding like ASCII, and at most as long as is allowed."""
    plain = decompress(body, "gzip", MAX_BYTES) if body.startswith(_GZIP) else body[:MAX_BYTES]
    return plain.decode("utf-16", "replace").encode("utf-8", "replace") if plain.startswith(_UTF16) else plain


def _named(data: bytes) -> Iterator[_Named]:
    """Yield what a sitemap names, as it is written there."""
    data = data.removeprefix(codecs.BOM_UTF8).lstrip()
    if not data.startswith(b"<"):
        return (_Named(_address(line[1])) for line in _LINE.finditer(data))
    root = _ROOT.search(data, 0, _ROOT_BYTES)
    if not root:
        return iter(())
    return _in_feed(data) if root[1].lower() in {b"rss", b"feed", b"rdf"} else _in_sitemap(data)


def _in_sitemap(data: bytes) -> Iterator[_Named]:
    is_sitemap = False
    for element in _IN_SITEMAP.finditer(data):
        holder, location, translation = element.groups()
        if holder:
            is_sitemap = holder.lower() == b"sitemap"
        elif location:
            yield _Named(_address(location), is_sitemap)
        elif translation:
            yield _Named(attribute_text(attributes(translation).get(b"href", b"")))


def _in_feed(data: bytes) -> Iterator[_Named]:
    for element in _IN_FEED.finditer(data):
        tag, text = element.groups()
        if not tag:
            continue
        given = attributes(tag)
        if given.get(b"rel", b"alternate") == b"alternate":
            yield _Named(attribute_text(given[b"href"]) if b"href" in given else _address(text))


def _address(written: bytes) -> str:
    return attribute_text(written) if len(written) <= _MAX_ADDRESS_BYTES else ""
