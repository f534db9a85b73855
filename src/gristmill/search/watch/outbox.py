"""The mails of a corpus: what each recipient was sent of each standing query, and what is yet to be sent.

A digest is stored, together with what it covers, before it is sent, and marked afterwards. So what was killed or
refused in between is sent by the next run, as the same message.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from gristmill.database import Database
from gristmill.errors import GristmillError
from gristmill.search.watch.digest import Digest

FILE = "mail.sqlite"
"""The file in a corpus."""
_ADVICE = "if it is damaged, delete it (what was mailed is then mailed again)"
FORMAT = 1
"""The version of the tables; a file of another one is not opened."""
_MESSAGE_ID = re.compile(r"<[0-9a-f]{32}@[A-Za-z0-9.-]{1,253}>")

_LATEST = 253_402_300_800.0  # the year 10000


class Covered(NamedTuple):
    """How far a recipient has been told what a query found."""

    name: str
    query: str
    where: str
    shards: int
    """What was found in the shards before this one is in a digest."""


class Pending(NamedTuple):
    """A digest that is to be sent."""

    message_id: str
    recipient: str
    made: float
    digest: Digest


class Outbox(Database):
    """The mails of a corpus, which must be locked."""

    def __init__(self, corpus: Path) -> None:
        """Open the mails of a corpus."""
        super().__init__(corpus / FILE, "gristmill.search.watch", FORMAT, _ADVICE)

    def covered(self, recipient: str, name: str, query: str, where: str) -> tuple[int, float | None]:
        """The shard up to which a recipient was told of a query, and when; 0 and None if it never was."""
        row = self._db.execute(
            "SELECT shards, made FROM covered WHERE recipient = ? AND name = ? AND query = ? AND condition = ?",
            (recipient, name, query, where),
        ).fetchone()
        return (int(row[0]), float(row[1])) if row else (0, None)

    def put(self, recipient: str, domain: str, made: float, digest: Digest, covers: Sequence[Covered]) -> None:
        """Store a digest and what it covers, all at once; the same one always has the same message id."""
        content = repr([recipient, *digest, *map(tuple, covers)]).encode()
        message_id = f"<{hashlib.blake2b(content, digest_size=16).hexdigest()}@{domain}>"
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO digests VALUES (?, ?, ?, ?, ?, ?, NULL)", (message_id, recipient, made, *digest)
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO covered VALUES (?, ?, ?, ?, ?, ?)",
                [(recipient, *item, made) for item in covers],
            )

    def pending(self) -> list[Pending]:
        """The digests that are to be sent, the oldest first."""
        rows = self._db.execute(
            "SELECT message_id, recipient, made, subject, text, html FROM digests "
            "WHERE sent IS NULL ORDER BY made, recipient"
        ).fetchall()
        for message_id, _, made, *_ in rows:
            if not _MESSAGE_ID.fullmatch(message_id) or not 0 <= made < _LATEST:
                raise GristmillError(f"{self._path} is damaged; {_ADVICE}")
        return [Pending(message_id, recipient, made, Digest(*parts)) for message_id, recipient, made, *parts in rows]

    def forget(self, recipients: Collection[str]) -> None:
        """Drop what is to be sent to others than these: no query has mail for them any more."""
        others = [item.message_id for item in self.pending() if item.recipient not in recipients]
        with self._transaction():
            self._db.executemany("DELETE FROM digests WHERE message_id = ?", [(each,) for each in others])

    def mark_sent(self, message_id: str, now: float) -> None:
        """Write down that a digest was sent; its text is not kept."""
        with self._transaction():
            self._db.execute(
                "UPDATE digests SET sent = ?, text = '', html = '' WHERE message_id = ?", (now, message_id)
            )
