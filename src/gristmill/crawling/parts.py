"""A crawl by many processes: hosts are divided among its parts by a hash of their names.

Each part is a crawl folder of its own below that of the whole: `crawl/part-03-of-16`. A link to a host of another part
is put into the folder `inbox` of that part, as a file that is renamed when it is complete. There it is read and
removed. Nothing else is shared, so parts can run on many machines with one shared folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import xxhash

from gristmill import drafts
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.reading import Link
from gristmill.errors import GristmillError
from gristmill.fetching.urls import host_of, key_of, normalise

_INBOX = "inbox"
_MAX_DELIVERED = 50_000  # addresses at a time


def part_folder(folder: Path, number: int, count: int) -> Path:
    """Return the folder of a part of a crawl; a crawl that is not divided has its own."""
    if count == 1:
        return folder
    width = len(str(count))
    return folder / f"part-{number:0{width}}-of-{count}"


class Parts:
    """This part of a crawl and the way to the others."""

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self._whole = folder.parent if count > 1 else folder
        self._inbox = folder / _INBOX
        self.number = number
        self.count = count

    def part_of(self, host: str) -> int:
        """Return the number of the part that visits a host."""
        return xxhash.xxh3_64_intdigest(host.encode()) % self.count + 1

    def is_own(self, host: str) -> bool:
        """Tell whether this part visits a host."""
        return self.count == 1 or self.part_of(host) == self.number

    def deliver(self, frontier: Frontier) -> None:
        """Put the addresses that were found for other parts into their inboxes.

        They are removed from the frontier with its next commit. After a kill they may be delivered twice, and the other
        part knows them then.
        """
        while self.count > 1 and (rows := frontier.outgoing(_MAX_DELIVERED)):
            for part, found in groupby(rows, key=lambda row: row[0]):
                addresses = list(found)
                self._send(part, [row[2:] for row in addresses])
                frontier.sent([(part, row[1]) for row in addresses])

    def _send(self, part: int, rows: Iterable[tuple[Any, ...]]) -> None:
        """Put a file into the inbox of a part, under a name that was never there: it may be being read."""
        inbox = part_folder(self._whole, part, self.count) / _INBOX
        inbox.mkdir(parents=True, exist_ok=True)
        with (
            drafts.Draft(inbox / f"from-{self.number}-{time.time_ns()}.jsonl") as draft,
            open(draft.descriptor, "w", encoding="utf-8", closefd=False) as file,
        ):
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def receive(self, take: Callable[[Link, int, int, float, float], None], done: Callable[[], None]) -> int:
        """Take what other parts have put into the inbox: link, distance, redirects, prior and rank of each.

        Files are removed when `done` has made what was taken last. Returns the number of addresses.
        """
        files = sorted(self._inbox.glob("from-*.jsonl")) if self.count > 1 else []
        count = 0
        for path in files:
            for link, distance, redirects, prior, rank in _read(path):
                if self.is_own(link.host):
                    take(link, distance, redirects, prior, rank)
                    count += 1
        if files:
            done()
        for path in files:
            path.unlink(missing_ok=True)
        return count


def _read(path: Path) -> Iterator[tuple[Link, int, int, float, float]]:
    try:
        lines = path.read_text("utf-8").splitlines()
        for line in lines:
            given: Any = json.loads(line)
            address, distance, redirects, prior, rank = given
            url = normalise(address)
            if url:
                yield Link(key_of(url), host_of(url), url), int(distance), int(redirects), float(prior), float(rank)
    except (OSError, ValueError, TypeError) as error:
        raise GristmillError(
            f"can't read {path}, which another part of the crawl should have written: {error}"
        ) from error
