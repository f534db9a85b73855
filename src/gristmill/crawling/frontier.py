"""The frontier of a crawl, on disk: which addresses are known, which wait for their turn, and what hosts gave so far.

It is one SQLite file. What changes is written in transactions of about a second, together with the place in the WARC
files up to which pages are accounted for. So file and archive never contradict each other for long: after a kill, what
stands behind that place is read from the archive again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.crawling.hosts import STORED as HOST_FIELDS
from gristmill.crawling.hosts import Host
from gristmill.crawling.reading import Link
from gristmill.database import open_tables
from gristmill.errors import GristmillError

NAME = "frontier.sqlite"
FORMAT = 2
"""The version of the tables; a frontier of another one is not opened."""
PAGE, SITEMAP = 0, 1
"""Kinds of addresses in the queue."""
STORED = "stored"
"""What became of an address whose page is in the archive; a redirect or an error that is there has its own outcome."""
_CACHE_KIB = 65_536  # of SQLite's pages in memory
_MAX_HOSTS_IN_MEMORY = 50_000
_MAX_RECENT_KEYS = 200_000  # addresses that are known to be known without asking the disk, twice so many at most
_MAX_VARIABLES = 500  # in one statement
_COURSE = ("requests", "pages", "texts", "bytes", "clean", "words", "failures")
_HOST_COLUMNS = ", ".join(("id", *HOST_FIELDS))
_UPDATE_HOST = f"UPDATE host SET {', '.join(f'{name} = ?' for name in HOST_FIELDS)} WHERE id = ?"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Entry:
    """An address in the queue of a host."""

    rank: float
    key: int
    url: str
    distance: int
    redirects: int = 0
    tries: int = 0
    kind: int = PAGE


@dataclass(slots=True)
class Account:
    """What a group of addresses gave: those of one pattern on a host, or of all hosts of a domain."""

    pages: int = 0
    bytes: int = 0
    clean: int = 0


class _Database(sqlite3.Connection):
    """A connection that is closed when something fails: half of a transaction may be lost then, so no more is written.

    That is so when the disk is full.
    """

    def execute(self, *given: Any) -> sqlite3.Cursor:
        """Execute a statement."""
        try:
            return super().execute(*given)
        except sqlite3.Error:
            self.close()
            raise

    def executemany(self, *given: Any) -> sqlite3.Cursor:
        """Execute a statement many times."""
        try:
            return super().executemany(*given)
        except sqlite3.Error:
            self.close()
            raise


class Frontier:
    """The tables of a crawl. Nothing is on disk for good before `commit`."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = open_tables(path, "gristmill.crawling", FORMAT, factory=_Database)
            self._db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            self._db.execute("PRAGMA temp_store = MEMORY")
        except sqlite3.Error as error:
            raise GristmillError(
                f"can't open {path}: {error}; the crawl can't go on without it, but what it fetched is there: "
                f"`gristmill build {path.parent}`"
            ) from error
        self._has_attributes = self._db.execute("SELECT 1 FROM attributes LIMIT 1").fetchone() is not None
        self._hosts: dict[str, Host] = {}
        self._changed: dict[int, Host] = {}
        self._patterns: dict[tuple[int, int], Account] = {}
        self._domains: dict[str, Account] = {}
        self._recent: set[int] = set()
        self._less_recent: set[int] = set()
        self.outcomes: Counter[str] = Counter()
        """How many requests ended how, since the last commit."""
        self.outcome_bytes: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        """How many links were not put into the queue, since the last commit."""
        self.course: Counter[str] = Counter()
        """What the course of the crawl adds up, since the last commit."""
        self._db.execute("BEGIN")

    def close(self) -> None:
        """Close the file; what was not committed is as if it had not been."""
        self._db.close()

    def state(self, name: str, default: Any) -> Any:
        """Return a value that was stored under a name."""
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return default if row is None else row[0]

    def set_state(self, name: str, value: object) -> None:
        """Store a value under a name."""
        self._db.execute("REPLACE INTO state VALUES (?, ?)", (name, value))

    # Hosts

    def host(self, name: str, prior: float = 0.0) -> Host:
        """Return a host, which is made if it is new; one that is promised more by somebody is expected to give more."""
        host = self._hosts.get(name) or self._stored_host(name)
        if host is None:
            row = self._db.execute("INSERT INTO host (name, rank, prior) VALUES (?, ?, ?)", (name, -prior, prior))
            host = Host(int(row.lastrowid or 0), name, -prior, prior=prior)
            self._hosts[name] = host
        elif prior > host.prior and not host.pages:
            host.prior, host.rank = prior, min(host.rank, -prior)
            self.change(host)
        return host

    def _stored_host(self, name: str) -> Host | None:
        row = self._db.execute(f"SELECT {_HOST_COLUMNS} FROM host WHERE name = ?", (name,)).fetchone()  # noqa: S608
        return self._of_row(row) if row else None

    def _of_row(self, row: Sequence[Any]) -> Host:
        host = Host(*row)
        self._hosts[host.name] = host
        return host

    def change(self, host: Host) -> None:
        """Note that a host has changed and is to be stored."""
        self._changed[host.id] = host

    def waiting(self, limit: int, before: float) -> list[Host]:
        """Take the best hosts that have addresses and are not in the scheduler, and whose time has come."""
        self._store_hosts()
        rows = self._db.execute(
            f"SELECT {_HOST_COLUMNS} FROM host WHERE waiting AND next <= ? ORDER BY rank LIMIT ?",  # noqa: S608
            (before, limit),
        ).fetchall()
        return [self._hosts.get(row[1]) or self._of_row(row) for row in rows]

    def waiting_hosts(self) -> int:
        """Count the hosts that have addresses and are not in the scheduler."""
        self._store_hosts()
        return int(self._db.execute("SELECT count(*) FROM host WHERE waiting").fetchone()[0])

    def next_waiting(self) -> float | None:
        """Tell when the first of the waiting hosts may be visited."""
        self._store_hosts()
        found: float | None = self._db.execute("SELECT min(next) FROM host WHERE waiting").fetchone()[0]
        return found

    def wake_all(self) -> None:
        """Mark all hosts with addresses as waiting: after a start, none is in the scheduler."""
        self._store_hosts()
        self._hosts.clear()
        self._db.execute("UPDATE host SET waiting = (queued > 0 AND dead = '')")

    def limit_waits(self, until: float) -> None:
        """Let no host wait longer than until a time, which none is asked to: the clock has gone back since."""
        self._db.execute("UPDATE host SET next = ? WHERE next > ?", (until, until))

    def leave(self, host: Host, reason: str) -> None:
        """Give up a host for good; its addresses are done with."""
        if host.dead:
            return
        host.dead = reason
        host.waiting = False
        marks, values = ",".join("?" * len(host.pending)), (host.id, *host.pending)
        rest = f"FROM queue WHERE host = ? AND key NOT IN ({marks})"
        self._db.execute(f"INSERT OR IGNORE INTO done SELECT key, 'host-left' {rest}", values)
        dropped = self._db.execute(f"DELETE {rest}", values).rowcount
        self.left_out[f"host-{reason}"] += dropped
        host.queued -= dropped
        self.change(host)

    # Addresses

    def add(
        self,
        links: Iterable[Link],
        *,
        distance: int,
        rank: Callable[[Link], float],
        prior: float,
        room: Callable[[Host], int],
        redirects: int = 0,
        kind: int = PAGE,
    ) -> list[Host]:
        """Put those addresses into the queues of their hosts that were never there; return their hosts.

        `room` says how many addresses may wait for a host. One that finds no room is not noted as known: it comes in
        when it is found again and there is room.
        """
        new = self._unknown(links)
        rows, keys, hosts = [], [], []
        for link in new:
            host = self._hosts.get(link.host) or self.host(link.host, prior)
            if host.dead:
                self.left_out["host-left"] += 1
                self._remember(link.key)
            elif host.queued >= room(host):
                self.left_out["queue-full"] += 1
            else:
                host.queued += 1
                self._changed[host.id] = host
                hosts.append(host)
                rows.append((host.id, rank(link), link.key, link.url, distance, redirects, 0, kind))
                keys.append((link.key,))
                self._remember(link.key)
        if rows:
            self._db.executemany("INSERT OR IGNORE INTO queue VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._db.executemany("INSERT INTO seen VALUES (?)", keys)
        return hosts

    def send(
        self, links: Iterable[Link], part_of: Callable[[str], int], *, distance: int, redirects: int, prior: float,
        rank: Callable[[Link], float],
    ) -> None:  # fmt: skip
        """Note addresses for other parts of the crawl, each once."""
        new = self._unknown(links)
        self._db.executemany(
            "INSERT OR IGNORE INTO outgoing VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(part_of(link.host), link.key, link.url, distance, redirects, prior, rank(link)) for link in new],
        )
        self._db.executemany("INSERT INTO seen VALUES (?)", [(link.key,) for link in new])
        for link in new:
            self._remember(link.key)

    def outgoing(self, limit: int) -> list[tuple[int, int, str, int, int, float, float]]:
        """Return addresses that are to be delivered: part, key, address, distance, redirects, prior and rank."""
        return self._db.execute("SELECT * FROM outgoing ORDER BY part LIMIT ?", (limit,)).fetchall()

    def sent(self, rows: Iterable[tuple[int, int]]) -> None:
        """Forget addresses that were delivered, by part and key."""
        self._db.executemany("DELETE FROM outgoing WHERE part = ? AND key = ?", rows)

    def _unknown(self, links: Iterable[Link]) -> list[Link]:
        recent, less_recent = self._recent, self._less_recent
        fresh = {link.key: link for link in links if link.key not in recent and link.key not in less_recent}
        keys = list(fresh)
        for at in range(0, len(keys), _MAX_VARIABLES):
            part = keys[at : at + _MAX_VARIABLES]
            marks = ",".join("?" * len(part))
            for (key,) in self._db.execute(f"SELECT key FROM seen WHERE key IN ({marks})", part):  # noqa: S608
                del fresh[key]
                self._remember(key)
        return list(fresh.values())

    def _remember(self, key: int) -> None:
        self._recent.add(key)
        if len(self._recent) > _MAX_RECENT_KEYS:
            self._less_recent, self._recent = self._recent, set()

    def first(self, host: Host) -> Entry | None:
        """Return the first address of a host that is not being fetched."""
        rows = self._db.execute(
            "SELECT rank, key, url, distance, redirects, tries, kind FROM queue WHERE host = ? ORDER BY rank LIMIT ?",
            (host.id, len(host.pending) + 1),
        )
        with closing(rows):
            return next((Entry(*row) for row in rows if row[1] not in host.pending), None)

    def entry(self, host: Host, key: int) -> Entry | None:
        """Return the address of a key in the queue of a host."""
        row = self._db.execute(
            "SELECT rank, key, url, distance, redirects, tries, kind FROM queue WHERE host = ? AND key = ?",
            (host.id, key),
        ).fetchone()
        return Entry(*row) if row else None

    def finish(self, host: Host, entry: Entry, outcome: str) -> None:
        """Take an address out of the queue for good, and note what became of it."""
        gone = self._db.execute(
            "DELETE FROM queue WHERE host = ? AND rank = ? AND key = ?", (host.id, entry.rank, entry.key)
        )
        host.queued -= gone.rowcount
        self._db.execute("INSERT OR IGNORE INTO done VALUES (?, ?)", (entry.key, outcome))
        self._changed[host.id] = host

    def again(self, host: Host, entry: Entry) -> None:
        """Count one more try of an address, which stays in the queue."""
        self._db.execute(
            "UPDATE queue SET tries = tries + 1 WHERE host = ? AND rank = ? AND key = ?",
            (host.id, entry.rank, entry.key),
        )

    def is_done(self, key: int) -> bool:
        """Tell whether an address was stored or given up."""
        return self._db.execute("SELECT 1 FROM done WHERE key = ?", (key,)).fetchone() is not None

    def is_stored(self, key: int) -> bool:
        """Tell whether the page of an address is in the archive."""
        return self.outcome(key) == STORED

    def describe(self, key: int, attributes: str) -> None:
        """Note what the page of an address is to be stored with; what was noted first stays."""
        self._db.execute("INSERT OR IGNORE INTO attributes VALUES (?, ?)", (key, attributes))
        self._has_attributes = True

    def attributes(self, key: int) -> str:
        """Return what the page of an address is to be stored with."""
        if not self._has_attributes:
            return ""
        row = self._db.execute("SELECT value FROM attributes WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def outcome(self, key: int) -> str:
        """Return what became of an address; empty if it is still in the queue, or was never there."""
        row = self._db.execute("SELECT outcome FROM done WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    # Texts, patterns, robots.txt

    def is_copy(self, sketch: Sequence[int]) -> bool:
        """Tell whether a text with one of these hashes was there before; from now on it was."""
        marks = ",".join("?" * len(sketch))
        found = self._db.execute(f"SELECT 1 FROM sketch WHERE key IN ({marks}) LIMIT 1", sketch).fetchone()  # noqa: S608
        self._db.executemany("INSERT OR IGNORE INTO sketch VALUES (?)", [(key,) for key in sketch])
        return found is not None

    def pattern(self, host: Host, key: int) -> Account:
        """Return what a pattern of addresses gave; what is changed in it is stored with the next commit."""
        found = self._patterns.get((host.id, key))
        if found is None:
            row = self._db.execute(
                "SELECT pages, bytes, clean FROM pattern WHERE host = ? AND key = ?", (host.id, key)
            ).fetchone()
            found = self._patterns[host.id, key] = Account(*row) if row else Account()
        return found

    def domain(self, name: str) -> Account:
        """Return what the hosts of a domain gave; what is changed in it is stored with the next commit."""
        found = self._domains.get(name)
        if found is None:
            row = self._db.execute("SELECT pages, bytes, clean FROM domain WHERE name = ?", (name,)).fetchone()
            found = self._domains[name] = Account(*row) if row else Account()
        return found

    def robots(self, origin: str) -> tuple[float, bytes] | None:
        """Return the rules of an origin and when they were fetched."""
        row: tuple[float, bytes] | None = self._db.execute(
            "SELECT fetched, rules FROM robots WHERE origin = ?", (origin,)
        ).fetchone()
        return row

    def set_robots(self, origin: str, fetched: float, rules: bytes) -> None:
        """Store the rules of an origin."""
        self._db.execute("REPLACE INTO robots VALUES (?, ?, ?)", (origin, fetched, rules))

    # Totals

    def note(self, outcome: str, size: int) -> None:
        """Count how a request ended, and the bytes that it cost."""
        self.outcomes[outcome] += 1
        self.outcome_bytes[outcome] += size

    def totals(self) -> dict[str, int]:
        """Add up what was committed of the course of the crawl."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _COURSE)
        row = self._db.execute(f"SELECT {sums} FROM course").fetchone()  # noqa: S608
        return dict(zip(_COURSE, map(int, row), strict=True))

    def queued(self) -> int:
        """Count the addresses that wait; it takes time."""
        self._store_hosts()
        return int(self._db.execute("SELECT coalesce(sum(queued), 0) FROM host").fetchone()[0])

    def dead_hosts(self) -> int:
        """Count the hosts that were left; it takes time."""
        self._store_hosts()
        return int(self._db.execute("SELECT count(*) FROM host WHERE dead <> ''").fetchone()[0])

    def commit(self, place: tuple[int, int], seconds: float) -> None:
        """Make everything so far last: pages up to a place in the WARC files are accounted for.

        `seconds` is how long the crawl has run, all its runs together.
        """
        self._store_hosts()
        self._store_counts(int(seconds // 60))
        self.set_state("warc", place[0])
        self.set_state("offset", place[1])
        self.set_state("seconds", seconds)
        self._db.execute("COMMIT")
        self._db.execute("BEGIN")
        self._forget()

    def _store_hosts(self) -> None:
        if self._changed:
            rows = [(*(getattr(host, name) for name in HOST_FIELDS), host.id) for host in self._changed.values()]
            self._db.executemany(_UPDATE_HOST, rows)
            self._changed.clear()

    def _store_counts(self, minute: int) -> None:
        self._db.executemany(
            "INSERT INTO outcome VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes",
            [(name, count, self.outcome_bytes[name]) for name, count in self.outcomes.items()],
        )
        self._db.executemany(
            "INSERT INTO left_out VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
            list(self.left_out.items()),
        )
        if self.course:
            sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in _COURSE)
            self._db.execute(
                f"INSERT INTO course VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET {sums}",  # noqa: S608
                (minute, *(self.course[name] for name in _COURSE)),
            )
        self._db.executemany(
            "REPLACE INTO pattern VALUES (?, ?, ?, ?, ?)",
            [(*key, item.pages, item.bytes, item.clean) for key, item in self._patterns.items()],
        )
        self._db.executemany(
            "REPLACE INTO domain VALUES (?, ?, ?, ?)",
            [(name, item.pages, item.bytes, item.clean) for name, item in self._domains.items()],
        )
        for counter in (self.outcomes, self.outcome_bytes, self.left_out, self.course):
            counter.clear()
        self._patterns.clear()
        self._domains.clear()

    def _forget(self) -> None:
        """Keep hosts in memory only while there are not too many of them, or while the scheduler has them."""
        if len(self._hosts) > _MAX_HOSTS_IN_MEMORY:
            for name in [
                name for name, host in self._hosts.items() if not (host.active or host.pending or host.reserved)
            ]:
                del self._hosts[name]

    def done(self) -> Iterator[tuple[int, str]]:
        """Go through all addresses that are done with: their keys and what became of them."""
        yield from self._db.execute("SELECT key, outcome FROM done")
