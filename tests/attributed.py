"""Archives of pages with attributes, as crawls, bootstrap and feeds write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gristmill.archive.attributes import FIELD, to_field
from gristmill.archive.writer import HTTP_RESPONSE, make_record

_DATE = "2026-11-17T08:46:00Z"


class Given(NamedTuple):
    """A page to be put into an archive: its paragraphs, and its attributes."""

    name: str
    paragraphs: tuple[str, ...]
    attributes: Mapping[str, str] = {}
    status: int = 200


def article(item: str, version: int | str, *paragraphs: str, status: int = 200) -> Given:
    """A page that is a version of an item."""
    return Given(item, paragraphs, {"feed": "mills", "item": item, "version": str(version)}, status)


def archive(path: Path, *pages: Given) -> Path:
    """Write pages into a WARC file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(_record, pages)))
    return path


def _record(page: Given) -> bytes:
    inner = "".join(f"<p>{text}</p>" for text in page.paragraphs)
    body = f"<html lang=en><head><title>{page.name}</title></head><body>{inner}</body></html>"
    head = f"HTTP/1.1 {page.status} OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    fields = {"WARC-Target-URI": f"http://mill.example/{page.name}"}
    if page.attributes:
        fields[FIELD] = to_field(page.attributes)
    return make_record("response", _DATE, (head + body).encode(), HTTP_RESPONSE, fields)


def story(subject: str, chapters: int = 9) -> str:
    """A paragraph that is long enough to be kept, with the subject in each sentence."""
    return " ".join(
        f"In chapter {number} the {subject} stood by the river, where every other {subject} of the land was known."
        for number in range(chapters)
    )
