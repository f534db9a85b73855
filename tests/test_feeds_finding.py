from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace

import pytest
from loopback import Loopback, Reply

from gristmill.errors import GristmillError
from gristmill.feeds.discovery import feeds_of_page, find_feeds
from gristmill.feeds.opml import Subscription, read_opml, write_opml
from gristmill.fetching.session import Session

NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
PAGE = "http://news.example/"
RSS = b"<rss><channel><title>News</title></channel></rss>"


def find(pages: dict[str, Reply], url: str = PAGE) -> list[Subscription]:
    async def run(server: Loopback) -> list[Subscription]:
        async with Session.open(replace(server.access(), ssl_context=NO_TRUST), delay=0) as session:
            return await find_feeds(url, session)

    with Loopback({f"news.example{path}": reply for path, reply in pages.items()}) as server:
        server.names["10.0.0.1"] = "10.0.0.1"
        return asyncio.run(run(server))


def test_a_page_declares_feeds() -> None:
    page = b"""<html><head><base href="/x/"><!-- <link rel=alternate type=application/rss+xml href=/no> -->
    <script>"<link rel=alternate type=application/rss+xml href=/no>"</script>
    <LINK REL="alternate" TYPE="application/rss+xml" TITLE="News &amp; more" HREF="/rss.xml?a=1&amp;b=2">
    <link rel='alternate' type='application/atom+xml' href=atom.xml><link rel="alternate" hreflang="de" href="/de">
    <link rel="alternate feed" type="application/feed+json; charset=utf-8" href="https://other.example/feed.json">
    <link rel="alternate" type="application/json" href="/wp-json/v2/posts/1">
    <link rel="stylesheet" type="application/rss+xml" href="/style"><link rel=alternate type=application/rss+xml>
    <link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">
    <link rel="alternate" type="application/rss+xml" title="Comments" href="/comments/feed/">"""
    assert find({"/": Reply(200, {}, page)}) == [
        Subscription("http://news.example/rss.xml?a=1&b=2", "News & more"),
        Subscription("http://news.example/x/atom.xml", ""),
        Subscription("https://other.example/feed.json", ""),
    ]


def test_a_page_links_to_feeds() -> None:
    page = (
        b"<a href=/about>About</a><a href='/rss'>RSS</a> <a href=news.rss>x</a> <a href='/feed/old'>y</a><a href=/rss>"
    )
    found = find({"/": Reply(200, {}, page), "/rss": Reply(200, {}, RSS), "/news.rss": Reply(200, {}, b"<html>")})
    assert found == [Subscription("http://news.example/rss", "News")]
    assert feeds_of_page(b"<a href=/feeding-the-birds>", PAGE) == ([], [])


def test_an_address_that_is_a_feed() -> None:
    assert find({"/": Reply(200, {}, RSS)}) == [Subscription(PAGE, "News")]
    moved = {"/": Reply(301, {"Location": "/new"}), "/new": Reply(200, {}, RSS)}
    assert find(moved) == [Subscription("http://news.example/new", "News")]
    for_now = {"/": Reply(302, {"Location": "/new"}), "/new": Reply(200, {}, RSS)}
    assert find(for_now) == [Subscription(PAGE, "News")]


def test_an_address_that_is_a_list() -> None:
    assert find({"/": Reply(200, {}, b"<opml><body><outline xmlUrl='/rss' text='A'/></body></opml>")}) == [
        Subscription("http://news.example/rss", "A")
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Reply(200, {}, b"<html><p>Nothing"), "a web page, and it leads to no feed"),
        (Reply(404), "status 404"),
        (Reply(200, {}, b""), "the answer is empty"),
    ],
)
def test_no_feed(answer: Reply, message: str) -> None:
    with pytest.raises(GristmillError, match=message):
        find({"/": answer})


def test_private_addresses_are_not_looked_at() -> None:
    with pytest.raises(GristmillError, match="private"):
        find({}, "http://10.0.0.1/")


def test_opml() -> None:
    data = b"""<?xml version="1.0"?><opml version="1.0"><head><title>Mine</title></head><body>
    <outline text="Folder"><outline text="Inner"><outline type="rss" text="A &amp;amp; &lt;b&gt;" xmlUrl="HTTP://a.example/rss"/>
    </outline></outline><outline title="B" xmlurl='https://b.example/?x=1&y=2'>
    <outline text="again" xmlUrl="http://a.example/rss#top"/><outline text="no" htmlUrl="http://c.example/"/>
    <outline xmlUrl="javascript:alert(1)"/><outline xmlUrl="file:///etc/passwd"/><outline xmlUrl=""/>
    <OUTLINE TEXT="D > C" XMLURL="http://d.example/rss"></body>"""
    assert read_opml(data) == [
        Subscription("http://a.example/rss", "A &"),
        Subscription("https://b.example/?x=1&y=2", "B"),
        Subscription("http://d.example/rss", "D > C"),
    ]
    with pytest.raises(GristmillError, match="OPML"):
        read_opml(b"<html>")


def test_hostile_opml() -> None:
    bomb = b"<!DOCTYPE opml [<!ENTITY a 'aaa'><!ENTITY b '&a;&a;'>]><opml>" + b"<outline>" * 50_000
    assert read_opml(bomb + b"<outline text='&b;' xmlUrl='http://a.example/'/>") == [
        Subscription("http://a.example/", "&b;")
    ]


def test_written_opml_is_read_again() -> None:
    subscriptions = [
        Subscription("http://a.example/rss?a=1&b=2", 'A "quoted" & <odd> title'),
        Subscription("http://b.example/rss", ""),
    ]
    text = write_opml(subscriptions, "My </title> feeds")
    assert read_opml(text.encode()) == [subscriptions[0], Subscription("http://b.example/rss", "http://b.example/rss")]
    assert "My &lt;/title&gt; feeds" in text
