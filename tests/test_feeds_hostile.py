"""Feeds that want to do harm: what is read of them takes little time, opens nothing, and can be stored and shown."""

from __future__ import annotations

import random
import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gristmill.feeds.dates import utc
from gristmill.feeds.discovery import feeds_of_page
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.opml import read_opml
from gristmill.feeds.parsing import MAX_ITEMS, NotAFeedError, parse_feed
from gristmill.feeds.store import Answered, Store

URL = "https://news.example/feed"


def read(data: bytes | str) -> Feed:
    return parse_feed(data.encode("utf-8", "replace") if isinstance(data, str) else data, URL)


def item_with(doctype: str, description: str) -> str:
    return (
        f"{doctype}<rss><channel><item><title>A</title><description>{description}</description></item></channel></rss>"
    )


def test_entities_are_never_expanded() -> None:
    lol = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
    feed = read(item_with(f"<!DOCTYPE rss [<!ENTITY l0 'lol'>{lol}]>", "&l9;"))
    assert feed.items[0].description == "&l9;"
    quadratic = read(item_with(f"<!DOCTYPE rss [<!ENTITY a '{'a' * 50_000}'>]>", "&a;" * 1_000))
    assert quadratic.items[0].description == "&a;" * 1_000


@contextmanager
def listening() -> Iterator[tuple[socket.socket, int]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        yield server, server.getsockname()[1]


def test_external_entities_are_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    with listening() as (server, port):
        for where in (secret.as_uri(), f"http://127.0.0.1:{port}/x"):
            feed = read(item_with(f"<!DOCTYPE rss [<!ENTITY x SYSTEM '{where}'>]>", "&x;"))
            assert feed.items[0].description == "&x;"
            feed = read(item_with(f"<!DOCTYPE rss SYSTEM '{where}' [<!ENTITY % y SYSTEM '{where}'> %y;]>", "&x;"))
            assert [item.title for item in feed.items] == ["A"]
            included = f"<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='{where}' parse='text'/>"
            assert "SECRET" not in str(read(item_with("", included)))
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd", "mailto:a@b.example",
     "https://user:secret@news.example/", "\x01javascript:x", "http://", "https://[",
     "&#106;avascript:x", "vbscript:x"],
)  # fmt: skip
def test_links_that_are_none(link: str) -> None:
    item = f"<item><title>A</title><link>{link}</link><guid>{link}</guid></item>"
    rss = f"<rss><channel><link>{link}</link>{item}</channel></rss>"
    atom = f"<feed><entry><title>A</title><id>{link}</id><link href='{link}'/></entry></feed>"
    for feed in (read(rss), read(atom)):
        assert (feed.link, [item.link for item in feed.items]) == ("", [""])


def test_what_is_read_can_be_stored_and_shown(tmp_path: Path) -> None:
    hostile = "\x00\x1b]0;x\x07\x9b31m\u202e&#0;&#27;[2J&#xD800;&#x202E;\x7f"
    feeds = [
        read(f"<rss><channel><title>{hostile}</title><item><title>{hostile}A</title><guid>{hostile}</guid>"
             f"<description>{hostile}</description><content:encoded>{hostile}<p></content:encoded>"
             f"<author>{hostile}</author></item></channel></rss>"),
        read('{"version": "jsonfeed.org", "title": "\\ud800", "items": [{"id": "\\udfff\\u0000\\u001b", '
             '"title": "\\ud800A", "content_html": "\\ud800\\u0000<p>", "summary": "\\u001b[2J", '
             '"author": {"name": "\\ud800"}}]}'),
    ]  # fmt: skip
    with Store(tmp_path / "feeds.sqlite") as store:
        store.subscribe([URL], now=0)
        for number, feed in enumerate(feeds):
            store.answered(store.feeds()[0], Answered(0, feed, body=number + 1), 0)
        shown = [store.feeds()[0].title]
        for new in store.pending():
            item = new.item
            shown += [item.id, item.title, item.description, item.author]
            assert not any(ord(character) < 32 and character != "\n" for character in item.content)
    assert len(shown) == 9
    assert all(text.isprintable() for text in shown)


