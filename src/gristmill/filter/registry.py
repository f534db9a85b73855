"""What a filter is, and where filters are filed. They are asked in the order in which they are registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from gristmill.config import FilterConfig
from gristmill.document import Document, Page
from gristmill.registry import Registry


class Fault(NamedTuple):
    """The filter that drops something, and what it found."""

    reason: str
    detail: str


class PageFilter(Protocol):
    """Finds what is wrong with a page as fetched; None if nothing is."""

    def __call__(self, page: Page, config: FilterConfig) -> str | None:
        """What was found, in words."""


class DocumentFilter(Protocol):
    """Finds what is wrong with a cleaned document; None if nothing is."""

    def __call__(self, document: Document, config: FilterConfig) -> str | None:
        """What was found, in words."""


PAGE_FILTERS: Registry[PageFilter] = Registry("page filter")
DOCUMENT_FILTERS: Registry[DocumentFilter] = Registry("document filter")


def fault_of_page(page: Page, config: FilterConfig) -> Fault | None:
    """The first fault that a page filter finds."""
    return _first((reason, find(page, config)) for reason, find in PAGE_FILTERS.items())


def fault_of_document(document: Document, config: FilterConfig) -> Fault | None:
    """The first fault that a document filter finds."""
    return _first((reason, find(document, config)) for reason, find in DOCUMENT_FILTERS.items())


def _first(findings: Iterable[tuple[str, str | None]]) -> Fault | None:
    return next((Fault(reason, detail) for reason, detail in findings if detail is not None), None)
