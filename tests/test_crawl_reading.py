"""What a worker finds out about a page that was fetched: links, text, language, whether it may be stored."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator
from growth import check_growth
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.cleaning import clean_page
from gristmill.crawling import page as page_module
from gristmill.crawling.config import CrawlConfig, ScopeConfig, StrategyConfig
from gristmill.crawling.page import MAX_LINKS, PageReader
from gristmill.crawling.reading import Reading
from gristmill.crawling.sitemaps import Sitemap
from gristmill.document import Page
from gristmill.fetching.exchange import Exchange
from gristmill.fetching.urls import host_of, key_of, normalise

URL = "http://example.org/dir/page.html"
CZECH = (
    "Mlýn stojí na břehu řeky už několik staletí a jeho kola se otáčejí dodnes. Mlynář vstává brzy ráno, aby stihl "
    "semlít všechno obilí, které mu sedláci z okolních vesnic přivezli na vozech během předchozího dne. "
)
GERMAN = (
    "Die Mühle steht seit mehreren Jahrhunderten am Ufer des Flusses, und ihre Räder drehen sich bis heute. Der Müller "
    "steht früh am Morgen auf, um das ganze Getreide zu mahlen, das ihm die Bauern der Umgebung gebracht haben. "
)
FILLER = f"<!--{'x' * 5000}-->"


def exchange(html: str | bytes, url: str = URL, status: int = 200, **headers: str) -> Exchange:
    """An answer of a server; headers are given with underscores."""
    given_ = {"content-type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in given_.items())
    body = html if isinstance(html, bytes) else html.encode()
    wire = f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body
    return Exchange(url, "2026-11-17T05:40:40Z", "127.0.0.1", b"GET / HTTP/1.1\r\n\r\n", wire, status, given_)


def read(html: str | bytes, distance: int = 0, config: CrawlConfig | None = None, **answer: Any) -> Reading:
    return PageReader.of(config or CrawlConfig()).read(exchange(html, **answer), distance)


def targets(reading: Reading) -> list[str]:
    return [link.url for link in reading.links]


def paragraphs(*texts: str) -> str:
    return f"<html><title>x</title><body>{''.join(f'<p>{text}</p>' for text in texts)}</body></html>"


def in_language(*codes: str) -> CrawlConfig:
    return CrawlConfig(ScopeConfig(languages=codes))


def test_reader_can_be_sent_to_a_process() -> None:
    reader = PageReader.of(in_language("cs"))
    answer = exchange(paragraphs(CZECH))
    assert pickle.loads(pickle.dumps(reader)).read(answer, 0) == reader.read(answer, 0)  # noqa: S301


def test_sitemaps_are_read_by_the_same_workers() -> None:
    answer = exchange("<urlset><url><loc>http://example.org/a</loc></url></urlset>", "http://example.org/sitemap.xml")
    assert PageReader.of(CrawlConfig())((answer, None, "")) == Sitemap(["http://example.org/a"])


def test_sample_is_read(sample_pages: dict[str, Page]) -> None:
    reader = PageReader.of(CrawlConfig())
    links = words = 0
    for url, page in sample_pages.items():
        answer = exchange(page.body, url=normalise(url), content_type=page.headers.get("content-type", ""))
        reading = reader.read(answer, 0)
        assert not reading.error
        text = [block for block in clean_page(page).kept() if block.link_density <= 0.5]
        assert reading.refused == "noindex" or reading.words == sum(block.words for block in text)
        assert reading.size == len(page.body)
        assert all(link.key == key_of(link.url) and link.host == host_of(link.url) for link in reading.links)
        assert len({link.url for link in reading.links} - {answer.url}) == len(reading.links)
        assert all(-(2**63) <= key < 2**63 for key in reading.sketch)
        links, words = links + len(reading.links), words + reading.words
    assert links > 500
    assert words > 10_000


def test_links_are_normalised_and_counted() -> None:
    reading = read(
        """<base href='/base/'><html><a href='a#x'>1</a><a href='A/../a'>2</a><a href='HTTP://Example.COM:80'>3</a>
        <a href='mailto:x@example.org'>4</a><a href='javascript:x()'>5</a><a href='#x'>6</a>
        <a href='/dir/page.html'>7</a>
        <a href='x.jpg'>8</a><a rel=nofollow href=no>9</a><a href='http://['>10</a><a href='/base/'>11</a>
        <a hreflang=de href='de'>12</a><a href='/2050/01/'>13</a><a href=''>14</a>"""
    )
    assert targets(reading) == [f"http://example.org/base/{name}" for name in ("a",)] + [
        "http://example.com/",
        "http://example.org/base/",
        "http://example.org/base/de",
    ]
    assert [link.lang for link in reading.links] == ["", "", "", "de"]
    assert reading.left_out == {"nofollow": 1, "not-http": 3, "suffix": 1, "trap-calendar": 1}


def test_links_stay_in_scope() -> None:
    config = CrawlConfig(ScopeConfig(sites=("example.org",), forbid=("bad.example.org",)))
    html = "<html><a href='http://www.example.org/'>1</a><a href='http://bad.example.org/'>2</a><a href='//a.com'>3</a>"
    reading = read(html, config=config)
    assert targets(reading) == ["http://www.example.org/"]
    assert reading.left_out == {"forbidden": 1, "scope": 1}


def test_links_are_limited() -> None:
    reading = read("<html>" + "".join(f"<a href={number}>x</a>" for number in range(MAX_LINKS + 7)))
    assert len(reading.links) == MAX_LINKS
    assert reading.left_out == {"too-many": 7}


def test_canonical_address() -> None:
    reading = read("<html><link rel=canonical href='/other?utm_source=x'><a href=/a>x</a>")
    assert reading.canonical == "http://example.org/other"
    assert targets(reading) == ["http://example.org/other", "http://example.org/a"]
    assert not read(f"<html><link rel=canonical href='{URL}#x'>").canonical


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_links(status: int) -> None:
    reading = read("<a href=/no>x</a>", status=status, location=" ../other#x ")
    assert targets(reading) == ["http://example.org/other"]
    assert reading.record
    assert not targets(read("", status=status))
    assert not targets(read("", status=status, location=URL))
    assert not targets(read("", status=status, location="ftp://example.org/"))


@pytest.mark.parametrize("status", [204, 304, 404, 410, 500])
def test_other_answers_are_stored_without_links(status: int) -> None:
    reading = read(paragraphs(CZECH) + "<a href=/no>x</a>", status=status)
    assert reading.record
    assert not reading.links
    assert not reading.words


def test_short_pages_are_not_stored_but_followed() -> None:
    html = paragraphs(CZECH) + "<a href=/a>x</a>"
    reading = read(html, distance=1)
    assert (reading.refused, reading.record, reading.words) == ("too-short", b"", 0)
    assert targets(reading) == ["http://example.org/a"]
    assert read(html, distance=0).record
    assert read(html + FILLER, distance=1).record


def test_long_pages_are_not_stored() -> None:
    config = CrawlConfig()
    config = replace(config, fetch=replace(config.fetch, max_bytes=6_000))
    reading = read(paragraphs(CZECH) + FILLER * 2, config=config)
    assert (reading.refused, reading.record, reading.links) == ("too-long", b"", [])
    bomb = gzip.compress(b"<html>" + b" " * 50_000_000)
    assert read(bomb, config=config, content_encoding="gzip").refused == "too-long"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [("<html>", "application/pdf"), ("just text", "text/html"), (b"\x89PNG\r\n\x1a\n" * 99, "text/html"), ("", "")],
)
def test_what_is_no_page_is_not_stored(body: str | bytes, content_type: str) -> None:
    reading = read(body, content_type=content_type)
    assert (reading.refused, reading.record) == ("type", b"")


@pytest.mark.parametrize("content_type", ["", "text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml"])
def test_types_of_pages(content_type: str) -> None:
    assert not read("<html><p>x", content_type=content_type).refused


@pytest.mark.parametrize("tag", ["noindex", "none", "noindex, nofollow"])
@pytest.mark.parametrize("where", ["meta", "header"])
def test_noindex_and_nofollow(where: str, tag: str) -> None:
    html = paragraphs(CZECH) + "<a href=/a>x</a>"
    said = read(f"<meta name=robots content='{tag}'>{html}"), read(html, x_robots_tag=tag)
    reading = said[where == "header"]
    assert (reading.refused, reading.record, reading.words) == ("noindex", b"", 0)
    assert targets(reading) == ["http://example.org/a"] * (tag == "noindex")
    assert reading.left_out == ({} if tag == "noindex" else {"nofollow": 1})


def test_robots_tags_are_not_obeyed_if_the_user_says_so() -> None:
    config = CrawlConfig()
    config = replace(config, manners=replace(config.manners, robots_tags=False))
    html = f"<meta name=robots content=none>{paragraphs(CZECH)}<a rel=nofollow href=/a>x</a>"
    reading = read(html, config=config, x_robots_tag="noindex")
    assert reading.record
    assert targets(reading) == ["http://example.org/a"]


def test_text_in_the_wanted_languages_counts() -> None:
    html = paragraphs(*[CZECH] * 3, GERMAN)
    whole, czech, german, polish = (read(html, config=in_language(*codes)) for codes in ([], ["cs"], ["de"], ["pl"]))
    assert whole.lang == czech.lang == "cs"
    assert (whole.words, polish.words) == (czech.words + german.words, 0)
    assert czech.words == 3 * len(CZECH.split())
    assert german.clean_bytes == len(GERMAN.strip().encode())
    assert whole.sketch == czech.sketch


def test_declared_languages_help_where_text_is_short() -> None:
    html = paragraphs("Ok.")
    codes = {
        "header": read(html, config=in_language("cs"), content_language="cs-CZ").lang,
        "tag": read(html.replace("<html>", "<html lang=nb_NO>"), config=in_language("cs")).lang,
        "nonsense": read(html.replace("<html>", "<html lang='<x>'>"), config=in_language("cs")).lang,
        "long": read(paragraphs(*[GERMAN] * 3), content_language="cs").lang,
    }
    assert codes == {"header": "cs", "tag": "no", "nonsense": "und", "long": "de"}


def test_breadth_first_does_not_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "clean_markup", None)
    config = CrawlConfig(strategy=StrategyConfig("breadth-first"))
    first, copy, other = (
        read(f"<html lang={lang}>{paragraphs(text)}", config=config)
        for lang, text in (("cs", CZECH), ("sk", CZECH), ("cs", CZECH + "x"))
    )
    assert not first.error
    assert first.words == 0
    assert first.sketch == copy.sketch != other.sketch
    assert len(first.sketch) == 1


def test_error_in_cleaning_costs_only_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no\x1b[2J\nway \ud800")

    monkeypatch.setattr(page_module, "clean_markup", fail)
    reading = read(paragraphs(CZECH) + "<a href=/a>x</a>")
    assert reading.error == "ValueError: no [2J way"
    assert targets(reading) == ["http://example.org/a"]
    assert reading.record


def test_records_hold_what_was_sent() -> None:
    answer = exchange(gzip.compress(paragraphs(CZECH).encode()), content_encoding="gzip")
    reading = PageReader.of(CrawlConfig()).read(answer, 0)
    assert reading.words > 0
    contents = [record.reader.read() for record in ArchiveIterator(BytesIO(reading.record), parse_http=False)]
    assert contents == [answer.request, answer.wire]


def test_pattern_is_that_of_the_address() -> None:
    assert read("<html>", url="http://example.org/2026/05/a-nice-post").pattern == "/#/#/*"


PARTS = "<html> <a href= http:// ' \" & &# > < <base href= <meta http-equiv=refresh content= ; é \0 \r \x1b$B".split(
    " "
)
HEADERS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PARTS)).map("".join).map(str.encode) | st.binary(), HEADERS, st.integers(200, 310))
def test_nothing_in_an_answer_raises(body: bytes, header: str, status: int) -> None:
    headers: dict[str, Any] = dict.fromkeys(
        ("location", "x_robots_tag", "content_language", "content_encoding"), header
    )
    reading = read(body, status=status, **headers)
    assert not reading.error


@pytest.mark.parametrize("wire", [b"", b"\r\n\r\n", b"HTTP/1.1 200", b"\xff" * 99])
def test_broken_answers(wire: bytes) -> None:
    answer = replace(exchange(""), wire=wire, date="?")
    assert not PageReader.of(CrawlConfig()).read(answer, 0).error


UNITS = [
    "<a href=x>y</a>",
    "<a href='/{}'>y</a> ",
    "<p>the mill is on the river and it has been for long.",
    "<a href='",
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("strategy", ["yield", "breadth-first"])
def test_cost_grows_with_the_page(strategy: str, unit: str) -> None:
    reader = PageReader.of(CrawlConfig(strategy=StrategyConfig(strategy)))

    def make(size: int) -> Callable[[], object]:
        answer = exchange("<html>" + "".join(unit.format(number) for number in range(size // len(unit))))
        return lambda: reader.read(answer, 0)

    check_growth(make, 20_000, 20_000, 0.005)
