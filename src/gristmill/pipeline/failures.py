"""Pages on which the program itself failed: `failures.log` of a shard, which says where, so that it can be repaired.

A failure costs that page and no other: it becomes a document without text, dropped as `failed`.
"""

from __future__ import annotations

import logging
import traceback
from pathlib import PurePath

from gristmill.corpus.faults import FAILED
from gristmill.document import Document, Page
from gristmill.shards import Shard, write_atomically

_MAX_LOGGED_PAGES = 200
_MAX_MESSAGE_CHARACTERS = 300
_MAX_TRACEBACK_FRAMES = 20
_log = logging.getLogger(__name__)


class Failures:
    """The pages of a shard on which the program failed."""

    def __init__(self) -> None:
        self._entries: list[str] = []
        self._count = 0

    @property
    def entries(self) -> list[str]:
        """What is known of the first pages that failed."""
        return self._entries

    def note(self, entry: str) -> None:
        """Count a page that failed elsewhere, with what is known of it, or nothing."""
        self._count += 1
        if entry and len(self._entries) < _MAX_LOGGED_PAGES:
            self._entries.append(entry)

    def document(self, page: Page, error: Exception) -> Document:
        """Make the document of a page that failed: without text, dropped with the error as its reason."""
        document = Document.of(page)
        message = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        document.dropped, document.detail = FAILED, message[:_MAX_MESSAGE_CHARACTERS]
        self._count += 1
        if self._count <= _MAX_LOGGED_PAGES:
            _log.warning("%s (%s:%d) failed: %s", page.url, page.source, page.offset, document.detail)
            self._entries.append(f"{page.url}\n{page.source}:{page.offset}\n{_trace(error)}{document.detail}\n")
        return document

    def write(self, shard: Shard) -> None:
        """Put the log of a shard in place, or remove it if nothing failed."""
        if not self._count:
            shard.failures.unlink(missing_ok=True)
            return
        left_out = self._count - len(self._entries)
        more = [f"and {left_out:,} more pages\n"] if left_out > 0 else []
        write_atomically(shard.failures, "\n".join([*self._entries, *more]).encode("utf-8", "backslashreplace"))


def _trace(error: Exception) -> str:
    """Write where an error was raised, without what differs from machine to machine."""
    frames = traceback.extract_tb(error.__traceback__)[-_MAX_TRACEBACK_FRAMES:]
    return "".join(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}\n" for frame in frames)


def _place(path: str) -> str:
    """Cut the path of a file, so that it begins with its package."""
    parts = PurePath(path).parts
    start = max(
        (place + 1 for place, part in enumerate(parts) if part in {"site-packages", "src"}), default=len(parts) - 1
    )
    return "/".join(parts[start:])
