"""site-diff: what a page has and the reference page of its site has not."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.cleaning.site import clean_site
from gristmill.document import Page
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.site_diff import Parameters, _common_share, _in_both, _Tree, site_diff


def page(html: str) -> Features:
    return Features(segment(html))


def values(*pages: str, parameters: Parameters | None = None) -> list[list[float]]:
    return [scores.values.tolist() for scores in site_diff([page(html) for html in pages], parameters)]


def test_pages_of_the_same_structure() -> None:
    template = "<ul><li>Home</li><li>News</li></ul><h1>{}</h1><div><p>{}</p></div><p>Imprint</p>"
    pages = [
        page(template.format("A fire", "The mill burnt down")),
        page(template.format("A house", "A new mill was built")),
    ]
    for scores in site_diff(pages):
        assert scores.values.tolist() == [1, 1, pytest.approx(0.5), 0, 1]
        assert scores.labels == ["common", "common", "partly common", "own", "common"]


def test_common_beginning_and_end() -> None:
    assert _common_share("posted by Jack F.", "posted by anonymous") == 0.5
    assert _common_share("posted by Jack on Monday", "posted by Jill Brown on Monday") == 0.8
    assert _common_share("a a a", "a a") == pytest.approx(2 / 3)
    assert _common_share("a a", "a a a") == 1
    assert _common_share("one", "two") == 0
    assert _common_share("欢迎光临", "欢迎") == 0


def test_where_the_structure_differs_equal_texts_are_common() -> None:
    first = "<div><p>Home</p><p>The mill burnt down</p><ul><li>Search</li></ul></div>"
    second = "<div><p>Home</p><p>A new mill</p><p>It was built</p><ul><li>Search</li></ul></div>"
    assert values(first, second) == [[1, 0, 1], [1, 0, 0, 1]]


def test_counterparts_have_the_same_tag_and_stand_in_the_same_order() -> None:
    assert values("<p>Home</p><p>x</p>", "<div>Home</div>") == [[0, 0], [0]]
    assert values("<p>one</p><p>two</p><p>a</p>", "<p>two</p><p>one</p>") == [[1, 0, 0], [1, 0]]
    inside, outside = (
        "<div><p>one</p><p>a</p></div><p>two</p>",
        "<div><p>one</p></div><div><p>a</p></div><p>two</p><p>x</p>",
    )
    assert values(inside, outside) == [[1, 0, 1], [1, 0, 1, 0]]


def test_the_reference_page_is_in_the_middle_by_size() -> None:
    small, middle, large = "<p>one", "<p>two</p><p>one", "<p>two</p><p>three</p><p>one</p>"
    assert values(large, small, middle) == [[1, 0, 1], [1], [0, 1]]  # the middle one is compared with the next smaller
    assert values(small, middle, large, middle) == [[1], [0, 1], [1, 0, 1], [0, 1]]  # and so is its copy


@pytest.mark.parametrize("copies", [1, 2])
def test_a_page_alone_is_cleaned_by_density(copies: int) -> None:
    only = page("<ul><li>Home</li><li>News</li></ul><div><p>" + "The mill burnt down. " * 20 + "</p></div>")
    for scores in site_diff([only] * copies):
        assert scores.values.tolist() == density(only, "").values.tolist()


TEXT = "The mill burnt down in the night, and nobody knew why. "
MENU = "<ul><li>Home</li><li>News</li><li>Shop</li></ul>"


def test_prune_cleans_a_page_of_another_build_alone() -> None:
    usual = [f"{MENU}<div><h1>Title {n}</h1><p>{TEXT * 3}{n}</p><p>Imprint</p></div>" for n in range(3)]
    odd = f"<div><div><div><p>{TEXT * 9}</p></div></div></div>" + "<p>Imprint</p>" * 9
    pages = [page(html) for html in [*usual, odd]]
    with_prune, without = (site_diff(pages, Parameters(prune=prune)) for prune in (True, False))
    assert [scores.values.tolist() for scores in with_prune[:3]] == [scores.values.tolist() for scores in without[:3]]
    assert with_prune[3].labels == density(pages[3], "").labels != without[3].labels


def test_from_target_takes_what_is_outside_for_boilerplate() -> None:
    first = f"{MENU}<p>Advert one</p><div><p>{TEXT}</p><p>{TEXT * 4}</p></div>"
    second = f"{MENU}<p>Advert two</p><div><p>{TEXT}</p><p>{TEXT * 3}It rained.</p></div>"
    found, _ = values(first, second, parameters=Parameters(fromtarget=True))
    assert found[:4] == [1, 1, 1, 1]
    assert found[4] == 1
    assert found[5] < 1
    assert values(first, second)[0][3] == 0.5


def named(*pages: tuple[str, str]) -> list[Features]:
    return [Features(segment(html), url=url) for url, html in pages]


def test_the_user_can_name_the_reference_page() -> None:
    """Of three pages by size, /b is in the middle. Compared with /a instead, /b and /c have only `Home` in common.

    The reference page itself is compared with its neighbour by size: /b with /a, /a with /b.
    """
    pages = named(
        ("http://mill.example/a", "<p>Home</p><p>one</p>"),
        ("http://mill.example/b", "<p>Home</p><p>News</p><p>two</p>"),
        ("http://mill.example/c", "<p>Home</p><p>News</p><p>three</p><p>four</p>"),
    )

    def found(*reference: str) -> list[list[float]]:
        return [own.values.tolist() for own in site_diff(pages, Parameters(reference=reference))]

    assert found() == [[1, 0], [1, 0, 0], [1, 1, 0, 0]]
    assert found("http://mill.example/b") == found()
    assert found("http://other.example/", "https://www.Mill.example/a#top") == [[1, 0], [1, 0, 0], [1, 0, 0, 0]]
    assert found("http://mill.example/unknown", "") == found()


def test_sparse_pages_are_left_out_and_titles_are_kept() -> None:
    table = "<table>" + "<tr><td>1</td><td>2</td></tr>" * 20 + "</table>"
    title = "<h1>All about the mill</h1>"
    pages = [page(f"{title}<p>{TEXT * 4}one</p>"), page(f"{title}<p>{TEXT * 3}two</p>"), page(title + table)]
    usual = site_diff(pages)
    sparse = site_diff(pages, Parameters(sparse=True))
    assert sparse[2].labels == ["sparse"] * 41
    assert [own.labels for own in sparse[:2]] == [own.labels for own in usual[:2]]
    assert usual[0].values[0] == 1
    titled = site_diff(pages, Parameters(addtitle=True))
    assert [(own.values[0], own.labels[0]) for own in titled] == [(0, "title")] * 3
    assert [own.values[1:].tolist() for own in titled] == [own.values[1:].tolist() for own in usual]


def test_options_by_name() -> None:
    pages = [
        Page("http://a.example/", b"<h1>Mill</h1><p>one two"),
        Page("http://a.example/2", b"<h1>Mill</h1><p>three"),
    ]
    spec = "site-diff:prune=no,fromtarget=no,sparse=no,reference=http://a.example/2,addtitle=yes"
    assert [document.text for document in clean_site(pages, method=spec)] == ["Mill\none two", "Mill\nthree"]
    assert [document.text for document in clean_site(pages, method="site-diff")] == ["one two", "three"]


def test_pages_without_text_and_without_a_tree() -> None:
    plain = [Features(segment_text(text)) for text in ("Home\none", "Home\ntwo\nthree")]
    assert [scores.values.tolist() for scores in site_diff(plain)] == [[1, 0], [1, 0, 0]]
    nothing, something = page(""), page("<p>one</p>")
    for parameters in (Parameters(), Parameters(prune=True, fromtarget=True)):
        assert [len(scores.values) for scores in site_diff([nothing, something, nothing], parameters)] == [0, 1, 0]
    assert site_diff([]) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("<div>" * 50_000 + "a" + "</div>" * 50_000, "<div>" * 50_000 + "b" + "</div>" * 50_000),
        ("<p>a</p>" * 20_000, "<p>a</p>" * 20_001),
        ("<p>a</p>" * 20_000, "<p>b</p>" * 20_001),
        ("<div><p>a</p>" * 5_000, "<div><p>a</p><p>b</p>" * 5_000),
    ],
    ids=["deep", "same", "other", "nested"],
)
def test_time_does_not_explode(first: str, second: str) -> None:
    start = time.process_time()
    values(first, second)
    assert time.process_time() - start < 60


def algorithm_2(tree: _Tree, doc_list: Sequence[int], other: _Tree, ref_list: Sequence[int]) -> list[int]:
    """As it is printed: every node is compared with every later one of the other page."""
    common: list[int] = []
    j = 0
    for node in doc_list:
        for k in range(j, len(ref_list)):
            texts = {other.texts[block] for block in other.texts_below(ref_list[k])}
            shared = [block for block in tree.texts_below(node) if tree.texts[block] in texts]
            if tree.tags[node] == other.tags[ref_list[k]] and shared:
                common += shared
                j = k + 1
                break
    return common


_PARTS = st.lists(
    st.sampled_from(
        ["<p>a</p>", "<p>b</p>", "<div><p>a</p><p>c</p></div>", "<div>b</div>", "c", "<div>c<p>a</p></div>"]
    ),
    max_size=7,
)


@given(_PARTS.map("".join), _PARTS.map("".join))
def test_algorithm_2_by_an_index(first: str, second: str) -> None:
    tree, other = _Tree(page(first)), _Tree(page(second))
    nodes, candidates = tree.children(0), other.children(0)
    assert _in_both(tree, nodes, other, candidates) == algorithm_2(tree, nodes, other, candidates)
