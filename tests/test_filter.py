"""Every filter drops what it should, with its reason."""

from __future__ import annotations

import pytest

from gristmill.config import Config, FilterConfig
from gristmill.document import Document, Page
from gristmill.filter import DOCUMENT_FILTERS, PAGE_FILTERS, fault_of_document, fault_of_page
from gristmill.pipeline import process

HTML = {"content-type": "text/html; charset=utf-8"}
BODY = b"<html><p><a href=x>" + b"words " * 100


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (Page("u", BODY, headers=HTML), None),
        (Page("u", BODY, headers={"content-type": "APPLICATION/XHTML+XML"}), None),
        (Page("u", BODY), None),
        (Page("u", BODY, headers={"content-type": "application/octet-stream"}), None),
        (Page("u", BODY, headers={"content-type": "text/plain"}, is_text=True), None),
        (Page("u", BODY, status=404, headers=HTML), ("status", "HTTP status 404")),
        (Page("u", BODY, headers={"content-type": "image/png"}), ("content-type", "image/png")),
        (Page("u", b"\x89PNG" * 100), ("content-type", "no content type, and not like HTML")),
        (Page("u", b"<p>x", headers=HTML), ("size", "4 bytes, fewer than 100")),
        (Page("u", BODY * 100, headers=HTML), ("size", "more than 10,000 bytes")),
    ],
)
def test_pages(page: Page, fault: tuple[str, str] | None) -> None:
    assert fault_of_page(page, FilterConfig(max_bytes=10_000)) == fault


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (Document(lang="en", length=500), None),
        (Document(lang="de", lang_confidence=0.9, length=500), ("language", "de (0.90), not en or cs")),
        (Document(lang="cs", length=199), ("length", "199 characters of text, fewer than 200")),
        (Document(lang="cs", length=2_000_000), ("length", "2,000,000 characters of text, more than 1,000,000")),
    ],
)
def test_documents(document: Document, fault: tuple[str, str] | None) -> None:
    assert fault_of_document(document, FilterConfig(languages=("en", "cs"))) == fault


def test_all_languages_pass_if_none_is_asked_for() -> None:
    assert fault_of_document(Document(lang="und", length=500), FilterConfig()) is None


def test_a_dropped_page_says_why_and_keeps_what_is_known() -> None:
    dropped = process(Page("http://a.example/", BODY, status=500, headers=HTML, source="a.warc", offset=7), Config())
    assert (dropped.dropped, dropped.detail, dropped.blocks) == ("status", "HTTP status 500", [])
    assert (dropped.url, dropped.source, dropped.offset, dropped.size) == ("http://a.example/", "a.warc", 7, len(BODY))
    short = process(Page("http://a.example/", BODY, headers=HTML), Config())
    assert short.dropped == "length"
    assert len(short.blocks) == 1


def test_reasons_are_the_names_of_filters() -> None:
    assert list(PAGE_FILTERS) == ["status", "content-type", "size"]
    assert list(DOCUMENT_FILTERS) == ["language", "length"]
