"""Pages on which the program itself failed: each costs that page, and is written down so that the fault can be found."""

from __future__ import annotations

import logging
import traceback
from pathlib import PurePath

from gristmill.document import Document, Page
from gristmill.shards import Shard, write_atomically

FAILED = "failed"
"""The reason of documents that could not be made."""
_MOST = 200  # that are written down in full
_LONGEST = 300  # characters of a message
_FRAMES = 20
_log = logging.getLogger(__name__)


class Failures:
    """The pages of a shard on which the program failed."""

    def __init__(self) -> None:
        self._entries: list[str] = []
        self._count = 0

    def document(self, page: Page, error: Exception) -> Document:
        """What becomes of such a page: a document without text, dropped with the error as its reason."""
        document = Document.of(page)
        message = " ".join(f"{type(error).__name__}: {error}".split())
        document.dropped, document.detail = FAILED, message[:_LONGEST]
        self._count += 1
        if self._count <= _MOST:
            _log.warning("%s (%s:%d) failed: %s", page.url, page.source, page.offset, document.detail)
            self._entries.append(f"{page.url}\n{page.source}:{page.offset}\n{_trace(error)}{document.detail}\n")
        return document

    def write(self, shard: Shard) -> None:
        """Put the log of a shard in place, or away if nothing failed."""
        if not self._count:
            shard.failures.unlink(missing_ok=True)
            return
        more = [f"and {self._count - _MOST:,} more pages\n"] if self._count > _MOST else []
        write_atomically(shard.failures, "\n".join([*self._entries, *more]).encode("utf-8", "backslashreplace"))


def _trace(error: Exception) -> str:
    """Where it came from, without what differs from machine to machine."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return "".join(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}\n" for frame in frames)


def _place(path: str) -> str:
    """A file's path from its package on."""
    parts = PurePath(path).parts
    start = max(
        (place + 1 for place, part in enumerate(parts) if part in {"site-packages", "src"}), default=len(parts) - 1
    )
    return "/".join(parts[start:])
