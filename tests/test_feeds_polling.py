from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from feed_server import DAY_SECONDS, START, with_validators
from loopback import Loopback, Reply, Route
from waiting import wait_until

from gristmill.errors import GristmillError, UsageError
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.parsing import MAX_BYTES
from gristmill.feeds.polling import PollSummary, poll
from gristmill.feeds.scheduling import after_answer, after_failure
from gristmill.feeds.store import Answered, FeedState, Store
from gristmill.fetching.session import Session

NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
HOUR = 3600.0


def feed_of(*titles: str, more: str = "") -> bytes:
    items = "".join(f"<item><title>{title}</title><link>http://a.example/{title}</link></item>" for title in titles)
    return f"<rss><channel><title>News</title>{more}{items}</channel></rss>".encode()


class Site:
    """What a server answers, by address, and a reader with a clock."""

    def __init__(self, store: Store, server: Loopback) -> None:
        self.store = store
        self.server = server
        self.now = float(START)
        self.seen: list[tuple[str, Mapping[str, str]]] = []
        """Requests for what is served, with their headers."""

    def serve(self, address: str, route: Route) -> None:
        def noted(headers: Mapping[str, str]) -> Reply:
            self.seen.append((address, headers))
            return route if isinstance(route, Reply) else route(headers)

        self.server.routes[address.removeprefix("http://")] = noted

    def add(self, address: str, *titles: str, more: str = "", **headers: str) -> None:
        body = feed_of(*titles, more=more)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.serve(address, Reply(200, named, body))
        self.store.subscribe([address], now=self.now)

    def poll(self, hours: float = 0.0, *, force: bool = False, robots: bool = True, only: Iterable[str] | None = None, networks: str = "127.0.0.0/16") -> PollSummary:  # fmt: skip  # noqa: E501
        self.now += hours * HOUR
        access = replace(self.server.access(), networks=(networks,), ssl_context=NO_TRUST)

        async def run() -> PollSummary:
            async with Session.open(access, delay=0, robots=self.store.robots) as session:
                return await poll(self.store, session, clock=lambda: self.now, force=force, robots=robots, only=only)

        return asyncio.run(run())

    def asked(self) -> list[str]:
        return [address for address, _ in self.seen]

    def state(self, address: str) -> FeedState:
        return next(feed for feed in self.store.feeds() if feed.url == address)

    def titles(self) -> list[str]:
        return [new.item.title for new in self.store.pending()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Loopback() as server, Store(tmp_path / "feeds.sqlite") as store:
        yield Site(store, server)


A, B = "http://a.example/feed", "http://b.example/feed"


def test_feeds_are_asked_when_their_time_has_come(site: Site) -> None:
    site.add(A, "one")
    site.add(B, "two", more="<ttl>240</ttl>")
    first = site.poll()
    assert (first.asked, first.new, first.known) == (2, 2, 0)
    assert site.poll(0.5).asked == 0
    assert site.poll(0.5).asked == 1
    assert site.poll(2).asked == 1
    assert site.poll(1).asked == 2
    assert site.poll(0, force=True).asked == 2
    assert site.poll(0, force=True, only=[A]).asked == 1
    assert sorted(site.titles()) == ["one", "two"]
    assert (site.state(A).items, site.state(A).title, site.state(A).last_item) == (1, "News", START)


def test_conditional_requests(site: Site) -> None:
    site.add(A)
    pages = [Reply(200, {"Last-Modified": "Tue, 17 Nov 2026 05:40:40 GMT"}, feed_of("one"))]
    site.serve(A, lambda headers: with_validators(pages[-1], headers))
    site.poll()
    again = site.poll(2)
    assert (again.asked, again.unchanged, again.new) == (1, 1, 0)
    sent = site.seen[-1][1]
    assert sent["if-modified-since"] == "Tue, 17 Nov 2026 05:40:40 GMT"
    assert sent["if-none-match"].startswith('"')
    assert "application/atom+xml" in sent["accept"]
    pages.append(Reply(200, {}, feed_of("two", "one")))
    assert site.poll(2).new == 1
    site.poll(2)
    assert "if-modified-since" not in site.seen[-1][1]


def test_a_body_that_has_not_changed_is_not_read_again(site: Site) -> None:
    site.add(A, "one")
    site.poll()
    again = site.poll(2)
    assert (again.unchanged, again.known) == (1, 0)


def test_304_to_a_request_without_conditions_is_a_failure(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(304))
    assert site.poll().failed == [(A, "the server answers with status 304")]


def test_failures_come_later_each_time_and_dead_feeds_are_named(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(500))
    waits = []
    for _ in range(8):
        before = site.now
        assert site.poll().failed == [(A, "the server answers with status 500")]
        waits.append((site.state(A).next - before) / HOUR)
        site.now = site.state(A).next
    assert waits == [1, 2, 4, 8, 16, 24, 24, 24]
    assert site.state(A).failures == 8
    assert not site.state(A).is_dead(site.now)
    site.now = START + 7 * DAY_SECONDS
    assert site.poll().dead == [A]
    site.serve(A, Reply(200, {}, feed_of("one")))
    assert site.poll(24).dead == []
    assert (site.state(A).failures, site.state(A).failure) == (0, "")


def test_servers_that_ask_for_time(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(429, {"Retry-After": "172800"}))
    site.add(B, "one", Cache_Control="public, max-age=7200")
    site.poll()
    assert (site.state(A).next, site.state(B).next) == (START + 48 * HOUR, START + 2 * HOUR)


def test_gone(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(410))
    assert site.poll().gone == [A]
    assert (site.state(A).state, site.state(A).is_dead(site.now)) == ("gone", True)
    assert site.poll(1000, force=True).asked == 0
    assert site.store.subscribe([A], now=site.now) == [A]
    assert site.poll().asked == 1


def test_moved_for_good(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(301, {"Location": B}))
    site.serve(B, Reply(200, {}, feed_of("one")))
    assert site.poll().moved == [(A, B)]
    assert [feed.url for feed in site.store.feeds()] == [B]
    assert site.store.pending()[0].feed == B
    site.poll(2)
    assert site.asked()[-1] == B


def test_moved_for_now(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(302, {"Location": B}))
    site.serve(B, Reply(200, {}, feed_of("one")))
    assert (site.poll().moved, site.titles()) == ([], ["one"])
    assert [feed.url for feed in site.store.feeds()] == [A]


def test_moved_to_what_is_no_feed(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(301, {"Location": B}))
    site.serve(B, Reply(200, {}, b"<html><p>Log in"))
    assert site.poll().failed == [(A, "this is no feed but a web page")]
    assert site.state(A).url == A


def test_moved_into_another_feed(site: Site) -> None:
    site.add(A, "one")
    site.add(B, "two")
    site.poll()
    site.serve(A, Reply(301, {"Location": B}))
    site.serve(B, Reply(200, {}, feed_of("three", "two", "one")))
    site.poll(2)
    assert sorted(site.titles()) == ["one", "three", "two"]
    assert {new.feed for new in site.store.pending()} == {B}
    assert (site.state(A).state, site.state(A).moved_to, site.state(B).state) == ("moved", B, "active")
    site.poll(2)
    assert site.asked()[-1] == B
    assert site.poll(2).asked == 1


def test_endless_redirects_and_endless_feeds(site: Site) -> None:
    site.add(A)
    site.serve(A, Reply(301, {"Location": A + "?again"}))
    site.serve(A + "?again", Reply(302, {"Location": A}))
    site.add(B)
    site.serve(B, Reply(200, {}, b" " * (MAX_BYTES + 1)))
    failed = dict(site.poll().failed)
    assert failed == {A: "too many redirects", B: "longer than wanted"}


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data"]
)
def test_private_addresses(site: Site, address: str) -> None:
    host = address.split("/")[2]
    site.server.names[host] = host
    site.store.subscribe([address], now=site.now)
    site.add(A)
    site.serve(A, Reply(301, {"Location": address}))
    refused = "the address is private, reserved or otherwise not to be connected to"
    assert dict(site.poll(networks="127.99.0.0/16").failed)[address] == refused
    if host != "127.0.0.1":
        said = dict(site.poll(48).failed)[A]
        assert said in {refused, "robots.txt could not be fetched"}, "also behind a redirect"
    assert [feed.url for feed in site.store.feeds() if feed.title] == []


