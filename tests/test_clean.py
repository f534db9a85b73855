"""`gristmill.clean`: one page in, one document out, whatever the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.kernel import COMPILED

PARAGRAPH = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had "
    "said it would do. "
)
PAGE = (
    f"<head><title> A mill </title></head><body><ul><li><a href=/>Top</a></ul><h1>A "
    f"mill</h1><p>{PARAGRAPH * 3}</p><footer>© us</footer>"
)


def test_a_page() -> None:
    document = gristmill.clean(PAGE.encode(), url="http://mill.example/")
    assert document.text == "A mill\n" + (PARAGRAPH * 3).strip()
    assert (document.title, document.lang, document.url) == ("A mill", "en", "http://mill.example/")
    assert (document.encoding, document.encoding_from, document.method) == ("UTF-8", "utf-8", "mill")
    assert [block.label for block in document.blocks] == [
        "boilerplate: links",
        "text",
        "text",
        "boilerplate: in footer",
    ]
    assert document.length == len(document.text)
    assert document.words == len(document.text.split())
    assert document.boilerplate_words == 3


def test_text_and_bytes_give_the_same() -> None:
    from_bytes, from_text = gristmill.clean(PAGE.encode()), gristmill.clean(PAGE)
    assert from_bytes.blocks == from_text.blocks
    assert from_bytes.digest == from_text.digest


def test_the_language_can_be_given() -> None:
    assert gristmill.clean(PAGE, lang="el").lang == "el"
    assert gristmill.clean(PAGE, lang="el", method="justext").text == ""


def test_the_digest_is_of_the_text_alone() -> None:
    other = PAGE.replace("Top", "Start").replace("<p>", "<div>")
    digest, same, different = (
        gristmill.clean(page, method="bte").digest for page in (PAGE, other, other.replace("river", "brook"))
    )
    assert digest == same
    assert digest != different


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"\x00" * 1000,
        b"\xff\xfe\x00\xd8",
        b"<",
        "\ud800<p>\udfff",
        b"<p>" + b"x" * 1_000_000,
        b"class=x",
        "style=display:none<p>hello",
    ],
)
def test_odd_pages(page: bytes | str) -> None:
    document = gristmill.clean(page)
    document.text.encode()


@given(
    st.binary(max_size=500) | st.text(max_size=500).map("<p>".__add__)
)  # a text without markup may be the name of a file
def test_anything_is_a_page(page: bytes | str) -> None:
    document = gristmill.clean(page)
    document.text.encode()
    assert all(0 <= block.score <= 1 for block in document.blocks)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_keeps_no_less(one: float, other: float) -> None:
    document = gristmill.clean(PAGE)
    low, high = sorted((one, other))
    assert len(document.kept(low)) <= len(document.kept(high))


def test_a_page_of_50_megabytes() -> None:
    size = 50_000_000 if COMPILED else 5_000_000
    document = gristmill.clean(b"<p>" + PARAGRAPH.encode() * (size // len(PARAGRAPH)))
    assert document.length > 0.98 * size
