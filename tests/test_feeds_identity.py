"""An item once: rebroadcasts and corrections, in feeds as they are in the wild."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gristmill.feeds.identity import are_alike, pack, unpack
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.store import Answered, Store

SITE = "https://news.example/"
LONG = (
    "The old mill at the edge of the village grinds grain again after forty years, because three families have "
    "repaired its wheel, its stones and its roof with their own hands, and in autumn the first flour will be sold "
    "at the market."
)


class Reader:
    """Somebody who follows feeds and notes what was new at each look."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.looks = 0

    def see(self, *items: Item, feed: str = "a") -> list[tuple[str, int]]:
        """Look at a document; return titles and versions of what is new, and build it."""
        self.looks += 1
        url = f"{SITE}{feed}.xml"
        self.store.subscribe([url], now=0)
        state = next(state for state in self.store.feeds() if state.url == url)
        self.store.answered(state, Answered(0, Feed("News", SITE, list(items)), body=self.looks), self.looks)
        new = self.store.pending()
        self.store.mark_built(new, f"run-{self.looks}")
        return sorted((one.item.title, one.version) for one in new)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with Store(tmp_path / "feeds.sqlite") as store:
        yield Reader(store)


def article(number: int = 1, **changes: str) -> Item:
    words = ("grain", "river", "bridge", "school", "harbour", "forest", "market", "winter", "council", "railway")
    subject = words[number % 10]
    given = Item(
        id=f"n-{number}",
        link=f"{SITE}{subject}-{number}",
        title=f"{subject} {words[number * 3 % 10]} {number}".capitalize(),
        description=f"What the {subject} has to do with number {number}, told by those who saw it.",
        published="2026-11-17T05:40:40Z",
    )
    return replace(given, **changes)


def test_an_item_once(reader: Reader) -> None:
    assert len(reader.see(article(1), article(2))) == 2
    assert reader.see(article(1), article(2)) == []
    assert reader.see(article(3), article(1)) == [(article(3).title, 1)]
    assert reader.see(article(2)) == [], "though it was away in between"


@pytest.mark.parametrize(
    "changes",
    [
        {"updated": "2027-01-01T00:00:00Z", "published": "2027-01-01T00:00:00Z"},
        {"link": f"{SITE}river-1?utm_source=rss"},
        {"link": "http://www.news.example/river-1/", "id": "other"},
        {"link": f"{SITE}river-1?from=feed", "published": "2027-01-01T00:00:00Z"},
        {"id": "2026-11-18T00:00"},
        {"id": ""},
        {"link": ""},
        {"title": "RIVER  school: 1!"},
        {"description": "What the river has to do with number 7 — told by those who saw it…"},
        {"author": "Somebody"},
        {"id": "other", "link": f"{SITE}other"},  # the same text at the same second
    ],
)
def test_rebroadcasts(reader: Reader, changes: dict[str, str]) -> None:
    first = article(1, link=f"{SITE}river-1")
    reader.see(first, article(2))
    assert reader.see(replace(first, **changes), article(2)) == []
    assert reader.see(replace(first, **changes)) == []
    assert reader.see(first) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "River school 1, corrected"},
        {"title": "River school 2"},
        {"description": "What the river has to do with number one, told by those who really saw it."},
        {"title": "Quite another headline", "description": "And quite another text, since much has happened."},
        {"content": "<p>Now with a text.</p>"},
        {"title": "River school 1, corrected", "link": f"{SITE}river-school-corrected"},
        {"title": "River school 1, corrected", "id": "other"},
        {"title": "River school 1, corrected", "id": ""},
    ],
)
def test_corrections(reader: Reader, changes: dict[str, str]) -> None:
    first = article(1)
    reader.see(first, article(2))
    corrected = replace(first, **changes)
    assert reader.see(corrected, article(2)) == [(corrected.title, 2)]
    assert reader.see(corrected, article(2)) == []
    assert reader.see(first) == [], "an old version that a slow server still has is no correction"
    third = replace(corrected, description="Once more something else was said about the river by those who saw it.")
    assert reader.see(third) == [(corrected.title, 3)]