def test_robots(site: Site) -> None:
    site.serve("http://a.example/robots.txt", Reply(200, {}, b"User-agent: *\nDisallow: /feed"))
    site.add(A, "one")
    site.add(B, "two")
    assert site.poll().failed == [(A, "robots.txt does not allow it")]
    assert (list(site.store.robots), len(site.store.robots)) == (["http://a.example", "http://b.example"], 2)
    site.poll(2)
    asked = site.asked()
    assert asked.count("http://a.example/robots.txt") == 1, "it is kept"
    assert A not in asked
    assert site.poll(2, robots=False).new == 1
    del site.store.robots["http://a.example"]
    assert "http://a.example" not in site.store.robots
    with pytest.raises(KeyError):
        del site.store.robots["http://a.example"]


def test_one_bad_feed_does_not_spoil_the_others(site: Site) -> None:
    site.add(A, "one")
    site.add(B)
    site.serve(B, Reply(200, {}, b"\xff\0<<<" * 10))
    summary = site.poll()
    assert (summary.new, [address for address, _ in summary.failed]) == (1, [B])


def test_more_was_published_than_a_feed_holds(site: Site) -> None:
    site.add(A, "one", "two")
    assert site.poll().overrun == []
    site.serve(A, Reply(200, {}, feed_of("seven", "eight")))
    assert site.poll(2).overrun == [A]


