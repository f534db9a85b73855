"""The interface of filters, the registry in which they are found by name, and the words of their findings.

A filter is a frozen dataclass whose fields are its thresholds, with one function, `judge`, that says what it found. It
belongs to one of three stages: pages as they were fetched, blocks of a cleaned page, and cleaned documents.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Self

from gristmill.archive import looks_like_html
from gristmill.config import check_share
from gristmill.document import Document, Page
from gristmill.errors import UsageError
from gristmill.registry import Registry, parts_of

_PLURAL = re.compile(r"s\b")
Stage = Literal["page", "block", "document"]


class Finding(NamedTuple):
    """Whether a page or a document passes, and what was found, in words and numbers."""

    passed: bool
    detail: str


class BlockFinding(NamedTuple):
    """The places of the blocks that are dropped, and what was found."""

    dropped: list[int]
    detail: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """The input of page filters: what is known of a page before it is cleaned, and is stored with its document."""

    status: int
    content_type: str
    size: int
    is_text: bool
    """Whether the page comes as plain text, from an archive of texts."""
    is_html: Callable[[], bool]
    """Whether the content looks like HTML."""
    is_file: bool = False
    """Whether the page is a file that was not fetched, so that there are no headers of a server."""
    url: str = ""

    @classmethod
    def of_page(cls, page: Page) -> Fetched:
        """Describe a page from an archive."""
        return cls(
            page.status,
            page.content_type,
            len(page.body),
            page.is_text,
            lambda: looks_like_html(page.body),
            is_file(page),
            page.url,
        )

    @classmethod
    def of_document(cls, document: Document) -> Fetched:
        """Describe the page that a stored document was made from; its blocks show whether the content was HTML."""
        columns = document.as_columns()
        marked_up = bool(columns.tags.any() or columns.path.flags(_is_deep).any())
        is_html = marked_up if len(columns) else document.dropped != "content-type"
        is_text = document.content_type == "text/plain" and bool(document.method) and not columns.path.counts()
        return cls(
            document.status,
            document.content_type,
            document.size,
            is_text,
            lambda: is_html,
            is_file(document),
            document.url,
        )


def is_file(page: Page | Document) -> bool:
    """Tell whether a page is a file of its own, not part of an archive."""
    return page.url == f"file:{page.source}"


def _is_deep(path: str) -> bool:
    return path.count("/") > 1


class Filter(ABC):
    """The base class of all filters."""

    stage: ClassVar[Stage]
    paths: ClassVar[tuple[str, ...]] = ()
    """The parameters that name a file or folder."""
    needed: ClassVar[tuple[str, ...]] = ()
    """The parameters that have to be given."""

    def check(self) -> None:  # noqa: B027 (most filters have nothing to check)
        """Raise `UsageError` if the filter can't work with these parameters."""

    def asked_for(self, languages: tuple[str, ...]) -> Self:  # noqa: ARG002 (most filters don't ask for languages)
        """Return the filter for a corpus of these languages; of all languages if there are none."""
        return self


class PageFilter(Filter):
    """A filter of pages as they were fetched, before they are cleaned."""

    stage: ClassVar[Stage] = "page"

    @abstractmethod
    def judge(self, page: Fetched) -> Finding:
        """Judge a page, and say what was found."""


class BlockFilter(Filter):
    """A filter of the blocks that cleaning kept; it sees all blocks of a document together."""

    stage: ClassVar[Stage] = "block"

    @abstractmethod
    def judge(self, document: Document) -> BlockFinding:
        """Choose the blocks of `document.kept()` that are dropped, and say what was found."""


class DocumentFilter(Filter):
    """A filter of documents: of the text that is left of a page."""

    stage: ClassVar[Stage] = "document"

    def mark(self, document: Document) -> None:
        """Note in a document what was found, whether it passes or not."""

    @abstractmethod
    def judge(self, document: Document) -> Finding:
        """Judge a document, and say what was found."""


FILTERS: Registry[type[PageFilter | BlockFilter | DocumentFilter]] = parts_of("filter")


def finding(found: str, *faults: str) -> Finding:
    """Make a finding of the faults, of which empty ones don't count; without any, of what was found."""
    wrong = "; ".join(filter(None, faults))
    return Finding(not wrong, wrong or found)


def below(value: float, least: float, what: str) -> str:
    """Word the fault that there is too little of something; empty if there is enough."""
    return f"{counted(value, what)}, fewer than {_number(least)}" if value < least else ""


def above(value: float, most: float, what: str) -> str:
    """Word the fault that there is too much of something; empty if there is not."""
    return f"{counted(value, what)}, more than {_number(most)}" if value > most else ""


def counted(value: float, what: str) -> str:
    """Word a number of things; `what` is a plural, and its first word that ends in s loses it for a single one."""
    single = value == 1 and isinstance(value, int) and not what.startswith("of ")
    return f"{_number(value)} {_PLURAL.sub('', what, count=1) if single else what}"


def share_below(value: float, least: float, what: str) -> str:
    """Word the fault that the share of something is too small; empty if it is not."""
    return f"{value:.1%} {what}, less than {least:.1%}" if value < least else ""


def share_above(value: float, most: float, what: str) -> str:
    """Word the fault that the share of something is too large; empty if it is not."""
    return f"{value:.1%} {what}, more than {most:.1%}" if value > most else ""


def check_order(part: object, name: str, lower: str = "min", upper: str = "max") -> None:
    """Raise if a lower threshold is more than the upper one."""
    least, most = getattr(part, lower), getattr(part, upper)
    if least > most:
        raise UsageError(
            f"{name}: {lower} must not be more than {upper}, but they are {_number(least)} and {_number(most)}"
        )


def check_positive(name: str, **counts: int) -> None:
    """Raise if one of the numbers is less than 1, with which the filter would drop everything, or nothing."""
    for key, value in counts.items():
        if value < 1:
            raise UsageError(f"{name}: {key} must be at least 1, not {value}")


def check_shares(name: str, **shares: float) -> None:
    """Raise if a threshold that is a share is not between 0 and 1."""
    for key, value in shares.items():
        check_share(value, f"{name}: {key}")


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