def test_a_corrected_item_keeps_its_key(reader: Reader) -> None:
    state = reader.store
    reader.see(article(1))
    state.subscribe([f"{SITE}a.xml"])
    corrected = article(1, title="Corrected")
    state.answered(state.feeds()[0], Answered(0, Feed(items=[corrected]), body=99), 1)
    (new,) = state.pending()
    assert (new.version, new.item, new.feed) == (2, corrected, f"{SITE}a.xml")
    key = new.key
    state.answered(state.feeds()[0], Answered(0, Feed(items=[article(1, title="Again")]), body=100), 2)
    (newer,) = state.pending()
    assert (newer.key, newer.version) == (key, 3), "of what is not built only the last version"
    state.mark_built([newer], "run")
    assert state.pending() == []


def test_a_text_that_nobody_writes_twice(reader: Reader) -> None:
    reader.see(article(1, description=LONG))
    again = article(1, description=LONG, id="new", link=f"{SITE}new", published="2027-01-01T00:00:00Z")
    assert reader.see(again) == []


def test_the_same_title_each_week_is_another_item(reader: Reader) -> None:
    for week in range(5):
        letters = Item(
            f"l-{week}", f"{SITE}letters/{week}", "Letters", "What our readers write.", "", f"2026-11-0{week + 1}"
        )
        assert reader.see(letters) == [("Letters", 1)]
        assert reader.see(letters) == []


@pytest.mark.parametrize("guid", ["1", SITE, "https://news.example", f"{SITE}a.xml", "news"])
def test_one_id_for_all(reader: Reader, guid: str) -> None:
    items = [article(number, id=guid) for number in range(1, 9)]
    assert len(reader.see(*items[:4])) == 4
    assert reader.see(*items[:4]) == []
    for at in range(4, 8):
        assert reader.see(*items[at - 3 : at + 1]) == [(items[at].title, 1)]
    corrected = replace(items[7], description=items[7].description.replace("told", "written"))
    assert reader.see(corrected) == [(corrected.title, 2)]


@pytest.mark.parametrize("guid", ["latest", "urn:latest"])
def test_one_id_in_a_feed_of_one_item(reader: Reader, guid: str) -> None:
    for number in range(1, 6):
        today = article(number, id=guid, published=f"2026-11-0{number}")
        assert reader.see(today) == [(today.title, 1)]
        assert reader.see(today) == []


@pytest.mark.parametrize("link", [f"{SITE}live", SITE, ""])
def test_one_link_for_all(reader: Reader, link: str) -> None:
    items = [article(number, link=link) for number in range(1, 9)]
    assert len(reader.see(*items[:4])) == 4
    for at in range(4, 8):
        assert reader.see(*items[at - 3 : at + 1]) == [(items[at].title, 1)]
    corrected = replace(items[7], title=f"{items[7].title} corrected")
    assert reader.see(items[6], corrected) == [(corrected.title, 2)]


def test_neither_id_nor_link(reader: Reader) -> None:
    items = [article(number, id="", link="") for number in range(1, 5)]
    assert len(reader.see(*items[:3])) == 3
    assert reader.see(*items) == [(items[3].title, 1)]
    assert reader.see(*items) == []
    corrected = replace(items[1], description=items[1].description.replace("saw", "have seen"))
    assert reader.see(items[0], corrected) == [(corrected.title, 2)]
    assert reader.see(replace(items[1], description="Something quite different under the same headline.")) == [
        (corrected.title, 1)
    ]


def test_no_text_at_all(reader: Reader) -> None:
    items = [Item(f"p-{number}", f"{SITE}photo/{number}") for number in range(4)]
    assert len(reader.see(*items[:3])) == 3
    assert reader.see(*items) == [("", 1)]
    assert reader.see(*items) == []
    signs = [Item(f"s-{number}", "", "👍") for number in range(3)]
    assert len(reader.see(*signs)) == 3


def test_a_new_id_for_everything_each_time(reader: Reader) -> None:
    for look in range(4):
        items = [article(number, id=f"{look}-{number}", published=f"2026-11-1{look}") for number in range(1, 6)]
        assert len(reader.see(*items)) == (5 if look == 0 else 0)