def test_hosts_are_asked_one_by_one_and_others_meanwhile(site: Site) -> None:
    running: set[str] = set()
    most = 0

    def slow(headers: Mapping[str, str]) -> Reply:
        nonlocal most
        if headers["host"] in running:
            return Reply(500)
        running.add(headers["host"])
        most = max(most, len(running))
        wait_until(lambda: most > 1)  # until another one is there as well
        running.discard(headers["host"])
        return Reply(200, {}, feed_of("one"))

    for host in "abcdefgh":
        for number in range(3):
            site.add(f"http://{host}.example/{number}")
            site.serve(f"http://{host}.example/{number}", slow)
    summary = site.poll()
    assert (summary.asked, summary.failed) == (24, [])
    assert most > 1


def test_large_feeds_are_read_beside_the_others(site: Site) -> None:
    site.add(A, *(f"title-{number}" for number in range(5_000)))
    site.add(B, "small")
    assert site.poll().new == 5_001
    assert len(site.store.pending()) == 5_001


def test_subscriptions(site: Site) -> None:
    store = site.store
    assert store.subscribe(["HTTP://A.example:80/feed", A, B], now=5) == [A, B]
    assert store.subscribe([A]) == []
    assert store.unsubscribe([A, "http://unknown.example/"]) == [A]
    assert store.unsubscribe([A]) == []
    assert [feed.url for feed in store.feeds()] == [B]
    for wrong in ("javascript:alert(1)", "feed.xml", "file:///etc/passwd"):
        with pytest.raises(UsageError, match="is no address of a feed"):
            store.subscribe([wrong])
    assert store.subscribe([A], now=9) == [A]
    assert site.state(A).added == 9


def test_what_is_known_stays_known_when_a_feed_comes_back(site: Site) -> None:
    site.add(A, "one")
    site.poll()
    site.store.unsubscribe([A])
    assert site.poll(5, force=True).asked == 0
    site.add(A, "one", "two")
    assert site.poll().new == 1


def test_built_items_are_no_longer_pending(site: Site) -> None:
    site.add(A, "one", "two", "three")
    site.poll()
    items = site.store.pending()
    site.store.mark_built(items[:2], "run-1")
    assert site.store.pending() == items[2:]
    site.store.mark_built(items[:2], "run-2")
    assert site.store.pending() == items[2:]
    with pytest.raises(ValueError, match="name"):
        site.store.mark_built(items, "")


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "feeds.sqlite"
    path.write_bytes(b"hello" * 1000)
    with pytest.raises(GristmillError, match="can't use"):
        Store(path)
    with pytest.raises(GristmillError, match="can't use"):
        Store(tmp_path / "no" / "feeds.sqlite")
    path.unlink()
    with Store(path) as store:
        store._db.execute("UPDATE state SET value = 99 WHERE name = 'format'")
    with pytest.raises(GristmillError, match="has format 99"):
        Store(path)


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "feeds.sqlite") as store:
        store.subscribe([A], now=0)
        broken = Item("1", "http://a.example/x", title="x" * 10, published="2026")
        broken.author = object()  # type: ignore[assignment]  # what can't be stored
        with pytest.raises((GristmillError, TypeError)):
            store.answered(store.feeds()[0], Answered(0, Feed(items=[Item("2", title="good"), broken]), body=1), 1)
        assert store.pending() == []
        assert store.feeds()[0].body == 0


def test_when_to_ask_again() -> None:
    monday = 1_794_787_200.0  # 2026-11-16, midnight
    assert after_answer(monday, {}, Feed()) == monday + HOUR
    assert after_answer(monday, {}, Feed(), usual=7200) == monday + 2 * HOUR
    assert after_answer(monday, {}, Feed(ttl_minutes=1)) == monday + HOUR / 4, "not as often as that"
    assert after_answer(monday, {}, Feed(ttl_minutes=999_999)) == monday + 24 * HOUR, "a feed may lose items in a day"
    assert after_answer(monday, {"cache-control": "max-age=99999999"}, Feed()) == monday + 24 * HOUR
    assert after_answer(monday, {}, Feed(skip_hours=frozenset([0, 1, 2]))) == monday + 3 * HOUR
    assert after_answer(monday, {}, Feed(skip_days=frozenset([0, 1]))) == monday + 48 * HOUR
    assert after_answer(monday, {}, Feed(skip_hours=frozenset(range(24)))) >= monday + HOUR
    assert after_failure(monday, {}, 1) == monday + HOUR
    assert after_failure(monday, {}, 10_000) == monday + 24 * HOUR
    assert after_failure(monday, {"retry-after": "999999999"}, 1) == monday + 7 * 24 * HOUR


def test_what_a_feed_asked_for_holds_also_when_it_has_not_changed(site: Site) -> None:
    site.add(A, "one", more="<ttl>240</ttl><skipHours><hour>8</hour></skipHours>")
    site.poll()
    site.poll(4)
    assert site.state(A).next == START + 9 * HOUR, "four hours later it is eight"
