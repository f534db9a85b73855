"""site-dom: elements that are on many pages of a site with all that is in them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.outline import Outline
from gristmill.literature.cleaning.repeats import PAGES, Often
from gristmill.literature.cleaning.site_dom import _subtrees, site_dom

TWO = Often(share=0, least=2)


def page(html: str) -> Features:
    return Features(segment(html))


def values(*pages: str) -> list[list[float]]:
    return [scores.values.tolist() for scores in site_dom([page(html) for html in pages], TWO)]


def test_a_repeated_menu_is_template() -> None:
    menu = "<ul class=%s><li>Home</li><li>News</li></ul>"
    scores = site_dom(
        [page(menu % "a" + "<p>The mill burnt down"), page("<h1>Now</h1>" + menu % "b" + "<p>A new mill")], TWO
    )
    assert [found.values.tolist() for found in scores] == [[1, 1, 0], [0, 1, 1, 0]]
    assert scores[0].labels == ["template", "template", "own"]


def test_text_and_tags_both_count() -> None:
    assert values("<p>Home</p>", "<div>Home</div>") == [[0], [0]]
    assert values("<p>Home</p>", "<p>home</p>") == [[0], [0]]
    assert values("<p>Home</p><p>x", "<p>Home</p><p>y") == [[1, 0], [1, 0]]


def test_text_beside_other_things_is_template_only_with_all_of_them() -> None:
    assert values("<div>Home<p>one</p></div>", "<div>Home<p>two</p></div>") == [[0, 0], [0, 0]]
    assert values("<div>Home<p>one</p></div>x", "<div>Home<p>one</p></div>y") == [[1, 1, 0], [1, 1, 0]]


def test_shapes_that_differ_only_by_where_elements_end() -> None:
    inner, outer = "<div>a<div>b</div>c</div>x", "<div>a<div>b c</div></div>y"
    assert values(inner, outer) == [[0, 0, 0, 0], [0, 0, 0]]
    assert values("<div><div>a</div>b</div>x", "<div><div>a</div></div>b<p>y") == [[1, 0, 0], [1, 0, 0]]


def test_elements_without_text_make_no_difference() -> None:
    assert values("<div><p></p><p>Home</p><hr></div>x", "<div><p>Home</p><div><div></div></div></div>y") == [
        [1, 0],
        [1, 0],
    ]


def test_occurrences_within_two_thresholds() -> None:
    """A star between paragraphs is 4 times on each of two pages: 8 are more than 3 times 2, so it is no template.

    A greeting that is twice on one page occurs often enough, but is on one page only.
    """
    stars = "<p>*</p>" * 4
    pages = [page(f"<p>Home</p>{stars}<p>Hello</p><p>Hello</p>"), page(f"<p>Home</p>{stars}<p>News</p>")]
    first, second = site_dom(pages, TWO)
    assert first.values.tolist() == [1, 0, 0, 0, 0, 1, 1]
    assert second.values.tolist() == [1, 0, 0, 0, 0, 0]
    own, _ = site_dom(pages, Often(share=0, least=2, count=PAGES, upper=0))
    assert own.values.tolist() == [1, 1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_page_alone_is_cleaned_by_density(copies: int) -> None:
    only = page("<ul><li>Home</li><li>News</li></ul><div><p>" + "The mill burnt down. " * 20 + "</p></div>")
    for scores in site_dom([only] * copies):
        assert scores.values.tolist() == density(only, "").values.tolist()


def test_pages_without_text_and_without_a_tree() -> None:
    plain = Features(segment_text("Home\nPress"))
    scores = site_dom([page(""), page("<p>Home</p>"), plain, page("<p>Home</p><p>News</p>")], TWO)
    assert [found.values.tolist() for found in scores] == [[], [1], [0, 0], [1, 0]]
    assert site_dom([]) == []


def test_a_deep_page_takes_no_longer_than_a_flat_one() -> None:
    deep = "<div>" * 100_000 + "a" + "</div>" * 100_000
    start = time.process_time()
    assert values(deep + "x", deep + "y") == [[1, 0], [1, 0]]
    assert time.process_time() - start < 60


def written_out(features: Features) -> list[str]:
    """Each element with text, as a string of its own."""
    elements, holders = features.page.elements, features.page.holders.tolist()
    parents = elements.parents.tolist()
    inside: list[list[tuple[int, str]]] = [[] for _ in elements.tags]
    for block, holder in enumerate(holders):
        inside[holder].append((block, f"'{features.texts[block]}'"))
    strings = []
    for at in range(len(parents) - 1, -1, -1):
        if inside[at]:
            string = f"<{elements.tags[at]}>{''.join(text for _, text in sorted(inside[at]))}</{elements.tags[at]}>"
            strings.append(string)
            if at:
                inside[parents[at]].append((min(inside[at])[0], string))
    return strings[::-1]


_TREE = st.recursive(
    st.sampled_from(["a", "b", ""]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "ul"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(_TREE, min_size=1, max_size=4))
def test_hashes_are_the_same_just_where_subtrees_are(trees: list[str]) -> None:
    pages = [page(tree) for tree in trees]
    hashes = [value for own in pages if own.texts for value in _subtrees(Outline.of(own), own.texts).tolist()]
    strings = [string for own in pages for string in written_out(own)]
    assert len(set(zip(hashes, strings, strict=True))) == len(set(hashes)) == len(set(strings))