def test_an_address_that_is_always_of_today(reader: Reader) -> None:
    seen = []
    for day in range(60):
        reader.looks = day * 86_400
        text = f"{article(day).description} {article(day * 7 + 3).title}"
        today = Item(f"{SITE}today", f"{SITE}today", f"{article(day).title} {day}", text)
        seen += reader.see(today)
    assert [version for _, version in seen] == list(range(1, 61))


def test_what_changes_by_itself_is_not_followed_for_ever(reader: Reader) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = LONG + " More about this: "
    changes = [replace(article(1), content=f"<p>{text} {a} {b}") for a in letters for b in letters[:4]]
    versions = [version for change in changes for _, version in reader.see(change)]
    assert versions == list(range(1, 21))
    reader.looks += 86_400
    assert reader.see(changes[-1]) == [(article(1).title, 21)], "what is left the day after is the next version"


def test_one_article_in_two_feeds(reader: Reader) -> None:
    items = [article(number) for number in range(1, 5)]
    assert len(reader.see(*items, feed="a")) == 4
    elsewhere = [
        replace(items[0]),
        replace(items[1], id="b-2", description="A shorter text."),
        replace(items[2], id="b-3", title="Another headline", description=""),
        replace(items[3], link=f"{SITE}b/{items[3].title.lower()}", id="b-4"),
        article(5),
    ]
    for _ in range(3):
        assert reader.see(*elsewhere, feed="b") in ([(article(5).title, 1)], [])
        assert reader.see(*items, feed="a") == []
    both = [f"{SITE}a.xml", f"{SITE}b.xml"]
    store = reader.store
    keys = [row[0] for row in store._db.execute("SELECT key FROM item ORDER BY id")]
    assert sorted(store.feeds_of(key) for key in keys) == [both] * 4 + [both[1:]]
    corrected = replace(items[1], title="Corrected", description="Now it says that all of it was different.")
    assert reader.see(corrected, feed="a") == [("Corrected", 2)]
    assert reader.see(replace(elsewhere[1], title="Corrected"), feed="b") == [], "it is the same correction"
    assert reader.see(article(6), feed="a") == [(article(6).title, 1)]
    last = replace(elsewhere[1], title="Corrected once more")
    assert reader.see(last, feed="b") == [("Corrected once more", 3)], "the first feed shows it no more"


def test_a_correction_that_comes_before_the_first_feed_was_asked(reader: Reader) -> None:
    """Of two feeds with one article, one drops it when the other corrects it; it does not matter who is asked first."""
    reader.see(article(1), feed="a")
    reader.see(article(1), feed="b")
    corrected = article(1, title="Another title", description=f"{article(1).description} It was not so.")
    assert reader.see(corrected, feed="b") == [], "the first feed may have it otherwise"
    reader.see(article(2), feed="a")
    assert reader.see(corrected, article(3), feed="b") == [("Another title", 2), (article(3).title, 1)]
    assert reader.see(corrected, article(4), feed="b") == [(article(4).title, 1)]


def test_two_newspapers_with_the_same_agency(reader: Reader) -> None:
    assert len(reader.see(article(1, description=LONG), feed="a")) == 1
    there = article(1, description=LONG, id="x", link="https://other.example/agency/1")
    assert reader.see(there, feed="b") == [(there.title, 1)]
    assert reader.see(replace(there, id="y", link="https://other.example/again"), feed="b") == []


def test_small_ids_are_those_of_their_feed(reader: Reader) -> None:
    assert len(reader.see(article(1, id="1"), feed="a")) == 1
    assert len(reader.see(article(2, id="1"), feed="b")) == 1


def test_two_new_items_with_one_link_have_two_keys(reader: Reader) -> None:
    first, second = article(1, link=f"{SITE}x"), article(2, link=f"{SITE}x")
    store = reader.store
    store.subscribe([f"{SITE}a.xml"])
    store.answered(store.feeds()[0], Answered(0, Feed(items=[first, second]), body=1), 1)
    keys = {new.key for new in store.pending()}
    assert len(keys) == 2
    assert all(key.startswith(min(keys, key=len)) for key in keys)


def test_likeness() -> None:
    assert are_alike({1, 2, 3}, {1, 2, 4})
    assert not are_alike({1, 2, 3}, {4, 5, 6})
    assert not are_alike(set(), set())
    assert unpack(pack({1, 7, 2**32 - 1})) == {1, 7, 2**32 - 1}
