"""Pages as users pass them to `gristmill.clean`: content, the path of a file, or a `Page` of an archive."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from gristmill.archive.single import read_single
from gristmill.arguments import as_path, read_bytes, wrong_type
from gristmill.document import Page
from gristmill.errors import UsageError

Given = str | bytes | bytearray | memoryview | os.PathLike[str] | Page

_MAX_NAME_CHARACTERS = 1000  # longer text is never taken for the name of a file
_ADDRESS = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"[\w./\\:~%+@-]*\.(?:x?html?|mht(?:ml)?|txt|pdf|docx|epub|odt|wacz|(?:warc|arc|wet)(?:\.gz|\.zst)?)",
    re.IGNORECASE | re.ASCII,
)
_ON_A_SERVER = ("//", "\\\\")


def content_of(page: Given, url: str) -> str | Page:
    """Return the HTML of a page that is given as text; anything else as a `Page` of bytes with their address."""
    if isinstance(page, str):
        _refuse_names(page)
        return page
    if isinstance(page, Page):
        return replace(page, url=url) if url else page
    if isinstance(page, bytes | bytearray | memoryview):
        return Page(url, bytes(page))
    if isinstance(page, os.PathLike):
        found = read_page(as_path(page, "page"))
        return replace(found, url=url or found.url)
    opened = " (of an open file pass what its read() gives)" if hasattr(page, "read") else ""
    raise wrong_type("html", f"a page as text or bytes, a pathlib.Path of a file, or a gristmill.Page{opened}", page)


def read_page(path: Path) -> Page:
    """Read the page that a file holds: HTML, text, a saved page (MHTML), or a document such as PDF."""
    return read_single(read_bytes(path), str(path), f"gristmill.build([{str(path)!r}], 'corpus') reads it")


def _refuse_names(text: str) -> None:
    """Raise if a text is the name or the address of a page: its content was meant.

    A name has only usual characters and ends as pages do, or there is a file of that name. No other text may be
    refused.
    """
    if len(text) > _MAX_NAME_CHARACTERS or "<" in text:
        return
    name = text.strip()
    if _ADDRESS.fullmatch(name):
        raise UsageError(
            f"{name!r} is an address, and nothing is downloaded: pass the content of the page, as text or bytes"
        )
    if _FILE_NAME.fullmatch(name) or _is_file(name):
        raise UsageError(
            f"{name!r} is the name of a file: "
            f"pass pathlib.Path({name!r}) to clean that file, or the content of the page"
        )


def _is_file(name: str) -> bool:
    """Tell whether there is a file of that name.

    A name has a dot or a slash, since a single word may be the name of a file by chance. Network paths are not looked
    up: the text of a page must not make us contact a server.
    """
    if not re.search(r"[./\\]", name) or re.search(r"[\n\r\0]", name) or name.startswith(_ON_A_SERVER):
        return False
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or lone surrogates
        return False
