"""Read single files: a page of HTML, plain text, or something that is no page."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import BinaryIO

from gristmill.archive.kind import begins_like_html, foreign_kind, looks_like_html, looks_like_text
from gristmill.archive.packed import UNPACKING_ERRORS, plain_name, unpacked
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

_TEXT_ENDINGS = (".txt", ".text", ".asc", ".md", ".markdown", ".rst")
_UNKNOWN_TYPE = "application/octet-stream"


def read_page(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read the one page of a file; its type is recognised by its content, then by its name."""
    try:
        body = unpacked(file).read(limit + 1)
    except UNPACKING_ERRORS as error:
        yield Skip("broken", source.name, 0, detail=str(error))
        return
    if not body:
        yield Skip("broken", source.name, 0, detail="the file is empty")
        return
    kind = type_of(body, source.name)
    yield Page(
        f"file:{source.name}", body, headers={"content-type": kind}, source=source.name, is_text=kind == "text/plain"
    )


def type_of(body: bytes, name: str) -> str:
    """The media type of a file: HTML, plain text, or what its name says it is if it is neither."""
    ending = plain_name(name).rpartition("/")[2]
    called_text = ending.endswith(_TEXT_ENDINGS)
    if begins_like_html(body) if called_text else looks_like_html(body):
        return "text/html"
    if (called_text or "." not in ending) and looks_like_text(body):
        return "text/plain"
    guessed = mimetypes.guess_type(ending, strict=False)[0] or _UNKNOWN_TYPE
    return _UNKNOWN_TYPE if guessed in {"text/html", "text/plain", "application/xhtml+xml"} else guessed


def read_foreign(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Give a `Skip` for a file of a kind that can't be read."""
    del limit
    yield Skip("unreadable", source.name, 0, detail=foreign_kind(file, source.name))
