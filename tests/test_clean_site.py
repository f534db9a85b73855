"""Cleaning the pages of a site together."""

from __future__ import annotations

from typing import Any

import pytest

from gristmill.cleaning import METHODS, clean_page
from gristmill.cleaning.site import clean_site, site_of, sites
from gristmill.document import Document, Page

SITE_METHODS = [name for name, method in METHODS.items() if method.score_site]


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.Mill.example:8080/a/b.html", "mill.example"),
        ("http://mill.example", "mill.example"),
        ("http://www2.mill.example/", "mill.example"),
        ("http://user@shop.mill.example/", "shop.mill.example"),
        ("http://mywww.example/", "mywww.example"),
        ("http://a.www.example/", "a.www.example"),
        ("//mill.example/a", "mill.example"),
        ("http://[::1]:80/a", "::1"),
        ("http://[broken/a", "[broken"),
        ("file:pages/a.html", "file:pages"),
        ("a.html", ""),
        ("", ""),
    ],
)
def test_the_site_of_an_address(url: str, site: str) -> None:
    assert site_of(url) == site


def test_sites_keep_the_order_of_pages() -> None:
    urls = ["http://b.example/2", "http://a.example/", "http://www.b.example/1", "http://a.example:80/x"]
    found = sites(Page(url, b"") for url in urls)
    assert list(found) == ["b.example", "a.example"]
    assert [page.url for pages in found.values() for page in pages] == [urls[0], urls[2], urls[1], urls[3]]


def test_the_site_methods_are_there() -> None:
    assert {"site-diff", "site-text", "site-dom", "site-pagelets", "site-style-tree"} <= set(SITE_METHODS)


@pytest.mark.parametrize("method", ["justext", *SITE_METHODS])
def test_a_page_method_and_a_page_alone(method: str, sample_pages: dict[str, Page]) -> None:
    pages = list(sample_pages.values())[:8]
    if method in SITE_METHODS:
        pages = pages[:1]
    expected = [clean_page(page, None, method, 0.3) for page in pages]
    assert clean_site(pages, method=method, max_boilerplate=0.3) == expected
    assert clean_site([], method=method) == []


@pytest.mark.parametrize("method", SITE_METHODS)
def test_language_and_threshold(method: str) -> None:
    template = "<p>Home page of the old mill</p><p>{}</p>"
    pages = [
        Page("http://a.example/", template.format(text).encode())
        for text in ("The mill burnt down in spring", "A new mill was built")
    ]
    for document, text in zip(
        clean_site(pages, "de", method), ("The mill burnt down in spring", "A new mill was built"), strict=True
    ):
        assert document.lang == "de"
        assert document.method == method
        assert document.text == text or method in {"site-diff", "site-pagelets"}  # they have no links
    assert [document.text_blocks for document in clean_site(pages, "de", method, max_boilerplate=1)] == [2, 2]


@pytest.mark.parametrize("method", SITE_METHODS)
def test_the_order_of_pages_makes_no_difference(method: str, sample_pages: dict[str, Page]) -> None:
    pages = next(iter(sites(sample_pages.values()).values()))
    forth, back = clean_site(pages, method=method), clean_site(pages[::-1], method=method)
    assert [document.to_json() for document in forth] == [document.to_json() for document in back[::-1]]


def word_shares(
    documents: list[Document], truth: dict[str, dict[str, Any]], threshold: float = 0.5
) -> tuple[float, float]:
    """Precision and recall, by words of blocks."""
    kept = right = text = 0
    for document in documents:
        content = {block["text"] for block in truth[document.url]["blocks"] if block["role"] == "content"}
        for block in document.blocks:
            is_kept, is_text = block.score <= threshold, block.text in content
            kept, text, right = (
                kept + block.words * is_kept,
                text + block.words * is_text,
                right + block.words * (is_kept and is_text),
            )
    return right / kept, right / text


@pytest.mark.parametrize(
    ("method", "precision", "recall"),
    [
        ("site-diff", 0.75, 0.97),
        ("site-text", 0.83, 0.87),
        ("site-dom", 0.83, 0.97),
        ("site-pagelets", 0.73, 0.93),
        ("site-style-tree", 0.79, 0.97),
    ],
)
def test_on_the_sample(
    method: str, precision: float, recall: float, sample_pages: dict[str, Page], truth: dict[str, dict[str, Any]]
) -> None:
    pages = list(sample_pages.values())
    documents = [document for site in sites(pages).values() for document in clean_site(site, method=method)]
    everything, found = word_shares(documents, truth, 1.0), word_shares(documents, truth)
    assert found[0] > precision > everything[0] + 0.25
    assert found[1] > recall