SIZE = 100_000
HOSTILE = {
    "tags": b"<a>" * SIZE,
    "nothing but <": b"<" * SIZE,
    "nothing but &": b"&" * SIZE,
    "CDATA": b"<![CDATA[" * SIZE,
    "comments": b"<!--" * SIZE,
    "instructions": b"<?" * SIZE,
    "quotes": b"<a \"'" * SIZE,
    "attributes": b"<a " + b" ".join(b"a%d=''" % number for number in range(SIZE)) + b">",
    "namespaces": b"<a xmlns:x='http://purl.org/dc/terms/'/>" * (SIZE // 10),
    "escaped tags": b"&lt;" * SIZE,
    "escaped comments": b"&lt;!--" * SIZE,
    "escaped scripts": b"&lt;script&gt;" * SIZE,
    "escaped quotes": b"&lt;a \"'" * SIZE,
    "items": b"<item/>" * SIZE,
    "items that say something": b"<item><title>a</title></item>" * (SIZE // 10),
    "links": b"</title><link>http://a/</link>" * (SIZE // 10),
    "a long name": b"<" + b"a" * SIZE + b">",
    "ends": b"</a>" * SIZE,
    "spaces": b" " * SIZE,
    "bytes": random.Random(1).randbytes(SIZE),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_does_not_explode(name: str) -> None:
    """Had any of these quadratic time, it would take minutes."""
    for before in (b"<rss><channel>", b"<rss><channel><item><title>", b"<feed><entry><content type='xhtml'>"):
        assert len(read(before + HOSTILE[name]).items) <= MAX_ITEMS
    assert len(read_opml(b"<opml><outline text='" + HOSTILE[name])) == 0
    assert len(feeds_of_page(b"<html><a href=" + HOSTILE[name], URL)[1]) < 10


def test_deep_json() -> None:
    for text in (
        "[" * 200_000,
        '{"items":' * 100_000,
        '{"items": [' + '{"id":' * 100_000,
        '{"items": [' + "9" * 10_000,
    ):
        with pytest.raises(NotAFeedError):
            read("{" + text[1:] if text[0] == "{" else text)


def test_whatever_it_is_nothing_else_is_raised() -> None:
    rng = random.Random(16)
    whole = (
        b"<?xml version='1.0'?><rss xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><ttl>5</ttl><skipHours><hour>1"
        b"</hour></skipHours><item><title>A &amp; <![CDATA[b]]></title><link>/a</link><dc:date>2020-01-01</dc:date>"
        b"<author><name>x</name></author></item></channel></rss>"
    )
    json_feed = b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "authors": [{"name": "x"}]}]}'
    for _ in range(2_000):
        data = bytearray(rng.choice([whole, json_feed]))
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.choice(
                [b"<", b">", b"]]>", b"&#", b"\0", b"'", b'"', b"null", b"\xff", b"[", b"1e999"]
            )
        try:
            assert isinstance(parse_feed(bytes(data), URL), Feed)
        except NotAFeedError as error:
            assert str(error)  # noqa: PT017 (both are right)


def test_long_dates_are_not_kept_in_memory() -> None:
    tracemalloc.start()
    try:
        for number in range(20):
            assert utc(f"{number} {'x' * 1_000_000}") == ""
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()


def test_thousands_of_items_with_one_link_have_keys_of_their_own(tmp_path: Path) -> None:
    with Store(tmp_path / "feeds.sqlite") as store:
        store.subscribe([URL], now=0)
        for day in (1, 2):
            titles = (f"{day} {word} {number}" for number, word in enumerate(["alpha", "omega"] * 30))
            items = [Item(link="https://news.example/a/b", title=title, description=title[::-1]) for title in titles]
            store.answered(store.feeds()[0], Answered(0, Feed(items=items), body=day), day * 86_400)
        keys = [new.key for new in store.pending()]
    assert len(set(keys)) == len(keys) > 60
