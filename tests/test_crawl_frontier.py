"""The frontier: what is known of addresses and hosts, and what of it is on disk after a kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gristmill.crawling import frontier as module
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.reading import Link
from gristmill.errors import GristmillError
from gristmill.fetching.urls import host_of, key_of


def _link(url: str) -> Link:
    return Link(key_of(url), host_of(url), url)


def _add(frontier: Frontier, *urls: str, rank: float = 0.0, room: int = 1000, prior: float = 0.0) -> list[Host]:
    return frontier.add(
        map(_link, urls), distance=1, rank=lambda _: rank, prior=prior, room=lambda _: room, redirects=0
    )


@pytest.fixture
def frontier(tmp_path: Path) -> Iterator[Frontier]:
    opened = Frontier(tmp_path / "frontier.sqlite")
    yield opened
    opened.close()


def _reopened(frontier: Frontier, folder: Path) -> Frontier:
    """Open the file as after a kill: what was not committed is gone."""
    frontier.close()
    return Frontier(folder / "frontier.sqlite")


def test_an_address_is_queued_once(frontier: Frontier) -> None:
    assert [host.name for host in _add(frontier, "https://a.example/1", "https://a.example/1")] == ["a.example"]
    assert _add(frontier, "https://a.example/1") == []
    assert frontier.host("a.example").queued == 1


def test_an_address_is_queued_once_when_nothing_of_it_is_in_memory(frontier: Frontier) -> None:
    _add(frontier, "https://a.example/1")
    frontier._recent.clear()
    assert _add(frontier, "https://a.example/1") == []


def test_addresses_come_in_the_order_of_their_ranks(frontier: Frontier) -> None:
    for rank, url in ((0.5, "https://a.example/later"), (-1.0, "https://a.example/first"), (0.0, "https://a.example/")):
        _add(frontier, url, rank=rank)
    host = frontier.host("a.example")
    urls = []
    while (entry := frontier.first(host)) is not None:
        urls.append(entry.url)
        frontier.finish(host, entry, "stored")
    assert urls == ["https://a.example/first", "https://a.example/", "https://a.example/later"]
    assert host.queued == 0


def test_an_address_that_is_being_fetched_is_not_given_again(frontier: Frontier) -> None:
    _add(frontier, "https://a.example/1", "https://a.example/2")
    host = frontier.host("a.example")
    first = frontier.first(host)
    assert first is not None
    host.pending.add(first.key)
    second = frontier.first(host)
    assert second is not None
    assert second.key != first.key
    host.pending.add(second.key)
    assert frontier.first(host) is None
    assert not host.has_more


def test_what_is_not_committed_is_not_lost_from_the_queue(frontier: Frontier, tmp_path: Path) -> None:
    _add(frontier, "https://a.example/1", "https://b.example/1")
    frontier.commit((0, 100), 5.0)
    host = frontier.host("a.example")
    entry = frontier.first(host)
    assert entry is not None
    frontier.finish(host, entry, "stored")
    again = _reopened(frontier, tmp_path)
    try:
        assert not again.is_done(entry.key)
        assert again.first(again.host("a.example")) == entry
        assert (again.state("warc", -1), again.state("offset", -1)) == (0, 100)
        assert _add(again, "https://a.example/1") == []
    finally:
        again.close()


def test_a_host_keeps_what_it_gave(frontier: Frontier, tmp_path: Path) -> None:
    host = _add(frontier, "https://a.example/1")[0]
    host.pages, host.bytes, host.clean, host.next, host.delay = 3, 1000, 40, 12.5, 20.0
    frontier.change(host)
    frontier.commit((0, 0), 1.0)
    again = _reopened(frontier, tmp_path)
    try:
        found = again.host("a.example")
        assert (found.pages, found.bytes, found.clean, found.next, found.delay) == (3, 1000, 40, 12.5, 20.0)
        assert found.text_yield == 0.04
    finally:
        again.close()


def test_a_full_queue_takes_no_more_until_there_is_room(frontier: Frontier) -> None:
    _add(frontier, "https://a.example/1", "https://a.example/2", room=1)
    host = frontier.host("a.example")
    assert host.queued == 1
    assert frontier.left_out["queue-full"] == 1
    entry = frontier.first(host)
    assert entry is not None
    frontier.finish(host, entry, "stored")
    assert _add(frontier, "https://a.example/2", room=1) == [host]


def test_a_host_that_is_left_has_no_addresses_but_those_in_flight(frontier: Frontier) -> None:
    _add(frontier, *(f"https://a.example/{number}" for number in range(5)))
    host = frontier.host("a.example")
    entry = frontier.first(host)
    assert entry is not None
    host.pending.add(entry.key)
    frontier.leave(host, "low-yield")
    assert host.queued == 1
    assert frontier.left_out["host-low-yield"] == 4
    assert _add(frontier, "https://a.example/new") == []
    assert frontier.left_out["host-left"] == 1
    assert len(list(frontier.done())) == 4


def test_waiting_hosts_come_by_rank_when_it_is_time(frontier: Frontier) -> None:
    for name, rank, after in (("a", 3.0, 0.0), ("b", 1.0, 0.0), ("c", 0.0, 99.0)):
        host = _add(frontier, f"https://{name}.example/")[0]
        host.rank, host.next, host.waiting = rank, after, True
        frontier.change(host)
    assert frontier.waiting_hosts() == 3
    assert [host.name for host in frontier.waiting(10, 50.0)] == ["b.example", "a.example"]


def test_copies_are_known_by_any_part_of_their_sketch(frontier: Frontier) -> None:
    assert not frontier.is_copy((1, 2, 3))
    assert frontier.is_copy((9, 2))
    assert frontier.is_copy((9,))


def test_hosts_leave_memory_and_come_back(frontier: Frontier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_HOSTS_IN_MEMORY", 10)
    _add(frontier, *(f"https://h{number}.example/" for number in range(50)))
    frontier.host("h3.example").words = 7
    frontier.change(frontier.host("h3.example"))
    frontier.commit((0, 0), 1.0)
    assert len(frontier._hosts) == 0
    assert frontier.host("h3.example").words == 7
    assert frontier.queued() == 50


def test_counts_add_up_over_commits(frontier: Frontier) -> None:
    for _ in range(2):
        frontier.note("text", 100)
        frontier.course["pages"] += 1
        frontier.left_out["suffix"] += 2
        frontier.commit((0, 0), 30.0)
    assert frontier.totals()["pages"] == 2
    assert frontier._db.execute("SELECT * FROM outcome").fetchall() == [("text", 2, 200)]
    assert frontier._db.execute("SELECT * FROM left_out").fetchall() == [("suffix", 4)]


def test_what_is_no_frontier_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    path.write_bytes(b"this is not a database" * 100)
    with pytest.raises(GristmillError, match="can't open"):
        Frontier(path)
