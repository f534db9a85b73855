"""site-style-tree: the importance of elements, by how they are built and by what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.site_style_tree import Parameters, StyleTree, _contents, site_style_tree


def page(html: str) -> Features:
    return Features(segment(html))


def importance(*pages: str) -> tuple[StyleTree, list[float]]:
    tree, features = StyleTree(), [page(html) for html in pages]
    leaves = [tree.add(own, Parameters(), is_counted=True) for own in features]
    contents = _contents(features, leaves, [True] * len(pages), np.array(tree.pages))
    return tree, tree.importance(contents, 0.9).tolist()


def test_a_menu_and_a_text() -> None:
    """Two pages: body(ul(li), p). `Home` is once on each: its entropy to the base 2 is 1, that of `li` 1 - 1 = 0.

    The words of the paragraphs are on one page each: entropy 0, importance 1. ul has one style of one child:
    0.1 * 0 + 0.9 * 0 = 0. The body has one style of two children: 0.1 * 0 + 0.9 * (0 + 1) / 2 = 0.45.
    """
    tree, found = importance("<ul><li>Home</ul><p>one two", "<ul><li>Home</ul><p>three four")
    assert found == pytest.approx([0.45, 0, 1, 0])  # body, ul, p, li
    assert tree.pages == [2, 2, 2, 2]
    scores = site_style_tree([page("<ul><li>Home</ul><p>one two"), page("<ul><li>Home</ul><p>three four")])
    assert [own.values.tolist() for own in scores] == [[1, 0], [1, 0]]
    assert scores[0].labels == ["noise", "important"]


def test_two_styles_of_an_element() -> None:
    """Four pages: three are body(p, p), one is body(div).

    H = -(3/4 log4 3/4 + 1/4 log4 1/4) = 0.4056. In the first style, the first p says the same everywhere (0), the
    second something else each time (1): C = 0.5. div is on one page: 1. With l = 2, g^l is 0.81, so the body has
    0.19 * 0.4056 + 0.81 * (3/4 * 0.5 + 1/4 * 1) = 0.5833.
    """
    tree, found = importance("<p>same</p><p>a", "<p>same</p><p>b", "<p>same</p><p>c", "<div>same</div>")
    entropy = -(0.75 * math.log(0.75, 4) + 0.25 * math.log(0.25, 4))
    assert entropy == pytest.approx(0.4056, abs=1e-4)
    assert found == pytest.approx([0.19 * entropy + 0.81 * 0.625, 0, 1, 1])
    assert found[0] == pytest.approx(0.5833, abs=1e-4)
    assert tree.style_pages == [3, 1]


def test_words_that_are_partly_shared() -> None:
    """`by` is on both pages (entropy 1), `Ann` and `Bob` on one each (0): 1 - (1 + 0 + 0) / 3 = 2/3.

    A word that is 3 times on one page and once on the other has -(3/4 log2 3/4 + 1/4 log2 1/4) = 0.8113.
    """
    assert importance("<p>by Ann", "<p>by Bob")[1][1] == pytest.approx(2 / 3)
    assert importance("<p>a a a", "<p>a")[1][1] == pytest.approx(1 - 0.8113, abs=1e-4)


def test_noise_is_what_has_nothing_important_in_it() -> None:
    """All of the footer is noise; in the box with a date, only the words before it are."""
    pages = [
        page(f"<div><p>Now on air</p><p>{show}</p></div><div><p>Imprint</p><p>Contact</p></div>")
        for show in ("jazz and blues", "the news of today")
    ]
    assert [own.labels for own in site_style_tree(pages)] == [["noise", "important", "noise", "noise"]] * 2
    everything = site_style_tree(pages, Parameters(threshold=1.1))
    assert all(label == "noise" for own in everything for label in own.labels)
    nothing = site_style_tree(pages, Parameters(threshold=0))
    assert all(value <= 0.5 for own in nothing for value in own.values.tolist())


def test_classes_can_tell_elements_apart() -> None:
    pages = [page("<p class=menu>Home</p><p>x"), page("<p class=text>Home</p><p>y")]
    assert [own.values[0] for own in site_style_tree(pages)] == [1, 1]
    assert [own.values[0] for own in site_style_tree(pages, Parameters(classes=True))] == [0, 0]


def test_hostile_sites() -> None:
    assert site_style_tree([]) == []
    plain = Features(segment_text("Home\nPress"))
    deep = page("<div>" * 20_000 + "deep" + "</div>" * 20_000)
    found = site_style_tree([page(""), page("one"), plain, deep, page("<p>x</p>" * 5000)])
    assert [len(scores.values) for scores in found] == [0, 1, 2, 1, 5000]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_page_alone_is_cleaned_by_density(copies: int) -> None:
    only = page("<ul><li>Home</li><li>News</li></ul><div><p>" + "The mill burnt down. " * 20 + "</p></div>")
    for scores in site_style_tree([only] * copies):
        assert scores.values.tolist() == density(only, "").values.tolist()
