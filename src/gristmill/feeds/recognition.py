"""Take a document of a feed into the tables: which of its items are new, corrected, or known already."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from gristmill.feeds.identity import (
    Evidence,
    Known,
    Marks,
    Relation,
    is_no_mark,
    key_of_item,
    marks_of,
    pack,
    relation,
    unpack,
    whole_of,
)
from gristmill.feeds.item import Feed, Item

_MAX_CANDIDATES = 20  # items of one mark that are compared; one that so many have says nothing by itself


@dataclass(slots=True)
class Taken:
    """How many items of a document were what."""

    new: int = 0
    corrected: int = 0
    known: int = 0
    first_here: int = 0
    """Items, new or known, that were never in this feed before."""


class _Candidate(NamedTuple):
    item: int
    known: Known
    by: Evidence


class Recognition:
    """The items of one document of a feed, one after the other."""

    def __init__(self, db: sqlite3.Connection, feed: int, url: str, now: float) -> None:
        self._db = db
        self._feed = feed
        self._url = url
        self._now = now
        self._claimed: set[int] = set()
        """Items that are in this document."""
        self._repeated: set[str] = set()
        """Ids and links that several items of the document have."""
        self._site: list[str] = []
        self._wholes: dict[int, int] = {}
        self._items_of_key: dict[str, int] = {}
        """How many items have a key, or one with a number behind it; thousands may, so they are counted once."""
        self._shown: dict[int, int] = {}
        """Items of the document before this one, and the hashes of what they said there."""
        self._taken = Taken()

    def take(self, document: Feed) -> Taken:
        """Take a document; the transaction is the caller's."""
        self._site = [self._url, document.link]
        self._repeated = _repeated(document.items)
        items = {whole_of(item): item for item in reversed(document.items)}  # mostly the newest is first
        rows = self._db.execute("SELECT hash, item FROM current WHERE feed = ?", (self._feed,)).fetchall()
        before = dict(rows)
        self._shown = {item: whole for whole, item in before.items()}
        self._wholes = {whole: before[whole] for whole in items if whole in before}
        self._claimed.update(self._wholes.values())
        left = [(item, marks_of(item, self._url)) for whole, item in items.items() if whole not in before]
        self._taken.known = len(self._wholes)
        left = [(item, marks) for item, marks in left if not self._is_rebroadcast(item, marks)]
        for item, marks in left:
            self._decide(item, marks)
        self._store_current(before)
        return self._taken

    def _is_rebroadcast(self, item: Item, marks: Marks) -> bool:
        """Note an item whose text is known; all of these come first, so that none of them is taken for a correction."""
        found = self._best(item, marks)
        if not found or not found[1].by.text:
            return False
        self._note(found[1].item, marks)
        self._taken.known += 1
        return True

    def _decide(self, item: Item, marks: Marks) -> None:
        found = self._best(item, marks)
        if not found:
            self._taken.new += 1
            self._note(self._insert(item, marks), marks)
            return
        is_what, candidate = found
        if is_what is Relation.LATER or self._is_held(is_what, candidate):
            self._taken.known += 1
            self._claimed.add(candidate.item)
            return
        if is_what is Relation.CORRECTION:
            self._taken.corrected += 1
            self._correct(candidate, item, marks)
        else:
            self._taken.known += 1
        self._note(candidate.item, marks)

    def _is_held(self, is_what: Relation, candidate: _Candidate) -> bool:
        """Tell whether this feed has changed an item of which another one tells the corrections.

        That one may show it no more, and only not have been asked yet. So the feed counts as showing what it did, and
        what it says now is looked at again with its next document.
        """
        if is_what is not Relation.REBROADCAST or candidate.by.text or candidate.item not in self._shown:
            return False
        self._wholes[self._shown[candidate.item]] = candidate.item
        return True

    def _best(self, item: Item, marks: Marks) -> tuple[Relation, _Candidate] | None:
        """Find what an item is to those that are known: best a rebroadcast, else a correction."""
        judged = [(relation(marks, one.known, one.by), one) for one in self._candidates(item, marks)]
        found = [pair for pair in judged if pair[0] is not Relation.OTHER]
        return max(found, key=_merit, default=None)

    def _candidates(self, item: Item, marks: Marks) -> list[_Candidate]:
        sure_id = bool(marks.id) and item.id not in self._repeated and not is_no_mark(item.id, self._site)
        sure_link = bool(marks.link) and item.link not in self._repeated and not is_no_mark(item.link, self._site)
        by_id, by_link, by_text = (self._items_with(mark) for mark in (marks.id, marks.link, marks.text))
        sure_id, sure_link = sure_id and len(by_id) < 2, sure_link and len(by_link) < 2
        found = []
        for number in {*by_id, *by_link, *by_text}:
            shared = {
                mark
                for mark in (marks.id, marks.link, marks.text)
                if mark
                and self._db.execute("SELECT 1 FROM mark WHERE hash = ? AND item = ?", (mark, number)).fetchone()
            }
            by = Evidence(marks.id in shared, marks.link in shared, marks.text in shared, sure_id, sure_link)
            found.append(self._candidate(number, by))
        return found

    def _items_with(self, mark: int) -> list[int]:
        if not mark:
            return []
        rows = self._db.execute(
            "SELECT item FROM mark WHERE hash = ? ORDER BY item DESC LIMIT ?", (mark, _MAX_CANDIDATES)
        )
        return [row[0] for row in rows]

    def _candidate(self, number: int, by: Evidence) -> _Candidate:
        version, seen, home, has_id, page, host, published, trigrams = self._db.execute(
            "SELECT version, seen, home, has_id, page, host, published, trigrams FROM item WHERE id = ?", (number,)
        ).fetchone()
        here = self._db.execute("SELECT 1 FROM sighting WHERE item = ? AND feed = ?", (number, self._feed)).fetchone()
        known = Known(
            version,
            self._now - seen,
            bool(has_id),
            page,
            host,
            published,
            unpack(trigrams),
            seen_here=here is not None,
            corrects=here is not None and not self._is_shown_by(home, number),
            claimed=number in self._claimed,
        )
        return _Candidate(number, known, by)

    def _is_shown_by(self, home: int, number: int) -> bool:
        """Tell whether the feed that an item came from is another one and still shows it."""
        if home == self._feed:
            return False
        shown = self._db.execute(
            "SELECT 1 FROM current JOIN feed ON feed.id = current.feed "
            "WHERE current.feed = ? AND item = ? AND state = 'active' AND NOT failures",
            (home, number),
        ).fetchone()
        return shown is not None

    def _insert(self, item: Item, marks: Marks) -> int:
        key = self._free_key(key_of_item(item, self._url))
        row = self._db.execute(
            "INSERT INTO item (key, version, seen, home, has_id, page, host, published, trigrams) "
            "VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
            (key, self._now, self._feed, bool(marks.id), marks.page, marks.host, marks.published, pack(marks.trigrams)),
        )
        number = int(row.lastrowid or 0)
        self._insert_version(number, 1, item)
        return number

    def _free_key(self, key: str) -> str:
        """Return a key, or if other items have it, one with a number behind it."""
        taken = self._items_of_key.get(key)
        if taken is None:
            ends = key, f"{key}-", f"{key}."
            counted = "SELECT count(*) FROM item WHERE key = ? OR (key > ? AND key < ?)"
            taken = int(self._db.execute(counted, ends).fetchone()[0])
        self._items_of_key[key] = taken + 1
        return f"{key}-{taken + 1}" if taken else key

    def _correct(self, candidate: _Candidate, item: Item, marks: Marks) -> None:
        version = candidate.known.version + 1
        self._db.execute(
            "UPDATE item SET version = ?, seen = ?, home = ?, has_id = has_id OR ?, page = ?, host = ?, "
            "published = ?, trigrams = ? WHERE id = ?",
            (
                version,
                self._now,
                self._feed,
                bool(marks.id),
                marks.page,
                marks.host,
                marks.published,
                pack(marks.trigrams),
                candidate.item,
            ),
        )
        self._insert_version(candidate.item, version, item)

    def _insert_version(self, number: int, version: int, item: Item) -> None:
        self._db.execute(
            "INSERT INTO version (item, version, feed, seen, guid, link, title, description, content, published, "
            "updated, author) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, version, self._feed, self._now, item.id, item.link, item.title, item.description, item.content,
             item.published, item.updated, item.author),
        )  # fmt: skip

    def _note(self, number: int, marks: Marks) -> None:
        """Note that an item was seen in this feed, with these marks."""
        self._claimed.add(number)
        self._wholes[marks.whole] = number
        self._db.executemany(
            "INSERT OR IGNORE INTO mark VALUES (?, ?)",
            [(mark, number) for mark in (marks.id, marks.link, marks.text) if mark],
        )
        seen = self._db.execute("INSERT OR IGNORE INTO sighting VALUES (?, ?)", (number, self._feed))
        self._taken.first_here += seen.rowcount

    def _store_current(self, before: dict[int, int]) -> None:
        gone = [(self._feed, whole) for whole in before if whole not in self._wholes]
        new = [(self._feed, whole, number) for whole, number in self._wholes.items() if whole not in before]
        self._db.executemany("DELETE FROM current WHERE feed = ? AND hash = ?", gone)
        self._db.executemany("INSERT INTO current VALUES (?, ?, ?)", new)


def _repeated(items: Iterable[Item]) -> set[str]:
    """Return the ids and the links that items with different titles or descriptions have."""
    texts = {(item.id, item.link, item.title, item.description) for item in items}
    ids = Counter(given for given, *_ in {(given, *text) for given, _, *text in texts})
    links = Counter(link for link, *_ in {(link, *text) for _, link, *text in texts})
    return {given for counts in (ids, links) for given, count in counts.items() if given and count > 1}


def _merit(found: tuple[Relation, _Candidate]) -> tuple[bool, int, int]:
    is_what, candidate = found
    by = candidate.by
    return is_what is Relation.REBROADCAST, by.id + by.link + by.text, candidate.item
