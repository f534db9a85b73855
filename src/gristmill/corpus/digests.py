"""Hashes of files that are remembered from one command to the next, so that what has not changed is not read again.

A hash is used again if the file is the same one (device and number), with the same size and the same times of its last
changes, to the nanosecond. What was changed just before it was hashed is not remembered: a second change within the
resolution of the clock would not be seen. The hashes are in the user's folder of settings, and not in the corpus.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path

import xxhash

from gristmill.consent import settings_folder
from gristmill.drafts import Draft
from gristmill.errors import GristmillError

Stamp = tuple[int, ...]
"""What tells whether a file has changed."""
_FOLDER = "digests"
_CHUNK_BYTES = 1 << 20
_SETTLED_SECONDS = 2.0
"""A file is taken for unchanged from then on only if its last change was so long ago when it was hashed."""
_log = logging.getLogger(__name__)


def stamp_of(path: Path) -> Stamp:
    """Tell what changes when a file does."""
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def size_of(stamp: Stamp) -> int:
    """The size of the file in a stamp."""
    return stamp[2]


def digest_of(path: Path) -> str:
    """Hash a file."""
    hasher = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK_BYTES):
            hasher.update(piece)
    return hasher.hexdigest()


class Digests:
    """The hashes of the files of a corpus that are known from before."""

    def __init__(self, folder: Path) -> None:
        """Read what is remembered of the corpus in a folder."""
        home = settings_folder()
        name = xxhash.xxh3_64_hexdigest(os.path.realpath(folder).encode("utf-8", "surrogateescape"))
        self._file = home / _FOLDER / f"{name}.json" if home else None
        self._known: dict[str, tuple[Stamp, str]] = {}
        try:
            if self._file:
                table = json.loads(self._file.read_bytes())
                self._known = {path: (tuple(stamp), str(digest)) for path, (stamp, digest) in table.items()}
        except (OSError, ValueError, TypeError, AttributeError):  # there is none, or it is damaged: all is hashed again
            self._known = {}

    def known(self, path: str, stamp: Stamp) -> str:
        """The hash of a file, if it has not changed; empty if it is not known."""
        found = self._known.get(path)
        return found[1] if found and found[0] == stamp else ""

    def remember(self, found: Mapping[str, tuple[Stamp, str]], hashed: float) -> None:
        """Remember hashes of files, and forget all others; they were made after the time `hashed`."""
        self._known = {path: entry for path, entry in found.items() if _is_settled(entry[0], hashed)}
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with Draft(self._file) as draft, open(draft.descriptor, "wb", closefd=False) as file:
                file.write(json.dumps(self._known).encode())
        except (OSError, GristmillError) as error:
            _log.debug("hashes of files are not remembered: %s", error)


def _is_settled(stamp: Stamp, hashed: float) -> bool:
    return max(stamp[3:]) < (hashed - _SETTLED_SECONDS) * 1e9


def now() -> float:
    """The time, for `Digests.remember`."""
    return time.time()
