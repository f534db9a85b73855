"""Sitemaps of all forms, whole and broken, and hostile ones."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
from growth import check_growth
from hypothesis import given
from hypothesis import strategies as st

from gristmill.crawling.sitemaps import MAX_ADDRESSES, Sitemap, parse_sitemap, read_sitemap
from gristmill.fetching.exchange import Exchange

URL = "http://example.org/sitemap.xml"
SITE = "http://example.org"

URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x" xmlns:news="y" xmlns:xhtml="z">
 <!-- <url><loc>http://example.org/gone</loc></url> -->
 <url><loc>http://example.org/a?x=1&amp;y=2</loc><lastmod>2026-01-01</lastmod>
  <image:image><image:loc>http://example.org/picture</image:loc></image:image></url>
 <url><loc>
   <![CDATA[http://example.org/b?x=1&y=2]]>
 </loc><news:news><news:title>t</news:title></news:news>
  <xhtml:link rel="alternate" hreflang="de" href="http://example.org/de/b?x&amp;y"/></url>
 <url><loc>http://www.example.org/c</loc></url><url><loc>http://example.com/no</loc></url>
 <url><loc>http://example.org/a?x=1&amp;y=2</loc></url><url><loc>mailto:x</loc></url><url><loc></loc></url>
</urlset>"""


def addresses(text: str) -> list[str]:
    return parse_sitemap(text.encode(), URL).addresses


def test_pages_of_a_sitemap() -> None:
    assert parse_sitemap(URLSET.encode(), URL) == Sitemap(
        [f"{SITE}/a?x=1&y=2", f"{SITE}/b?x=1&y=2", f"{SITE}/de/b?x&y", "http://www.example.org/c"]
    )


def test_hosts_that_name_the_sitemap_are_believed() -> None:
    found = parse_sitemap(URLSET.encode(), URL, frozenset({"example.com"}))
    assert "http://example.com/no" in found.addresses


def test_index_of_sitemaps() -> None:
    index = (
        "<sitemapindex><sitemap><loc>http://example.org/1.xml.gz</loc></sitemap>"
        "<sitemap><loc>http://example.com/2.xml</loc></sitemap></sitemapindex>"
    )
    assert parse_sitemap(index.encode(), URL) == Sitemap([], [f"{SITE}/1.xml.gz"])


def test_prefixed_names() -> None:
    assert addresses("<s:urlset xmlns:s='x'><s:url><s:loc>http://example.org/a</s:loc></s:url>") == [f"{SITE}/a"]


def test_lines() -> None:
    text = "\ufeffhttp://example.org/a\r\n  http://example.org/b \n\nno address\nhttp://example.com/c\n"
    assert addresses(text) == [f"{SITE}/a", f"{SITE}/b"]


def test_feeds() -> None:
    rss = (
        "<rss><channel><link>http://example.org/</link><atom:link href='http://example.org/feed'/>"
        "<item><link>http://example.org/a?x&amp;y</link></item>"
        "<item><link><![CDATA[http://example.org/b]]></link></item></channel></rss>"
    )
    assert addresses(rss) == [f"{SITE}/", f"{SITE}/a?x&y", f"{SITE}/b"]
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='http://example.org/feed'/>"
        "<entry><link href='/a'/><link rel='alternate' href='/b'/><link rel='edit' href='/c'/></entry></feed>"
    )
    assert addresses(atom) == [f"{SITE}/a", f"{SITE}/b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_compression(encoding: str) -> None:
    body = URLSET.encode(encoding)
    whole = parse_sitemap(body, URL)
    assert len(whole.addresses) == 4
    assert parse_sitemap(gzip.compress(body), URL) == whole
    assert parse_sitemap(gzip.compress(body[:100]) + gzip.compress(body[100:]), URL) == whole


def test_what_is_broken_gives_what_can_be_read() -> None:
    assert addresses(URLSET[: URLSET.index("<lastmod>")]) == [f"{SITE}/a?x=1&y=2"]
    packed = gzip.compress(("<urlset>" + "".join(f"<url><loc>{SITE}/{n}</loc>" for n in range(9_999))).encode())
    assert len(parse_sitemap(packed[: len(packed) // 2], URL).addresses) > 1_000
    assert addresses("<urlset><url><loc>http://example.org/é</loc><loc>http://[</loc>") == [f"{SITE}/%C3%A9"]


def test_entities_are_not_expanded() -> None:
    bomb = "<!DOCTYPE urlset [<!ENTITY a 'http://example.org/'><!ENTITY b '&a;&a;&a;'><!ENTITY c SYSTEM 'file:///x'>]>"
    found = addresses(f"{bomb}<urlset><url><loc>{SITE}/&b;</loc></url><url><loc>{SITE}/&c;</loc></url></urlset>")
    assert found == [f"{SITE}/&b;", f"{SITE}/&c;"]


def test_limits() -> None:
    many = "<urlset>" + "".join(f"<url><loc>{SITE}/{n}</loc></url>" for n in range(MAX_ADDRESSES + 10))
    assert 0 < len(addresses(many)) <= MAX_ADDRESSES
    bomb = gzip.compress(b"<urlset>" + b" " * 60_000_000 + f"<loc>{SITE}/a</loc>".encode(), 1)
    assert parse_sitemap(bomb, URL) == Sitemap()


@pytest.mark.parametrize("body", ["", "<", "<html><a href='http://example.org/a'>x</a></html>", "%PDF-1.4", "\0" * 99])
def test_what_is_no_sitemap(body: str) -> None:
    assert parse_sitemap(body.encode(), URL) == Sitemap()


@given(
    st.lists(st.sampled_from("<urlset> <url> <loc> </loc> http://example.org/ <!-- --> <![CDATA[ ]]> & < > é".split()))
)
def test_no_sitemap_raises(parts: list[str]) -> None:
    found = addresses("<urlset>" + "".join(parts))
    assert all(address.startswith("http") for address in found)


def test_answers() -> None:
    body = gzip.compress(URLSET.encode())
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    answer = Exchange(URL, "2026-01-01T00:00:00Z", "127.0.0.1", b"", head + body, 200)
    assert len(read_sitemap(answer).addresses) == 4
    answer.status = 404
    assert read_sitemap(answer) == Sitemap()


UNITS = (
    "<loc>|<loc|<loc |<url>|<!--|<!-|-->|<![CDATA[|<loc><![CDATA[|<xhtml:link |<xhtml:link href='|<loc>&amp;|&|]]>|<a:"
    "|<loc>http://example.org/|\n"
).split("|")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("root", ["<urlset>", "<rss>", "http://example.org/a"])
def test_cost_grows_with_the_sitemap(root: str, unit: str) -> None:
    if root == "<rss>":
        unit = unit.replace("loc", "link")

    def make(size: int) -> Callable[[], object]:
        body = (root + unit * (size // len(unit))).encode()
        return lambda: parse_sitemap(body, URL)

    check_growth(make, 50_000, 200_000, 0.005)
