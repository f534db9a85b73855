"""site-pagelets: pieces of pages that are alike on pages which link to each other."""

from __future__ import annotations

import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.literature.cleaning.addresses import without_form
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.site_pagelets import Parameters, pagelets, site_pagelets

MENU = "<ul><li><a href=/a>The old mill</a><li><a href=/b>The new mill</a><li><a href=/c>How to find us</a></ul>"


def page(html: str, url: str = "") -> Features:
    return Features(segment(html), url=url)


def spans(html: str, links: int = 3) -> list[tuple[int, int]]:
    return [(first, end) for first, end in zip(*(side.tolist() for side in pagelets(page(html), links)), strict=True)]


def test_pages_are_cut_where_a_child_has_three_links() -> None:
    """The menu has 3 links, so the body is cut. None of the items of the menu has 3, nor has a child of the article."""
    article = "<div><h1>News</h1><p>One <a href=/x>link</a></p><p>Another <a href=/y>link</a></p></div>"
    assert spans(MENU + article) == [(0, 3), (3, 6)]
    assert spans(article) == [(0, 3)]
    assert spans(MENU + article, links=4) == [(0, 6)]
    assert spans(MENU + article, links=1) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


def test_text_beside_what_is_cut_is_a_pagelet() -> None:
    assert spans(f"Welcome<div>{MENU}</div>Goodbye") == [(0, 1), (1, 4), (4, 5)]
    assert spans(f"<div><div>{MENU}</div><p>One</p></div><p>Two</p>") == [(0, 3), (3, 4), (4, 5)]


def site(*pages: tuple[str, str]) -> list[Features]:
    return [page(html, f"http://mill.example{path}") for path, html in pages]


def test_pagelets_of_linked_pages_are_template() -> None:
    """The menu is on /a, /b and /x. /a and /b link to each other, so there it is template.

    /x links to /a, too, by its menu, as edges have no direction. A fourth page with the menu in another place of the
    web has no link to one of these, and none leads to it: it is a component of one page.
    """
    pages = [
        *site(("/a", MENU + "<p>The mill burnt down"), ("/b", MENU + "<p>A new mill was built"), ("/x", MENU + "<p>x")),
        page(MENU + "<p>Elsewhere", "http://elsewhere.example/"),
    ]
    found = site_pagelets(pages)
    assert [scores.values.tolist() for scores in found] == [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]
    assert found[0].labels == ["template", "template", "template", "own"]


def test_pages_without_links_between_them_have_no_template() -> None:
    away = MENU.replace("href=/", "href=http://shop.example/")
    found = site_pagelets(site(("/a", away + "<p>one"), ("/b", away + "<p>two")))
    assert [scores.values.tolist() for scores in found] == [[0, 0, 0, 0]] * 2


def test_alike_pagelets_have_the_same_fingerprint_more_often_than_others() -> None:
    """With one permutation, by Broder, two pagelets have the same minimum with the probability of their resemblance.

    Of 1000 words, the last one differs: of 997 shingles of four words, one does, and r = 996 / 998.
    """
    text = " ".join(f"word{number}" for number in range(999))
    pages = site(("/a", f"{MENU}<p>{text} one"), ("/b", f"{MENU}<p>{text} two"), ("/c", f"{MENU}<p>something else"))
    assert [scores.values.tolist()[3] for scores in site_pagelets(pages, Parameters(permutations=1))] == [1, 1, 0]


def test_hostile_sites() -> None:
    assert site_pagelets([]) == []
    plain = Features(segment_text("Home\nPress"))
    deep = page("<div>" * 20_000 + MENU + "</div>" * 20_000, "http://[broken")
    found = site_pagelets([page(""), page("one"), plain, deep, page("<p>" * 5000 + "x")])
    assert [len(scores.values) for scores in found] == [0, 1, 2, 3, 1]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_page_alone_is_cleaned_by_density(copies: int) -> None:
    only = page(MENU + "<div><p>" + "The mill burnt down. " * 20 + "</p></div>", "http://mill.example/a")
    for scores in site_pagelets([only] * copies):
        assert scores.values.tolist() == density(only, "").values.tolist()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://www.Mill.example/a/#top", "mill.example/a"),
        ("https://mill.example/", "mill.example"),
        ("//mill.example/A?b=1", "mill.example/A?b=1"),
        ("", ""),
    ],
)
def test_addresses(url: str, expected: str) -> None:
    assert without_form(url) == expected
