from __future__ import annotations

import json

import pytest

from gristmill.feeds.dates import utc
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.parsing import NotAFeedError, parse_feed
from gristmill.feeds.plain_text import plain_text

URL = "https://news.example/feeds/all.xml"


def read(text: str | bytes, content_type: str = "") -> Feed:
    return parse_feed(text if isinstance(text, bytes) else text.encode(), URL, content_type)


def rss(items: str, head: str = "", attributes: str = "") -> str:
    return f'<rss version="2.0" {attributes}><channel><title>News</title>{head}{items}</channel></rss>'


def one(items: str, head: str = "", attributes: str = "") -> Item:
    found = read(rss(items, head, attributes)).items
    assert len(found) == 1
    return found[0]


def test_rss_2() -> None:
    feed = read(
        """<?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
             xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
             xmlns:media="http://search.yahoo.com/mrss/"><channel>
        <title>The &amp;quot;Daily&amp;quot; News</title><link>https://news.example/</link><ttl>30</ttl>
        <atom:link rel="self" href="https://news.example/feeds/all.xml"/>
        <image><title>Logo</title><link>https://logo.example/</link></image>
        <skipHours><hour>2</hour><hour>24</hour></skipHours><skipDays><day>Sunday</day></skipDays>
        <item><title>Mills &amp;amp; &lt;b&gt;grist&lt;/b&gt;</title><link>https://news.example/mills</link>
          <guid isPermaLink="false">n-1</guid><dc:creator><![CDATA[Ann & Bob]]></dc:creator>
          <pubDate>Tue, 17 Nov 2026 06:40:40 +0100</pubDate>
          <description>&lt;p&gt;All about&lt;/p&gt;&lt;p&gt;mills.&lt;/p&gt;</description>
          <content:encoded><![CDATA[<p>All about mills, in full.</p>]]></content:encoded>
          <media:content url="https://news.example/p.jpg"><media:title>A picture</media:title></media:content></item>
        <item><title>Second</title><guid>https://news.example/second</guid></item>
        </channel></rss>"""
    )
    assert (feed.title, feed.link, feed.ttl_minutes) == ('The "Daily" News', "https://news.example/", 30)
    assert (set(feed.skip_hours), set(feed.skip_days)) == ({2, 0}, {6})
    assert feed.items[0] == Item(
        "n-1",
        "https://news.example/mills",
        "Mills & grist",
        "All about mills.",
        "<p>All about mills, in full.</p>",
        "2026-11-17T05:40:40Z",
        "",
        "Ann & Bob",
    )
    assert feed.items[1].link == "https://news.example/second", "a guid is the link unless it says that it is none"


@pytest.mark.parametrize("version", ["0.91", "0.92", "0.94"])
def test_rss_0_9x(version: str) -> None:
    feed = read(
        f'<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS {version}//EN" "https://x.example/rss.dtd">'
        f'<rss version="{version}">'
        "<channel><title>T</title><link>https://news.example/</link><item><title>A</title><link>/a</link>"
        "<description>About a.</description></item></channel></rss>"
    )
    assert feed.items == [Item("", "https://news.example/a", "A", "About a.")]


