"""Make one page of bytes of any kind: for `gristmill.clean` and the commands that take a single page."""

from __future__ import annotations

import io
from dataclasses import replace

from gristmill.archive.kind import ARCHIVES, sniff
from gristmill.archive.readers import reader_of
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page
from gristmill.errors import UsageError

_MAX_PAGE_BYTES = 1_000_000_000


def read_single(data: bytes, name: str, instead: str) -> Page:
    """Read bytes as one page: HTML, text, a saved page or a document; raises `UsageError` for archives and other files.

    Bytes of no known kind are a page too, as nobody knows what may come from a server. The name is used where the
    content leaves a choice, and is empty if there is none. `instead` tells the user what to do with an archive.
    """
    file = io.BytesIO(data)
    kind = sniff(file, name)
    called = name or "this"
    if kind in ARCHIVES:
        raise UsageError(f"{called} is an archive of pages, not a page: {instead}")
    if not data or (kind == "page" and not name):
        return Page("", data)
    item = next(reader_of(kind)(file, Source(name, name, kind, len(data)), _MAX_PAGE_BYTES))
    if isinstance(item, Skip):
        says = "is" if item.reason == "unreadable" else "can't be read:"
        raise UsageError(f"{called} {says} {item.detail}")
    if kind == "page" and not item.is_text:
        return Page("", item.body)
    return replace(item, url="") if item.url.startswith("file:") else item
