"""Filters of pages as they were fetched: HTTP status, content type, size."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gristmill.errors import UsageError
from gristmill.filter.registry import Fetched, Finding, PageFilter, below, check_order, counted, finding
from gristmill.registry import part

_UNSPECIFIC_TYPES = {"", "application/octet-stream", "application/x-unknown-content-type", "unknown/unknown", "no-type"}
_MEDIA_TYPE = re.compile(r"[^\sA-Z/;]+/[^\sA-Z/;]+")


@part("filter", "status")
@dataclass(frozen=True)
class Status(PageFilter):
    """Keeps pages with HTTP status 200, and files: no redirects, no errors."""

    def judge(self, page: Fetched) -> Finding:
        """Find the HTTP status."""
        return Finding(page.status == 200, "a file" if page.is_file else f"HTTP status {page.status}")


@part("filter", "content-type")
@dataclass(frozen=True)
class ContentType(PageFilter):
    """Keeps HTML, by the server's content type or, if there is none, by the content (ukWaC, 2.2; PRESEMT, 3.1).

    Texts of an archive of plain text are kept too.
    """

    types: tuple[str, ...] = ("text/html", "application/xhtml+xml")

    def check(self) -> None:
        """Check that types are media types."""
        for name in self.types:
            if not _MEDIA_TYPE.fullmatch(name):
                raise UsageError(f"content-type: {name!r} is not a media type such as text/html, in lower case")
        if not self.types:
            raise UsageError("content-type: types must name one at least, such as text/html")

    def judge(self, page: Fetched) -> Finding:
        """Find the content type."""
        if page.is_text:
            return Finding(True, "plain text")
        if page.content_type in self.types:
            return Finding(True, page.content_type)
        if page.content_type in _UNSPECIFIC_TYPES and page.is_html():
            return Finding(True, f"{page.content_type or 'no content type'}, but like HTML")
        return Finding(False, page.content_type or "no content type, and not like HTML")


@part("filter", "size")
@dataclass(frozen=True)
class Size(PageFilter):
    """Keeps pages of `min` to `max` bytes (ukWaC, 2.2: 5 to 200 kB; PRESEMT, 3.1: 5 kB to 2 MB).

    Very small pages have no text, very large ones are lists or data.
    """

    min: int = 100
    max: int = 10_000_000

    def check(self) -> None:
        """Check that the limits are in order."""
        check_order(self, "size")

    def judge(self, page: Fetched) -> Finding:
        """Find the number of bytes; of too large a page no more is read than shows that it is too large."""
        if page.size > self.max:
            return Finding(False, f"more than {self.max:,} bytes")
        return finding(counted(page.size, "bytes"), below(page.size, self.min, "bytes"))
