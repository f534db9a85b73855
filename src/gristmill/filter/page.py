"""Filters on pages as they were fetched."""

from __future__ import annotations

from gristmill.archive import looks_like_html
from gristmill.config import FilterConfig
from gristmill.document import Page
from gristmill.filter.registry import PAGE_FILTERS

_UNTOLD_TYPES = {"", "application/octet-stream", "application/x-unknown-content-type", "unknown/unknown", "no-type"}


@PAGE_FILTERS.register("status")
def status(page: Page, config: FilterConfig) -> str | None:
    """Only pages that the server gave: no redirects, no errors."""
    del config
    return None if page.status == 200 else f"HTTP status {page.status}"


@PAGE_FILTERS.register("content-type")
def content_type(page: Page, config: FilterConfig) -> str | None:
    """Only HTML, by what the server says; where it says nothing, by the content. Text that is text already passes."""
    if page.is_text or page.content_type in config.content_types:
        return None
    if page.content_type in _UNTOLD_TYPES and looks_like_html(page.body):
        return None
    return page.content_type or "no content type, and not like HTML"


@PAGE_FILTERS.register("size")
def size(page: Page, config: FilterConfig) -> str | None:
    """Very small pages have no text; very large ones are data."""
    if len(page.body) < config.min_bytes:
        return f"{len(page.body):,} bytes, fewer than {config.min_bytes:,}"
    if len(page.body) > config.max_bytes:
        return f"more than {config.max_bytes:,} bytes"
    return None
