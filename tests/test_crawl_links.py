"""Links are those that a full parser finds; what pages say to robots is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import turbohtml
from growth import check_growth
from hypothesis import assume, given
from hypothesis import strategies as st

from gristmill.cleaning.cleaner import decode_page
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.markup import markup_of
from gristmill.crawling.links import Found, PageTags, read_tags
from gristmill.document import Page
from gristmill.language import Models


def read(html: str) -> PageTags:
    return read_tags(markup_of(html)[0])


def addresses(html: str) -> list[str]:
    return [link.address for link in read(html).links]


def unique(items: list[str]) -> list[str]:
    """A parser repeats links that stand across blocks, so each is compared once."""
    return list(dict.fromkeys(items))


def by_the_letter(html: str) -> list[str]:
    """The addresses of `a` and `area` in a page, as a full parser has them."""
    found = []
    for element in turbohtml.parse(html).find_all(["a", "area"]):
        href = element.attrs.get("href")
        if href is not None and not any(getattr(around, "tag", "") == "template" for around in element.ancestors):
            found.append(str(href).strip())
    return unique(found)


def test_links_of_the_sample_are_those_of_a_parser(sample_pages: dict[str, Page]) -> None:
    languages = Languages(Models.load())
    count = 0
    for url, page in sample_pages.items():
        html = decode_page(page, languages).text
        links = read(html).links
        hrefs = [str(element.attrs["href"]) for element in turbohtml.parse(html).find_all("link", rel="canonical")]
        wanted = by_the_letter(html)
        assert unique([link.address for link in links if link.address in set(wanted)]) == wanted, url
        assert read(html).canonical == (hrefs[0].strip() if hrefs else ""), url
        count += len(wanted)
    assert count > 500


HOSTILE = [
    "<a href=x>1</a><A HREF=Y>2</A><a\nhref\n=\n'z'\n>3</a>",
    "<a href=x?a=1&amp;b=2&copy=3&copy;&notit;&not=1&#38;c&#x26;d&bogus;&amp>1</a>",
    "<a href='a' href='b'>1</a><a HREF=c href=d>2</a>",
    "<a title='<a href=no>' href=yes>1</a><a title=\"> href='no'\" href='yes>'>2</a>",
    "<!-- <a href=no>1</a> --><a href=yes>2</a><!--><a href=yes2>3</a>",
    "<script>'<a href=no>'</script><style><a href=no></style><a href=yes>1</a>",
    "<textarea><a href=no>1</a></textarea><title><a href=no></title><a href=yes>1</a>",
    "<noscript><a href=yes>1</a></noscript><iframe><a href=no></iframe>",
    "<template><a href=no>1</a><template><a href=no></template><a href=no></template><a href=yes>2</a>",
    "</template><a href=yes>1</a><template>",
    "<map><area href=yes shape=rect><area nohref></map>",
    "<a href>1</a><a href=''>2</a><a>3</a><a href='  x  '>4</a>",
    "<a href='ä?ö=ü'>1</a><a href='\u202ex'>2</a><a href='x y'>3</a>",
    "<a/href=x>1</a><a/ href=y/>2</a><a href=z/>3</a>",
    "<a data-href=no xhref=no href=yes>1</a><a data-x=' href=no'>2</a>",
    "<a href=\"x'y\">1</a><a href='x\"y'>2</a><a href=x'y\">3</a>",
    "<a href=&#00000000000000000000000000000000000038;x>1</a><a href='&#xD800;&#0;'>2</a>",
    "<a href='x'><a href='y'><p><a href='z'",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_links_of_hostile_pages_are_those_of_a_parser(html: str) -> None:
    assert unique(addresses(html)) == by_the_letter(html)


VALUES = st.text(st.sampled_from("ab=&;#x3amp copylt<>\"'\n/?é"), max_size=24)


@given(st.lists(VALUES, max_size=5))
def test_values_in_quotes_are_those_of_a_parser(values: list[str]) -> None:
    assume(not any('"' in value for value in values))
    html = "".join(f'<a href="{value}">x</a>' for value in values)
    assert unique(addresses(html)) == by_the_letter(html)


def test_what_else_is_a_link() -> None:
    html = """<html lang=cs><link rel=stylesheet href=no><link rel="Alternate" hreflang=DE-at href=de>
    <link rel=alternate type=application/rss+xml href=no><link rel=next href=2><link rel=prev href=0>
    <meta http-equiv=Refresh content="5; URL='there?a&amp;b'"><meta http-equiv=refresh content=5>
    <frameset><frame src=menu></frameset><iframe src=no></iframe><img src=no srcset='no 2x'>
    <a href=a hreflang=EN>x</a>"""
    assert read(html).links == [
        Found("de", "de-at"),
        Found("2"),
        Found("0"),
        Found("there?a&b"),
        Found("menu"),
        Found("a", "en"),
    ]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=x", "x"),
        ("0; URL = x y", "x"),
        ("3,x", "x"),
        ("1.5;url='x y' z", "x y"),
        ("url=x", "x"),
        ("0;", ""),
        ("", ""),
    ],
)
def test_refresh(content: str, target: str) -> None:
    assert addresses(f'<meta http-equiv=refresh content="{content}">') == [target] * bool(target)


@pytest.mark.parametrize("rel", ["nofollow", "NoFollow", "external nofollow", "ugc nofollow", "nofollow,noopener"])
def test_nofollow_of_links(rel: str) -> None:
    assert read(f"<a rel='{rel}' href=x>y</a><a href=z rel=noopener>y</a>").links == [
        Found("x", nofollow=True),
        Found("z"),
    ]


@pytest.mark.parametrize(
    ("meta", "noindex", "nofollow"),
    [
        ("name=robots content=noindex", True, False),
        ("NAME=Robots CONTENT='INDEX, NoFollow'", False, True),
        ("name=gristmill content=none", True, True),
        ("name=robots content='noarchive,max-snippet:-1'", False, False),
        ("name=googlebot content=none", False, False),
        ("property=robots content=none", False, False),
    ],
)
def test_rules_for_robots(meta: str, noindex: bool, nofollow: bool) -> None:
    found = read(f"<meta {meta}>")
    assert (found.noindex, found.nofollow) == (noindex, nofollow)


def test_page_is_described() -> None:
    found = read(
        "<html lang=' cs-CZ '><base target=x><base href='/a/'><base href=/b/>"
        "<meta http-equiv=content-language content=de><link rel='x CANONICAL' href='?a&amp;b'>"
    )
    assert (found.base, found.lang, found.canonical) == ("/a/", "cs-CZ", "?a&b")
    assert read("<meta http-equiv=Content-Language content=de>").lang == "de"


UNITS = (
    "<a href=x>|<a href='|<a |<a href=|<a href='&amp;'>|<template>|</template>|<link rel=next href=|"
    "<meta http-equiv=refresh content='0;'>|"
    "<base href=x>|<frame src=x>|<area href='&#|<a href='&copy|&|&a|<a href=x rel='"
).split("|")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("before", ["", "<a href='", "<meta http-equiv=refresh content='"])
def test_cost_grows_with_the_page(before: str, unit: str) -> None:
    def make(size: int) -> Callable[[], object]:
        html = before + unit * (size // len(unit)) + "'>"
        return lambda: read(html)

    check_growth(make, 50_000, 50_000, 0.005)
