"""What a corpus knows of its feeds, in one SQLite file: which there are, which items they had, what is to be built.

    with Store(corpus / "feeds.sqlite") as store:
        store.subscribe(["https://example.org/feed.xml"])
        ...                        # polling.poll(store, session) asks for what is new
        items = store.pending()
        ...                        # build them
        store.mark_built(items, run="20261117T084600Z")

What came of asking for a feed is written in one transaction: its state and its new items. So a kill at any moment
loses nothing that was noted, and what was not noted is asked for again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.database import Database, fits
from gristmill.errors import GristmillError, UsageError
from gristmill.feeds.item import Feed, Item, NewItem
from gristmill.feeds.recognition import Recognition, Taken
from gristmill.fetching.urls import normalise

NAME = "feeds.sqlite"
FORMAT = 1
"""The version of the tables; a file of another one is not opened."""
_DEAD_SECONDS = 7 * 86_400.0
_DUE_SECONDS = (
    300.0  # before its time a feed may be asked for, so that jobs that run at the same time each day are not late
)
_LATEST = 253_402_300_800.0  # the year 10000
_MAX_HEADER = 1000  # characters of a header that is sent back
_MAX_TTL = 1_000_000  # minutes
_COLUMNS = (
    "id, url, title, state, added, next, polled, answered, last_item, items, failures, failure, etag, modified, body, "
    "moved_to, ttl, skip_hours, skip_days"
)
_KINDS = "isssfffffiisssisiii"
"""Of the values of these columns: whole numbers, texts and numbers."""


@dataclass(frozen=True, slots=True)
class FeedState:
    """What is known of a feed. Times are seconds since 1970, 0 for never."""

    id: int
    url: str
    title: str
    state: str
    """`active`, `gone` (its server says so), or `moved` into another feed."""
    added: float
    next: float
    polled: float
    answered: float
    """When it last gave a feed, or said that nothing has changed."""
    last_item: float
    items: int
    """How many were in it."""
    failures: int
    """In a row."""
    failure: str
    """Why it failed the last time; empty if it did not."""
    etag: str
    modified: str
    body: int
    moved_to: str
    ttl_minutes: int
    skip_hours: int
    """A bit for each hour that it asks to be left alone in."""
    skip_days: int

    def is_dead(self, now: float) -> bool:
        """Tell whether nothing can be had from the feed: it is gone, or has failed for a week."""
        return self.state == "gone" or (
            self.failures > 0 and self.state == "active" and now - max(self.answered, self.added) >= _DEAD_SECONDS
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """What a feed has answered."""

    next: float
    feed: Feed
    """What it says of itself, and its items if it has changed."""
    etag: str = ""
    modified: str = ""
    body: int = 0
    moved: str = ""
    """Its new address for good."""


class Store(Database):
    """The tables of feeds and items."""

    def __init__(self, path: Path) -> None:
        """Open a file."""
        super().__init__(path, "gristmill.feeds", FORMAT, "when this is mended, run it again: what was noted is safe")
        self.robots = RobotsTable(self._db)

    # Feeds

    def subscribe(self, urls: Iterable[str], now: float | None = None) -> list[str]:
        """Follow feeds from now on; return the addresses of those that are new, or were given up."""
        addresses = [(url, normalise(url)) for url in urls]
        wrong = [url for url, address in addresses if not address]
        if wrong:
            raise UsageError(
                f"{wrong[0][:200]!r} is no address of a feed: give one that begins with https:// or http://"
            )
        added = time.time() if now is None else now
        new = []
        with self._transaction():
            for address in dict.fromkeys(address for _, address in addresses):
                changed = self._db.execute(
                    "INSERT INTO feed (url, added) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET "
                    "state = 'active', added = excluded.added, next = 0, failures = 0, failure = '', moved_to = '' "
                    "WHERE state != 'active'",
                    (address, added),
                )
                if changed.rowcount:
                    new.append(address)
        return new

    def unsubscribe(self, urls: Iterable[str]) -> list[str]:
        """Stop following feeds; return the addresses of those that were followed. Their items stay known."""
        with self._transaction():
            return [
                address
                for address in dict.fromkeys(map(normalise, urls))
                if self._db.execute(
                    "UPDATE feed SET state = 'unsubscribed' WHERE url = ? AND state != 'unsubscribed'", (address,)
                ).rowcount
            ]

    def feeds(self) -> list[FeedState]:
        """Return all feeds that are followed, or were until they were gone or moved, by their addresses."""
        return self._select("state != 'unsubscribed' ORDER BY url")

    def due(self, now: float, only: Iterable[str] | None = None, *, force: bool = False) -> list[FeedState]:
        """Return the feeds that are to be asked for now: those whose time has come, or with `force` all.

        One that was asked for at a time that is yet to come is due, as the clock has gone back since.
        """
        before, soon = float("inf") if force else now + _DUE_SECONDS, now + _DUE_SECONDS
        found = self._select("state = 'active' AND (next <= ? OR polled > ?) ORDER BY next, id", before, soon)
        if only is None:
            return found
        wanted = set(map(normalise, only))
        return [feed for feed in found if feed.url in wanted]

    def _select(self, condition: str, *values: object) -> list[FeedState]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM feed WHERE {condition}", values)  # noqa: S608
        return [self._feed(row) for row in rows]

    def _feed(self, row: Sequence[Any]) -> FeedState:
        is_sound = fits(row, _KINDS) and normalise(row[1]) == row[1] and all(0 <= then < _LATEST for then in row[4:9])
        if not is_sound:
            raise self._damaged("a feed")
        return FeedState(*row)

    def _damaged(self, what: str) -> GristmillError:
        return GristmillError(f"{self._path} is damaged: {what} in it can't be read")

    # What comes of asking

    def answered(self, feed: FeedState, answer: Answered, now: float) -> Taken:
        """Note the answer of a feed and take its items."""
        with self._transaction():
            number, url = self._moved(feed, answer.moved)
            found = answer.feed
            taken = Taken() if answer.body == feed.body else Recognition(self._db, number, url, now).take(found)
            news = taken.first_here + taken.corrected
            self._db.execute(
                "UPDATE feed SET next = ?, polled = ?, answered = ?, failures = 0, failure = '', etag = ?, "
                "modified = ?, body = ?, items = items + ?, last_item = iif(?, ?, last_item), "
                "title = iif(?, title, ?), ttl = ?, skip_hours = ?, skip_days = ? WHERE id = ?",
                (answer.next, now, now, answer.etag[:_MAX_HEADER], answer.modified[:_MAX_HEADER], answer.body,
                 taken.first_here, news > 0, now, not found.title, found.title, min(found.ttl_minutes, _MAX_TTL),
                 _bits(found.skip_hours), _bits(found.skip_days), number),
            )  # fmt: skip
        return taken

    def failed(self, feed: FeedState, reason: str, next_time: float, now: float, *, gone: bool = False) -> None:
        """Note that a feed has failed, or that it is gone for good."""
        with self._transaction():
            self._db.execute(
                "UPDATE feed SET next = ?, polled = ?, failures = failures + 1, failure = ?, "
                "state = iif(?, 'gone', state) WHERE id = ?",
                (next_time, now, reason, gone, feed.id),
            )

    def _moved(self, feed: FeedState, address: str) -> tuple[int, str]:
        """Give a feed its new address; if there is a feed of that address, it becomes that one."""
        if not address or address == feed.url:
            return feed.id, feed.url
        row = self._db.execute("SELECT id FROM feed WHERE url = ?", (address,)).fetchone()
        if row is None:
            self._db.execute("UPDATE feed SET url = ? WHERE id = ?", (address, feed.id))
            return feed.id, address
        other = int(row[0])
        self._db.execute("UPDATE feed SET state = 'moved', moved_to = ? WHERE id = ?", (address, feed.id))
        self._db.execute("UPDATE feed SET state = 'active', moved_to = '' WHERE id = ?", (other,))
        self._db.execute("INSERT OR IGNORE INTO sighting SELECT item, ? FROM sighting WHERE feed = ?", (other, feed.id))
        self._db.execute("UPDATE version SET feed = ? WHERE feed = ? AND run = ''", (other, feed.id))
        self._db.execute("UPDATE item SET home = ? WHERE home = ?", (other, feed.id))
        self._db.execute("DELETE FROM current WHERE feed = ?", (feed.id,))
        return other, address

    # What is to be built

    def pending(self) -> list[NewItem]:
        """Return what is new and not built yet, in the order in which it came: of each item the last version."""
        rows = self._db.execute(
            "SELECT key, version.version, url, guid, link, version.title, description, content, version.published, "
            "updated, author FROM version JOIN item ON item.id = item JOIN feed ON feed.id = feed "
            "WHERE run = '' AND version.version = item.version ORDER BY version.id"
        )
        return [self._new_item(row) for row in rows]

    def _new_item(self, row: Sequence[Any]) -> NewItem:
        key, version, *texts = row
        if not fits([version, key, *texts], "i" + "s" * (len(row) - 1)):
            raise self._damaged("an item")
        return NewItem(key, version, texts[0], Item(*texts[1:]))

    def mark_built(self, items: Iterable[NewItem], run: str) -> None:
        """Note that items were built by a run, and with them earlier versions that never were; forget their texts."""
        if not run:
            raise ValueError("a run must have a name")
        with self._transaction():
            self._db.executemany(
                "UPDATE version SET run = ?, description = '', content = '' "
                "WHERE item = (SELECT id FROM item WHERE key = ?) AND version <= ? AND run = ''",
                [(run, item.key, item.version) for item in items],
            )

    def feeds_of(self, key: str) -> list[str]:
        """Return the addresses of all feeds that an item was seen in."""
        rows = self._db.execute(
            "SELECT url FROM sighting JOIN item ON item.id = item JOIN feed ON feed.id = feed "
            "WHERE key = ? ORDER BY url",
            (key,),
        )
        return [row[0] for row in rows]


class RobotsTable(MutableMapping[str, tuple[float, bytes]]):
    """What robots.txt say, by origin, kept from one run to the next."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __getitem__(self, origin: str) -> tuple[float, bytes]:
        row: Any = self._db.execute("SELECT fetched, rules FROM robots WHERE origin = ?", (origin,)).fetchone()
        if row is None:
            raise KeyError(origin)
        return float(row[0]), bytes(row[1])

    def __setitem__(self, origin: str, rules: tuple[float, bytes]) -> None:
        self._db.execute("REPLACE INTO robots VALUES (?, ?, ?)", (origin, *rules))

    def __delitem__(self, origin: str) -> None:
        if not self._db.execute("DELETE FROM robots WHERE origin = ?", (origin,)).rowcount:
            raise KeyError(origin)

    def __iter__(self) -> Iterator[str]:
        return iter([row[0] for row in self._db.execute("SELECT origin FROM robots ORDER BY origin")])

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM robots").fetchone()[0])


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)
