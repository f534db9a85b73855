"""Further pages of an article are found, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from growth import check_growth

from gristmill.cleaning.markup import markup_of
from gristmill.feeds.parts import Parts, find_parts, page_number

ARTICLE = "http://news.example/politics/old-bridge-stays-48213.html"


def _parts(html: str, page: str = ARTICLE, article: str = ARTICLE) -> Parts:
    return find_parts(markup_of(html)[0], page, article)


@pytest.mark.parametrize(
    ("article", "url", "number"),
    [
        (ARTICLE, f"{ARTICLE}?page=2", 2),
        (ARTICLE, f"{ARTICLE}?seite=3", 3),
        (f"{ARTICLE}?page=1", f"{ARTICLE}?page=2", 2),
        (f"{ARTICLE}?id=7", f"{ARTICLE}?id=7&p=2", 2),
        (ARTICLE, "http://news.example/politics/old-bridge-stays-48213-2.html", 2),
        (ARTICLE, "http://news.example/politics/old-bridge-stays-48213_2.html", 2),
        (ARTICLE, "http://news.example/politics/old-bridge-stays-48213/page/4", 4),
        (ARTICLE, "http://news.example/politics/old-bridge-stays-48213-seite-2.html", 2),
        ("http://b.example/2026/11/x/", "http://b.example/2026/11/x/2/", 2),
        ("http://b.example/2026/11/x", "http://b.example/2026/11/x/2", 2),
        (ARTICLE, "http://news.example/politics/new-bridge-48214.html", None),
        (ARTICLE, "http://news.example/politics/old-bridge-stays-48213-again.html", None),
        (ARTICLE, f"{ARTICLE}?page=2&sort=new", None),
        (ARTICLE, f"{ARTICLE}?id=2", None),
        (ARTICLE, f"{ARTICLE}?page=1000", None),
        (f"{ARTICLE}?id=1", f"{ARTICLE}?id=2", None),
        ("http://b.example/", "http://b.example/2/", None),
        ("http://b.example/a-1.html", "http://b.example/a-2.html", None),
    ],
)
def test_page_numbers_of_addresses(article: str, url: str, number: int | None) -> None:
    assert page_number(article, url) == number


@pytest.mark.parametrize(
    "link",
    [
        '<a href="?page=2">2</a>',
        '<a href="?page=2">Next page &raquo;</a>',
        '<a href="?page=2"><span>Nächste</span> Seite</a>',
        '<a href="?page=2">Page suivante</a>',
        '<a href="?page=2">Další strana</a>',
        '<a href="?page=2">Далее</a>',
        '<a href="?page=2">下一页</a>',
        '<a href="?page=2">»</a>',
        '<a href="?page=2" class="pager-next"><img src="r.gif"></a>',
        '<a href="?page=2" rel="next">on</a>',
        '<link rel="next" href="?page=2">',
        '<base href="http://news.example/politics/"><a href="old-bridge-stays-48213.html?page=2">2</a>',
    ],
)
def test_links_to_the_next_page(link: str) -> None:
    assert _parts(link).numbered == {2: f"{ARTICLE}?page=2"}


def test_pagers() -> None:
    pager = '<b>1</b> <a href="?page=2">2</a> <a href="?page=3">3</a> <a href="?page=2">next</a>'
    assert _parts(pager).numbered == {2: f"{ARTICLE}?page=2", 3: f"{ARTICLE}?page=3"}
    second = f'<a href="{ARTICLE}">1</a> <b>2</b> <a href="?page=3">3</a>'
    assert _parts(second, f"{ARTICLE}?page=2").numbered == {3: f"{ARTICLE}?page=3"}


@pytest.mark.parametrize(
    "link",
    [
        '<a rel="next" href="/politics/next-story-48214.html">Next</a>',
        '<link rel="next" href="/politics/next-story-48214.html">',
        '<a href="/politics/next-story-48214.html">2</a>',
        '<a href="?page=2">A long line about the second page of the budget</a>',
        '<a href="?cpage=2#comments">2</a>',
        '<a href="/politics/old-bridge-stays-48213/comment-page-2/">2</a>',
        '<a href="http://127.0.0.1/politics/old-bridge-stays-48213.html?page=2">2</a>',
        '<a href="http://other.example/politics/old-bridge-stays-48213.html?page=2">2</a>',
        '<a href="http://user:word@news.example/politics/old-bridge-stays-48213.html?page=2">2</a>',
        '<a href="javascript:page(2)">2</a>',
        '<a href="?page=2" rel="nofollow">2</a>',
        '<meta name="robots" content="nofollow"><a href="?page=2">2</a>',
        '<!-- <a href="?page=2">2</a> -->',
        '<a href="">2</a>',
        "<a>2</a>",
        '<a href="?page=1">1</a>',
    ],
)
def test_other_links_are_no_pages_of_the_article(link: str) -> None:
    assert _parts(link) == Parts()


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ('<a href="?print=1">Print</a>', "?print=1"),
        ('<a href="?view=print">Druckversion</a>', "?view=print"),
        ('<a href="/print/48213">Imprimer</a>', "http://news.example/print/48213"),
        ('<a href="/drucken?id=48213" class="icon-print"></a>', "http://news.example/drucken?id=48213"),
        ('<a href="?output=print" title="Printer-friendly version"><img></a>', "?output=print"),
        ('<link rel="alternate" media="print" href="?tisk=1">', "?tisk=1"),
        ('<a href="?page=all">View all</a>', "?page=all"),
        ('<a href="/politics/old-bridge-stays-48213/print/">version</a>', "/politics/old-bridge-stays-48213/print/"),
    ],
)
def test_versions_with_the_whole_text(link: str, target: str) -> None:
    target = ARTICLE + target if target[0] == "?" else target
    assert [url.removeprefix("http://news.example") for url in _parts(link).whole] == [
        target.removeprefix("http://news.example")
    ]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="http://printer.example/48213?print=1">Print</a>',
        '<a href="/epaper">Print</a>',
        '<a href="/politics/new-print-law-50000.html">The law on print is new and it is long</a>',
        '<a href="javascript:window.print()">Print</a>',
        '<link rel="stylesheet" media="print" href="/old-bridge-stays-48213.css">',
        '<a href="/subscribe/print">Print edition</a>',
        '<a href="?share=mail">Mail</a>',
    ],
)
def test_other_links_are_no_versions(link: str) -> None:
    assert _parts(link).whole == []


def test_the_likeliest_versions_come_first_and_are_few() -> None:
    links = '<a href="?single=1">One page</a>' + "".join(f'<a href="?print={at}">Print</a>' for at in range(9))
    assert _parts(links).whole == [f"{ARTICLE}?print=0", f"{ARTICLE}?print=1"]


@pytest.mark.parametrize("piece", ['<a href="?page=2">', "<a>", '<a href="?print=1">Print</a>', "</a>", "<a href='"])
def test_time_is_linear(piece: str) -> None:
    check_growth(lambda size: lambda: _parts(piece * size), 500, 5_000, 0.01)