@pytest.mark.parametrize("space", ["http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"])
def test_rdf(space: str) -> None:
    feed = read(
        f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="{space}"
        xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="{URL}"><title>T</title><link>https://news.example/</link>
        <sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
        <items><rdf:Seq><rdf:li resource="https://news.example/a"/></rdf:Seq></items></channel>
        <item rdf:about="https://news.example/a"><title>A</title><link>https://news.example/a</link>
        <dc:date>2026-11-17T05:40+01:00</dc:date></item></rdf:RDF>"""
    )
    assert (feed.title, feed.ttl_minutes) == ("T", 360)
    assert feed.items == [
        Item("https://news.example/a", "https://news.example/a", "A", published="2026-11-17T04:40:00Z"),
    ]


def test_atom() -> None:
    feed = read(
        """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://news.example/x/"><title type="text">T</title>
        <link rel="self" href="feed"/><link href=".."/>
        <entry xml:base="2026/"><id>tag:news.example,2026:1</id>
          <title type="html">A &amp;lt;b&amp;gt; &lt;i&gt;c&lt;/i&gt;</title>
          <link rel="enclosure" href="a.mp3"/><link rel="alternate" type="application/json" href="a.json"/>
          <link rel="alternate" type="text/html" href="a"/><updated>2026-11-17T05:40:40Z</updated>
          <author><name>Ann</name><email>a@news.example</email></author>
          <source><title>Other</title><id>o</id><link href="https://other.example/"/></source>
          <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><title>x</title>
          <p>One &amp; <b>two</b></p></div></content>
        </entry>
        <entry><id>2</id><title>x &lt;T&gt; y</title>
          <summary type="text">1 &lt; 2</summary><content>p&#10;&#10;q</content></entry>
        <entry><id>3</id><title>B</title><content type="image/png">aGVsbG8=</content></entry></feed>"""
    )
    assert (feed.title, feed.link) == ("T", "https://news.example/")
    first, second, third = feed.items
    assert first.id == "tag:news.example,2026:1"
    assert (first.title, first.link, first.author) == ("A <b> c", "https://news.example/x/2026/a", "Ann")
    assert (first.published, first.updated) == ("2026-11-17T05:40:40Z", "2026-11-17T05:40:40Z")
    assert first.description == "x One & two"
    assert "<p>One &amp; <b>two</b></p>" in first.content
    assert (second.title, second.description, second.content) == ("x <T> y", "1 < 2", "<p>p</p><p>q</p>")
    assert (third.id, third.content) == ("3", "")


def test_atom_0_3_and_prefixes_of_their_own() -> None:
    feed = read(
        """<a:feed version="0.3" xmlns:a="http://purl.org/atom/ns#"><a:title>T</a:title>
        <a:entry><a:title mode="escaped" type="text/html">&lt;b&gt;A&lt;/b&gt;</a:title><a:id>1</a:id>
        <a:link rel="alternate" href="/a"/><a:issued>2004-01-01T00:00:00Z</a:issued>
        <a:modified>2004-01-02T00:00:00Z</a:modified></a:entry></a:feed>"""
    )
    expected = Item("1", "https://news.example/a", "A", "", "", "2004-01-01T00:00:00Z", "2004-01-02T00:00:00Z")
    assert (feed.title, feed.items) == ("T", [expected])


@pytest.mark.parametrize("version", ["1", "1.1"])
def test_json_feed(version: str) -> None:
    author = {"authors": [{"name": "Ann"}]} if version == "1.1" else {"author": {"name": "Ann"}}
    item = {"id": 7, "url": "/a", "title": "A &amp; b", "content_text": "one\n\ntwo < 3", **author}
    item["date_published"] = "2026-11-17T05:40:40-01:00"
    data = {"version": f"https://jsonfeed.org/version/{version}", "title": "T", "items": [item, "no", {"id": None}]}
    feed = read(json.dumps(data), "application/feed+json")
    expected = Item("7", "https://news.example/a", "A & b", "one two < 3", "<p>one</p><p>two &lt; 3</p>")
    expected.published, expected.author = "2026-11-17T06:40:40Z", "Ann"
    assert (feed.title, feed.link) == ("T", "")
    assert feed.items == [expected]


def test_content_in_the_description() -> None:
    long = one("<item><title>A</title><description>&lt;p&gt;One&lt;p&gt;two</description></item>")
    assert (long.description, long.content) == ("One two", "<p>One<p>two")
    short = one("<item><title>A</title><description>One &lt;b&gt;two&lt;/b&gt;</description></item>")
    assert (short.description, short.content) == ("One two", "")


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("bare &", "<item><title>A & B</title><link>https://e.example/a?x=1&y=2&copy=3</link></item>"),
        ("in CDATA", "<item><title><![CDATA[A & B]]></title><link><![CDATA[https://e.example/a?x=1&y=2&copy=3]]></link></item>"),
        ("upper case", "<ITEM><TITLE>A &amp; B</TITLE><LINK>https://e.example/a?x=1&amp;y=2&amp;copy=3</LINK></ITEM>"),
        ("no end", "<item><title>A &amp; B</title><link>https://e.example/a?x=1&amp;y=2&amp;copy=3</link><descr"),
        ("no end tag", "<item><title>A &amp; B</title><link>https://e.example/a?x=1&y=2&amp;copy=3"),
        ("twice escaped", "<item><title>A &amp;amp; B</title><link>https://e.example/a?x=1&amp;y=2&amp;copy=3</link></item>"),
    ],
)  # fmt: skip
def test_broken(name: str, item: str) -> None:
    found = one(item)
    assert (found.title, found.link) == ("A & B", "https://e.example/a?x=1&y=2&copy=3"), name


def test_html_entities_that_nobody_declared() -> None:
    assert one("<item><title>Caf&eacute;&nbsp;&#8222;x&ldquo; &unknown;</title></item>").title == "Café „x“ &unknown;"


def test_html_that_nobody_escaped() -> None:
    feed = read(
        rss(
            "<item><title>A</title><description><p>one<br>two</p><hr></description></item><item><title>B</title></item>"
        )
    )
    assert [(item.title, item.description) for item in feed.items] == [("A", "one two"), ("B", "")]


def test_prefixes_that_nobody_declared() -> None:
    item = one(
        "<item><title>A</title><content:encoded><![CDATA[<p>x</p>]]></content:encoded><dc:date>2020-01-01</dc:date>"
        "<dc:creator>Ann</dc:creator><feedburner:origLink>/orig</feedburner:origLink><link>/proxy</link></item>"
    )
    assert (item.content, item.published, item.author) == ("<p>x</p>", "2020-01-01T00:00:00Z", "Ann")
    assert item.link == "https://news.example/orig"


def test_elements_with_a_namespace_of_their_own() -> None:
    item = one(
        '<item><title>A</title><link xmlns="http://www.w3.org/2005/Atom" rel="self" href="/self"/><link>/a</link>'
        '<encoded xmlns="http://purl.org/rss/1.0/modules/content/">&lt;p&gt;x</encoded></item>'
    )
    assert (item.link, item.content) == ("https://news.example/a", "<p>x")


def test_items_without_end_tags_and_fields_within_others() -> None:
    feed = read(rss("<item><title>A</title><item><title>B</title><source><title>S</title></source></item>"))
    assert [item.title for item in feed.items] == ["A", "B"]


def test_cdata_that_ends_early_or_never() -> None:
    feed = read("<rss><item><title>A</title><description><![CDATA[x]]>y]]></description></item><item><title><![CDATA[B")
    assert [(item.title, item.description) for item in feed.items] == [("A", "xy]]>"), ("B", "")]


@pytest.mark.parametrize(
    ("encoding", "declared", "content_type"),
    [
        ("utf-8", "utf-8", ""),
        ("latin-1", "utf-8", ""),
        ("utf-8", "iso-8859-1", "text/xml; charset=us-ascii"),
        ("utf-8-sig", "utf-16", ""),
        ("utf-16", "utf-8", "application/rss+xml"),
        ("utf-16-be", "utf-16", ""),
        ("cp1252", "windows-1252", "text/html"),
        ("utf-8", "x-no-such-thing", "application/octet-stream"),
        ("latin-1", "", "text/xml; charset=iso-8859-1"),
    ],
)
def test_encodings(encoding: str, declared: str, content_type: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = head + rss("<item><title>Café à la crème, déjà vu près de la forêt</title></item>" * 3)
    assert read(text.encode(encoding), content_type).items[0].title == "Café à la crème, déjà vu près de la forêt"


def test_other_scripts_by_their_declarations() -> None:
    text = '<?xml version="1.0" encoding="windows-1251"?>' + rss("<item><title>Мельница и мука</title></item>")
    assert read(text.encode("cp1251")).items[0].title == "Мельница и мука"
    text = '<?xml version="1.0" encoding="shift_jis"?>' + rss("<item><title>製粉所の一日について</title></item>")
    assert read(text.encode("shift_jis")).items[0].title == "製粉所の一日について"


@pytest.mark.parametrize(
    "junk", ["\n\n  ", "\ufeff", "<br />\n<b>Warning</b>: on line <b>3</b><br />\n", "<!-- <rss> -->", "ok\n"]
)
def test_junk_before_the_feed(junk: str) -> None:
    assert read(f'{junk}<?xml version="1.0"?>{rss("<item><title>A</title></item>")}').items[0].title == "A"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<!DOCTYPE html><html><body><p>x", "a web page"),
        ("<html><rss>", "a web page"),
        ('{"a": 1}', "JSON"),
        ('{"items": [1, 2]}', "JSON"),
        ('{"items": ', "JSON"),
        ("[]", "JSON"),
        ("<opml><body/></opml>", "OPML"),
        ("<urlset></urlset>", "a sitemap"),
        ("<kml></kml>", "<kml>"),
        ("just text", "text"),
        ("%PDF-1.7 \0", "not text"),
    ],
)
def test_what_is_no_feed(text: str, what: str) -> None:
    with pytest.raises(NotAFeedError, match=what):
        read(text)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Tue, 17 Nov 2026 05:40:40 GMT", "2026-11-17T05:40:40Z"),
        ("Tue, 17 Nov 2026 05:40:40 -0500", "2026-11-17T10:40:40Z"),
        ("17 Nov 26 05:40 EST", "2026-11-17T10:40:00Z"),
        ("Tuesday, 17 November 2026 05:40:40 CEST", "2026-11-17T03:40:40Z"),
        ("Thu, 03 Sept 2026 05:40:40 +02:00", "2026-09-03T03:40:40Z"),
        ("Tue, 17 Nov 2026 05:40:40 GMT+0100", "2026-11-17T04:40:40Z"),
        ("Tue Nov 17 05:40:40 2026", "2026-11-17T05:40:40Z"),
        ("2026-11-17T05:40:40.123456789Z", "2026-11-17T05:40:40Z"),
        ("2026-11-17T05:40:40+0100", "2026-11-17T04:40:40Z"),
        ("2026-11-17 05:40:40 UTC", "2026-11-17T05:40:40Z"),
        ("2026-11-17 05:40:40 +0100", "2026-11-17T04:40:40Z"),
        ("2026/11/17 05:40", "2026-11-17T05:40:00Z"),
        ("2026-11-17", "2026-11-17T00:00:00Z"),
        ("2026-11", "2026-11-01T00:00:00Z"),
        ("20261117", "2026-11-17T00:00:00Z"),
        ("17.11.2026 05:40", "2026-11-17T05:40:00Z"),
        ("11/17/2026 5:40:40 PM", "2026-11-17T17:40:40Z"),
        ("1794893640", "2026-11-17T05:34:00Z"),
        ("1794893640000", "2026-11-17T05:34:00Z"),
        ("\n  Tue, 17 Nov 2026\n 05:40:40 +0000 ", "2026-11-17T05:40:40Z"),
        ("yesterday", ""),
        ("Tue, 35 Nov 2026 05:40:40 GMT", ""),
        ("0001-01-01T00:00:00Z", ""),
        ("9" * 1000, ""),
        ("", ""),
    ],
)
def test_dates(written: str, expected: str) -> None:
    assert utc(written) == expected


def test_plain_text() -> None:
    assert (
        plain_text("<p>one<br/>two</p><script>x<y</script> a &lt; b <!-- c --><T> &amp;amp;")
        == "one two a < b <T> &amp;"
    )
    assert plain_text('1 < 2 <a href="x>y">z</a> <o:p>') == "1 < 2 z"
    assert plain_text("a\0\x1b[31mb\u202ec\ud800") == "a[31mbc\ufffd"
