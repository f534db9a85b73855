"""Where pages link to, and the translations they declare: columns of documents, on ordinary and on hostile pages."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning.metadata.links import MAX_ALTERNATES, language_code
from gristmill.corpus.explain import read_document
from gristmill.document import Alternate, Document, Page, from_arrow, to_arrow
from gristmill.engine import InlineEngine
from gristmill.kernel.page_links import MAX_ADDRESS_BYTES, MAX_LINKS
from gristmill.shards import Shard, document_writer

URL = "https://example.org/en/mills/old.html?a=1"


def links(html: str, url: str = URL) -> list[str]:
    return list(gristmill.clean(html, url).links)


def alternates(html: str, url: str = URL) -> list[tuple[str, str]]:
    return [(item.lang, item.url) for item in gristmill.clean(html, url).alternates]


@pytest.mark.parametrize(
    ("written", "absolute"),
    [
        ("https://example.com/a", "https://example.com/a"),
        ("http://example.com", "http://example.com"),
        ("//example.com/a", "https://example.com/a"),
        ("/a/b", "https://example.org/a/b"),
        ("/", "https://example.org/"),
        ("new.html", "https://example.org/en/mills/new.html"),
        ("a:b/c", ""),
        ("../x/./y", "https://example.org/en/x/y"),
        ("..", "https://example.org/en/"),
        ("?b=2&amp;c=3", "https://example.org/en/mills/old.html?b=2&c=3"),
        ("x?b=2&c=3", "https://example.org/en/mills/x?b=2&c=3"),
        ("caf&eacute; 1.html#top", "https://example.org/en/mills/café%201.html"),
        (" \n/a\n", "https://example.org/a"),
        ("#top", ""),
        ("", ""),
        (URL, ""),
        ("javascript:void(0)", ""),
        ("data:text/html,x", ""),
        ("mailto:a@example.org", ""),
        ("http:", ""),
        ("HTTP://example.com/A", "http://example.com/A"),
        ("a/http://example.com/", "https://example.org/en/mills/a/http://example.com/"),
    ],
)
def test_an_address_becomes_absolute(written: str, absolute: str) -> None:
    assert links(f'<p><a href="{written}">here</a>') == ([absolute] if absolute else [])


def test_links_are_in_order_and_each_is_there_once() -> None:
    assert links("<a href=b>1</a><area href=a><a href=b#x>2</a><link rel=stylesheet href=c><!-- <a href=d> -->") == [
        "https://example.org/en/mills/b",
        "https://example.org/en/mills/a",
    ]


def test_a_base_counts() -> None:
    assert links("<base href='/x/y'><base href=/z/><a href=a>1</a>") == ["https://example.org/x/a"]


def test_without_an_address_only_whole_ones_are_known() -> None:
    html = "<a href=a>1</a><a href=/b>2</a><a href=//example.org/c>3</a><a href=https://example.org/d>4</a>"
    assert links(html, "") == ["https://example.org/d"]
    assert links("<link rel=canonical href=https://example.org/x/y>" + html, "")[0] == "https://example.org/x/a"


def test_files_link_to_files() -> None:
    assert links("<a href=b.html>1</a><a href=https://example.org/>2</a>", "file:///pages/a.html") == [
        "file:///pages/b.html",
        "https://example.org/",
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<link rel="alternate" hreflang="de-AT" href="/de/">', [("de-at", "/de/")]),
        ("<link rel=alternate hreflang=pt_BR href=/pt/>", [("pt-br", "/pt/")]),
        ("<link rel=alternate hreflang=x-default href=/>", []),
        ("<link rel=stylesheet hreflang=de href=/de.css>", []),
        ("<link rel=alternate href=/feed type=application/rss+xml>", []),
        ("<a hreflang=fr href=/fr/>une page</a>", [("fr", "/fr/")]),
        ("<a href=/de/>Deutsch</a>", [("de", "/de/")]),
        ("<a href=/de/> <span>DEUTSCH</span> </a>", [("de", "/de/")]),
        ("<a href=/cs/>Česky</a><a href=/cs/>česky</a>", [("cs", "/cs/")]),
        ("<a href=/fr/>Fran&ccedil;ais</a>", [("fr", "/fr/")]),
        ("<a href=/ru/>Русский</a>", [("ru", "/ru/")]),
        ("<a href=/de/><img src=flag.png alt=Deutsch></a>", [("de", "/de/")]),
        ("<a href=/de/ title=Deutsch><img src=flag.png></a>", [("de", "/de/")]),
        ("<a href=/de/>DE</a><a href=/fr/>FR</a>", [("de", "/de/"), ("fr", "/fr/")]),
        ("<a href=/it/>IT</a>", [("it", "/it/")]),
        ("<a href=/departments/>IT</a>", []),
        ("<a href=/a>German</a><a href=/b>French</a>", [("de", "/a"), ("fr", "/b")]),
        ("<a href=/recipes>French</a>", []),
        ("<a href=/a>Deutsch lernen in zehn Tagen</a>", []),
        ("<a href=javascript:x()>Deutsch</a>", []),
    ],
)
def test_what_a_page_declares(html: str, expected: list[tuple[str, str]]) -> None:
    assert alternates(html) == [(lang, f"https://example.org{path}") for lang, path in expected]


def test_http_headers_declare_translations() -> None:
    header = (
        '<https://example.org/de>; rel="alternate"; hreflang="de", </x>; rel=next, </fr>; hreflang=fr; rel=alternate'
    )
    page = Page("https://example.org/", b"<p>The mill", headers={"link": header})
    assert gristmill.clean(page).alternates == [
        Alternate("de", "https://example.org/de"),
        Alternate("fr", "https://example.org/fr"),
    ]


@given(st.text(max_size=20))
def test_a_code_is_one_or_none(written: str) -> None:
    code = language_code(written)
    assert code == "" or (code.isascii() and code == code.lower() and 2 <= len(code.partition("-")[0]) <= 3)


def test_they_are_stored_and_read_again(tmp_path: Path) -> None:
    document = gristmill.clean("<a href=/de/>Deutsch</a><a href=b>on</a><p>The mill", URL)
    shard = Shard(tmp_path / "00000")
    with document_writer(shard) as writer:
        for _ in range(3):
            writer.write(document)
        writer.write(Document(url="none"))
        writer.finish({})
    read = list(shard.read_documents())
    assert [item.alternates for item in read] == [document.alternates] * 3 + [[]]
    assert [list(item.links) for item in read] == [list(document.links)] * 3 + [[]]
    table = pq.read_table(shard.documents)
    assert table["links"].to_pylist()[0] == ["https://example.org/de/", "https://example.org/en/mills/b"]
    assert table["alternates"].to_pylist()[0] == [{"lang": "de", "url": "https://example.org/de/"}]


def test_a_single_document_has_them(tmp_path: Path) -> None:
    """Columns with others in them were left out without a word."""
    (tmp_path / "page.html").write_text(f"<a href={URL}de/>Deutsch</a><p>{'The mill is old. ' * 40}", "utf-8")
    corpus = gristmill.build(tmp_path / "page.html", tmp_path / "corpus", engine=InlineEngine())
    [stored] = corpus.pages()
    assert stored.alternates
    assert read_document(corpus.reader, "00000-000000") == stored


def test_json_has_them() -> None:
    record = gristmill.clean("<a href=/de/>Deutsch</a>", URL).to_json()
    assert record["links"] == ["https://example.org/de/"]
    assert record["alternates"] == [{"lang": "de", "url": "https://example.org/de/"}]


def test_ten_thousand_languages_and_links() -> None:
    codes = [
        a + b + c for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz" for c in "abcdefghijklmno"
    ]
    html = "".join(
        f"<link rel=alternate hreflang={code} href=/{code}/><a href=/p{code}>x</a>" for code in codes[:10_000]
    )
    document = gristmill.clean(html, URL)
    assert len(document.alternates) == MAX_ALTERNATES
    assert len(document.links) == MAX_LINKS
    assert document.alternates[0] == Alternate("aaa", "https://example.org/aaa/")


def test_long_addresses_are_left_out() -> None:
    longest = "/" + "x" * (MAX_ADDRESS_BYTES - 1)
    found = links(
        f"<a href='{longest}'>1</a><a href='{longest}x'>2</a><a href='/{'y' * 1_000_000}'>3</a><a href=/z>4</a>"
    )
    assert found == ["https://example.org" + longest, "https://example.org/z"]
    assert links("".join(f"<a href='/{number}{'x' * 900}'>1</a>" for number in range(1000)))[-1].startswith("https")


@given(
    st.lists(
        st.sampled_from(
            [
                "<a href=",
                "'",
                '"',
                "/x",
                ">",
                " ",
                "hreflang=de",
                "Deutsch",
                "</a>",
                "<base href=",
                "&",
                "\0",
                "é",
                "<img alt=English>",
                "#",
                ":",
                "//[",
                "\n",
            ]
        ),
        max_size=40,
    )
)
def test_any_markup_gives_links_that_can_be_stored(parts: list[str]) -> None:
    document = gristmill.clean("".join(parts), URL)
    assert from_arrow(to_arrow([document]))[0].alternates == document.alternates
    assert list(from_arrow(to_arrow([document]))[0].links) == list(document.links)
    assert all(link.startswith(("http://", "https://")) and "#" not in link for link in document.links)
